"""Which indexes a design gets, why, and under which names."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from nestling.emitters.commands import collection_commands, index_commands
from nestling.ir.design import Design
from nestling.ir.indexes.planned_index import NAME_BYTES, PlannedIndex
from nestling.ir.indexes.planned_indexes import built_besides, index_gaps, planned_indexes
from nestling.ir.primitives import Collection, CollectionKind, Document, Holder, Index, Options, Reference
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.ir.types import INTEGER
from nestling.ir.words.proposal_rows import besides_line, collection_rows
from tests.emitters.designs import DESIGNS, attribute, entity, link, model
from tests.emitters.test_commands import execute


def keys_of(design: Design, collection: str) -> list[tuple[str, ...]]:
    return [tuple(path for path, _ in i.keys) for i in planned_indexes(design) if i.collection == collection]


def test_references_are_found_wherever_they_are_stored():
    """Foreign keys at the root and inside arrays, arrays of ids that alone tell a relationship, and keys inside."""
    assert keys_of(DESIGNS["orders"](), "orders") == [
        ("customer_id", "placed"),
        ("lines.product_id",),
        ("lines.id",),
        ("invoice.id",),
        ("remarks.id",),
    ]
    assert keys_of(DESIGNS["references"](), "people") == [("tasks.id",), ("passport",)]
    assert keys_of(DESIGNS["references"](), "teams") == [("seats",)]  # a note knows its team: its ids need no index
    assert keys_of(DESIGNS["references"](), "notes") == [("team_id",)]


def test_side_collections_are_found_by_their_owner():
    """Pages, buckets and orphans have an index that leads to them."""
    assert keys_of(DESIGNS["orders"](), "order_lines") == [("order_id", "page"), ("lines.id",)]
    assert keys_of(DESIGNS["orders"](), "lost_labels") == [("order_id",)]
    assert keys_of(DESIGNS["buckets"](), "readings") == [("sensor", "bucket_start", "page"), ("readings.id",)]
    assert keys_of(DESIGNS["buckets"](), "clicks") == [("url", "page")]


def test_an_index_that_begins_with_another_takes_its_place():
    """The design's compound index serves the reference too, and says both."""
    (index,) = (i for i in planned_indexes(DESIGNS["orders"]()) if i.keys[0][0] == "customer_id")
    assert index.reasons == ("serves orders_of_customer", "finds `order` by `customer` (customer_order)")


def test_a_partial_or_other_directed_index_takes_nobodys_place():
    """An index that does not hold every document, or in another order first, covers no plain one."""
    things = model(entity("a", attribute("x", INTEGER)), entity("b", attribute("a_id", INTEGER), attribute("k")),
                   links=(link("a", "b", ("a_id",)),))  # fmt: skip
    collections = (
        Collection("a", Document("a"), ("id",)),
        Collection("b", Document("b", references=(Reference("a_b", Holder.CHILD),)), ("id",)),
    )
    narrow = Index("b", (("a_id", 1), ("k", 1)), partial=(Clause("k", ClauseOperator.EQUAL, "x"),))
    design = Design(things, collections, (narrow, Index("b", (("k", 1), ("a_id", 1)))))
    assert keys_of(design, "b") == [("a_id", "k"), ("k", "a_id"), ("a_id",)]


def test_a_unique_index_over_all_documents_takes_the_place_of_one_over_some():
    """What the model says is unique where it is there, a design may keep among missing values too: one index does both."""
    things = model(entity("a", attribute("x", INTEGER, null=True)))
    unique = replace(things, entities=tuple(replace(each, uniques=(("x",),)) for each in things.entities))
    collections = (Collection("a", Document("a"), ("id",)),)
    (needed,) = planned_indexes(Design(unique, collections))
    assert needed.partial == (Clause("x", ClauseOperator.PRESENT),)
    (index,) = planned_indexes(Design(unique, collections, (Index("a", (("x", 1),), unique=True),)))
    assert (index.unique, index.partial, index.reasons[-1]) == (True, (), "unique of `a`: x")


