"""The tables rows are unloaded into: what an INSERT need not say, and which texts are the same."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from nestling.ir.constraints.allowed import Allowed
from nestling.ir.constraints.defaults import ConstantDefault, Generated, OtherDefault
from nestling.ir.model import Attribute, Entity, Model, Relationship
from nestling.ir.statements.operators import Collation
from nestling.ir.statements.sql_dialects import MYSQL, POSTGRESQL, SQLITE
from nestling.ir.types import Type
from nestling.sources.sql import open_database, open_sink
from nestling.sources.sql.address import parse_address
from nestling.sources.sql.connection import connect
from tests.sources.sql.reading_back import everything


def _attribute(name: str, kind: str, default: Any = None, collation: Collation = Collation.BINARY) -> Attribute:
    return Attribute(name, Type.parse(kind), nullable=False, default=default, collation=collation)


SAID = {
    "active": ("boolean", ConstantDefault(value=True)), "level": ("integer", ConstantDefault(-3)),
    "rate": ("decimal(8,2)", ConstantDefault(Decimal("0.50"))),
    "share": ("float", ConstantDefault(1.5)), "state": ("text", ConstantDefault("new")),
    "born": ("date", ConstantDefault(date(1970, 1, 2))),
    "due": ("timestamp", ConstantDefault(datetime.fromisoformat("2030-01-02 03:04:05"))),
    "made": ("timestamptz", Generated.TIMESTAMP),
    "day": ("date", Generated.DATE),
}  # fmt: skip
THING = Entity(
    "thing",
    (
        _attribute("id", "integer", Generated.NUMBER),
        _attribute("sku", "text(20)"),
        _attribute("email", "text(40)", collation=Collation.UNICODE_CI),
        *(_attribute(name, kind, default) for name, (kind, default) in SAID.items()),
        _attribute("quoted", "text", ConstantDefault("it's \\new")),
        _attribute("odd", "text", OtherDefault("lower('X')")),
    ),
    ("id",),
    uniques=(("sku",), ("email",)),
)
PART = Entity(
    "part", (_attribute("id", "integer"), _attribute("owner", "text(40)", collation=Collation.UNICODE_CI)), ("id",)
)
OWNS = Relationship("owns", "thing", "part", ("email",), ("owner",), enforced=True)
MODEL = Model("made", (THING, PART), (OWNS,))
WIDTHS = "integers are declared as bigint: the design does not record how wide the source's are"
UNKNOWN = "non-unique indexes, triggers and permissions are not created here: the design does not record the source's"
UNTOLD = {
    SQLITE: (UNKNOWN,),
    POSTGRESQL: (
        *(
            f"`{entity}`: texts of `{name}` are compared exactly here, unlike in the source"
            for entity, name in (("thing", "email"), ("part", "owner"))
        ),
        WIDTHS,
        UNKNOWN,
    ),
    MYSQL: (
        "`thing`: declared with a different type than in the source: `made` (timestamptz) as datetime(6)",
        WIDTHS,
        UNKNOWN,
    ),
}
NOON = datetime(2024, 5, 6, 12, tzinfo=UTC)
FIXED = (
    True,
    1,
    Decimal("1.25"),
    2.5,
    "new",
    date(2020, 1, 1),
    NOON.replace(tzinfo=None),
    NOON,
    date(2020, 1, 1),
    "x",
    "x",
)


def _filled(url: str, owner: str) -> tuple[str, ...]:
    sink = open_sink(url)
    sink.begin(MODEL)
    sink.write(THING, [(0, "SKU", "Ann@x", *FIXED), (41, "sku", "bob@x", *FIXED)])
    sink.write(PART, [(1, owner)])
    return sink.finish()


def _run(url: str, sql: str) -> None:
    connection = connect(parse_address(url), read_only=False)
    connection.cursor().execute(sql)
    connection.commit()
    connection.close()


def _check(url: str, notes: tuple[str, ...], dialect: str) -> None:
    """An INSERT that says the rest gets what the model says; the tables read back as the model has them."""
    assert notes == (
        "`thing`: the default of `odd` is not declared; every INSERT has to give a value",
        *UNTOLD[dialect],
    )
    _run(url, "INSERT INTO thing (sku, email, odd) VALUES ('Sku', 'cem@x', 'y')")
    rows = {row[0]: row for row in open_database(url, model=MODEL).rows(everything("thing", MODEL))}
    assert rows.keys() == {0, 41, 42}
    fresh: dict[str, Any] = dict(zip(THING.attribute_names, rows[42], strict=True))
    constants = {name: default.value for name, (_, default) in SAID.items() if isinstance(default, ConstantDefault)}
    assert {name: fresh[name] for name in constants} == constants
    assert fresh["quoted"] == "it's \\new"
    assert abs((fresh["made"] - datetime.now(UTC)).total_seconds()) < 3600
    read = open_database(url).reading().model.entity("thing")
    for name, (_, default) in SAID.items():
        assert read.attribute(name).default == default, name
    expected = {SQLITE: Collation.NOCASE, MYSQL: Collation.UNICODE_CI, POSTGRESQL: Collation.BINARY}[dialect]
    assert [read.attribute(name).collation for name in ("sku", "email")] == [Collation.BINARY, expected]


def test_tables_are_made_as_they_were_in_sqlite(tmp_path: Path) -> None:
    """The key by itself counts on; texts of either collation are kept apart or together."""
    url = f"sqlite:///{tmp_path / 'made.db'}"
    _check(url, _filled(url, "ANN@X"), SQLITE)


@pytest.mark.thorough
def test_tables_are_made_as_they_were_in_postgresql(postgresql_urls: tuple[str, str]) -> None:
    """An identity starts behind the highest number."""
    _check(postgresql_urls[1], _filled(postgresql_urls[1], "Ann@x"), POSTGRESQL)


def test_an_identity_is_made_as_it_was(postgresql_urls: tuple[str, str]) -> None:
    """Numbers no statement gives are so in the table that is made, and are written nevertheless."""
    url = postgresql_urls[1]
    counter = Entity("counter", (_attribute("id", "integer", Generated.IDENTITY), _attribute("name", "text")), ("id",))
    sink = open_sink(url)
    sink.begin(Model("made", (counter,)))
    sink.write(counter, [(4, "four"), (9, "nine")])
    sink.finish()
    _run(url, "INSERT INTO counter (name) VALUES ('ten')")
    assert [row[0] for row in open_database(url).rows(everything("counter", Model("made", (counter,))))] == [4, 9, 10]
    assert open_database(url).reading().model.entity("counter").attribute("id").default is Generated.IDENTITY


@pytest.mark.thorough
def test_tables_are_made_as_they_were_in_mariadb(mariadb_urls: tuple[str, str]) -> None:
    """AUTO_INCREMENT takes a zero as it is; unique texts that differ by case alone are kept, and foreign keys too."""
    _check(mariadb_urls[1], _filled(mariadb_urls[1], "ANN@X"), MYSQL)


@pytest.mark.parametrize("kind", ["integer", "decimal(20,0)"])
def test_what_cannot_be_declared_is_said(kind: str, tmp_path: Path) -> None:
    """A number that is no key by itself is none SQLite counts."""
    entity = Entity("line", (_attribute("a", "integer"), _attribute("b", kind, Generated.NUMBER)), ("a", "b"))
    sink = open_sink(f"sqlite:///{tmp_path / 'made.db'}")
    sink.begin(Model("made", (entity,)))
    assert sink.finish() == ("`line`: the default of `b` is not declared; every INSERT has to give a value", UNKNOWN)


def test_unsigned_numbers_of_mariadb(mariadb_urls: tuple[str, str]) -> None:
    """AUTO_INCREMENT takes no CHECK: a minimum of 0 is UNSIGNED there, and so are the foreign keys, however far they are."""
    from_zero = Allowed(minimum=0)
    number = replace(_attribute("id", "integer", Generated.SEQUENCE), allowed=from_zero)
    account = Entity("account", (number, _attribute("name", "text(20)")), ("id",))
    same = replace(_attribute("account", "integer"), allowed=from_zero)
    profile = Entity("profile", (same, replace(_attribute("points", "integer"), allowed=from_zero)), ("account",))
    note = Entity("note", (replace(number, allowed=Allowed(minimum=1)), replace(same, nullable=True)), ("id",))
    links = (
        Relationship("account_profile", "account", "profile", ("id",), ("account",)),
        Relationship("profile_note", "profile", "note", ("account",), ("account",)),
    )
    model = Model("made", (note, profile, account), links)
    url = mariadb_urls[1]
    sink = open_sink(url)
    sink.begin(model)
    for entity, rows in ((account, [(0, "a"), (7, "b")]), (profile, [(7, 3)]), (note, [(1, 7), (2, None)])):
        sink.write(entity, rows)
    said = sink.finish()
    assert sink.broken == ()
    assert "`note`: the allowed values of `id` are not declared" in said
    assert not any("`account`: the allowed" in each or "`profile`: the allowed" in each for each in said)
    found = open_database(url).reading().model
    assert len(found.relationships) == len(links)
    allowed = [
        found.entity(e).attribute(a).allowed for e, a in (("account", "id"), ("profile", "points"), ("note", "account"))
    ]
    assert allowed == [from_zero] * 3
