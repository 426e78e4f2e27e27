"""Copies made along references that need not lead anywhere, as all of a live database: the last there is of a row stays."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.server import Server

Documents = Database[dict[str, Any]]


@pytest.mark.parametrize("form", ["inline", "object"])
def test_a_copy_of_what_is_gone_stays(mongod: Server, database: Documents, form: str) -> None:
    """Until it is to be removed, too."""
    copied = {n: {"hub_city": f"City {n}"} if form == "inline" else {"hub": {"city": f"City {n}"}} for n in range(10)}
    database["hubs"].insert_many({"_id": f"H{n:02}", "city": f"City {n}"} for n in range(10))
    database["drivers"].insert_many(
        {"_id": n, "name": f"D{n}", "hub_id": f"H{n % 10:02}"} | copied[n % 10] for n in range(60)
    )
    proposal = pipeline.in_place(mongod.uri.replace("/?", f"/{database.name}?")).in_place
    database["hubs"].delete_one({"_id": "H03"})
    database["drivers"].update_one({"_id": 4}, {"$set": {"hub_city" if form == "inline" else "hub.city": "elsewhere"}})
    report = pipeline.check(proposal, database, repair=True)
    assert (report.repaired, report.clean) == (1, False)
    there = database["drivers"].find({"hub_id": "H03"})
    assert all((each.get("hub") or {"city": each.get("hub_city")})["city"] == "City 3" for each in there)
    report = pipeline.check(proposal, database, repair=True, remove=True)
    assert (report.repaired, report.clean) == (6, True)
