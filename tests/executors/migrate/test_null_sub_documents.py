"""A null in place of a sub-document is no row: it is named, and let go it is a missing field, never an empty sub-document."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import MigrationError
from nestling.common.server import Server
from tests.executors.migrate.test_array_orders import designs

Documents = Database[dict[str, Any]]
FULL: list[dict[str, Any]] = [{"a": 1, "b": "x"}, {"a": 2}]
HALF: list[dict[str, Any]] = [{"a": 1, "b": "x"}, {}]
"""Where no field is in all, a row may be all NULL."""


def _people(database: Documents, rows: list[dict[str, Any]]) -> None:
    """A sub-document that is there, null, or missing, also in a sub-document."""
    some: list[dict[str, Any]] = [*({"s": row} for row in rows), {"s": None}, {}]
    database["people"].insert_many(
        {"_id": n, "o": {"q": n, **some[n % 4]}, **some[n % 4], "xs": [{"k": 1}]} for n in range(40)
    )


@pytest.mark.thorough
@pytest.mark.parametrize("rows", [FULL, HALF])
@pytest.mark.parametrize("by_client", [False, True])
def test_a_null_becomes_no_row(
    mongod: Server, database: Documents, rows: list[dict[str, Any]], by_client: bool
) -> None:
    """There and back again, whichever way documents come over: it is missing where it was null, and all others are as before."""
    _people(database, rows)
    before = list(database["people"].find(sort=[("_id", 1)]))
    old, new = designs(mongod, database)
    with pytest.raises(
        MigrationError, match=r"(?s)`people.o.s` in 10 documents, .* is null.*`people.s` in 10 documents"
    ):
        pipeline.migrate(old, new, database)
    for moves in ((old, new), (new, old)):
        assert pipeline.migrate(*moves, database, may_lose=["nulls", "options"]).equal
        if by_client and moves[0] is old:
            null = {"_id": {"$mod": [4, 2]}}
            database["people"].update_many({}, {"$inc": {"o.q": 1}})
            database["people"].update_many(null, {"$set": {"s": {"a": 5}, "o.s": {"a": 5}}})
            database["people"].update_many(null, {"$set": {"s": None, "o.s": None}})
            database["people"].update_many({}, {"$inc": {"o.q": -1}})
        assert pipeline.migrate(*moves, database, cutover=True, may_lose=["nulls", "options"]).equal
        pipeline.drop_old(*moves, database, may_lose=["unknown"])
    for document in before:
        for part in (document, document["o"]):
            if part.get("s", 0) is None:
                del part["s"]
    assert list(database["people"].find(sort=[("_id", 1)])) == before


@pytest.mark.parametrize(
    ("sql", "answer"),
    [
        ("SELECT COUNT(*) FROM people_s", [20]),
        ("SELECT COUNT(*) FROM people p JOIN people_s s ON person_id = _id", [20]),
        (
            "SELECT _id FROM people LEFT JOIN people_s ON person_id = _id WHERE person_id IS NULL ORDER BY 1 LIMIT 3",
            [2, 3, 6],
        ),
        (
            "SELECT _id FROM people WHERE NOT EXISTS (SELECT 1 FROM people_s WHERE person_id = _id) ORDER BY 1 LIMIT 3",
            [2, 3, 6],
        ),
    ],
)
def test_statements_find_no_row(mongod: Server, database: Documents, sql: str, answer: list[int]) -> None:
    """The documents of today answer as a table without such a row."""
    _people(database, FULL)
    rows = Store(designs(mongod, database)[0], database).execute(sql).rows
    assert [value for row in rows for value in row.values()] == answer
