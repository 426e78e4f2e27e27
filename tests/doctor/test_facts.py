"""Facts: right numbers, never a write, never a value, and whatever a database holds."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import bson
import pytest
from bson import Decimal128
from bson.raw_bson import RawBSONDocument
from hypothesis import given
from hypothesis import strategies as st
from pymongo import MongoClient, monitoring
from pymongo.database import Database

from nestling.common.errors import InputError
from nestling.common.server import Server
from nestling.executors.facts import READING, Amount, Budget, gather
from nestling.executors.facts.catalogue import with_storage
from nestling.executors.facts.drawing import MOST_DRAWN, drawn
from nestling.executors.facts.path_tree import MOST_NODES, PathTree
from nestling.executors.facts.permitted import Asking
from nestling.executors.facts.sampling import with_documents
from nestling.executors.facts.sketch import DistinctCount, Histogram
from nestling.ir import facts as facts_of
from nestling.ir.facts import ELEMENT, CollectionFacts, Facts, NamespaceKind, PathFacts, Validator
from nestling.ir.facts.form import facts_text, read_facts
from nestling.ir.interval import interval
from tests.doctor.faults import FAULTS, clean
from tests.doctor.looking import found, look

Db = Database[dict[str, Any]]
READ_COMMANDS = {
    *("aggregate", "count", "find", "getMore", "hello", "ping", "buildinfo", "buildInfo", "serverStatus"),
    *("listCollections", "listDatabases", "listIndexes", "killCursors", "endSessions", "ismaster"),
}


class Heard(monitoring.CommandListener):
    """Notes every command that is sent."""

    def __init__(self) -> None:
        self.commands: list[tuple[str, str]] = []

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        """A command goes out."""
        self.commands.append((event.command_name, str(event.command)))

    def succeeded(self, event: monitoring.CommandSucceededEvent) -> None:
        """Nothing to note."""

    def failed(self, event: monitoring.CommandFailedEvent) -> None:
        """Nothing to note."""


@pytest.mark.thorough
def test_nothing_is_ever_written(mongod: Server, database: Db) -> None:
    """Over a database with faults of every kind, only reading commands are sent, and no pipeline ends in a write."""
    clean(database)
    for name in ("two-way-disagreement", "stale-copy", "violated-validator"):
        database.drop_collection("things")
        FAULTS[name].plant(database, True)
    before = _hash(database)
    heard = Heard()
    with MongoClient(mongod.uri, event_listeners=[heard], **READING) as client:
        gather(client, [database.name], Budget(60, whole=True))
    assert len(heard.commands) > 20
    assert {name for name, _ in heard.commands} <= READ_COMMANDS
    assert not [text for _, text in heard.commands if "$out" in text or "$merge" in text]
    assert _hash(database) == before


def _hash(database: Db) -> Any:
    return database.command("dbHash")["md5"]


def _path(facts: Facts, database: Db, name: str, *steps: str) -> PathFacts:
    collection = facts.collection(database.name, name)
    assert collection is not None
    path = collection.path(*steps)
    assert path is not None, [each.text for each in collection.paths]
    return path


def test_numbers_are_exact_of_small_collections(database: Db) -> None:
    """Types, presence, lengths, widths and bytes are counted over every document."""
    database.things.insert_many(
        [
            {"a": 1, "l": [1, "x"]},
            {"a": "text", "l": []},
            {"a": None},
            {"o": {"p": 2.5}},
            {"a": "", "l": [{"q": 1}] * 9},
        ]
    )
    facts = look(database)
    a, lengths = _path(facts, database, "things", "a"), _path(facts, database, "things", "l").lengths
    assert dict(a.types) == {"int": 1, "string": 2, "null": 1}
    assert (a.parents, a.missing, a.empty, a.exact) == (5, 1, 1, True)
    assert facts.server.engine == "wiredTiger"
    assert lengths is not None
    assert (lengths.count, lengths.max, round(lengths.mean, 2)) == (3, 9, 3.67)
    assert _path(facts, database, "things", "l", "[]", "q").present == 9
    assert _path(facts, database, "things", "o", "p").parents == 1
    sizes = facts.collections[0].sizes
    assert sizes is not None
    assert sizes.max == max(len(each.raw) for each in database.things.with_options(_raw()).find())


def _raw() -> Any:
    return bson.CodecOptions(document_class=RawBSONDocument)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("whole", [False, True])
def test_large_collections_are_measured_by_the_server(database: Db, whole: bool) -> None:
    """Of a sampled collection the server counts types, and finds the one long array and the one odd type."""
    documents: list[dict[str, Any]] = [{"n": n, "l": [1] * (n % 4), "s": {"t": "x" * (n % 9)}} for n in range(3_000)]
    documents[1_234] |= {"n": "odd", "l": [0] * 777}
    database.things.insert_many(documents)
    facts = look(database, documents=200, whole=whole)
    sample = facts.collections[0].sample
    assert sample is not None
    assert sample.method == "seeded"
    assert 100 < sample.documents < 400
    assert dict(_path(facts, database, "things", "n").types) == {"int": 2_999, "string": 1}
    lengths = _path(facts, database, "things", "l").lengths
    assert lengths is not None
    assert lengths.max == 777
    assert _path(facts, database, "things", "s", "t").parents == 3_000
    assert [c.paths for c in look(database, documents=200, whole=whole).collections] == [
        c.paths for c in facts.collections
    ]


def test_kinds_are_taken_for_what_they_are(database: Db) -> None:
    """Views, time series, capped and clustered collections are named; views and system collections are not read."""
    database.create_collection("capped", capped=True, size=10_000)
    database.create_collection("clustered", clusteredIndex={"key": {"_id": 1}, "unique": True})
    database.create_collection("series", timeseries={"timeField": "at"})
    database.series.insert_one({"at": datetime.now(UTC), "v": 1})
    database.plain.insert_one({"a": 1})
    lookup = {"from": "plain", "localField": "b", "foreignField": "a", "as": "x"}
    database.create_collection("seen", viewOn="plain", pipeline=[{"$lookup": lookup}])
    facts = look(database)
    kinds = {each.name: each.kind for each in facts.collections if each.kind is not NamespaceKind.SYSTEM}
    assert kinds == {
        "capped": NamespaceKind.CAPPED,
        "clustered": NamespaceKind.CLUSTERED,
        "series": NamespaceKind.TIME_SERIES,
        "plain": NamespaceKind.COLLECTION,
        "seen": NamespaceKind.VIEW,
    }
    view = facts.collection(database.name, "seen")
    assert view is not None
    assert [join.collection for join in view.joins] == ["plain"]
    assert not facts.skipped


def test_where_nestling_keeps_its_progress_is_nobodys_data(database: Db) -> None:
    """Its own collections are in no facts, and so in no report and no model."""
    database["_nestling_sync"].insert_one({"_id": "shop", "epoch": 1})
    database.things.insert_one({"a": 1})
    assert [each.name for each in look(database).collections] == ["things"]


def test_facts_hold_no_values(database: Db) -> None:
    """No value of a document, and none of a statement, is in the file."""
    FAULTS["stale-copy"].plant(database, True)
    database.people.insert_many([{"name": f"secret{n}", "card": 4_111_000_000 + n} for n in range(50)])
    database.command("profile", 2)
    list(database.people.find({"name": "secret7"}))
    database.command("profile", 0)
    text = facts_text(look(database))
    assert not re.findall(r"secret|4111|as it was|maker \d", text)


@pytest.mark.thorough
def test_saved_facts_reproduce_the_report(database: Db) -> None:
    """A facts file gives the same facts, and they the same findings."""
    for name in ("mixed-types", "case-insensitive-regex"):
        database.drop_collection("things")
        FAULTS[name].plant(database, True)
    facts = look(database)
    again = read_facts(facts_text(facts))
    assert again == facts
    assert found(again) == found(facts)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("{}", "is not a facts file"),
        ('{"form": "nestling facts 1"}', "'taken' is missing"),
        ('{"form": "nestling facts 1", "taken": 3, "server": {}, "databases": []}', "str expected"),
        (
            '{"form": "nestling facts 1", "taken": "", "server": {"version": "6"}, "databases": "x"}',
            "a list is expected",
        ),
        ('{"form": "nestling facts 1", "x": 1}', "unknown key 'x'"),
    ],
)
def test_a_wrong_facts_file_is_said_so(text: str, told: str) -> None:
    """What is wrong, and where."""
    with pytest.raises(InputError, match=told):
        read_facts(text, "facts.json")


@pytest.mark.parametrize("rules", ["{", "[]", '{"$jsonSchema": 3}'])
def test_a_validator_that_is_none_is_said_so(rules: str) -> None:
    """A validator in a facts file is an object, as its readers take it to be."""
    items = CollectionFacts("shop", "item", NamespaceKind.COLLECTION, validator=Validator(rules, "strict", "error"))
    facts = Facts("", facts_of.ServerFacts("6.0.5"), ("shop",), (items,))
    with pytest.raises(InputError, match=r"the validator of `shop.item` is not valid"):
        read_facts(facts_text(facts), "facts.json")


def test_a_path_of_no_steps_is_said_so() -> None:
    """The path of a document itself is in no facts."""
    items = CollectionFacts("shop", "item", NamespaceKind.COLLECTION, paths=(PathFacts((), (("int", 1),), 1, 1, 0),))
    facts = Facts("", facts_of.ServerFacts("6.0.5"), ("shop",), (items,))
    with pytest.raises(InputError, match=r"a path of `shop.item` has no steps"):
        read_facts(facts_text(facts), "facts.json")


@pytest.mark.parametrize("moment", ["", "yesterday", "2026-11-27T08:00:00"])
def test_facts_say_when_they_were_taken(moment: str) -> None:
    """A moment with its zone: one can be subtracted from another."""
    with pytest.raises(InputError, match=r"taken: .* is not an ISO 8601 timestamp"):
        read_facts(facts_text(Facts(moment, facts_of.ServerFacts("6.0.5"), (), ())), "facts.json")


def _odd() -> Iterator[dict[str, Any]]:
    deep: dict[str, Any] = {"x": 1}
    for _ in range(90):
        deep = {"d": deep}
    yield {"deep": deep}
    yield {"a.b": {"$c": 1}, "": 2, "é": 3, "[]": 4, "{*}": 5, "\u200b": 6}
    yield {"nan": Decimal128("NaN"), "inf": float("inf"), "long": 1 << 62, "min": bson.MinKey(), "max": bson.MaxKey()}
    yield {
        "code": bson.Code("f"),
        "scoped": bson.Code("f", {"a": 1}),
        "re": bson.Regex("a", "i"),
        "ts": bson.Timestamp(1, 2),
    }
    yield {"ref": bson.DBRef("things", 1), "nested": [[[], [1]], [{}]], "empty": {}}


def test_odd_documents_do_no_harm(database: Db) -> None:
    """Deep nesting, odd names, numbers that are none, dates no calendar has and invalid UTF-8 are facts like others."""
    database.things.insert_many(list(_odd()))
    invalid = bson.encode({"_id": 99, "bad": "@@@@"}).replace(b"@@@@", b"\xff\xfe@@")
    far = bson.encode({"_id": 100, "at": datetime(2000, 1, 1, tzinfo=UTC)})[:-9] + b"\xff" * 7 + b"\x7f\0"
    database.get_collection("things", _raw()).insert_many([RawBSONDocument(invalid), RawBSONDocument(far)])
    facts = look(database)
    assert facts.collections[0].sample
    assert facts.collections[0].sample.documents == 7
    assert facts.collections[0].depth == 91
    assert read_facts(facts_text(facts)) == facts
    assert [each.what for each in facts.skipped] == [f"the rows of {database.name}.things"]
    found(facts)


@pytest.mark.thorough
def test_exploding_names_are_folded(database: Db) -> None:
    """50,000 different names take a bounded tree, and the fields every document has keep their names."""
    documents = [{"kept": 1, "d": {f"k{n * 50 + k:x}z": k for k in range(50)}} for n in range(1_000)]
    database.things.insert_many(documents)
    facts = look(database)
    collection = facts.collections[0]
    assert len(collection.paths) < 50
    assert _path(facts, database, "things", "kept").present == 1_000
    folded = _path(facts, database, "things", "d", "{*}")
    assert folded.present == 50_000
    assert 45_000 < folded.keys < 55_000


def test_the_tree_is_bounded_whatever_comes() -> None:
    """Names without end at every level make no tree without end."""
    tree = PathTree()
    for n in range(2_000):
        data = bson.encode({f"a{n}{k}": {f"b{n}{k}": {f"c{n}": 1}} for k in range(20)})
        tree.add(data, 0, len(data))
    assert tree.nodes <= MOST_NODES + 100


@pytest.mark.thorough
def test_a_document_of_16_mib_is_read(database: Db) -> None:
    """The largest document MongoDB takes is a fact like any other."""
    database.things.insert_one({"_id": 1, "s": "x" * (16 * 1024 * 1024 - 30)})
    sizes = look(database).collections[0].sizes
    assert sizes is not None
    assert sizes.max > 16_777_000


def test_an_empty_database_has_no_findings(database: Db) -> None:
    """Nothing there, nothing wrong."""
    facts = look(database)
    assert facts.collections == ()
    assert found(facts) == []


def test_a_budget_is_kept_and_what_it_left_out_is_named(database: Db) -> None:
    """With no time at all the run ends, and says what it did not look at."""
    database.things.insert_many([{"a": n} for n in range(1_000)])
    facts = gather(database.client, [database.name], Budget(0.0))
    assert facts.skipped
    assert all("time limit" in each.why for each in facts.skipped)


def test_a_sample_s_share_has_an_interval() -> None:
    """Wilson's interval holds the share, narrows with the sample, and is never outside of 0 and 1."""
    low, high = interval(50, 1_000)
    assert (round(low, 3), round(high, 3)) == (0.038, 0.065)
    assert interval(0, 300)[1] == pytest.approx(0.0126, abs=1e-3)
    assert interval(3, 0) == (0.0, 1.0)


