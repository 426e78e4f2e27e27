"""Numbers the store makes for new rows: one more than the highest, whatever there is, found without reading the rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.constraints.defaults import Generated
from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.primitives import Collection, Document
from nestling.ir.types import Type
from tests.write_traces import Trace, trace

ROWS = 200


@pytest.fixture
def run(database: Database[dict[str, Any]], tmp_path: Path) -> Trace:
    """Things that are numbered, most of them there already."""
    number = Attribute("id", Type.parse("integer"), nullable=False, default=Generated.NUMBER)
    thing = Entity("thing", (number, Attribute("name", Type.parse("text"))), ("id",))
    design = Design(Model("things", (thing,)), (Collection("things", Document("thing"), ("id",)),))
    return trace(design, {"thing": [(7 * place, f"thing {place}") for place in range(ROWS)]}, database, tmp_path)


def test_numbers_are_those_of_sqlite(run: Trace) -> None:
    """For a number left out, for NULL, for several rows, after one that was given, and in a table that is empty."""
    run.run("INSERT INTO thing (name) VALUES ('left out')")
    run.run("INSERT INTO thing VALUES (NULL, 'NULL')")
    run.run("INSERT INTO thing (name) VALUES ('one'), ('two')")
    run.run("INSERT INTO thing VALUES (100000, 'given')")
    run.run("INSERT INTO thing (name) VALUES ('after it')")
    run.run("DELETE FROM thing")
    run.run("INSERT INTO thing (name) VALUES ('the first')")
    run.check()
    assert (len(run.done), run.refused, run.gaps) == (7, [], [])


def test_a_query_of_one_row_is_numbered_where_it_is_null(run: Trace) -> None:
    """For a number it computes, leaves out, or finds none for; of several rows some of which have one it is a gap."""
    run.run("INSERT INTO thing SELECT MAX(id) + 1, 'next' FROM thing")
    run.run("INSERT INTO thing (name) SELECT COUNT(*) FROM thing")
    run.run("INSERT INTO thing SELECT id + 100000, name FROM thing WHERE id < 50")
    run.run("INSERT INTO thing SELECT MAX(id), 'none' FROM thing WHERE name = 'no such'")
    run.run("INSERT INTO thing SELECT MAX(id), 'one of none' FROM thing HAVING COUNT(*) = 0")
    run.run("DELETE FROM thing")
    run.run("INSERT INTO thing SELECT MAX(id) + 1, 'the first' FROM thing")
    run.check()
    assert (len(run.done), run.refused, run.gaps) == (7, [], [])
    run.run("INSERT INTO thing SELECT NULLIF(id, 1) + 1, name FROM thing")
    ((_, why),) = run.gaps
    assert "may give NULL for `id` of `thing`, which has to be generated" in why


def test_the_rows_of_a_query_are_numbered_in_its_order(run: Trace) -> None:
    """By ORDER BY, with LIMIT and OFFSET, of groups, of none; without an order by the key of the rows that are read."""
    run.run("INSERT INTO thing (name) SELECT name || '!' FROM thing WHERE id < 70 ORDER BY name DESC")
    run.run("INSERT INTO thing (name) SELECT name FROM thing ORDER BY id DESC LIMIT 5 OFFSET 2")
    run.run("INSERT INTO thing (name) SELECT name FROM thing WHERE id > 1380")
    run.run("INSERT INTO thing (name) SELECT DISTINCT substr(name, 1, 7) AS short FROM thing ORDER BY short")
    run.run("INSERT INTO thing (name) SELECT max(name) FROM thing GROUP BY id % 3 ORDER BY id % 3")
    run.run("INSERT INTO thing (name) SELECT name FROM thing WHERE id < 0")
    run.run("INSERT INTO thing (name) SELECT 'one' UNION ALL SELECT 'one'")
    run.run("DELETE FROM thing")
    run.run("INSERT INTO thing (name) SELECT 'one' UNION ALL SELECT 'one'")
    run.check()
    assert (len(run.done), run.refused, run.gaps) == (9, [], [])


def test_rows_that_may_be_there_are_numbered_too(run: Trace) -> None:
    """A number that is given, one that is taken, and NULL, whatever is to be done about the row with it."""
    for what in ("UPDATE SET name = name || excluded.name", "NOTHING"):
        for number in ("7", "8", "NULL"):
            run.run(f"INSERT INTO thing VALUES ({number}, '+') ON CONFLICT (id) DO {what}")
    run.run("INSERT OR REPLACE INTO thing VALUES (14, 'replaced'), (NULL, 'new'), (15, 'given')")
    run.check()
    assert (len(run.done), run.refused, run.gaps) == (7, [], [])


def test_the_highest_number_is_found_by_its_index(run: Trace, database: Database[dict[str, Any]]) -> None:
    """The table is not read for it."""
    before = uses_of_key(database)
    run.run("INSERT INTO thing (name) VALUES ('one more')")
    assert uses_of_key(database) > before


def uses_of_key(database: Database[dict[str, Any]]) -> int:
    """How often the server has answered by the index of the key."""
    return sum(int(each["accesses"]["ops"]) for each in database["things"].aggregate([{"$indexStats": {}}]))


@pytest.mark.parametrize(
    ("rows", "is_told"),
    [
        ("(NULL, 'numbered'), (100000, 'given last')", False),
        ("(100000, 'given'), (NULL, 'numbered from there')", True),
        ("(NULLIF(1, 1), 'may have one'), (NULL, 'numbered')", True),
    ],
)
def test_a_row_numbered_after_one_that_gives_its_number(run: Trace, rows: str, is_told: bool) -> None:
    """SQLite goes on from there, row by row: that is a gap; numbered rows that come first are its own."""
    run.run(f"INSERT INTO thing VALUES {rows}")
    run.check()
    assert (["lets the database number a later one" in why for _, why in run.gaps]) == [True] * is_told
    assert len(run.done) == (not is_told)
