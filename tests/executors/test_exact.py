"""UUIDs in the databases of clients that were told nothing of them: changed rows are carried over, and their copies kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from pymongo.database import Database

from nestling.executors.sync import SyncOptions, sync
from nestling.ir.proposal import Proposal
from nestling.ir.text import read_proposal
from nestling.pipeline import check, load
from nestling.pipeline.syncing import sync_plan
from nestling.store import Store
from tests.executors.migrate.moves import Moving
from tests.generators.worlds import World
from tests.sqlite_rows import sqlite_source

_TEXT = """
nestling: 1
strategy: by hand
model:
  name: shop
  entities:
    customer: {{key: [id], attributes: {{id: uuid!, name: text}}}}
    purchase: {{key: [id], attributes: {{id: uuid!, customer_id: uuid}}}}
  relationships:
    bought: {{parent: customer, child: purchase, attributes: [customer_id]}}
design:
  collections: {{{collections}}}
"""
_APART = """
  customers: {root: customer, id: [id]},
  purchases: {root: purchase, id: [id], references: {bought: parent-reference}, copies: {
    customer: {of: "bought:up", attributes: [name], as: object, freshness: async(1s)}}}
"""
_INSIDE = "customers: {root: customer, id: [id], embeddings: {purchases: {of: bought, as: array, orphans: lost}}}"
_ROWS: dict[str, list[tuple[object, ...]]] = {
    "customer": [(UUID(int=number), f"c{number}") for number in range(1, 5)],
    "purchase": [(UUID(int=number), UUID(int=1 + number % 4)) for number in range(1, 9)],
}


def _proposal(collections: str) -> Proposal:
    return read_proposal(_TEXT.format(collections=collections), "shop.yaml")


@pytest.mark.thorough
@pytest.mark.parametrize(("old", "new"), [(_APART, _INSIDE), (_INSIDE, _APART)])
def test_changes_are_carried_over(old: str, new: str, database: Database[Any], tmp_path: Path) -> None:
    """Rows that change, come, go and move to another parent once the new design is ready."""
    before, after = _proposal(old).design, _proposal(new).design
    moving = Moving(World(before.model, _ROWS, frozenset()), before, after, database, tmp_path)
    assert moving.between(cutover=False, each=0).equal
    for sql in (
        f"UPDATE customer SET name = 'Ann' WHERE id = '{UUID(int=1)}'",
        f"UPDATE purchase SET customer_id = '{UUID(int=2)}' WHERE id = '{UUID(int=4)}'",
        f"INSERT INTO purchase VALUES ('{UUID(int=9)}', '{UUID(int=3)}')",
        f"DELETE FROM purchase WHERE id = '{UUID(int=5)}'",
    ):
        moving.run.run(sql)
    assert len(moving.run.done) == 4
    assert moving.between(each=0).equal
    moving.check()


def test_copies_are_kept(database: Database[Any], tmp_path: Path) -> None:
    """By the background sync, and by a check that repairs."""
    proposal = _proposal(_APART)
    sqlite_source(tmp_path / "shop.db", proposal.design.model, _ROWS)
    load(proposal, f"sqlite:///{tmp_path / 'shop.db'}", database)
    plan = sync_plan(proposal.design)
    sync(database, plan, SyncOptions(once=True))
    store = Store(proposal, database)
    store.execute("UPDATE customer SET name = 'Ann' WHERE id = :id", id=UUID(int=1))
    sync(database, plan, SyncOptions(once=True))
    assert database["purchases"].count_documents({"customer.name": "Ann"}) == 2
    database["purchases"].update_many({}, {"$set": {"customer.name": "spoiled"}})
    check(proposal, database, repair=True)
    assert check(proposal, database).clean
    assert database["purchases"].count_documents({"customer.name": "Ann"}) == 2
