"""Two writers add the same key at the same moment: one is refused, wherever the rows lie; `check` finds what got in twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest
from pymongo.database import Database
from pymongo.errors import DuplicateKeyError

from nestling import Store, pipeline
from nestling.common.errors import ConstraintError
from nestling.emitters.explanation.explanation import explanation
from nestling.ir.design import Design
from nestling.ir.drift import DriftKind
from nestling.ir.indexes.planned_indexes import planned_indexes
from nestling.ir.model import Relationship
from nestling.ir.paths.write_path import Violation
from nestling.ir.primitives import Bucket, Collection, Document, Embedding, Form, Holder, Overflow, Reference
from nestling.ir.proposal import Proposal
from tests.patterns.scenario import scenario

TABLES = """
CREATE TABLE ticket (id INTEGER PRIMARY KEY NOT NULL);
CREATE TABLE tag (id INTEGER PRIMARY KEY NOT NULL, ticket_id INTEGER NOT NULL REFERENCES ticket (id), word TEXT);
CREATE TABLE vote (id INTEGER PRIMARY KEY NOT NULL, tag_id INTEGER NOT NULL REFERENCES tag (id));
"""
TICKETS = 4
TRIES = 12
ROWS: dict[str, list[tuple[object, ...]]] = {
    "ticket": [(n,) for n in range(1, TICKETS + 1)],
    "tag": [(n, n, "a") for n in range(1, TICKETS)],
    "vote": [(n, n) for n in range(1, TICKETS)],
}
GIVEN = "INSERT INTO tag VALUES (:id, :parent, 'b') RETURNING id"
ADD_TAG, ADD_VOTE = "INSERT INTO tag VALUES (:id, :parent, 'b')", "INSERT INTO vote VALUES (:id, :parent)"


def _arrays() -> tuple[Collection, ...]:
    """Tags in tickets, votes in tags."""
    votes = Document("vote")
    tags = Document("tag", embeddings=(Embedding("votes", "tag_vote", Form.ARRAY, votes),))
    tickets = Document("ticket", embeddings=(Embedding("tags", "ticket_tag", Form.ARRAY, tags),))
    return (Collection("ticket", tickets, ("id",)),)


def _buckets() -> tuple[Collection, ...]:
    """Tags in buckets of a ticket, votes in buckets of a tag."""
    tags = Document("tag", references=(Reference("ticket_tag", Holder.CHILD),))
    votes = Document("vote", references=(Reference("tag_vote", Holder.CHILD),))
    return (
        Collection("ticket", Document("ticket"), ("id",)),
        Collection("tag", tags, bucket=Bucket(("ticket_id",), "events", 3)),
        Collection("vote", votes, bucket=Bucket(("tag_id",), "events", 3)),
    )


def _pages() -> tuple[Collection, ...]:
    """One tag stays in a ticket, others go to pages; votes in a collection of their own."""
    overflow = Overflow(1, "more_tags", "has_more")
    tags = Embedding("tags", "ticket_tag", Form.ARRAY, Document("tag"), overflow=overflow)
    votes = Document("vote", references=(Reference("tag_vote", Holder.CHILD),))
    return (
        Collection("ticket", Document("ticket", embeddings=(tags,)), ("id",)),
        Collection("vote", votes, ("id",)),
    )


@pytest.mark.thorough
@pytest.mark.parametrize("homes", [_arrays, _buckets, _pages])
@pytest.mark.parametrize("statement", [ADD_TAG, ADD_VOTE])
def test_one_of_two_writers_is_refused(
    homes: Callable[[], tuple[Collection, ...]], statement: str, tmp_path: Path, database: Database[Any]
) -> None:
    """The other one gets the error of a key that is there, and nothing is there twice."""
    small = scenario(tmp_path, TABLES, ROWS, "")
    made = Proposal("by hand", Design(small.reading.model, homes()))
    pipeline.load(made, small.address, database)
    store = Store(made, database)
    for key in range(100, 100 + TRIES):
        outcomes = _at_once(store, statement, key)
        assert outcomes.count("added") == 1
        assert set(outcomes) == {"added", Violation.KEY}
    report = pipeline.check(made, database)
    assert report.clean, report.findings


def _at_once(store: Store, statement: str, key: int) -> list[object]:
    """What becomes of the same row added under different parents at the same moment."""
    gate, outcomes = Barrier(TICKETS - 1), list[object]()

    def go(parent: int) -> None:
        gate.wait()
        try:
            store.execute(statement, id=key, parent=parent)
        except ConstraintError as error:
            outcomes.append(error.violation)
        else:
            outcomes.append("added")

    threads = [Thread(target=go, args=(parent,)) for parent in range(1, TICKETS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


@pytest.mark.one_in(2)
@pytest.mark.parametrize("homes", [_arrays, _buckets, _pages])
def test_check_finds_a_key_that_is_there_twice(
    homes: Callable[[], tuple[Collection, ...]], tmp_path: Path, database: Database[Any]
) -> None:
    """Where the index is missing: each of the rows is told, in one document or in two."""
    small = scenario(tmp_path, TABLES, ROWS, "")
    made = Proposal("by hand", Design(small.reading.model, homes()))
    pipeline.load(made, small.address, database)
    place = made.design.places["tag"][0]
    collection, field = database[place.store.name], place.node.field
    collection.drop_indexes()
    first, second = collection.find({f"{field}.0": {"$exists": True}}).sort("_id", 1).limit(2)
    for where in (first, second):
        push = {"$push": {field: first[field][0]}}
        collection.update_one({"_id": where["_id"]}, push, bypass_document_validation=True)
    every = pipeline.check(made, database).findings
    found = [each for each in every if each.kind is DriftKind.DUPLICATE and "votes" not in each.path]
    assert [each.id for each in found] == [first["_id"], first["_id"], second["_id"]]
    assert {each.next_move for each in found} == {
        "keep one of the rows of `tag` with the same id, and change or delete the others"
    }


def test_the_index_is_of_documents_that_have_such_rows(tmp_path: Path, database: Database[Any]) -> None:
    """Documents without rows, or with rows that hold none, are not in each other's way; whoever writes, a second row is."""
    small = scenario(tmp_path, TABLES, ROWS, "")
    made = Proposal("by hand", Design(small.reading.model, _arrays()))
    pipeline.load(made, small.address, database)
    tickets = database["ticket"]
    tickets.insert_many([{"_id": 20 + n, "tags": []} for n in range(2)])
    tickets.insert_many([{"_id": 30 + n, "tags": [{"id": 30 + n, "votes": []}]} for n in range(2)])
    for tags in ([{"id": 1, "votes": []}], [{"id": 99, "votes": [{"id": 1}]}]):
        with pytest.raises(DuplicateKeyError):
            tickets.insert_one({"_id": 40, "tags": tags})


