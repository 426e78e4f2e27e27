"""Decimals of a live MongoDB are no floats: what is compared with them, assumed them and stored keeps its digits."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from bson import Decimal128
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.server import Server
from nestling.emitters.python_code import module
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.proposal import Proposal

FOUND = {
    "price = 7.07": ["a"],
    "price <> 7.07": ["b", "c"],
    "price < 7.07": [],
    "price <= 7.07": ["a"],
    "price IN (7.07, 8.08)": ["a", "b"],
    "price BETWEEN 7.07 AND 9.09": ["a", "b", "c"],
    "price + 0.10 = 7.17": ["a"],
    "price * 2 = 14.14": ["a"],
    "-price = -9.09": ["c"],
    "7.07 < price": ["b", "c"],
    "price = :p": ["a"],
    "price + :d = 7.17": ["a"],
}
STORED = {
    "price = price + 0.10": "7.17",
    "price = price + :d": "7.17",
    "price = 9.99": "9.99",
    "price = 3": "3",
    "price = :p": "7.07",
    "price = price * 2": "14.14",
    "price = price - :d": "6.97",
    "price = -price": "-7.07",
    "price = stock": "4",
}
VALUES: dict[str, object] = {"p": Decimal("7.07"), "d": Decimal("0.10")}


@pytest.fixture
def made(mongod: Server, database: Database[dict[str, Any]]) -> Proposal:
    """Products with prices, as they are today."""
    prices = {"a": "7.07", "b": "8.08", "c": "9.09"}
    database["product"].insert_many(
        [{"_id": name, "price": Decimal128(price), "stock": 4} for name, price in prices.items()]
    )
    live = pipeline.in_place(mongod.uri.replace("/?", f"/{database.name}?"), rest=0.0)
    assert live.in_place is not None
    return live.in_place


def given(sql: str) -> dict[str, object]:
    """The values of its parameters."""
    return {name: value for name, value in VALUES.items() if f":{name}" in sql}


def run_module(proposal: Proposal, sql: str, database: Database[dict[str, Any]]) -> Any:
    """What the written function gives."""
    compiled = pipeline.convert(proposal, sql, name="asked")
    assert isinstance(compiled, CompiledRead | CompiledWrite)
    space: dict[str, Any] = {}
    exec(compile(module([compiled]), "queries.py", "exec"), space)
    return space["asked"](database, **given(sql))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("condition", FOUND)
def test_they_are_found_by_their_digits(condition: str, made: Proposal, database: Database[dict[str, Any]]) -> None:
    """By a Store and by written code."""
    sql = f"SELECT _id FROM product WHERE {condition} ORDER BY _id"
    assert [row["_id"] for row in Store(made, database).execute(sql, **given(sql))] == FOUND[condition]
    assert [row["_id"] for row in run_module(made, sql, database)] == FOUND[condition]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("door", ["store", "module"])
@pytest.mark.parametrize("assigned", STORED)
def test_they_are_stored_with_their_digits(
    assigned: str, door: str, made: Proposal, database: Database[dict[str, Any]]
) -> None:
    """As decimals, whatever they are made of."""
    sql = f"UPDATE product SET {assigned} WHERE _id = 'a'"
    if door == "store":
        Store(made, database).execute(sql, **given(sql))
    else:
        run_module(made, sql, database)
    (document,) = database["product"].find({"_id": "a"})
    assert isinstance(document["price"], Decimal128)
    assert document["price"].to_decimal() == Decimal(STORED[assigned])
    assert str(document["price"]) in (STORED[assigned], f"{STORED[assigned]}.00")
