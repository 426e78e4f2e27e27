"""A number for an enum is the place of a label, in every way a statement says it; a comparison with one is no label's."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pymysql
import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import GapError, NestlingError, WorkloadError
from nestling.ir.reading import Reading
from nestling.ir.types import Type
from tests.beside_mariadb import Both, both_of

_SCRIPT = """
CREATE TABLE item (id int PRIMARY KEY, letter enum('x', 'Y', 'z'), digit enum('0', '1', '2') NOT NULL,
  exact enum('x', 'Y', '') COLLATE utf8mb4_bin, n int, words set('a', 'b'), strict set('a', 'B') COLLATE utf8mb4_bin);
INSERT INTO item VALUES (1, 'x', '0', 'x', 2, 'a,b', 'B'), (2, 'z', '2', '', 1, '', NULL)
"""
_LITERALS = (
    "0", "1", "2", "3", "4", "-1", "1.4", "1.6", "1.6e0", "true", "'0'", "'1'", "'2'", "' 2'", "'2 '", "'02'", "'+2'",
    "'4'", "'2x'", "'1.5'", "''", "'y'", "'y '", "NULL", "n", "n + 1", "if(id = 1, 2, letter)",
)  # fmt: skip
_GIVEN: tuple[object, ...] = (0, 1, 2, 4, -1, 1.6, Decimal("1.6"), True, "2", "02", " 2", "2 ", "y", "", 2**70, None)
_COLUMNS = ("letter", "digit", "exact")

both = both_of(_SCRIPT, "normalized")


def _written(both: Both, sql: str, given: dict[str, object] | None = None) -> bool:
    """Where it is done here it is done there, with the same rows; where it is not, there are gaps, or it fails there too.

    Whether it was done.
    """
    store = Store(both.proposal, both.database)
    try:
        store.execute(sql, **(given or {}))
    except NestlingError as error:
        if "nestling does not convert this" not in str(error):
            with pytest.raises(pymysql.Error):
                both.cursor.execute(sql.replace(":p", "%(p)s"), given or None)
        return False
    both.cursor.execute(sql.replace(":p", "%(p)s"), given or None)
    both.assert_equal()
    return True


@pytest.mark.thorough
@pytest.mark.parametrize("column", _COLUMNS)
def test_a_constant_is_mariadbs_label(both: Both, column: str) -> None:
    """A number is a place; a text is a label, or the place it says."""
    values = [value for value in _LITERALS if "letter" not in value or column == "digit"]
    done = [_written(both, f"UPDATE item SET {column} = {value} WHERE id = 1") for value in values]
    assert sum(done) >= 15, sum(done)


@pytest.mark.thorough
@pytest.mark.parametrize("column", _COLUMNS)
def test_a_parameter_is_mariadbs_label(both: Both, column: str) -> None:
    """The same, given."""
    done = [_written(both, f"UPDATE item SET {column} = :p WHERE id = 1", {"p": value}) for value in _GIVEN]
    assert sum(done) >= 9, sum(done)


def test_rows_that_are_inserted_hold_mariadbs_labels(both: Both) -> None:
    """By INSERT, and where the row is there already."""
    assert _written(both, "INSERT INTO item (id, letter, digit) VALUES (3, 2, 1)")
    assert _written(both, "INSERT INTO item (id, letter, digit) VALUES (4, :p, :p)", {"p": 3})
    assert _written(
        both, "INSERT INTO item (id, digit) VALUES (1, 3) ON DUPLICATE KEY UPDATE letter = 3, digit = VALUES(digit)"
    )
    assert _written(both, "REPLACE INTO item (id, letter, digit) VALUES (2, 1, '1')")


def test_a_comparison_with_a_number_is_refused_or_mariadbs(both: Both, database: Database[Any]) -> None:
    """A number beside a label is its place there, which no text is; none is silently taken for a label."""
    store, compared = Store(both.proposal, both.database), 0
    for sql in ("digit = :p", "digit IN (:p)", "digit > :p", "digit = 1", "letter = '1'", "letter = :p"):
        for given in (1, "1", "x", "X"):
            asked = f"SELECT id FROM item WHERE {sql} ORDER BY id"
            both.cursor.execute(asked.replace(":p", "%(p)s"), {"p": given})
            wanted = [row[0] for row in both.cursor.fetchall()]
            with suppress(WorkloadError, GapError):
                found = [row["id"] for row in store.execute(asked, **({"p": given} if ":p" in sql else {}))]
                assert found == wanted, (sql, given)
                compared += 1
    assert compared >= 16, compared


_SETS: tuple[object, ...] = (
    "b", "b,a", "a,a", "A", "b ", " b", "a, b", "", "a,", "x", "a,x", "3", "4", "0", 0, 2, 3, 4, -1, True, 1.6,
    Decimal("2"), None,
)  # fmt: skip


@pytest.mark.one_in(2)
@pytest.mark.parametrize("column", ["words", "strict"])
def test_labels_of_a_set_are_mariadbs(both: Both, column: str) -> None:
    """Each once, in the order and the spelling of the set; a number says them by its bits, and others are refused."""
    done = [_written(both, f"UPDATE item SET {column} = :p WHERE id = 1", {"p": value}) for value in _SETS]
    done += [
        _written(both, f"UPDATE item SET {column} = {value!r} WHERE id = 2")
        for value in _SETS
        if isinstance(value, str | int)
    ]
    assert sum(done) >= 19, sum(done)
    insert = "INSERT INTO item (id, digit, words, strict) VALUES (5, 1, 'B,a', '{},a'), (6, 1, DEFAULT, NULL)"
    assert not _written(both, insert.format("b"))
    assert _written(both, insert.format("B"))
    _written(both, "UPDATE item SET words = strict, strict = CONCAT(words, ',b')")


def test_a_set_without_labels_takes_no_number(both: Both) -> None:
    """It stands for labels, which an older model does not list."""
    design = both.proposal.design
    entity = design.model.entity("item")
    words = replace(entity.attribute("words"), type=Type.parse("text as set"))
    known = tuple(words if each.name == "words" else each for each in entity.attributes)
    model = replace(design.model, entities=(replace(entity, attributes=known),))
    store = Store(pipeline.design(Reading(model, dialect="mysql"), "normalized"), both.database)
    with pytest.raises(WorkloadError, match="give the labels"):
        store.execute("UPDATE item SET words = :p", p=2)
    store.execute("UPDATE item SET words = :p WHERE id = 1", p="b,a")
    assert [row["words"] for row in store.execute("SELECT words FROM item WHERE id = 1")] == ["b,a"]
