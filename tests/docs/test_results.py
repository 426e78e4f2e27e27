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


def _figures(row: dict[str, str]) -> list[str]:
    """What a row says was measured: parts between semicolons, without units and verdicts."""
    return [re.split(r" (?:ms|times as)\b|, \*\*", part)[0].strip() for part in row["measured"].split(";")]


@pytest.mark.parametrize("row", ROWS, ids=[row["what"][:40] for row in ROWS])
def test_its_figures_stand_in_the_section(row: dict[str, str]) -> None:
    """In bold, each as a whole, and with the day, so that none is measured again without the other."""
    section = _sections()[row["anchor"]]
    marked = re.findall(r"\*\*([^*\n]*\d[^*\n]*)\*\*", section)
    assert [each for each in _figures(row) if each not in marked] == []
    assert row["day"] in section


def test_other_figures_are_found_out() -> None:
    """A figure with a digit more or less is in no section: what is asked for is the whole of it."""
    for row in ROWS:
        marked = re.findall(r"\*\*([^*\n]*\d[^*\n]*)\*\*", _sections()[row["anchor"]])
        for figure in _figures(row):
            assert f"{figure}0" not in marked, row["what"]
            assert figure[1:] not in marked, row["what"]
            assert figure[:-1] not in marked, row["what"]


def test_all_rows_are_read() -> None:
    """A row of another form would be looked past."""
    table = PAGE.partition("## At a glance")[2].partition("\n## ")[0]
    assert len(ROWS) == sum(line.startswith("| ") for line in table.splitlines()) - 1
