"""An array that applications leave out where it is empty: a design of their documents stays theirs when the last one is gone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pymongo.database import Database

from nestling.common.server import Server
from nestling.pipeline.reversing import in_place
from nestling.store import Store


def test_the_last_array_may_go(tmp_path: Path, mongod: Server, database: Database[dict[str, Any]]) -> None:
    """Statements are answered as before, from no rows of it."""
    database["product"].insert_many(
        {"_id": number, "name": f"p{number}", **({"parts": [{"no": 1, "kind": "x"}]} if number % 3 == 0 else {})}
        for number in range(30)
    )
    found = in_place(mongod.uri.replace("/?", f"/{database.name}?")).in_place
    [child] = [each for each in found.design.model.entities if each.name != "product"]
    asked = f"SELECT kind FROM {child.name}"
    assert len(list(Store(found, database).execute(asked))) == 10
    database["product"].update_many({}, {"$unset": {"parts": ""}})
    store = Store(found, database)
    assert list(store.execute(asked)) == []
    assert len(list(store.execute("SELECT name FROM product"))) == 30
