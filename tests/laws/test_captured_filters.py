"""Law: a captured filter finds in SQL, over the unloaded rows, the documents MongoDB finds; or a note or gap says why not."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pymongo import MongoClient
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.server import Server
from nestling.ir.capture import Capture, CaptureKind, ShapeTotals, list_values, parts
from nestling.ir.capture.samples import sample_values
from nestling.ir.proposal import Proposal
from nestling.sources.capture.sql.workload import CapturedWorkload
from nestling.sources.statements import parse_workload
from tests.generators.filters import Document, Filter, documents, element_filters, filters
from tests.soaking import examples

COUNT = 60
PATTERNS = {"from": "a", "before": "b", "pattern": "%b%"}
"""The parameters of the generator's patterns, whose texts are no samples."""
TEXTS = ("s", "city", "sku", "mark", "tag")
EXACT = ("the pattern on", "several conditions of one form")
"""Notes on what cannot differ here: the texts are in lower case, and conditions of one form have the same values."""
EXACT_WITHOUT_NOTHING = ("takes it for missing", "null from a missing field", *EXACT)
"""Notes on what cannot differ in documents without null and without empty arrays."""


class Live:
    """Documents as they are, the design read of them, and their rows in SQLite."""

    def __init__(self, database: Database[Document], design: Proposal, path: Path, exact: tuple[str, ...]) -> None:
        """`exact`: the notes on what cannot differ in these documents."""
        self.database, self.design, self.path, self.exact = database, design, path, exact

    @property
    def elements(self) -> set[int]:
        """The numbers of the elements of all documents."""
        every = self.database["orders"].find({"items": {"$type": "array"}}, {"items.no": 1})
        return {each["no"] for document in every for each in document["items"]}

    def captured(self, command: Mapping[str, Any]) -> CapturedWorkload:
        """What a capture of the command with sample values says."""
        seen = tuple(
            ShapeTotals(part.shape, 1.0, listed=list_values(command), samples=tuple(sample_values(command)))
            for part in parts("live", command)
        )
        return pipeline.captured_workload(Capture(CaptureKind.RECORDER, 1.0, seen), self.design.design)

    def is_exact(self, workload: CapturedWorkload) -> bool:
        """Whether the command became SQL without a note on what may differ here, or is left out as one that finds nothing; what
        became SQL can be read.
        """
        if workload.gaps or not (workload.statements or workload.left_out):
            return False
        parse_workload(workload.text(), self.design.design.model)
        notes = [note for each in workload.statements for note in each.notes]
        return all(any(known in note for known in self.exact) for note in notes)

    def rows(self, workload: CapturedWorkload, then: str = "") -> list[tuple[Any, ...]]:
        """What SQLite answers to the statements, or to a query after them; it keeps nothing."""
        with closing(sqlite3.connect(self.path)) as connection:
            answer: list[tuple[Any, ...]] = []
            for each in workload.statements:
                given = {f"{path}_{name}": value for path in TEXTS for name, value in PATTERNS.items()}
                given |= {f"{name}_{n}": value for name, value in given.items() for n in range(2, 9)}
                answer = connection.execute(each.sql, given | dict(each.samples)).fetchall()
            return connection.execute(then).fetchall() if then else answer


_PREFIXES = (
    "s",
    "d",
    "n",
    "m",
    "b",
    "mixed",
    "city",
    "zip",
    "qty",
    "sku",
    "x",
    "mark",
    "tag",
    "num",
    "marks",
    "w",
    "h",
)


