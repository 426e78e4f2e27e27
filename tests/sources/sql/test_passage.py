"""What is written to a SQL database reads back as it was, or is refused by table, row and column: any value in any column."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import pytest

from nestling.common.errors import SourceError
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.rows import JSON_NULL, RowColumn, RowQuery, UndecodableText
from nestling.ir.types import FLOAT, INTEGER, TEXT, Type
from nestling.ir.value_forms.canonical import canonical_encoder
from nestling.ir.values import Policy
from nestling.sources.sql import SqlSink, open_database, open_sink
from tests.soaking import sample

KINDS = tuple(
    Type.parse(name)
    for name in (
        *("boolean", "integer", "decimal", "decimal(10,2)", "float", "text", "bytes", "date", "time", "timestamp"),
        *("timestamp(3)", "timestamp(6)", "timestamptz", "interval", "uuid", "objectid", "json", "bits(3)"),
        *("array(integer)", "array(timestamp)", "array(json)", "geometry", "any"),
    )
)
NOON = datetime.fromisoformat("2024-02-29 12:00:00")
VALUES: tuple[object, ...] = (
    True, 1, 0, -5, 2**63, 1.0, 1.5, -0.0, 1e300, math.inf, math.nan, Decimal("1.50"), Decimal(7), Decimal("NaN"), "", "0049",
    "49", "1e5", "Ada", "nu\0l", "naïve", " pad ", "x" * 300, "null", '"a"', "12", '{"a": 1}', b"\x8c\x00",
    UndecodableText(b"\xff"), date(2024, 2, 29), NOON, NOON.replace(microsecond=250_000), NOON.replace(microsecond=123_456),
    NOON.replace(tzinfo=UTC),
    "2024-02-29", "2024-02-29 12:00:00", "0000-00-00", "infinity", "23:59:59", "P1DT2H", UUID(int=7), str(UUID(int=7)), "0" * 24,
    "101", "10101", JSON_NULL, {"a": [1, None]}, {"a": 1.0, "b": math.inf}, [1, 2], [1, None], [], [[1], [2]], [1.5, math.inf],
    [NOON.replace(microsecond=250_000)], [{"a": 1}, "x", None],
)  # fmt: skip
FITTING = {
    "boolean": (True,), "integer": (1, -5), "float": (1.5, 1.0), "text": ("0049", "Ada", ""), "bytes": (b"\x8c\x00",),
    "date": (date(2024, 2, 29),), "time": ("23:59:59",), "timestamp": (NOON,), "timestamptz": (NOON.replace(tzinfo=UTC),),
    "interval": ("P1DT2H",), "uuid": (UUID(int=7),), "objectid": ("0" * 24,), "json": (JSON_NULL, {"a": [1, None]}, [1, 2]),
    "bits(3)": ("101",), "array(integer)": ([1, 2], [1, None]), "decimal(10,2)": (Decimal("1.50"),),
}  # fmt: skip
"""Values that every database has."""
OTHERS = tuple(map(Type.parse, ("integer", "float", "text", "bytes")))


def _model(*, mixed: bool) -> Model:
    """One table with a column of each type; its name and theirs have what drivers and servers read otherwise."""
    key = Attribute("id", INTEGER, nullable=False)
    kinds = (
        Attribute(f"{kind} %s", kind, also=tuple(o for o in OTHERS if o.name is not kind.name) if mixed else ())
        for kind in KINDS
    )
    return Model("m", (Entity("of %s", (key, *kinds), ("id",)),))


@pytest.fixture(params=["sqlite", "sqlite, mixed", "postgresql", "mariadb"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Model]:
    """An empty database, and the model of what is written to it."""
    kind, _, mixed = request.param.partition(", ")
    url: str = f"sqlite:///{tmp_path / 'copy.db'}"
    if kind != "sqlite":
        url = request.getfixturevalue(f"{kind}_urls")[1]
    return url, _model(mixed=bool(mixed))


def _tried(sink: SqlSink, entity: Entity) -> Iterator[tuple[int, Type, object, str]]:
    """What fits a column and every other value, or of these a sample, and why it was refused, if it was."""
    for place, kind in enumerate(KINDS, start=1):
        fitting = {*map(repr, FITTING.get(str(kind), ()))}
        others = sample([value for value in VALUES if repr(value) not in fitting], one_in=4, first=place)
        for number, value in enumerate((*FITTING.get(str(kind), ()), *others), start=place * 1000):
            row = (number, *(value if each == place else None for each in range(1, len(KINDS) + 1)))
            try:
                sink.write(entity, [row])
            except SourceError as error:
                yield number, kind, value, str(error)
            else:
                yield number, kind, value, ""


@pytest.mark.thorough
def test_any_value_in_any_column(target: tuple[str, Model]) -> None:
    """What is not refused reads back as it was; what is refused is named; what fits its column is never refused."""
    url, model = target
    (entity,) = model.entities
    sink = open_sink(url)
    sink.begin(model)
    tried = list(_tried(sink, entity))
    sink.finish()
    query = RowQuery(entity.name, tuple(map(RowColumn, entity.attribute_names)), (RowColumn("id"),))
    found = {row[0]: row for row in open_database(url, model=model).rows(query)}
    encoders = {kind: canonical_encoder([f"{kind} %s"], entity, Policy(long_decimals="text")) for kind in KINDS}
    for number, kind, value, refusal in tried:
        if refusal:
            assert repr(value) not in map(repr, FITTING.get(str(kind), ())), refusal
            assert f"table of %s, the row id = {number}: `{kind} %s` is " in refusal
            assert "  → change that value" in refusal or f"  → convert `{kind} %s` to one type" in refusal
            assert number not in found
        else:
            assert encoders[kind]([value]) == encoders[kind]([found[number][1 + KINDS.index(kind)]]), (kind, value)


@pytest.mark.parametrize(
    ("kind", "also", "value", "is_listed"),
    [
        ("json", (), "5", False),
        ("json", (TEXT,), "5", False),
        ("decimal", (FLOAT,), math.nan, False),
        ("text", (), 5, True),
        ("integer", (), 2**63, True),
    ],
)
def test_types_are_listed_where_that_helps(
    kind: str, also: tuple[Type, ...], value: object, is_listed: bool, tmp_path: Path
) -> None:
    """SQLite's columns hold what is listed beside their type, but JSON's no texts that are JSON, and decimals' no other NaN."""
    key = Attribute("id", INTEGER, nullable=False)
    entity = Entity("of", (key, Attribute("m", Type.parse(kind), also=also)), ("id",))
    sink = open_sink(f"sqlite:///{tmp_path / 'copy.db'}")
    sink.begin(Model("m", (entity,)))
    for number in range(2):
        with pytest.raises(SourceError, match="change that value") as refused:
            sink.write(entity, [(number, value)])
        assert ("add its type to `also`" in str(refused.value)) == is_listed


