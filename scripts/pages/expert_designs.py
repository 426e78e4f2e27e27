"""`docs/expert-designs.md`: published designs beside nestling's, from the cases that compare them."""

from __future__ import annotations

import re
from pathlib import Path

from scripts.pages import ROOT
from scripts.pages._markdown import table

CASES = ROOT / "tests" / "cases" / "experts"
HEAD = """# Expert designs

Designs that experts published for a stated application, beside the least-cost design for the same model, counts and statements.
*Agrees*: the structure is in the least-cost design too. *As good*: it could be, at the same cost. *Differs*: the best design
with it costs that much more, and the statement that pays most. *The expert's* cost is that of the best design with all of the
expert's structures: what the expert did not say is decided by cost.

Costs are in milliseconds of work for each second of the workload (ms/s), by the profile that ships. Everything on this page
comes from the cases in `tests/cases/experts`, which a test runs: it checks the verdicts each time, and writes the numbers when it
is told to.

"""
_BLOCK = re.compile(r"^## ([^\n]*)\n\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def page() -> str:
    """The page's text."""
    return HEAD + "\n".join(_section(path) for path in sorted(CASES.glob("*.md")))


def _section(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    head, blocks = text.split("\n## ", 1)[0].splitlines(), dict(_BLOCK.findall(text))
    reasons = dict(re.split(r"\s{2,}", line, maxsplit=1) for line in blocks["Expert"].splitlines())
    lines = blocks["Outcome"].splitlines()
    rows = [_row(line, reasons) for line in lines[2:]]
    costs = "; ".join(re.sub(r"\s{2,}", ": ", line) for line in lines[:2])
    parts = [f"## {head[0].removeprefix('# ')}", "\n".join(head[1:]).strip(), f"{costs[:1].upper()}{costs[1:]}."]
    parts += [table(("expert's structure", "expert's reason", "nestling"), rows).strip(), blocks["Remarks"].strip()]
    return "\n\n".join(parts) + "\n"


def _row(line: str, reasons: dict[str, str]) -> tuple[str, str, str]:
    verdict, rest = re.split(r"\s{2,}", line, maxsplit=1)
    structure = next(name for name in reasons if rest == name or rest.startswith(f"{name}: "))
    more = rest.removeprefix(structure).removeprefix(": ")
    return structure, reasons[structure], f"{verdict}: {more}" if more else verdict