@pytest.mark.thorough
@given(st.lists(st.integers(0, 1 << 40), min_size=1, max_size=300))
def test_quantiles_are_within_two_percent(values: list[int]) -> None:
    """A histogram's quantiles are those of the sorted values, but for the width of a bucket."""
    histogram = Histogram()
    for value in values:
        histogram.add(value)
    found_ = histogram.quantiles()
    assert found_ is not None
    exact = sorted(values)[-(-95 * len(values) // 100) - 1]
    assert exact <= found_.p95 <= exact * 1.02
    assert found_.max == max(values)


@pytest.mark.parametrize("merged", [False, True])
def test_quantiles_of_equal_values_are_that_value(merged: bool) -> None:
    """No quantile of values within a bucket is below all of them."""
    histogram, other = Histogram(), Histogram()
    (other if merged else histogram).add(900, times=50)
    histogram.merge(other)
    found_ = histogram.quantiles()
    assert found_ is not None
    assert (found_.mean, found_.p50, found_.p95, found_.p99, found_.max) == (900, 900, 900, 900, 900)


def test_distinct_counts_are_near() -> None:
    """Exact for few values, within a tenth for very many."""
    few, many = DistinctCount(), DistinctCount()
    for n in range(30_000):
        few.add(str(n % 500).encode())
        many.add(str(n).encode())
    assert few.estimate() == 500
    assert 27_000 < many.estimate() < 33_000


def test_a_collection_dropped_meanwhile_is_named(database: Db) -> None:
    """What is listed and then gone is skipped with its reason, and nothing else is lost."""
    asking = Asking(time.monotonic() + 30)
    gone = CollectionFacts(database.name, "gone", NamespaceKind.COLLECTION)
    found_ = with_documents(with_storage(gone, database, asking), database, asking, Amount())
    assert found_ == gone
    assert {each.why for each in asking.skipped} == {"it was dropped in the meantime"}


def test_reading_that_ends_early_is_no_exact_count(database: Db) -> None:
    """When the budget of bytes ends, what was read is told as the first documents, not as all."""
    database.things.insert_many([{"t": "x" * 1_000} for _ in range(2_000)])
    asking = Asking(time.monotonic() + 30)
    listed = CollectionFacts(
        database.name, "things", NamespaceKind.COLLECTION
    )  # with no storage known, as of a user without that right
    found_ = with_documents(listed, database, asking, Amount(10_000, 100_000))
    assert found_.sample is not None
    assert not found_.sample.exact
    assert found_.sample.documents < 2_000
    assert "budget" in asking.skipped[0].why


def test_an_element_alone_is_no_place_on_earth() -> None:
    """A path of a damaged facts file that names no field lies in no GeoJSON."""
    element = PathFacts((ELEMENT,), (("int", 1),), 1, 1, 0)
    items = CollectionFacts("shop", "item", NamespaceKind.COLLECTION, paths=(element,))
    assert not items.spatial(element)


def test_what_is_looked_at_of_an_unchanged_database_is_the_same(database: Db) -> None:
    """References, what leads to nothing and copies are counted in the same documents of large collections on every run."""
    database.customers.insert_many([{"_id": bson.ObjectId(), "name": f"name {n}"} for n in range(2_000)])
    ids = [each["_id"] for each in database.customers.find()]
    database.orders.insert_many(
        [
            {
                "customer_id": ids[n % 1_999] if n % 3 else bson.ObjectId(),
                "customer_name": f"name {n % 1_999}" if n % 7 else "another",
            }
            for n in range(6_000)
        ]
    )
    runs = [look(database, documents=1_000) for _ in range(3)]
    assert all((each.references, each.copies) == (runs[0].references, runs[0].copies) for each in runs)
    assert 0 < runs[0].references[0].resolved < runs[0].references[0].checked == 300


@pytest.mark.thorough
def test_documents_are_drawn_by_a_hash_of_their_id(database: Db) -> None:
    """As many as wanted, the same every time, fewer being part of more; few documents are all of them."""
    database.things.insert_many([{"n": n} for n in range(30_000)])

    def chosen(documents: int) -> set[Any]:
        asking = Asking(time.monotonic() + 60)
        things = with_storage(CollectionFacts(database.name, "things", NamespaceKind.COLLECTION), database, asking)
        return {each["_id"] for each in database.things.aggregate(drawn(database, things, documents, asking))}

    some = chosen(1_000)
    assert len(some) == 1_000
    assert some == chosen(1_000)
    assert some < chosen(MOST_DRAWN)
    assert len(chosen(40_000)) == 30_000
