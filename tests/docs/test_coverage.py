"""The coverage page names only modules and proofs that exist, and every requirement once."""

from __future__ import annotations

import re
from collections import Counter

from tests.shared_cases import ROOT, SHARED, shared

PAGE = ROOT / "docs" / "coverage.md"
REQUIREMENTS = SHARED / "REQUIREMENTS.md"
ROW = re.compile(r"^\| ([A-G]\d+) \|(.*)$", re.MULTILINE)


def rows() -> list[tuple[str, list[str]]]:
    """Id and cells of every row."""
    return [(found[1], [cell.strip() for cell in found[2].split("|")]) for found in ROW.finditer(PAGE.read_text())]


def test_every_path_exists() -> None:
    """A module or a proof that is named is there."""
    named = [
        name for _, cells in rows() for cell in cells for name in re.findall(r"`((?:src|tests|docs)/[^`]+)`", cell)
    ]
    assert len(named) > 60
    assert not [name for name in named if not (ROOT / name).exists()]


def test_what_is_done_has_a_proof() -> None:
    """A row names a proof exactly when it claims something."""
    for name, cells in rows():
        assert cells[1].startswith("not yet") != ("tests/" in "".join(cells[3:])), name


@shared
def test_every_requirement_has_one_row() -> None:
    """The page has each id of the requirements exactly once."""
    wanted = re.findall(r"^\| ([A-G]\d+) \|", REQUIREMENTS.read_text(), re.MULTILINE)
    assert Counter(name for name, _ in rows()) == Counter(wanted)