@pytest.fixture(scope="module")
def worlds(
    mongod: Server, mongo_client: MongoClient[Document], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Live]]:
    """Documents in which null stands beside missing fields and empty arrays beside missing ones, and documents without these."""
    folder, made = tmp_path_factory.mktemp("filters"), {}
    for name, nothing in (("nothing", True), ("without", False)):
        database = mongo_client[f"filters_{name}"]
        mongo_client.drop_database(database.name)
        database["orders"].insert_many(documents(7, COUNT, nothing=nothing))
        database["people"].insert_many({"_id": n, "name": f"p{n % 3}", **({"age": n} if n % 2 else {})} for n in (1, 2))
        design = pipeline.in_place(mongod.uri.replace("/?", f"/{database.name}?"), rest=0).in_place
        pipeline.unload(design, f"sqlite:///{folder / name}.db", database)
        made[name] = Live(database, design, folder / f"{name}.db", EXACT if nothing else EXACT_WITHOUT_NOTHING)
    yield made
    for live in made.values():
        mongo_client.drop_database(live.database.name)


WORLDS = st.sampled_from(("nothing", "without"))


@settings(max_examples=examples(80, 10_000, "NESTLING_FILTERS"))
@given(condition=filters(), world=WORLDS)
def test_a_find_finds_the_same(condition: Filter, world: str, worlds: dict[str, Live]) -> None:
    """The documents of a find."""
    live = worlds[world]
    found = [each["_id"] for each in live.database["orders"].find(condition, {"_id": 1})]
    workload = live.captured({"find": "orders", "filter": condition, "projection": {"_id": 1}})
    if live.is_exact(workload):
        assert sorted(live.rows(workload)) == [(each,) for each in sorted(found)], workload.text()


@settings(max_examples=examples(15, 3_000, "NESTLING_FILTERS"))
@given(condition=filters(), world=WORLDS)
def test_a_deletion_deletes_the_same(condition: Filter, world: str, worlds: dict[str, Live]) -> None:
    """The documents that are left."""
    live = worlds[world]
    found = {each["_id"] for each in live.database["orders"].find(condition, {"_id": 1})}
    workload = live.captured({"delete": "orders", "deletes": [{"q": condition, "limit": 0}]})
    if live.is_exact(workload):
        left = {each for (each,) in live.rows(workload, "SELECT _id FROM orders")}
        assert left == set(range(COUNT)) - found, workload.text()


@settings(max_examples=examples(15, 3_000, "NESTLING_FILTERS"))
@given(condition=filters(), world=WORLDS)
def test_an_update_changes_the_same(condition: Filter, world: str, worlds: dict[str, Live]) -> None:
    """The documents that have the new value."""
    live = worlds[world]
    found = {each["_id"] for each in live.database["orders"].find(condition, {"_id": 1})}
    change = {"q": condition, "u": {"$set": {"mark": "new"}}, "multi": True}
    workload = live.captured({"update": "orders", "updates": [change]})
    if live.is_exact(workload):
        changed = {each for (each,) in live.rows(workload, "SELECT _id FROM orders WHERE mark = 'new'")}
        assert changed == found, workload.text()


@settings(max_examples=examples(30, 3_000, "NESTLING_FILTERS"))
@given(condition=filters(), element=st.none() | element_filters(), world=WORLDS)
def test_a_pipeline_finds_the_same(
    condition: Filter, element: Filter | None, world: str, worlds: dict[str, Live]
) -> None:
    """The documents of a `$match`, or the elements of one after an `$unwind`, which passed the same filter before or not."""
    live = worlds[world]
    stages: list[Document] = [{"$match": condition}, {"$project": {"_id": 1}}]
    if element is not None:
        stages = [{"$match": element}, {"$unwind": "$items"}, {"$match": element}]
        stages.append({"$project": {"_id": "$items.no"}})
    found = Counter(each["_id"] for each in live.database["orders"].aggregate(stages))
    workload = live.captured({"aggregate": "orders", "pipeline": stages})
    if live.is_exact(workload):
        assert Counter(each for (each,) in live.rows(workload)) == found, workload.text()


