"""Dates beyond the years 1 to 9999, which BSON has and Python has not, come along in documents that change meanwhile."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import bson
import pytest
from bson.datetime_ms import DatetimeMS
from pymongo.database import Database

from nestling import pipeline
from nestling.common.server import Server
from nestling.executors.exact import as_stored
from nestling.ir.codec import AS_STORED
from tests.executors.migrate.test_array_orders import designs

Documents = Database[dict[str, Any]]
FOREVER, LONG_AGO = DatetimeMS(253_402_300_800_000), DatetimeMS(-(10**15))
LATER = DatetimeMS(253_402_300_800_001)
SOME = datetime(2026, 3, 1, 12)  # noqa: DTZ001 - naive means UTC in BSON


def _when(number: int) -> object:
    return FOREVER if number == 3 else LONG_AGO if number == 4 else SOME


def _encoded(documents: Documents, name: str) -> dict[bytes, bytes]:
    return {
        bson.encode({"": each["_id"]}, codec_options=AS_STORED): bson.encode(each, codec_options=AS_STORED)
        for each in as_stored(documents)[name].find()
    }


@pytest.mark.thorough
@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_it_is_what_it_was(when: str, mongod: Server, database: Documents) -> None:
    """In a field, in an array of values, in a key, in elements that become documents, and among values of other types."""
    documents = [
        {
            "_id": {"at": _when(n), "n": n},
            "until": _when(n),
            "all": [LATER if n == 3 else SOME],
            "any": _when(n) if n % 2 else "text" if n % 4 else {"on": _when(n)},
            "seen": 0,
            "lines": [{"no": k, "day": _when(n)} for k in range(n % 3 + 1)],
        }
        for n in range(60)
    ]
    database["coupons"].insert_many(documents)
    moves = designs(mongod, database)
    plan = pipeline.plan_migration(*moves, database)
    assert not plan.refused
    assert pipeline.migrate(*moves, database).equal
    late = {**documents[3], "_id": {"at": FOREVER, "n": 100}}
    if when == "meanwhile":
        database["coupons"].insert_one(late)
        database["coupons"].update_many({}, {"$set": {"seen": 1, "lines.0.day": FOREVER}})
    assert pipeline.migrate(*moves, database, cutover=True).equal
    lines = [line for each in as_stored(database)["coupons.before"].find() for line in each["lines"]]
    ours = as_stored(database)["lines"].find()
    assert sorted(str(each["day"]) for each in lines) == sorted(str(each["day"]) for each in ours)
    assert sum(repr(LATER) in repr(each) for each in as_stored(database)["all"].find()) == (
        2 if when == "meanwhile" else 1
    )
    before = _encoded(database, "coupons.before")
    for each in list(before):
        found = bson.decode(before[each], AS_STORED)
        before[each] = bson.encode(
            {k: v for k, v in found.items() if k not in ("all", "lines")}, codec_options=AS_STORED
        )
    assert _encoded(database, "coupons") == before


def test_back_into_one_document(mongod: Server, database: Documents) -> None:
    """A document that embeds those that have such dates is derived anew when one of them changes."""
    database["users"].insert_many({"_id": n, "name": f"u{n}"} for n in range(20))
    database["grants"].insert_many(
        {"_id": n, "user_id": n % 20, "n": n, "until": _when(n), "seen": 0} for n in range(60)
    )
    moves = designs(mongod, database, "embedded")
    assert pipeline.migrate(*moves, database).equal
    database["grants"].update_many({}, {"$set": {"seen": 1}})
    assert pipeline.migrate(*moves, database, cutover=True).equal
    found = {grant["n"]: grant["until"] for user in as_stored(database)["users"].find() for grant in user["grants"]}
    assert found == {n: _when(n) for n in range(60)}
