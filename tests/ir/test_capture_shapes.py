"""Captured commands: shapes hold structure, never values; tallies and captures are bounded and merge."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from bson import Binary, Decimal128, Int64, ObjectId, Regex
from hypothesis import given
from hypothesis import strategies as st

from nestling.common.errors import InputError
from nestling.ir.capture import (
    Capture,
    CaptureKind,
    CommandOperation,
    ShapeTotals,
    Sums,
    Tally,
    capture_text,
    merged,
    parts,
    read_capture,
)
from nestling.ir.capture.patterns import statements_of
from nestling.ir.capture.query_shapes import counted as counted_shapes
from nestling.ir.capture.tally import MOST_SHAPES

SECRET = "hunter2-4f9a"
VALUES: tuple[Any, ...] = (
    *(
        SECRET,
        f"{SECRET}@example.org",
        [SECRET, SECRET],
        {"inner": SECRET},
        Regex(f"^{SECRET}", "i"),
        Binary(SECRET.encode()),
    ),
    *(4_111_111_111_111_111, Int64(4_111_111_111_111_111), Decimal128("4111.1111"), ObjectId(), uuid4(), None, True),
    *(datetime(2026, 4, 11, tzinfo=UTC), [], {"$literal": SECRET}),
)


def _commands(value: Any) -> list[dict[str, Any]]:
    """A value at every place of every command a value may stand at."""
    return [
        {"find": "c", "filter": {"a": value}, "comment": SECRET, "let": {"v": value}},
        {"find": "c", "filter": {"a": {"$gt": value}, "$comment": SECRET, "$where": SECRET}},
        {
            "find": "c",
            "filter": {"$or": [{"a": value}, {"b": {"$not": {"$in": [value]}}}], "$text": {"$search": SECRET}},
        },
        {"find": "c", "filter": {"$expr": {"$eq": ["$a", value]}}, "projection": {"b": {"$concat": ["$a", SECRET]}}},
        {"find": "c", "filter": {"a": {"$elemMatch": {"b": value}}, "$jsonSchema": {"title": SECRET}}, "hint": SECRET},
        {"count": "c", "query": {"a": value}},
        {"distinct": "c", "key": "a", "query": {"a": value}},
        {"insert": "c", "documents": [{"a": value, "b": {"c": [value]}}]},
        {
            "update": "c",
            "updates": [{"q": {"a": value}, "u": {"$set": {"b": value}, "$push": {"l": {"$each": [value]}}}}],
        },
        {"update": "c", "updates": [{"q": {}, "u": {"a": value}, "arrayFilters": [{"x.a": value}]}]},
        {"update": "c", "updates": [{"q": {}, "u": [{"$set": {"a": {"$literal": value}}}], "c": {"v": SECRET}}]},
        {"delete": "c", "deletes": [{"q": {"a": value}, "limit": 1}]},
        {"findAndModify": "c", "query": {"a": value}, "update": {"$inc": {"b": 7_654_321}}, "fields": {"x": SECRET}},
        {
            "aggregate": "c",
            "pipeline": [
                {"$match": {"a": value}},
                {"$lookup": {"from": "d", "let": {"v": value}, "pipeline": [{"$match": {"a": value}}], "as": "d"}},
                {"$group": {"_id": {"$ifNull": ["$a", SECRET]}, "n": {"$sum": 1}, "f": {"$push": SECRET}}},
                {"$bucket": {"groupBy": "$a", "boundaries": [7_654_321, 8_654_321], "default": SECRET}},
                {"$search": {"text": {"query": SECRET, "path": "a"}}},
                {"$facet": {"x": [{"$match": {"b": value}}]}},
                {"$addFields": {"f": {"$function": {"body": SECRET, "args": [SECRET], "lang": "js"}}}},
            ],
        },
    ]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_no_value_is_in_a_shape(value: Any) -> None:
    """Secrets at any place of any command are words such as `?string` in its shape, and sums hold none."""
    for command in _commands(value):
        for part in parts("shop", command):
            for trace in (SECRET, "hunter2", "4111", "7654321", "8654321"):
                assert trace not in part.shape.text, command


@pytest.mark.thorough
@given(
    st.recursive(
        st.text(min_size=3) | st.integers(2), lambda inner: st.lists(inner) | st.dictionaries(st.just("a"), inner)
    )
)
def test_shapes_do_not_depend_on_values(value: Any) -> None:
    """The same command with a secret text in each text's place has a shape that shows neither."""
    command = {"find": "c", "filter": {"a": {"$eq": value}}}
    (part,) = parts("shop", command)
    words = str(value)
    leaf = "?" if isinstance(value, str | int) else ""
    assert leaf in part.shape.text
    if isinstance(value, str) and value not in part.shape.text.replace("?string", ""):
        assert part.shape.text == '{"filter":{"a":{"$eq":"?string"}}}'
    assert words