def test_the_row_among_many_is_named(target: tuple[str, Model]) -> None:
    """One wrong value among a batch: the rows before it are not to blame, and nothing of a batch is lost where all are right."""
    url, model = target
    (entity,) = model.entities
    sink = open_sink(url)
    sink.begin(model)
    place = 1 + KINDS.index(Type.parse("decimal(10,2)"))
    rows = [(n, *(Decimal("1.50") if each == place else None for each in range(1, 1 + len(KINDS)))) for n in range(50)]
    sink.write(entity, rows[:40])
    wrong = (41, *(UUID(int=7) if each == place else None for each in range(1, 1 + len(KINDS))))
    with pytest.raises(SourceError, match=r"the row id = 41: `decimal\(10,2\) %s` is 00000000-"):
        sink.write(entity, [*rows[40:41], wrong, *rows[42:]])
    sink.finish()
    assert open_database(url, model=model).count(entity.name) == 41


@pytest.mark.parametrize("server", ["postgresql", "mariadb"])
def test_types_no_column_holds_are_told_first(request: pytest.FixtureRequest, server: str) -> None:
    """A server's columns are of one type: where the model knows of another, nothing is made."""
    url = request.getfixturevalue(f"{server}_urls")[1]
    entity = Entity("person", (Attribute("id", INTEGER), Attribute("phone", INTEGER, also=(TEXT,))), ("id",))
    with pytest.raises(SourceError, match="table person: `phone` is integer and also text") as error:
        open_sink(url).begin(Model("m", (entity,)))
    assert "unload to SQLite" in str(error.value)
    assert not open_database(url).reading().model.entities


def test_a_broken_promise_is_named(target: tuple[str, Model]) -> None:
    """A NULL where there may be none: the server's words, with the row they are of."""
    url, _ = target
    entity = Entity(
        "thing", (Attribute("id", INTEGER, nullable=False), Attribute("n", INTEGER, nullable=False)), ("id",)
    )
    sink = open_sink(url)
    sink.begin(Model("m", (entity,)))
    with pytest.raises(SourceError, match="table thing, the row id = 2: the row is refused: "):
        sink.write(entity, [(1, 1), (2, None), (3, 3)])
    sink.close()
