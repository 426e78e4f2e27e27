"""What the page of results says at a glance stands in the section each row names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "results.md").read_text()
_ROW = re.compile(
    r"^\| (?P<what>[^|]+) \| (?P<measured>[^|]+) \|[^|]*\| (?P<day>[-\d]+) \| \[[^]]*\]\(#(?P<anchor>[^)]+)\) \|$", re.M
)
ROWS = [found.groupdict() for found in _ROW.finditer(PAGE.partition("## Loading")[0])]


def _sections() -> dict[str, str]:
    """By anchor, what stands below each heading up to the next of its level or a higher one."""
    heads = [*re.finditer(r"^(#+) (.+)$", PAGE, re.M)]
    found = {}
    for place, head in enumerate(heads):
        later = (each.start() for each in heads[place + 1 :] if len(each[1]) <= len(head[1]))
        anchor = re.sub(r"[^\w\- ]", "", head[2].lower()).replace(" ", "-")
        found[anchor] = PAGE[head.end() : next(later, len(PAGE))]
    return found


@pytest.mark.parametrize("row", ROWS, ids=[row["what"][:40] for row in ROWS])
def test_its_figures_stand_in_the_section(row: dict[str, str]) -> None:
    """With the day, so that neither is measured again without the other."""
    section = _sections()[row["anchor"]]
    figures = re.findall(r"\d[\d,.]*\d|\d", row["measured"])
    assert [each for each in (*figures, row["day"]) if each not in section] == []


def test_all_rows_are_read() -> None:
    """A row of another form would be looked past."""
    table = PAGE.partition("## At a glance")[2].partition("\n## ")[0]
    assert len(ROWS) == sum(line.startswith("| ") for line in table.splitlines()) - 1
