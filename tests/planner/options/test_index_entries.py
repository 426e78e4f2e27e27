"""Entries of an index over few rows that writes are charged with, by what their text says of the rows."""

from __future__ import annotations

import pytest

from nestling.ir.candidate import Indexed
from nestling.ir.distribution import Distribution
from nestling.ir.model import Model
from nestling.ir.reading import Reading
from nestling.ir.situation import Thresholds, situation
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.ir.statistics import AttributeStatistics, EntityStatistics, Quantity, Statistics
from nestling.planner.options.modes import Modes
from nestling.planner.options.sizes.document_sizes import DocumentSizes
from nestling.planner.options.sizes.sizes import Sizes
from nestling.planner.options.structures.places import Places
from nestling.planner.options.writes.index_entries import entries_written
from nestling.sources.ddl import read_ddl
from nestling.sources.statements import parse_workload

MODEL: Model = read_ddl(
    """CREATE TABLE shop (id INTEGER PRIMARY KEY);
    CREATE TABLE task (id INTEGER PRIMARY KEY, shop_id INTEGER NOT NULL REFERENCES shop (id), status TEXT NOT NULL,
    level TEXT NOT NULL, n INTEGER);""",
    "m",
    dialect="sqlite",
).model
TENTH = AttributeStatistics(distinct=Quantity(2.0), values=Distribution(common=(("no", 0.9), ("yes", 0.1))))
KNOWN = EntityStatistics(Quantity(1000.0), attributes=(("status", TENTH), ("level", TENTH)))
CLOSES = "UPDATE task SET status = 'no' WHERE id = :id"


def entries(sql: str, *keys: str, on: str = "status") -> float:
    """Entries of an index over the rows with `yes`, for one row; the status is changed by some statement, the level by none."""
    workload, gaps = parse_workload(
        f"-- name: s, rate: 1/s\n{sql};\n-- name: closes, rate: 1/s\n{CLOSES};", MODEL, "sqlite", "w.sql"
    )
    assert gaps == ()
    known = situation(Reading(MODEL, workload, Statistics((("task", KNOWN),))), Thresholds())
    sizes = Sizes(known)
    places = Places(known, (), sizes)
    modes = Modes(known, places, sizes, DocumentSizes(known, places, sizes), lambda work: work.index_writes)
    index = Indexed("task", tuple((key, 1) for key in keys or ("n",)), (Clause(on, ClauseOperator.EQUAL, "yes"),))
    return entries_written(modes, workload.statements[0].accesses[0], index)


@pytest.mark.parametrize(
    ("sql", "status", "level"),
    [
        ("INSERT INTO task VALUES (:id, 1, 'yes', 'no', 3)", 1, 0),
        (
            "INSERT INTO task VALUES (:id, 1, :status, :level, 3)",
            1,
            0.1,
        ),  # any status, as it may change; the level stays
        (CLOSES, 1, 0),  # it leaves; nothing the other index is about changes
        ("UPDATE task SET status = 'yes' WHERE status = 'no'", 1, 0),  # it comes
        ("UPDATE task SET status = :status WHERE id = :id", 2, 0),
        ("UPDATE task SET n = :n WHERE id = :id", 0.2, 0.2),  # a tenth of the rows have an entry, which moves
        ("UPDATE task SET n = :n WHERE status = 'yes'", 2, 0.2),
        ("UPDATE task SET n = :n WHERE status = 'no'", 0, 0.2),
        ("DELETE FROM task WHERE id = :id", 0.1, 0.1),
        ("DELETE FROM task WHERE status = 'yes' AND level = 'no'", 1, 0),
    ],
)
def test_entries_of_one_row(sql: str, status: float, level: float) -> None:
    """None where the row is in it neither before nor after, one where it comes or leaves, two where it moves."""
    assert entries(sql, on="status") == pytest.approx(status)
    assert entries(sql, on="level") == pytest.approx(level)


def test_the_index_of_a_foreign_key_is_written_too() -> None:
    """One over few rows that begins with it stands beside the one there is in any case."""
    insert = "INSERT INTO task VALUES (:id, 1, :status, :level, 3)"
    assert entries(insert, "shop_id", "n", on="level") == pytest.approx(1.1)
    assert entries(insert, "n", "shop_id", on="level") == pytest.approx(0.1)
    assert entries(CLOSES, "shop_id") == pytest.approx(1)
