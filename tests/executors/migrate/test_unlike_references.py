"""References that equal the key of their parent and have another type than it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from bson import Decimal128, Int64
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import MigrationError
from nestling.common.server import Server
from tests.executors.migrate.test_array_orders import designs

Documents = Database[dict[str, Any]]
Number = Callable[[int], object]


def _fill(database: Documents, key: Number, reference: Number) -> None:
    """Scores of two forms, and votes that refer to them."""
    forms = ({"a": {"x": 1}}, {"a": {"x": 1, "y": 2}, "b": "t"})
    database["scores"].insert_many({"_id": key(n), "kind": n % 3, **forms[n % 2]} for n in range(1, 40))
    database["votes"].insert_many({"_id": n, "score_id": reference(n % 39 + 1), "by": f"u{n}"} for n in range(1, 200))
    database["votes"].create_index("score_id")


def _mixed(number: int) -> object:
    return number if number % 2 else float(number)


def test_a_reference_of_another_type_is_named(mongod: Server, database: Documents) -> None:
    """By the plan, before anything is built."""
    _fill(database, _mixed, int)
    moves = designs(mongod, database, "embedded")
    told = r"`score_id` of 97 rows of `votes` equals a key of `scores` but has another type \(int beside double\), such as 2: "
    with pytest.raises(MigrationError, match=told):
        pipeline.migrate(*moves, database)
    assert database.list_collection_names() in (["scores", "votes"], ["votes", "scores"])
    assert any("97 rows of `votes`" in risk for risk in pipeline.plan_migration(*moves, database).risks)


def test_digits_of_decimals_tell_them_apart(mongod: Server, database: Documents) -> None:
    """1.0 beside 1.00."""
    _fill(database, lambda n: Decimal128(f"{n}.0"), lambda n: Decimal128(f"{n}.{'0' * (1 + n // 39)}"))
    with pytest.raises(MigrationError, match=r"of 5 rows of `votes` .* \(decimal 39.00 beside decimal 39.0\)"):
        pipeline.migrate(*designs(mongod, database, "embedded"), database)


@pytest.mark.thorough
def test_one_that_comes_while_the_migration_runs_is_named(mongod: Server, database: Documents) -> None:
    """The cutover does not come before it is mended, and then all votes are where they belong."""
    _fill(database, _mixed, lambda n: Int64(n) if n % 2 and n % 3 else _mixed(n))
    moves = designs(mongod, database, "embedded")
    assert pipeline.migrate(*moves, database).equal
    database["votes"].update_one({"_id": 3}, {"$set": {"score_id": 6}})
    with pytest.raises(MigrationError, match=r"`score_id` of 1 row of `votes` equals a key of `scores`"):
        pipeline.migrate(*moves, database, cutover=True)
    database["votes"].update_one({"_id": 3}, {"$set": {"score_id": 6.0}})
    assert pipeline.migrate(*moves, database, cutover=True).equal
    votes = [(each["_id"], vote["_id_"]) for each in database["scores"].find() for vote in each.get("votes", ())]
    assert len(votes) == 199
    assert (6.0, 3) in votes
