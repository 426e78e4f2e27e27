"""The coverage page names only modules and proofs that exist, and every requirement once or in parts."""

from __future__ import annotations

import re
from itertools import groupby
from string import ascii_lowercase

import pytest

from tests.shared_cases import ROOT, SHARED

PAGE = ROOT / "docs" / "coverage.md"
REQUIREMENTS = SHARED / "REQUIREMENTS.md"
ROW = re.compile(r"^\| ([A-G]\d+)([a-z]?) \|(.*)$", re.MULTILINE)


def rows() -> list[tuple[str, str, list[str]]]:
    """Requirement, letter of the part and cells of every row."""
    return [
        (found[1], found[2], [cell.strip() for cell in found[3].split("|")]) for found in ROW.finditer(PAGE.read_text())
    ]


def test_every_path_exists() -> None:
    """A module or a proof that is named is there; a proof is a file."""
    named = [
        name for *_, cells in rows() for cell in cells for name in re.findall(r"`((?:src|tests|docs)/[^`]+)`", cell)
    ]
    assert len(named) > 60
    assert not [name for name in named if not (ROOT / name).exists()]
    assert not [name for name in named if name.startswith("tests/") and not (ROOT / name).is_file()]


def test_what_is_done_has_a_proof() -> None:
    """A row names a proof exactly when it claims something."""
    for name, part, cells in rows():
        assert cells[1].startswith("not yet") != ("tests/" in "".join(cells[3:])), name + part


def test_rows_are_numbered_in_order() -> None:
    """Requirements from 1 on under each letter, once each; the parts of one from a on, and never one alone."""
    parts: dict[str, str] = {}
    for name, part, _ in rows():
        assert name not in parts or (parts[name] and part), f"{name} is there twice"
        parts[name] = parts.get(name, "") + part
    for letter, names in groupby(parts, key=lambda name: name[0]):
        found = list(names)
        assert found == [f"{letter}{number}" for number in range(1, len(found) + 1)]
    for name, letters in parts.items():
        assert letters == ascii_lowercase[: len(letters)], name
        assert len(letters) != 1, name


@pytest.mark.skipif(not REQUIREMENTS.is_file(), reason="the requirements are not beside the repository")
def test_every_requirement_has_its_rows() -> None:
    """The page has each id of the requirements, as one row or in parts, and no other."""
    wanted = re.findall(r"^\| ([A-G]\d+) \|", REQUIREMENTS.read_text(), re.MULTILINE)
    assert list(dict.fromkeys(name for name, *_ in rows())) == sorted(wanted, key=lambda name: (name[0], int(name[1:])))
