"""`docs/patterns.md`: the patterns that a design can say, from the cases that prove each of them on a real server."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scripts.pages import ROOT
from scripts.pages._markdown import table

CASES = ROOT / "tests" / "cases" / "patterns"
HEAD = """# Patterns

Every pattern below can be written in a design file, and nestling creates, loads, validates, verifies and unloads it. Each comes
from a case in `tests/cases/patterns` that runs on a real `mongod`. **They are written by hand today:** of these the strategies
propose by themselves only embedding, the kinds of reference, arrays of ids on one or both sides, a home for orphans, and GridFS
for values near the document limit. Nothing keeps copies and computed values right after loading yet.

How each form looks in the database, to the last detail, is in [document forms](document-forms.md).

{index}
{patterns}"""
_BLOCK = re.compile(r"^## ([^\n]*)\n\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LONGEST_DOCUMENT = 300


@dataclass(frozen=True, slots=True)
class _Case:
    name: str
    title: str
    why: str
    blocks: dict[str, str]


def page() -> str:
    """The page's text."""
    cases = [_case(path.stem, path.read_text(encoding="utf-8")) for path in sorted(CASES.glob("*.md"))]
    index = table(("pattern", "case"), [(f"[{case.title}](#{case.name})", f"`{case.name}`") for case in cases])
    return HEAD.format(index=index, patterns="\n".join(_section(case) for case in cases))


def _case(name: str, text: str) -> _Case:
    head = text.split("\n## ", 1)[0].splitlines()
    return _Case(name, head[0].removeprefix("# "), "\n".join(head[1:]).strip(), dict(_BLOCK.findall(text)))


def _section(case: _Case) -> str:
    documents = [
        (h.removeprefix("Documents in "), text) for h, text in case.blocks.items() if h.startswith("Documents in ")
    ]
    parts = [f"## {case.title} {{#{case.name}}}", case.why, f"```yaml\n{case.blocks['Design']}```"]
    parts += [f"In {collection}:\n\n```json\n{_first(text)}\n```" for collection, text in documents if text.strip()]
    return "\n\n".join(parts) + "\n"


def _first(documents: str) -> str:
    """The first document that is not long, else the first, cut."""
    lines = documents.splitlines()
    found = next((line for line in lines if len(line) <= LONGEST_DOCUMENT), lines[0])
    return found if len(found) <= LONGEST_DOCUMENT else f"{found[:LONGEST_DOCUMENT]} …"