def test_statements_that_differ_in_values_only_are_one() -> None:
    """Values, the order of conditions and how equality is written make no other shape."""
    filters: tuple[dict[str, Any], ...] = (
        {"a": 1, "b": {"$in": [1, 2]}},
        {"b": {"$in": [3]}, "a": {"$eq": 5.5}},
        {"$and": [{"a": 9}, {"b": {"$in": [4, 4, 4]}}]},
    )
    assert len({part.shape for each in filters for part in parts("d", {"find": "c", "filter": each})}) == 1


def test_structure_stays() -> None:
    """Fields, operators, directions, limits, joins and small constants are what a statement is."""
    pipeline = [
        {"$match": {"a.b": {"$gte": 3}}},
        {"$lookup": {"from": "d", "localField": "x", "foreignField": "_id", "as": "d"}},
        {"$group": {"_id": "$a.b", "n": {"$sum": 1}}},
        {"$sort": {"n": -1}},
        {"$limit": 20},
    ]
    (part,) = parts("shop", {"aggregate": "c", "pipeline": pipeline})
    assert part.shape.clauses == {"pipeline": [{"$match": {"a.b": {"$gte": "?number"}}}, *pipeline[1:]]}


def test_names_that_are_data_are_folded() -> None:
    """Ids, dates, places in arrays and addresses as field names are no names."""
    for name in ("64b0c0ffee64b0c0ffee64b0", "2026-04-11", "17", "ada@example.org", str(uuid4())):
        path = name if "." not in name else "x"
        (part,) = parts("d", {"find": "c", "filter": {f"by.{path}.n": 1}})
        assert part.shape.text in (
            '{"filter":{"by.{*}.n":{"$eq":"?number"}}}',
            '{"filter":{"by.x.n":{"$eq":"?number"}}}',
        )
    documents = [{f"name{n}": n for n in range(300)}]
    (part,) = parts("d", {"insert": "c", "documents": documents})
    assert part.shape.text == '{"documents":[{"{*}":"?number"}]}'


def test_commands_that_touch_no_documents_have_no_shape() -> None:
    """Handshakes, administration and system collections are nobody's workload."""
    for command in ({"hello": 1}, {"ping": 1}, {"aggregate": 1, "pipeline": []}, {"find": "system.profile"}, {}):
        assert list(parts("d", command)) == []


def test_of_many_alike_a_few_are_looked_at() -> None:
    """A command of ten thousand updates is as many statements, of the shapes of its first ones."""
    updates = [{"q": {"_id": n}, "u": {"$inc": {"n": 1}}} for n in range(10_000)]
    found = list(parts("d", {"update": "c", "updates": updates}))
    assert sum(part.count for part in found) == 10_000
    assert len({part.shape for part in found}) == 1


def test_memory_is_bounded() -> None:
    """However many shapes come, so many are counted, and the others are named as a number."""
    tally = Tally(CaptureKind.RECORDER)
    for number in range(MOST_SHAPES + 50):
        (part,) = parts("d", {"find": f"c{number}", "filter": {}})
        tally.add(part.shape, Sums())
    capture = tally.capture(1.0)
    assert len(capture.seen) == MOST_SHAPES
    assert [skipped.what for skipped in capture.skipped] == ["50 statements"]