def test_one_index_finds_rows_and_keeps_them_unique(tmp_path: Path) -> None:
    """Where every row refers to one: no second index on the same field."""
    small = scenario(tmp_path, TABLES, ROWS, f"-- name: add\n{ADD_TAG};\n")
    made = pipeline.design(small.reading, "embedded")
    on_key = [each for each in planned_indexes(made.design) if each.keys[0][0].endswith("tag.id")]
    assert [(each.unique, each.sparse) for each in on_key] == [(True, True)]


def test_what_is_not_kept_is_said(tmp_path: Path) -> None:
    """Rows with a parent and rows without one lie in two collections, which no index compares."""
    tables = TABLES.replace("ticket_id INTEGER NOT NULL", "ticket_id INTEGER")
    small = scenario(tmp_path, tables, ROWS, "")
    tags = Embedding("tags", "ticket_tag", Form.ARRAY, Document("tag"), orphans="loose_tag")
    votes = Document("vote", references=(Reference("tag_vote", Holder.CHILD),))
    homes = (Collection("ticket", Document("ticket", embeddings=(tags,)), ("id",)), Collection("vote", votes, ("id",)))
    made = Proposal("by hand", Design(small.reading.model, homes))
    words = "`tag`: only nestling's writes keep id unique, no index does: its rows are in `ticket` and `loose_tag`"
    assert words in explanation(made, "tag").notes
    given = replace(made, design=without_defaults(made.design))
    words = (
        "`tag`: two concurrent writers can both add a row with the same id, as no index covers all rows; "
        "`nestling check` finds such rows: its rows are in `ticket` and `loose_tag`"
    )
    assert words in explanation(given, "tag").notes


def without_defaults(design: Design) -> Design:
    """The same, of a database that numbers nothing."""
    entities = tuple(
        replace(each, attributes=tuple(replace(a, default=None) for a in each.attributes))
        for each in design.model.entities
    )
    return Design(replace(design.model, entities=entities), design.collections, design.indexes)


@pytest.mark.thorough
@pytest.mark.parametrize("statement", ["INSERT INTO tag (ticket_id, word) VALUES (:parent, 'b') RETURNING id", GIVEN])
def test_rows_in_two_collections_have_numbers_of_their_own(
    statement: str, tmp_path: Path, database: Database[Any]
) -> None:
    """Whether the database numbers them or the statement does, and wherever the rows go: no number is there twice."""
    tables = TABLES.replace("ticket_id INTEGER NOT NULL REFERENCES ticket (id)", "ticket_id INTEGER")
    small = scenario(tmp_path, tables, {**ROWS, "tag": [(1, 1, "a")], "vote": [(1, 1)]}, "")
    link = Relationship("ticket_tag", "ticket", "tag", ("id",), ("ticket_id",), required=False, enforced=False)
    model = replace(small.reading.model, relationships=(link, *small.reading.model.relationships))
    tags = Embedding("tags", "ticket_tag", Form.ARRAY, Document("tag"), orphans="loose_tag")
    votes = Document("vote", references=(Reference("tag_vote", Holder.CHILD),))
    homes = (Collection("ticket", Document("ticket", embeddings=(tags,)), ("id",)), Collection("vote", votes, ("id",)))
    made = Proposal("by hand", Design(model, homes), dialect="sqlite")
    pipeline.load(made, small.address, database)
    store, gate = Store(made, database), Barrier(6)
    done, refused = list[int](), list[object]()

    def go(writer: int) -> None:
        for turn in range(8):
            gate.wait()
            given = {"id": 10 + turn} if statement == GIVEN else {}
            try:
                parent = writer % 3 + 1 if writer % 2 else 100 + writer
                done.extend(int(str(row["id"])) for row in store.execute(statement, parent=parent, **given))
            except ConstraintError as error:
                refused.append(error.violation)

    threads = [Thread(target=go, args=(writer,)) for writer in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(done)) == len(done) == (8 if statement == GIVEN else 48)
    assert refused == [Violation.KEY] * (40 if statement == GIVEN else 0)
    assert {*database["ticket"].distinct("tags.id"), *database["loose_tag"].distinct("_id")} == {1, *done}