@settings(max_examples=examples(20, 3_000, "NESTLING_FILTERS"))
@given(element=element_filters(), is_pull=st.booleans(), world=WORLDS)
def test_the_same_elements_change(element: Filter, is_pull: bool, world: str, worlds: dict[str, Live]) -> None:
    """The elements that a `$pull` or an array filter is about are those that pass the same filter once they are unwound."""
    live = worlds[world]
    unwound = live.database["orders"].aggregate([{"$unwind": "$items"}, {"$match": element}])
    found = {each["items"]["no"] for each in unwound}
    inner = {path.removeprefix("items."): test for path, test in element.items()}
    change: Document = {"q": {}, "u": {"$pull": {"items": inner}}, "multi": True}
    if not is_pull:
        chosen = [{f"each.{path}": test for path, test in inner.items()}]
        change |= {"u": {"$set": {"items.$[each].sku": "new"}}, "arrayFilters": chosen}
    workload = live.captured({"update": "orders", "updates": [change]})
    if live.is_exact(workload):
        with_new = {each for (each,) in live.rows(workload, "SELECT no FROM items WHERE sku = 'new'")}
        left = {each for (each,) in live.rows(workload, "SELECT no FROM items")}
        assert (with_new if not is_pull else live.elements - left) == found, workload.text()


REVIEWED: tuple[Filter, ...] = (
    {"$nor": [{"n": 1}, {"s": "a"}]},
    {"$nor": [{"items.sku": "a"}, {"n": {"$exists": False}}]},
    *({"items.qty": {"$not": test}} for test in ({"$gt": 2}, {"$in": [1, 2]}, {"$exists": True}, {"$mod": [2, 1]})),
    {"items.qty": {"$ne": 2}},
    {"items.qty": {"$nin": [1, None]}},
    {"items.qty": {"$in": [1, None]}},
    {"items.qty": None},
    {"items.sku": {"$not": {"$regex": "^a"}}},
    {"items": {"$not": {"$elemMatch": {"sku": "a", "qty": {"$gt": 1}}}}},
    {"items": {"$elemMatch": {"$or": [{"sku": "a"}, {"qty": {"$gt": 2}}]}}},
    {"items": {"$exists": False}},
    {"tags": {"$not": {"$eq": "x"}}},
    {"tags": {"$not": {"$all": ["a", "b"]}}},
    {"tags": {"$elemMatch": {"$gt": "a", "$ne": "b"}}},
    {"$and": [{"tags": "a"}, {"tags": "b"}]},
    {"$and": [{"n": {"$not": {"$eq": 1}}}], "n": {"$not": {"$gt": 2}}},
    {"$and": [{"$or": [{"n": 1}, {"m": 1}]}], "$or": [{"s": "a"}, {"b": True}]},
    *({"n": {name: None}} for name in ("$gt", "$gte", "$lt", "$lte", "$eq", "$ne")),
    {"n": {"$in": []}},
    {"n": {"$nin": []}},
    {"$or": [{"n": {"$in": [1, 2, None]}}, {"m": {"$in": [3]}}]},
    {"$expr": {"$not": [{"$gt": ["$n", 1]}]}},
)
"""Filters that became wrong SQL once."""


@pytest.mark.parametrize("condition", REVIEWED, ids=str)
def test_filters_that_were_wrong_once(condition: Filter, worlds: dict[str, Live]) -> None:
    """Each finds the same documents, where neither null nor an empty array is."""
    live = worlds["without"]
    found = [each["_id"] for each in live.database["orders"].find(condition, {"_id": 1})]
    workload = live.captured({"find": "orders", "filter": condition, "projection": {"_id": 1}})
    assert live.is_exact(workload), workload.text()
    assert sorted(live.rows(workload)) == [(each,) for each in sorted(found)], workload.text()


