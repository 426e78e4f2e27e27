"""Whatever documents a live MongoDB holds, one heuristic that has nothing to say never takes down what reads them."""

from __future__ import annotations

import os
import uuid
from typing import Any

from hypothesis import HealthCheck, given, settings
from pymongo import MongoClient
from pymongo.database import Database

from nestling import pipeline
from nestling.common.server import Server
from nestling.ir.drift import DriftKind
from tests.doctor.looking import found, look
from tests.generators.live_documents import Documents, live_documents

EXAMPLES = int(os.environ.get("NESTLING_LIVE_DOCUMENTS", "6"))
"""An example takes a second: so many keep the default suite quick. Set NESTLING_LIVE_DOCUMENTS for any other number."""


def test_a_field_absent_in_all_rows_that_are_referred_to(mongod: Server, database: Database[dict[str, Any]]) -> None:
    """As the reference is in only some of the rows, too: no two values can be compared, and both commands say so of nothing."""
    database["tickets"].insert_many(
        {"_id": n, "title": f"t{n}"} | ({"closedBy": f"u{n}"} if n >= 60 else {}) for n in range(100)
    )
    tickets = ({"_id": n, "type": "ticket", "ticket_id": n % 60} for n in range(200))
    logins = ({"_id": 1000 + n, "type": "login", "ip": f"10.0.0.{n}"} for n in range(200))
    database["events"].insert_many([*tickets, *logins])
    assert {each.rule for each in found(look(database, whole=True))} == {"no-validator"}
    today = pipeline.in_place(mongod.uri.replace("/?", f"/{database.name}?")).in_place
    (link,) = (each for each in today.design.model.relationships if each.parent == "tickets")
    assert link.child_attributes == ("ticket_id",)


@given(live_documents())
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_documents_are_looked_at(
    mongod: Server, mongo_client: MongoClient[dict[str, Any]], documents: Documents
) -> None:
    """Findings are told, and a design is read by which no copy or computed value differs from what it follows from."""
    name = f"live_{uuid.uuid4().hex}"
    database = mongo_client[name]
    try:
        for collection, some in documents.items():
            if some:
                database[collection].insert_many([dict(each) for each in some])
        assert all(each.message and each.remedy for each in found(look(database, whole=True)))
        today = pipeline.in_place(mongod.uri.replace("/?", f"/{name}?"), rest=0).in_place
        differing = {each.kind for each in pipeline.check(today, database).findings}
        assert not differing & {DriftKind.COPY, DriftKind.COMPUTED}
    finally:
        mongo_client.drop_database(name)
