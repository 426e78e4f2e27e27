"""Inserts the server noted: it tells that and how many documents came, and not what is in them."""

from __future__ import annotations

import pytest
from pymongo import MongoClient

from nestling import pipeline
from tests.sources.capture.shops import Shop


def _said(shop: Shop, *, pushes: bool) -> dict[str, float]:
    """The INSERTs the profiler's entries come to, with their rates, after three documents of a customer at once."""
    shop.database.command("profile", 0)
    shop.database["system.profile"].drop()
    shop.database.command("profile", 2)
    with MongoClient[dict[str, object]](shop.uri, appname="app") as client:
        customers = client[shop.database.name]["customer"]
        new: list[dict[str, object]] = [{"_id": n, "email": f"secret{n}@example.org"} for n in (7_001, 7_002, 7_003)]
        customers.insert_many(new, bypass_document_validation=True)
        if pushes:
            added = {"$push": {"address": {"address_id": 7_001, "label": "home"}}}
            customers.update_one({"_id": 7_001}, added, bypass_document_validation=True)
        customers.delete_many({"_id": {"$gte": 7_001}})
    shop.database.command("profile", 0)
    captured = pipeline.capture([shop.uri.replace("/?", f"/{shop.database.name}?")])
    said = pipeline.captured_workload(captured, shop.proposal.design)
    assert "secret" not in said.text()
    assert [str(gap) for gap in said.gaps if "insert" in str(gap)] == []
    known = [each for each in said.statements if each.origin.startswith("customer.insert")]
    assert all("the inserted documents are unknown" in " ".join(each.notes) for each in known)
    return {each.sql.split("(")[0].removeprefix("INSERT INTO ").strip(): each.rate_per_second for each in known}


def test_what_lies_in_documents_is_first_of_them(shops: dict[str, Shop]) -> None:
    """Rows come for the documents and for what is embedded in them, at the rate of documents, not of commands."""
    said = _said(shops["embedded"], pushes=False)
    assert {"customer", "address", "loyalty_card"} <= set(said)
    assert said["customer"] == said["address"] == pytest.approx(3.0, rel=0.1)


def test_arrays_that_updates_fill_begin_empty(shops: dict[str, Shop]) -> None:
    """Where an update was seen to add to an array, documents are taken to come without its rows."""
    said = _said(shops["embedded"], pushes=True)
    assert "customer" in said
    assert "address" not in said
