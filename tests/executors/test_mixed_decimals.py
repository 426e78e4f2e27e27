"""A field of decimals among which are floats: what is computed and stored are decimals, digit by digit."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from bson import Decimal128
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.server import Server

CHANGES: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("balance + 0.10", {}, "1.45"),
    ("3", {}, "3"),
    ("7.07", {}, "7.07"),
    ("balance * 2", {}, "2.70"),
    ("balance + :given", {"given": Decimal("0.10")}, "1.45"),
    (":given", {"given": Decimal("0.10")}, "0.10"),
)


@pytest.mark.parametrize(("value", "given", "stored"), CHANGES)
def test_decimals_stay_decimals(
    value: str, given: dict[str, Any], stored: str, database: Database[dict[str, Any]], mongod: Server
) -> None:
    numbers = [Decimal128(f"{n}.35") if n % 10 else n + 0.5 for n in range(100)]
    database.account.insert_many({"_id": n, "balance": balance} for n, balance in enumerate(numbers))
    store = Store(pipeline.in_place(mongod.uri.replace("/?", f"/{database.name}?")).in_place, database)
    if "balance" in value:
        (found,) = store.execute(f"SELECT {value} AS found FROM account WHERE _id = 1", **given)
        assert found["found"] == Decimal(stored)
    store.execute(f"UPDATE account SET balance = {value} WHERE _id = 1", **given)
    changed = database.account.find_one({"_id": 1})
    assert changed is not None
    assert str(changed["balance"]) == stored
