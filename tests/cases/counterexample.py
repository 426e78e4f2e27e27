"""Counterexamples: statements some design once answered wrongly, one Markdown file each, as small as the search made them.

A case has a title, a reason, and blocks under `Model`, `Rows` and `Design`, as pattern cases have them. Then `Statement` (SQL)
with `Answer`, SQLite's rows, a JSON list a line, or with `Refused`, part of the error it ends with; or `Writes`: statements, one
a line, after which every home holds what SQLite holds, and every copy what the homes imply.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.cases.pattern_case import PatternCase

FOLDER = Path(__file__).parent / "counterexamples"


class Counterexample(PatternCase):
    """One case, as its file has it."""

    __slots__ = ()

    @property
    def statement(self) -> str | None:
        """The SELECT, where there is one."""
        return self.blocks["Statement"].strip() if "Statement" in self.blocks else None

    @property
    def answer(self) -> list[list[object]]:
        """Its rows."""
        return [json.loads(line) for line in self.blocks["Answer"].splitlines()]

    @property
    def refused(self) -> str:
        """What its error says, where it must have one."""
        return self.blocks.get("Refused", "").strip()

    @property
    def writes(self) -> list[str]:
        """The writes, where there are any."""
        return self.blocks.get("Writes", "").splitlines()


def counterexamples() -> list[Counterexample]:
    """All cases, by name."""
    return [Counterexample(path.stem, path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.md"))]
