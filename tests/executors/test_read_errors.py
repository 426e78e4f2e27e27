"""Reads the server cannot answer end in typed errors that name the next move."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from pymongo import AsyncMongoClient
from pymongo.database import Database
from pymongo.errors import OperationFailure

from nestling.common.errors import DataError, ReadError, ResultTooLarge, ValueNotComputable
from nestling.common.server import Server
from nestling.executors.asynchronous import run_read_async
from nestling.executors.errors.write_errors import error_of_write
from nestling.executors.run import documents
from nestling.ir.programs.compiled import CompiledRead

BIG = "x" * (9 << 20)


def read(*stages: dict[str, Any]) -> CompiledRead:
    """A read of the collection of two large documents."""
    return CompiledRead("report", "SELECT …", collection="large", pipeline=stages)


Answer = Callable[[Database[dict[str, Any]], CompiledRead], list[Any]]


@pytest.fixture(params=["sync", "async"])
def answer(request: pytest.FixtureRequest, mongod: Server) -> Answer:
    """What a read gives by either of the driver's clients."""

    async def later(name: str, asked: CompiledRead) -> list[Any]:
        async with AsyncMongoClient[dict[str, Any]](mongod.uri) as client:
            return await run_read_async(client[name], asked)

    if request.param == "sync":
        return lambda database, asked: list(documents(database, asked))
    return lambda database, asked: asyncio.run(later(database.name, asked))


@pytest.fixture
def large(database: Database[dict[str, Any]]) -> Database[dict[str, Any]]:
    """Two documents of 9 MiB of the same group."""
    for number in range(2):
        database["large"].insert_one({"_id": number, "group": 1, "text": BIG})
    return database


@pytest.mark.parametrize("operator", ["$divide", "$mod"])
@pytest.mark.parametrize("divisor", [0, "$none"])
def test_a_division_by_zero(database: Database[dict[str, Any]], operator: str, divisor: object, answer: Answer) -> None:
    """Whether the server notices before it reads a document or with one, and of writes as well."""
    database["large"].insert_one({"_id": 1, "none": 0})
    quotient = {operator: [1, divisor]}
    with pytest.raises(ValueNotComputable, match=r"^report: a number is divided by zero\n") as caught:
        answer(database, read({"$project": {"x": quotient}}))
    assert "`NULLIF(divisor, 0)`" in str(caught.value)
    with pytest.raises(OperationFailure) as refused:
        database["large"].update_one({}, [{"$set": {"x": quotient}}])
    told = error_of_write(refused.value, "change")
    assert isinstance(told, DataError)
    assert "a number is divided by zero\n" in str(told)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "stages",
    [
        ({"$group": {"_id": "$group", "all": {"$push": "$text"}}},),
        ({"$lookup": {"from": "large", "localField": "group", "foreignField": "group", "as": "all"}},),
        ({"$project": {"text": {"$concat": ["$text", "$text"]}}},),
    ],
    ids=["group", "lookup", "text"],
)
def test_a_document_over_16_mib(
    large: Database[dict[str, Any]], stages: tuple[dict[str, Any], ...], answer: Answer
) -> None:
    """An array of all rows of a group, all matches of a lookup, a text made of two: the statement is named, and what to do."""
    with pytest.raises(ResultTooLarge, match="report") as caught:
        answer(large, read(*stages))
    assert "16 MiB" in str(caught.value)
    assert "→" in str(caught.value)


@pytest.mark.thorough
def test_sorting_more_than_memory_uses_the_disk(large: Database[dict[str, Any]]) -> None:
    """108 MiB are sorted: every read may spill."""
    rows = read({"$unwind": {"path": "$n"}}, {"$sort": {"n": -1, "text": 1}}, {"$project": {"n": 1}})
    large["large"].update_many({}, {"$set": {"n": list(range(6))}})
    assert [row["n"] for row in documents(large, rows)] == [5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0]


def test_what_the_server_refuses(large: Database[dict[str, Any]], answer: Answer) -> None:
    """Anything else is said with the server's words and its code."""
    with pytest.raises(ReadError, match="code") as caught:
        answer(large, read({"$project": {"n": {"$ln": 0}}}))
    assert not isinstance(caught.value, ResultTooLarge)


def test_a_moment_python_has_not(large: Database[dict[str, Any]], answer: Answer) -> None:
    """The server computes beyond the year 9999."""
    beyond = {"$dateAdd": {"startDate": datetime(9999, 12, 31, tzinfo=UTC), "unit": "day", "amount": 1}}
    with pytest.raises(ReadError, match="year 10000 is out of range"):
        answer(large, read({"$project": {"at": beyond}}))
