"""A parameter's value is kept as its attribute keeps it, whether the write is one command or reads the row first."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from bson import Decimal128
from pymongo.database import Database

from nestling import pipeline
from nestling.executors.write import run_write
from nestling.ir.programs.program import CompiledWrite

TABLE = (
    "CREATE TABLE bill (id integer PRIMARY KEY, total numeric(12,2) NOT NULL, paid boolean NOT NULL, note varchar(9));"
)
CASES: dict[tuple[str, str], tuple[tuple[object, Any], ...]] = {
    ("postgresql", "total"): ((5, "5.00"), (2.5, "2.50"), (Decimal("5.555"), "5.56")),
    ("sqlite", "paid"): ((1, True), (0, False), (True, True)),
    ("postgresql", "paid"): ((True, True), (False, False)),
    ("sqlite", "note"): ((7, "7"), ("x", "x")),
}


@pytest.mark.parametrize("known", ["id = 1", "id = 1 AND total >= 0"], ids=["one command", "read first"])
@pytest.mark.parametrize(("dialect", "name"), CASES)
def test_a_value_is_kept_as_its_attribute_keeps_it(
    dialect: str, name: str, known: str, database: Database[dict[str, Any]], tmp_path: Path
) -> None:
    """Numbers as decimals of the attribute's scale, SQLite's 0 and 1 as truth, numbers in a text as text."""
    (tmp_path / "schema.sql").write_text(TABLE, encoding="utf-8")
    proposal = pipeline.design(pipeline.inspect(str(tmp_path / "schema.sql"), dialect=dialect), "normalized")
    write = pipeline.convert(proposal, f"UPDATE bill SET {name} = :value WHERE {known}", dialect=dialect)
    assert isinstance(write, CompiledWrite)
    assert write.transaction is (known != "id = 1")
    database["bill"].insert_one({"_id": 1, "total": Decimal128("1.00"), "paid": False, "note": "a"})
    for given, kept in CASES[dialect, name]:
        run_write(database, write, {"value": given})
        (found,) = database["bill"].find()
        assert found[name] == (Decimal128(kept) if name == "total" else kept)
        assert type(found[name]) is (Decimal128 if name == "total" else type(kept))


LOGGED = """CREATE TABLE log (id integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now(), who varchar(9), total numeric(9,2),
    what jsonb);"""


def test_a_row_whose_other_values_the_server_makes(database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """A default such as now() is the server's to compute; what is given beside it is kept as ever."""
    (tmp_path / "schema.sql").write_text(LOGGED, encoding="utf-8")
    proposal = pipeline.design(pipeline.inspect(str(tmp_path / "schema.sql"), dialect="postgresql"), "normalized")
    sql = "INSERT INTO log (id, who, total, what) VALUES ($1, $2, $3, $4)"
    write = pipeline.convert(proposal, sql, dialect="postgresql")
    assert isinstance(write, CompiledWrite), write
    run_write(database, write, {"p1": 1, "p2": "Ann", "p3": 2.5, "p4": '{"a": [1]}'})
    (found,) = database["log"].find()
    assert found.pop("at") is not None
    assert found == {"_id": 1, "who": "Ann", "total": Decimal128("2.50"), "what": {"a": [1]}}
