"""Collections that take no part in transactions: a write that needs one for them is a gap before it is tried."""

from __future__ import annotations

import pytest

from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.paths.write_path import Give, InsertOne, WritePlan
from nestling.ir.primitives import Collection, CollectionKind, Document, Options
from nestling.ir.statements.algebra import Query
from nestling.ir.types import Type
from nestling.planner.sql import translate
from nestling.planner.writes import plan_write
from nestling.planner.writes.draft.gaps import WriteGap

INTEGER = Type.parse("integer")
COLUMNS = (Attribute("id", INTEGER, nullable=False), Attribute("state", INTEGER))
MODEL = Model("logs", (Entity("entry", COLUMNS, ("id",)), Entity("kept", COLUMNS, ("id",))))


def _plan(sql: str, kind: CollectionKind) -> WritePlan:
    options = Options(kind, size_bytes=1 << 20 if kind is CollectionKind.CAPPED else None)
    entries = Collection("entries", Document("entry"), ("id",), options=options)
    write = translate(sql, MODEL)
    assert not isinstance(write, Query)
    return plan_write(write, Design(MODEL, (entries, Collection("kept", Document("kept"), ("id",)))))


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("INSERT INTO kept SELECT id, state FROM entry", "reads the capped collection `entries`"),
        ("INSERT INTO entry SELECT id, state FROM kept", "in the capped collection `entries`"),
    ],
)
def test_no_transaction_has_a_capped_collection(sql: str, said: str) -> None:
    """Neither to read nor to write; with plain ones it is planned."""
    with pytest.raises(WriteGap, match=said):
        _plan(sql, CollectionKind.CAPPED)
    _plan(sql, CollectionKind.PLAIN)


def test_one_row_of_a_capped_collection_needs_none() -> None:
    """One command alone is all or nothing."""
    plan = _plan("INSERT INTO entry VALUES (1, 2)", CollectionKind.CAPPED)
    assert not plan.needs_transaction
    assert [type(step) for step in plan.steps if not isinstance(step, Give)] == [InsertOne]