@pytest.mark.parametrize(
    ("uniques", "built"),
    [
        ((("a",), ("a", "b")), [("a",)]),
        ((("a", "b"), ("b", "a"), ("b",)), [("b",)]),
        ((("a", "id"), ("a", "b")), [("a", "b")]),
        ((("a", "b"), ("b", "c")), [("a", "b"), ("b", "c")]),
    ],
)
def test_what_another_group_makes_unique_needs_no_index(
    uniques: tuple[tuple[str, ...], ...], built: list[tuple[str, ...]]
) -> None:
    """A group that contains the key, or another group, cannot be broken by itself."""
    things = model(entity("t", *(attribute(name, INTEGER) for name in "abc")))
    unique = replace(things, entities=tuple(replace(each, uniques=uniques) for each in things.entities))
    design = Design(unique, (Collection("t", Document("t"), ("id",)),))
    assert sorted(keys_of(design, "t")) == built


def test_a_reference_takes_the_order_of_an_index_that_has_to_be_there() -> None:
    """Two foreign keys over the same columns, and a unique group in one of their orders: one index is enough."""
    parents = tuple(
        replace(entity(name, attribute("k", INTEGER), attribute("l", INTEGER)), uniques=(("k", "l"),)) for name in "ac"
    )
    child = replace(entity("b", *(attribute(name, INTEGER) for name in "xy")), uniques=(("y", "x"),))
    ties = (
        replace(link("a", "b", ("x", "y")), parent_attributes=("k", "l")),
        replace(link("c", "b", ("y", "x")), parent_attributes=("k", "l")),
    )
    references = tuple(Reference(name, Holder.CHILD) for name in ("a_b", "c_b"))
    held = (
        *(Collection(name, Document(name), ("id",)) for name in "ac"),
        Collection("b", Document("b", references=references), ("id",)),
    )
    design = Design(replace(model(*parents, child), relationships=ties), held)
    assert keys_of(design, "b") == [("y", "x")]


@pytest.mark.parametrize("named", [("y", "x", "z"), ("x", "y"), ("y", "z", "x")])
def test_an_index_finds_references_in_any_order(named: tuple[str, ...]) -> None:
    """All parts of a foreign key are compared for equality: an index that begins with them finds them, whatever their order."""
    parent = replace(entity("a", attribute("k", INTEGER), attribute("l", INTEGER)), uniques=(("k", "l"),))
    child = entity("b", *(attribute(name, INTEGER) for name in "xyz"))
    tie = replace(link("a", "b", ("x", "y")), parent_attributes=("k", "l"))
    held = (
        Collection("a", Document("a"), ("id",)),
        Collection("b", Document("b", references=(Reference("a_b", Holder.CHILD),)), ("id",)),
    )
    things = replace(model(parent, child), relationships=(tie,))
    design = Design(things, held, (Index("b", tuple((name, 1) for name in named)),))
    assert keys_of(design, "b") == ([named] if named[-1] != "x" else [named, ("x", "y")])


def test_names_fit_and_differ():
    """Names of long paths are cut to the server's bound, whole characters only, and still tell indexes apart."""
    long = [PlannedIndex("c", (("größe" * 30 + str(number), 1),), ()) for number in range(3)]
    assert len({index.name for index in long}) == 3
    assert all(len(index.name.encode()) <= NAME_BYTES for index in long)
    assert PlannedIndex("c", (("a", 1), ("b", -1)), ()).name == "a_1_b_-1"
    same = [
        PlannedIndex("c", (("a", 1),), (), unique, partial)
        for unique in (True, False)
        for partial in ((), (Clause("a", ClauseOperator.PRESENT),), (Clause("a", ClauseOperator.NULL),))
    ]
    assert len({index.name for index in same}) == 6