def _capture(kind: CaptureKind, window: float, **counts: float) -> Capture:
    shapes = {name: next(parts("d", {"find": name, "filter": {}})).shape for name in counts}
    return Capture(kind, window, tuple(ShapeTotals(shapes[name], count) for name, count in counts.items()))


def test_captures_merge_by_rates() -> None:
    """Recordings of several processes add up; of a log and a profiler that saw the same, the one that saw more counts."""
    found = merged(
        [
            _capture(CaptureKind.RECORDER, 10, a=100, b=10),
            _capture(CaptureKind.RECORDER, 20, a=100),
            _capture(CaptureKind.LOG, 100, a=10, c=200),
        ]
    )
    rates = {seen.shape.collection: found.rate(seen) for seen in found.seen}
    assert rates == pytest.approx({"a": 15, "b": 1, "c": 2})


def test_what_a_recorder_counted_has_the_work_of_the_server() -> None:
    """The server's work each time, and its time where that is less than the client waited."""
    asked = next(parts("d", {"find": "c", "filter": {"a": 1}})).shape
    own = ShapeTotals(asked, 10, seconds=0.02, documents_examined=500, collection_scans=10)
    waited = ShapeTotals(asked, 100, seconds=3.0, returned=100)
    found = merged([Capture(CaptureKind.RECORDER, 10, (waited,)), Capture(CaptureKind.PROFILER, 10, (own,))])
    (both,) = found.seen
    assert (both.count, both.documents_examined, both.collection_scans, both.returned) == (100, 5_000, 100, 100)
    assert both.seconds == pytest.approx(0.2)


def test_a_server_that_counts_whole_milliseconds_takes_no_time_away() -> None:
    """Fast statements sum up to nothing there; the client knows how long it waited."""
    asked = next(parts("d", {"find": "c", "filter": {"a": 1}})).shape
    client = Capture(CaptureKind.RECORDER, 10, (ShapeTotals(asked, 100, seconds=0.08),))
    server = Capture(CaptureKind.PROFILER, 10, (ShapeTotals(asked, 10, documents_examined=50),))
    (both,) = merged([client, server]).seen
    assert (both.seconds, both.documents_examined) == (0.08, 500)
    (waited,), (measured,) = (tuple(statements_of(each, {"d"})) for each in (client, server))
    told = waited.with_work(measured)
    assert (told.seconds, told.documents_examined) == (0.08, 500)


def test_the_window_is_that_of_the_rates() -> None:
    """A profiler that ran for ten seconds beside a log of ten minutes tells rates of ten seconds; one that saw nothing, none."""
    profiler = _capture(CaptureKind.PROFILER, 10, a=600)
    for other in (_capture(CaptureKind.LOG, 628, b=1), _capture(CaptureKind.LOG, 628), _capture(CaptureKind.LOG, 1)):
        found = merged([other, profiler])
        assert found.window_seconds == 10
        assert {seen.shape.collection: found.rate(seen) for seen in found.seen}["a"] == pytest.approx(60)


def test_what_seldom_statements_wrote_is_not_rounded() -> None:
    """Five documents within 15 s are three and a third within 10 s, whatever is added to them."""
    shape = next(parts("d", {"insert": "c", "documents": [{}]})).shape
    seen = ShapeTotals(shape, 2, written=5)
    found = merged([Capture(CaptureKind.RECORDER, 10, (seen,)), Capture(CaptureKind.RECORDER, 15, (seen,))])
    (both,) = found.seen
    assert (both.count, both.written) == pytest.approx((10 / 3, 25 / 3))
    assert read_capture(capture_text(found)) == found


@pytest.mark.parametrize(("profiled", "left"), [(40, None), (30, None), (50, 10)])
def test_inserts_whose_documents_one_kind_does_not_know(profiled: int, left: int | None) -> None:
    """A profiler that keeps no documents saw the inserts of which the recorder knows what they wrote; only more count."""
    unknown, *known = (
        next(parts("d", {"insert": "c", "documents": documents})).shape for documents in ([], [{"a": 1}], [{"b": "x"}])
    )
    seen = tuple(ShapeTotals(shape, 20) for shape in known)
    found = merged(
        [Capture(CaptureKind.RECORDER, 10, seen), Capture(CaptureKind.PROFILER, 10, (ShapeTotals(unknown, profiled),))]
    )
    counts = {each.shape: each.count for each in found.seen}
    assert [counts.pop(shape) for shape in known] == [20, 20]
    assert counts == ({} if left is None else {unknown: left})


