"""Ranges and orders of the parts of a compound key: the answer is SQLite's, and only the rows of the range are read."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.primitives import Collection, Document
from nestling.ir.programs.compiled import bind
from nestling.ir.proposal import Proposal
from nestling.ir.types import FLOAT, INTEGER, TEXT, Type, TypeName
from tests.planner.reads.beside_sqlite import Beside, Rows, loaded

VALUES: dict[str, tuple[Type, list[object]]] = {
    "integers": (INTEGER, [-(2**53) - 1, -7, -1, 0, 1, 2, 10, 2**31, 2**53 + 1]),
    "floats": (FLOAT, [float("-inf"), -1e300, -2.5, -0.5, 0.0, 1e-300, 2.0, 2.5, 1e300, float("inf")]),
    "texts": (TEXT, ["", " ", "A", "B", "Z", "a", "a b", "ab", "ä", "é", "z", "ß", "\u2603", "\U0001f600"]),
    "dates": (
        Type(TypeName.DATE),
        [date(1, 1, 1), date(1969, 12, 31), date(1970, 1, 1), date(2024, 2, 29), date(9999, 12, 31)],
    ),
    "times": (
        Type(TypeName.TIMESTAMP),
        [datetime.fromisoformat("1969-12-31 23:00") + timedelta(minutes=59 * n) for n in range(9)],
    ),
}
RANGES = (
    "at >= :x AND at < :y",
    "at > :x AND at <= :y",
    "at BETWEEN :x AND :y",
    "at > :x",
    "at <= :y",
    "at < :y AND at < :x",
    "NOT at < :x",
    "at >= :x AND at <> :y",
)


@pytest.fixture(params=VALUES)
def kept(
    request: pytest.FixtureRequest, database: Database[dict[str, Any]], tmp_path: Path
) -> tuple[Beside, list[Any]]:
    """Slots of three doctors at each of the values, twice, and what a time is compared with."""
    kind, values = VALUES[request.param]
    slot = Entity(
        "slot",
        (
            Attribute("doctor", INTEGER, nullable=False),
            Attribute("at", kind, nullable=False),
            Attribute("room", INTEGER, nullable=False),
        ),
        ("doctor", "at", "room"),
    )
    day = Entity("day", slot.attributes, ("doctor", "at"))
    design = Design(
        Model("clinic", (slot, day)),
        (Collection("slot", Document("slot"), id=slot.key), Collection("day", Document("day"), id=day.key)),
    )
    rows: Rows = {
        "slot": [(doctor, at, room) for doctor, at, room in product((1, 2, 3), values, (1, 2))],
        "day": [(doctor, at, 0) for doctor, at in product((1, 2, 3), values)],
    }
    if kind.name in (TypeName.DATE, TypeName.TIMESTAMP):
        values = [each.isoformat(" ") if isinstance(each, datetime) else str(each) for each in values]
    return loaded(Proposal("", design), rows, database, tmp_path), values


@pytest.mark.thorough
def test_the_answer_is_sqlites(kept: tuple[Beside, list[Any]]) -> None:
    """For every type and comparison, with values that are there, or between, and NULL."""
    beside, values = kept
    some = [*values[::2], None, *([1, -2.5] if isinstance(values[0], int | float) else [])]
    for entity, condition in product(("slot", "day"), RANGES):
        sql = f'SELECT doctor, "at", room FROM {entity} WHERE doctor = :d AND {condition}'.replace(" at ", ' "at" ')
        for x, y in zip(some, [*some[1:], values[-1]], strict=True):
            for pair in ((x, y), (values[0], x)):
                given = {"d": 2, "x": pair[0], "y": pair[1]}
                beside.assert_equal(sql, {name: value for name, value in given.items() if f":{name}" in sql})


def test_case_does_not_matter_where_sql_says_so(database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """A range of texts regardless of case is no range of the `_id`s in their own order."""
    part = Attribute("at", TEXT, nullable=False)
    slot = Entity("slot", (Attribute("doctor", INTEGER, nullable=False), part), ("doctor", "at"))
    design = Design(Model("clinic", (slot,)), (Collection("slot", Document("slot"), id=slot.key),))
    rows: Rows = {"slot": [(doctor, at) for doctor, at in product((1, 2), ("A", "a", "B", "b", "C", "c", "ä"))]}
    beside = loaded(Proposal("", design), rows, database, tmp_path)
    for x, y in product("aBc", "AbC"):
        sql = (
            'SELECT doctor, "at" FROM slot WHERE doctor = :d AND "at" COLLATE NOCASE >= :x AND "at" COLLATE NOCASE < :y'
        )
        beside.assert_equal(sql, {"d": 2, "x": x, "y": y})


def test_only_the_range_is_read(kept: tuple[Beside, list[Any]]) -> None:
    """As many entries of the index as there are rows, and no other document."""
    beside, values = kept
    found = beside.compiled('SELECT room FROM day WHERE doctor = 2 AND "at" >= :x AND "at" < :y')
    read = bind(found, {"x": values[1], "y": values[3]})
    asked = {"find": read.collection, "filter": read.filter, "projection": read.projection}
    told = beside.database.command("explain", asked, verbosity="executionStats")["executionStats"]
    assert told["nReturned"] == told["totalDocsExamined"] == 2
    assert told["totalKeysExamined"] <= 3


ORDERS = (
    "SELECT doctor, at, room FROM slot WHERE doctor = :d ORDER BY at, room",
    "SELECT doctor, at, room FROM slot WHERE doctor = :d ORDER BY at DESC, room DESC LIMIT 5",
    "SELECT doctor, at FROM day WHERE doctor = :d ORDER BY at DESC LIMIT 3",
    "SELECT doctor, at FROM day WHERE doctor = :d ORDER BY doctor, at LIMIT 3 OFFSET 2",
    "SELECT doctor, at FROM day ORDER BY doctor DESC, at DESC LIMIT 7",
    "SELECT doctor, at FROM day ORDER BY doctor, at DESC LIMIT 7",
    "SELECT doctor, at, room FROM slot WHERE room = 2 ORDER BY doctor, at LIMIT 7",
    "SELECT doctor, at, room FROM slot WHERE doctor IN (1, 3) ORDER BY at, doctor, room",
)


@pytest.mark.one_in(2)
def test_an_order_by_parts_is_sqlites(kept: tuple[Beside, list[Any]]) -> None:
    """Whichever parts are given, and whichever way the others go."""
    beside, _ = kept
    for sql in ORDERS:
        text = sql.replace(" at", ' "at"')
        beside.assert_equal(text, {"d": 2} if ":d" in sql else {})


def test_the_first_in_order_are_read_alone(kept: tuple[Beside, list[Any]]) -> None:
    """The documents come in the order of `_id`: nothing is sorted, and reading stops at the limit."""
    beside, _ = kept
    for order in ('"at"', '"at" DESC'):
        read = bind(beside.compiled(f"SELECT room FROM day WHERE doctor = :d ORDER BY {order} LIMIT 2"), {"d": 2})
        asked = {"find": read.collection, "filter": read.filter, "sort": dict(read.sort), "limit": 2}
        told = beside.database.command("explain", asked, verbosity="executionStats")
        assert told["executionStats"]["totalKeysExamined"] <= 3
        assert "'SORT'" not in repr(told["queryPlanner"]["winningPlan"])