@pytest.mark.thorough
def test_more_indexes_than_a_collection_takes_are_gaps(database):
    """The 64th index of a collection is listed as a gap, and the server takes all the others."""
    names = [f"a{number}_id" for number in range(70)]
    things = model(
        *(entity(f"a{number}") for number in range(70)),
        entity("hub", *(attribute(name, INTEGER) for name in names)),
        links=[link(f"a{number}", "hub", (f"a{number}_id",)) for number in range(70)],
    )
    hub = Document("hub", references=tuple(Reference(f"a{number}_hub", Holder.CHILD) for number in range(70)))
    homes = [Collection(f"a{number}", Document(f"a{number}"), ("id",)) for number in range(70)]
    design = Design(things, (*homes, Collection("hub", hub, ("id",))))
    for index in planned_indexes(design):
        command = index.command()
        database[command.collection].create_index(list(command.keys), **command.options)
    assert len(list(database["hub"].list_indexes())) == 64
    assert len(index_gaps(design)) == 7


def test_what_time_series_cannot_index_is_a_gap():
    """Unique and expiring indexes of a time series collection are listed, not created."""
    plain = DESIGNS["buckets"]()
    wanted = (Index("ticks", (("sensor", 1),), unique=True), Index("ticks", (("at", 1),), expire_after_seconds=60))
    design = Design(plain.model, plain.collections, wanted)
    assert keys_of(design, "ticks") == []
    assert sum(gap.where == "ticks" for gap in index_gaps(design)) == 2


def test_ids_in_a_time_series_are_a_gap(database):
    """The server refuses a document with an array where a time series has an index, but for what tells the series apart."""
    things = model(
        entity("tick", attribute("at", "timestamp"), attribute("tags", "array(text)")),
        entity("note", attribute("tick_id", INTEGER)),
        links=(link("tick", "note", ("tick_id",)),),
    )
    ids = Document("tick", references=(Reference("tick_note", Holder.PARENT, "notes"),))
    kept = Options(CollectionKind.TIME_SERIES, "at", "tags")
    homes = (Collection("ticks", ids, options=kept), Collection("notes", Document("note"), ("id",)))
    design = Design(things, homes, (Index("ticks", (("tags", 1),)), Index("ticks", (("at", 1), ("notes", 1)))))
    assert keys_of(design, "ticks") == [("tags",)]
    assert [gap.what for gap in index_gaps(design) if "arrays" in gap.what] == [
        "a time series collection cannot have an index over arrays (at, notes)",
        "a time series collection cannot have an index over arrays (notes)",
    ]
    execute(database, (*collection_commands(design), *index_commands(design)))
    database["ticks"].insert_one(
        {"_id": 1, "at": datetime(2026, 1, 1, tzinfo=UTC), "tags": ["a", "b"], "notes": [1, 2]}
    )


def _kinds(index):
    """What a server's index is said to be."""
    named = {"unique": "unique", "partialFilterExpression": "partial", "sparse": "partial"}
    kinds = ", ".join(word for option, word in named.items() if option in index)
    return f" ({kinds})" if kinds else ""


def test_what_is_built_besides_is_shown(database):
    """The table of a design has every index the server gets but `_id`'s, marked where the design does not name it."""
    design = DESIGNS["orders"]()
    execute(database, (*collection_commands(design), *index_commands(design)))
    marked = {f"{each.collection}: {each.fields}" for each in built_besides(design)}
    assert {"order_lines: order_id, page", "orders: lines.product_id"} <= marked
    assert "orders: customer_id, placed" not in marked
    for name, _, _, cell in collection_rows(design):
        told = {text for text in cell.split("; ") if text}
        built = [each for each in database[name].list_indexes() if each["name"] != "_id_"]
        assert {text.removeprefix("+").replace("-", "") for text in told} == {
            ", ".join(each["key"]) + _kinds(each) for each in built
        }
        assert {text[1:].partition(" (")[0] for text in told if text.startswith("+")} == {
            each.partition(": ")[2] for each in marked if each.startswith(f"{name}: ")
        }
    assert besides_line(design)