@pytest.mark.parametrize(
    "condition",
    [
        *({"mixed": test} for test in ({"$gt": 1}, {"$not": {"$gt": 1}}, {"$lte": "a"}, {"$nin": [1, "a"]})),
        {"mixed": {"$not": {"$regex": "^a"}}},
        {"$nor": [{"mixed": {"$gte": 2}}, {"n": 1}]},
        {"items.qty": {"$not": {"$gt": 1}}},
    ],
    ids=str,
)
def test_a_store_finds_the_same(condition: Filter, worlds: dict[str, Live], tmp_path: Path) -> None:
    """The captured statement, asked of the same documents; its ranges are of the values of one type, as MongoDB's are."""
    live = worlds["without"]
    found = [each["_id"] for each in live.database["orders"].find(condition, {"_id": 1})]
    workload = live.captured({"find": "orders", "filter": condition, "projection": {"_id": 1}})
    (made,) = workload.statements
    (tmp_path / "workload.sql").write_text(workload.text(), encoding="utf-8")
    patterns = {f"mixed_{name}": value for name, value in PATTERNS.items() if f":mixed_{name}" in made.sql}
    store = Store(live.design, live.database, workload=tmp_path / "workload.sql")
    answer = store.run(made.name, **dict(made.samples), **patterns)
    assert {row["id"] for row in answer.rows} == set(found), made.sql


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ({"items": []}, "takes it for empty"),
        ({"items": {"$exists": False}}, "takes it for missing"),
        ({"items.qty": None}, "takes it for missing"),
        ({"n": {"$exists": True}}, "null from a missing field"),
        ({"addr": {"zip": 1, "city": "a"}}, "the order of its fields"),
        ({"$or": [{"n": 1}, {"n": 2}]}, "several conditions of one form"),
        ({"items.0.qty": {"$ne": 1}}, "one position in an array"),
    ],
)
def test_what_sql_does_not_distinguish_is_noted(condition: Filter, words: str, worlds: dict[str, Live]) -> None:
    """The statement says in which way it may find others."""
    workload = worlds["nothing"].captured({"find": "orders", "filter": condition, "projection": {"_id": 1}})
    (made,) = workload.statements
    assert any(words in note for note in made.notes)


@pytest.mark.parametrize(
    "condition",
    [
        {"n": {"$type": "int"}},
        {"n": {"$not": {"$type": "int"}}},
        {"items.qty": {"$type": "int"}},
        {"n": "a"},
        {"n": {"$ne": "a"}},
        {"s": {"$in": ["a", 1]}},
        {"j": 1},
        {"j": {"$ne": 1}},
        {"n": {"$size": 1}},
        {"items": {"sku": "a"}},
        {"tags": ["a", "b"]},
        {"mixed": {"$mod": [2, 1]}},
        {"$expr": {"$gt": ["$s", 1]}},
        {"$expr": {"$gt": ["$mixed", 1]}},
        {"$expr": {"$lt": ["$n", "$s"]}},
        {"$expr": {"$eq": ["$j", 1]}},
    ],
    ids=str,
)
def test_what_sql_cannot_say_is_a_gap(condition: Filter, worlds: dict[str, Live]) -> None:
    """Types, values of another type, fields that may be arrays, whole elements and arrays."""
    workload = worlds["nothing"].captured({"find": "orders", "filter": condition, "projection": {"_id": 1}})
    assert not workload.statements
    assert len(workload.gaps) == 1


@pytest.mark.parametrize(
    "condition",
    [
        {"who": []},
        {"who": {"$ne": []}},
        {"who": {"$exists": False}},
        {"who": {"$size": 0}},
        {"who.age": None},
        {"who.age": {"$ne": 1}},
        {"who.name": {"$not": {"$eq": "p1"}}},
        {"$nor": [{"who.name": "p1"}, {"n": 3}]},
        {"who": {"$elemMatch": {"age": {"$exists": False}}}},
    ],
    ids=str,
)
def test_what_a_lookup_found_is_tested_alike(condition: Filter, worlds: dict[str, Live]) -> None:
    """The array of a `$lookup` is always there, so that an empty one is not a missing one."""
    link = {"from": "people", "localField": "n", "foreignField": "_id", "as": "who"}
    live = worlds["without"]
    stages: list[Document] = [{"$lookup": link}, {"$match": condition}, {"$project": {"_id": 1}}]
    found = [each["_id"] for each in live.database["orders"].aggregate(stages)]
    workload = live.captured({"aggregate": "orders", "pipeline": stages})
    assert live.is_exact(workload)
    assert sorted(live.rows(workload)) == [(each,) for each in sorted(found)], workload.text()
