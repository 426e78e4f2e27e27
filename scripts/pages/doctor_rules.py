"""`docs/doctor-rules.md`: what the doctor looks for, from the rules' own docstrings and thresholds."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nestling.doctor import OFFICES, explanation, rule, rule_names
from scripts.pages._markdown import code, table

HEAD = """# What the doctor looks for

`nestling doctor mongodb://host/database` reads a live database, never writes to it, and names what hurts: where, the
number, whose threshold it passes, what it costs, and what to do. Facts are gathered once and can be saved (`--save`);
`--since` an earlier file shows what grows. Facts and reports hold names, types, counts and sizes, never a value of a
document or a statement.

Published thresholds for the same problem differ 3 to 100 times, so each is named by whose it is. The first of a rule is
used unless you choose with `--as atlas|compass|sources`, or set your own: `--threshold unbounded-array.documents=500`.

Collections of up to 15,000 documents and 32 MB are read whole. Of larger ones 10,000 documents are read, chosen by a
hash of `_id`, or at random above 500,000 documents; up to 64 MB (with `--whole`: always) the server then counts types,
array lengths and sizes over all documents. Shares of a sample come with their 95 % confidence interval. Rules about
statements need MongoDB's profiler to have been on.

A finding you accept goes into an ignore file (`--ignore`), a YAML list of `{rule, where, reason}`, where `where` is a
pattern for `database.collection: path`. A finding's *severity* says how much it matters (`error`: wrong answers or
failing writes), its *confidence* how it is known (`certain`: counted; `likely`: from a sample; `possible`: from a
name).

"""
_LABEL = re.compile(r"^(Why|Example|Remedy|Ignore when):", re.MULTILINE)


def page() -> str:
    """The page's text."""
    names = rule_names()
    rows = [(f"[{code(name)}](#{name})", rule(name).title, rule(name).severity) for name in names]
    sections = "\n".join("\n\n".join(_section(name)) + "\n" for name in names)
    return f"{HEAD}{table(('rule', 'finds', 'severity'), rows)}\n{sections}"


def _section(name: str) -> Iterator[str]:
    yield f"## {rule(name).title} {{#{name}}}"
    yield f"{code(name)}, {rule(name).severity}."
    yield _LABEL.sub(r"**\1:**", explanation(name))
    rows = [
        (code(f"{name}.{each.name}"), each.text, f"{value:,.0f} {each.unit}", OFFICES[office])
        for each in rule(name).thresholds
        for office, value in each.values.items()
    ]
    if rows:
        yield table(("threshold", "of", "value", "whose"), rows).rstrip()
