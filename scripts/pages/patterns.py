"""`docs/patterns.md`: the patterns that a design can say, from the cases that prove each of them on a real server."""

from __future__ import annotations

from scripts.pages._markdown import table
from scripts.pages._pattern_case import cases, section
from scripts.pages._pattern_pages import shown_by, titles

BY_HAND = ("polymorphic_members", "tree_path")
"""Cases on the page of a pattern that does not propose them."""
HEAD = """# Patterns

Every pattern below can be written in a design file, and nestling creates, loads, validates, verifies and unloads it. Each comes
from a case in `tests/cases/patterns` that runs on a real `mongod`. How each form looks in the database, to the last detail, is in
[document forms](document-forms.md).

## Proposed by themselves {{#proposed}}

These `nestling design` weighs by cost; each has a page that says when it is proposed:

{proposed}

## All forms {{#forms}}

Forms without a pattern in the right column are written by hand today.

{index}
{patterns}"""


def page() -> str:
    """The page's text."""
    every, shown = cases(), shown_by()
    proposed = "\n".join(f"- [{title}](patterns/{stem.replace('_', '-')}.md)" for stem, title in titles().items())
    rows = [(f"[{case.title}](#{case.name})", f"`{case.name}`", _proposers(case.name, shown)) for case in every]
    index = table(("form", "case", "proposed by"), rows)
    return HEAD.format(proposed=proposed, index=index, patterns="\n".join(section(case) for case in every))


def _proposers(case: str, shown: dict[str, tuple[str, ...]]) -> str:
    stems = [stem for stem, names in shown.items() if case in names and case not in BY_HAND]
    return ", ".join(f"[{stem}](patterns/{stem.replace('_', '-')}.md)" for stem in stems)
