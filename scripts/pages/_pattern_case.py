"""The cases of `tests/cases/patterns` as sections of a page: a sentence why, the design, and a document."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from scripts.pages import ROOT

CASES = ROOT / "tests" / "cases" / "patterns"
_BLOCK = re.compile(r"^## ([^\n]*)\n\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LONGEST_DOCUMENT = 300


@dataclass(frozen=True, slots=True)
class Case:
    """A case: its file's stem, its title, why it is there, and its blocks by heading."""

    name: str
    title: str
    why: str
    blocks: dict[str, str]


@cache
def cases() -> tuple[Case, ...]:
    """Every case, by name."""
    return tuple(_case(path.stem, path.read_text(encoding="utf-8")) for path in sorted(CASES.glob("*.md")))


def _case(name: str, text: str) -> Case:
    head = text.split("\n## ", 1)[0].splitlines()
    return Case(name, head[0].removeprefix("# "), "\n".join(head[1:]).strip(), dict(_BLOCK.findall(text)))


def section(case: Case) -> str:
    """The case under a heading of its own."""
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
