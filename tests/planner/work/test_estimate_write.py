"""Work estimated for writes: the commands a plan sends, what they find, and what is written anew."""

from __future__ import annotations

import pytest

from nestling.ir.design import Design
from nestling.ir.model import OnDelete, OnUpdate
from nestling.ir.paths.work import Work
from nestling.ir.primitives import Index
from nestling.ir.statements.algebra import Query
from nestling.ir.statistics import AttributeStatistics, EntityStatistics, Quantity, RelationshipStatistics, Statistics
from nestling.planner.sql import translate
from nestling.planner.work import estimate_write
from nestling.planner.writes import plan_write
from tests.planner.writes.shops import DESIGNS, model

FOLLOW = OnDelete.CASCADE, OnUpdate.CASCADE
COUNTS = {"customer": 1_000, "orders": 10_000, "line": 100_000, "product": 500, "maker": 20}


DISTINCT = {"line": (("order_id", 10_000), ("no", 10))}


def _entity(name: str) -> EntityStatistics:
    known = DISTINCT.get(name, (("id", COUNTS[name]),))
    attributes = tuple((attribute, AttributeStatistics(distinct=Quantity(count))) for attribute, count in known)
    return EntityStatistics(count=Quantity(COUNTS[name]), attributes=attributes)


STATISTICS = Statistics(
    tuple((name, _entity(name)) for name in COUNTS),
    (
        ("customer_orders", RelationshipStatistics(mean=Quantity(10))),
        ("order_lines", RelationshipStatistics(mean=Quantity(10))),
    ),
)


def work(sql: str, name: str, *indexes: Index, short: bool = True) -> Work:
    """The estimate for a statement on one of the shop's designs."""
    made = DESIGNS[name](model(order_lines=FOLLOW))
    design = Design(made.model, made.collections, indexes)
    write = translate(sql, design.model, "sqlite")
    assert not isinstance(write, Query)
    return estimate_write(plan_write(write, design, short=short), design, STATISTICS)


def test_an_insert_is_one_request_and_one_document() -> None:
    """What no constraint has to be asked for costs its bytes and the entries of the indexes."""
    found = work("INSERT INTO maker VALUES (7, 'Pen')", "normalized", Index("makers", (("name", 1),)))
    assert (found.round_trips, found.inserts, found.index_writes, found.transactions) == (1, 1, 1, 0)
    assert found.written_bytes > 0


def test_an_update_rewrites_the_whole_document() -> None:
    """A changed element costs the bytes of the document that holds it."""
    sql = "UPDATE product SET title = 'x' WHERE id = 5"
    alone, inside = work(sql, "normalized"), work(sql, "object_passport")
    assert alone.updates == pytest.approx(inside.updates, rel=0.05)
    assert alone.transactions == inside.transactions == 0
    assert inside.rewritten_bytes > 5 * alone.rewritten_bytes


def test_what_an_index_holds_is_written_twice() -> None:
    """A changed entry is one removed and one added; other indexes cost an update nothing."""
    index = Index("makers", (("name", 1),))
    assert work("UPDATE maker SET name = 'x' WHERE id = 3", "normalized", index).index_writes == 2
    other = Index("customers", (("city", 1),))
    assert work("UPDATE customer SET name = 'x' WHERE id = 3", "normalized", other).index_writes == 0


def test_a_cascade_counts_the_children() -> None:
    """An order's ten lines go one by one where they are documents of their own, with it where they lie inside."""
    apart, inside = (work("DELETE FROM orders WHERE id = 5", name) for name in ("normalized", "ordered"))
    assert apart.deletes == pytest.approx(11, rel=0.1)
    assert (inside.deletes, inside.round_trips, inside.transactions) == (1, 1, 0)
    assert apart.transactions == 1


def test_reading_first_costs_more() -> None:
    """The general plan reads the row, and does what the command does, in a transaction."""
    sql = "UPDATE customer SET name = 'x' WHERE id = 3"
    short, general = work(sql, "normalized"), work(sql, "normalized", short=False)
    assert (short.round_trips, general.round_trips) == (1, 2)
    assert (short.transactions, general.transactions) == (0, 1)
    assert short.updates == general.updates == 1


def test_a_foreign_key_holds_its_parent() -> None:
    """One command changes a child's parent, to be there, and changes it back."""
    found = work("INSERT INTO orders VALUES (9, 3, 'open', 1.5)", "normalized")
    assert (found.inserts, found.updates, found.round_trips) == (1, 2, 2)


def test_a_computed_document_is_compared_field_by_field() -> None:
    """A value set in its place costs the validator; one computed of the document's own has all its fields made anew as well."""
    given, computed = (
        work(f"UPDATE product SET title = {value} WHERE id = 5", "normalized") for value in ("'x'", "title || 'x'")
    )
    assert given.updates == computed.updates == 1
    assert computed.tests == pytest.approx(2 * given.tests)


def test_rows_with_what_the_statement_asks_for_change_together() -> None:
    """Ten lines lie two arrays deep in a customer: those of the one order asked for are changed by one command."""
    found = work("UPDATE line SET quantity = 5 WHERE order_id = 5", "nested")
    assert found.updates == pytest.approx(1, rel=0.05)
    several = work("UPDATE line SET quantity = 5 WHERE order_id IN (5, 6)", "nested")
    assert several.updates > 5