def test_a_capture_is_read_back() -> None:
    """Its file form says all of it; a damaged one is an error in words."""
    capture = _capture(CaptureKind.LOG, 10, a=3)
    assert read_capture(capture_text(capture)) == capture
    with pytest.raises(InputError, match="capture"):
        read_capture("{}", "x.json")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"pipeline":{}}',
        '{"pipeline":[3]}',
        '{"pipeline":[{"$match":"x"}]}',
        '{"pipeline":[{"$project":null}]}',
        '{"pipeline":[{"$unset":3}]}',
        '{"projection":[]}',
        '{"sort":{"a":"up"}}',
        '{"u":3}',
    ],
)
def test_a_shape_that_masking_never_makes_is_refused(text: str) -> None:
    """Clauses of another type than their readers count on are an error when the file is read, not later."""
    whole = _capture(CaptureKind.LOG, 10, a=3)
    (seen,) = whole.seen
    odd = replace(whole, seen=(replace(seen, shape=replace(seen.shape, text=text)),))
    with pytest.raises(InputError, match="not the shape of a statement"):
        read_capture(capture_text(odd), "x.json")


def test_a_kind_of_another_type_is_refused() -> None:
    """Where one of a few words belongs, a list is an error in words."""
    text = capture_text(_capture(CaptureKind.LOG, 10, a=3)).replace('"kind": "log"', '"kind": ["log"]')
    with pytest.raises(InputError, match="is not one of"):
        read_capture(text, "x.json")


def test_query_stats_are_shapes_with_counts() -> None:
    """A document of `$queryStats`, as the manual describes it, counts as the statement it is of."""
    shape = {
        "cmdNs": {"db": "shop", "coll": "products"},
        "command": "find",
        "filter": {"$and": [{"price": {"$gt": "?number"}}, {"kind": {"$in": "?array<?string>"}}]},
        "sort": {"price": 1},
        "limit": "?number",
    }
    metrics = {
        "execCount": Int64(120),
        "firstSeenTimestamp": datetime(2026, 4, 11, 10, 0, tzinfo=UTC),
        "totalExecMicros": {"sum": Int64(240_000)},
        "docsReturned": {"sum": Int64(1_200)},
    }
    as_of = datetime(2026, 4, 11, 10, 1, tzinfo=UTC)
    capture = counted_shapes([{"key": {"queryShape": shape}, "metrics": metrics, "asOf": as_of}])
    (seen,) = capture.seen
    written = {"filter": {"price": {"$gt": 3}, "kind": {"$in": ["a", "b"]}}, "sort": {"price": 1}}
    assert seen.shape == next(parts("shop", {"find": "products", **written})).shape
    assert (capture.rate(seen), seen.seconds, seen.returned) == (2.0, 0.24, 1_200)
    assert seen.shape.operation is CommandOperation.FIND


@pytest.mark.parametrize(
    ("pattern", "flags", "said"),
    [
        ("^Ada", "", "?regex^"),
        (r"\AAda", "", "?regex^"),
        (r"^\+41", "", "?regex^"),
        ("^Ada", "i", "?regex^i"),
        ("Ada", "", "?regex"),
        ("^.*Ada", "", "?regex"),
        ("^A?da", "", "?regex"),
        ("^[AB]da", "", "?regex"),
        ("^Ada|Eve", "", "?regex"),
        ("^Ada", "m", "?regex"),
    ],
)
def test_only_a_pattern_that_says_how_texts_begin_is_anchored(pattern: str, flags: str, said: str) -> None:
    """What the server finds by a part of an index: a character behind the anchor that has to be there, in the whole text."""
    for test in ({"$regex": pattern, "$options": flags}, Regex(pattern, flags)):
        (found,) = parts("d", {"find": "c", "filter": {"a": test}})
        assert json.loads(found.shape.text)["filter"] == {"a": {"$regex": said}}
