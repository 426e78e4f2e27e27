# ruff: noqa: ISC004 - statements run over lines
"""Reads answered by what is kept beside the homes: computed values, summaries of buckets, copies of children.

On every pattern that keeps such values, and on random designs: the form is the short one, and the answer is SQLite's.
"""

from __future__ import annotations

import tempfile
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, note, settings
from hypothesis import strategies as st
from pymongo import MongoClient
from pymongo.database import Database

from nestling.common.errors import ReadError
from nestling.emitters.commands import collection_commands, unseen_commands
from nestling.emitters.mql.read import compiled_read
from nestling.executors.create import create
from nestling.executors.load import load, written_collections
from nestling.executors.run import run_read
from nestling.ir.design import Design
from nestling.ir.freshness import Freshness
from nestling.ir.model import Model
from nestling.ir.primitives import Bucket, Computed, Copy
from nestling.ir.programs.compiled import CompiledRead, Operation
from nestling.ir.rows import AggregateKind
from nestling.ir.rows import RowPath as Hops
from nestling.ir.statements.algebra import Query
from nestling.ir.storage.layout import every_document
from nestling.ir.tolerance import Tolerated
from nestling.planner.reads import ALL_REWRITES, Rewrite, plan_read
from nestling.planner.sql import translate
from nestling.sources.sql.row_source import SqlDatabase
from tests.cases.pattern_case import pattern_cases
from tests.generators.designs import designs
from tests.generators.worlds import World, with_seen_types, worlds
from tests.planner.reads.beside_sqlite import Beside, loaded
from tests.planner.reads.test_patterns import quoted
from tests.soaking import SOAKING, examples
from tests.sqlite_rows import sqlite_source

DAY = Freshness.parse("scheduled(1day)")
KEPT = frozenset({Rewrite.COMPUTED, Rewrite.SUMMARY, Rewrite.COPIED_CHILDREN})
EXAMPLES = examples(12, 1000, "NESTLING_KEPT_VALUES")


def shop(name: str, database: Database[dict[str, Any]], folder: Path) -> Beside:
    """A pattern's rows loaded by its design."""
    case = next(case for case in pattern_cases() if case.name == name)
    return loaded(case.proposal, case.rows, database, folder)


def tolerant(beside: Beside, sql: str, rewrites: frozenset[Rewrite] = ALL_REWRITES) -> CompiledRead:
    """The statement compiled for someone who takes day-old values of anything."""
    model = beside.design.model
    query = translate(sql, model, "sqlite")
    assert isinstance(query, Query)
    anything = [(e.name, name) for e in model.entities for name in (*e.attribute_names, "")]
    tolerated = Tolerated(dict.fromkeys(anything, DAY), dict.fromkeys(anything, 3))
    return compiled_read(plan_read(query, beside.design, tolerated=tolerated, rewrites=rewrites))


def collections_of(read: CompiledRead) -> set[str]:
    """Every collection the read mentions."""
    text = repr(read.pipeline)
    return {str(read.collection)} | {part.split("'")[1] for part in text.split("'from': ")[1:]}


PAGES = (
    "SELECT p.url, (SELECT count(*) FROM view v WHERE v.url = p.url) AS n FROM page p",
    "SELECT p.url FROM page p WHERE (SELECT count(*) FROM view v WHERE v.url = p.url) > 1",
    "SELECT p.url, count(v.view_id) AS n FROM page p LEFT JOIN view v ON v.url = p.url GROUP BY p.url",
    "SELECT p.url, count(*) AS n FROM page p LEFT JOIN view v ON v.url = p.url GROUP BY p.url",
    "SELECT p.title, count(*) AS n FROM view v JOIN page p ON v.url = p.url GROUP BY p.url HAVING count(*) > 0",
    "SELECT url, count(*) AS n FROM view GROUP BY url ORDER BY n DESC",
    "SELECT count(*) AS n FROM view WHERE url = '/'",
    "SELECT count(*) AS n FROM view WHERE url = '/über'",
    "SELECT count(*) AS n FROM view WHERE url = 'nowhere'",
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("sql", PAGES)
def test_a_count_is_read_where_it_is_kept(sql: str, database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """Each way to count a page's views reads the page alone; without the rewrite the views; both as SQLite counts."""
    beside = shop("pre_aggregation", database, tmp_path)
    assert collections_of(beside.compiled(sql)) == {"pages"}
    assert "views" in collections_of(beside.compiled(sql, ALL_REWRITES - {Rewrite.COMPUTED}))
    beside.assert_equal(sql)
    beside.assert_equal(sql, rewrites=ALL_REWRITES - {Rewrite.COMPUTED})


NOT_KEPT = (
    "SELECT p.url, (SELECT count(*) FROM view v WHERE v.url = p.url AND v.view_id > 1) AS n FROM page p",
    "SELECT p.url, (SELECT count(DISTINCT v.at) FROM view v WHERE v.url = p.url) AS n FROM page p",
    "SELECT p.url, (SELECT max(v.at) FROM view v WHERE v.url = p.url) AS n FROM page p",
    "SELECT p.title, count(v.view_id) AS n FROM page p LEFT JOIN view v ON v.url = p.url GROUP BY p.title",
    "SELECT count(*) AS n FROM view WHERE url = '/' AND view_id > 1",
    "SELECT p.url, count(*) AS n FROM page p LEFT JOIN view v ON v.url = p.url AND v.view_id > 1 GROUP BY p.url",
    "SELECT p.url, count(*) AS n FROM page p JOIN view v ON v.url > p.url GROUP BY p.url",
    "SELECT p.url, v.view_id % 2 AS half, count(*) AS n FROM page p JOIN view v ON v.url = p.url GROUP BY p.url, v.view_id % 2",
    "SELECT p.url, v.at, count(*) AS n FROM page p JOIN view v ON v.url = p.url GROUP BY p.url, v.at",
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("sql", NOT_KEPT)
def test_another_aggregate_is_still_counted(sql: str, database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """A condition more, other values, another group: what is kept does not say it."""
    beside = shop("pre_aggregation", database, tmp_path)
    assert "views" in collections_of(beside.compiled(sql))
    beside.assert_equal(sql)


MOVIES = (
    "SELECT m.title, (SELECT sum(s.revenue) FROM screening s WHERE s.movie_id = m.movie_id) AS n FROM movie m",
    "SELECT m.title, (SELECT coalesce(sum(revenue), 0) FROM screening s WHERE s.movie_id = m.movie_id) AS n FROM movie m",
    "SELECT m.movie_id, sum(s.revenue) AS n, avg(s.rating) AS r, count(s.rating) AS c FROM movie m "
    "LEFT JOIN screening s ON s.movie_id = m.movie_id GROUP BY m.movie_id",
    "SELECT sum(revenue) AS n, count(rating) AS c FROM screening WHERE movie_id = 2",
    "SELECT sum(revenue) AS n, count(rating) AS c FROM screening WHERE movie_id = 3",
)


@pytest.mark.parametrize("sql", MOVIES)
def test_only_a_fresh_value_answers(sql: str, database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """An hourly value answers who tolerates a day, and nobody else; over no rows a sum is NULL and a count 0."""
    beside = shop("computed", database, tmp_path)
    assert "screenings" in collections_of(beside.compiled(sql))
    kept = tolerant(beside, sql)
    assert collections_of(kept) == {"movies"}
    assert Counter(run_read(database, kept)) == Counter(map(tuple, beside.connection.execute(sql)))
    beside.assert_equal(sql)


def test_an_approximation_answers_who_tolerates_it(database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """A value written every third time is off by up to two, and never given unasked."""
    beside = shop("approximation", database, tmp_path)
    sql = "SELECT name, (SELECT count(*) FROM inhabitant i WHERE i.city_id = c.city_id) AS n FROM city c"
    beside.assert_equal(sql)
    rough = tolerant(beside, sql)
    assert rough.operation is Operation.FIND
    assert set(run_read(database, rough)) == {("Großstadt", 3), ("Hamlet", 0), ("Ghost Town", 0)}


HOURLY = (
    "SELECT sensor_id, strftime('%Y-%m-%d %H', ts) AS h, count(*) AS n, max(temp) AS t FROM reading GROUP BY 1, 2",
    "SELECT sensor_id, date(ts) AS d, min(temp) AS t FROM reading GROUP BY sensor_id, date(ts)",
    "SELECT sensor_id, count(*) AS n FROM reading WHERE sensor_id = 'sensor-42' GROUP BY sensor_id ORDER BY n",
    "SELECT count(*) AS n, max(temp) AS t FROM reading",
    "SELECT count(*) AS n, max(temp) AS t FROM reading WHERE sensor_id = 'sensor-43'",
    "SELECT max(temp) AS t FROM reading WHERE date(ts) > '2025-01-15'",
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("sql", HOURLY)
def test_buckets_are_summed_up(sql: str, database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """Groups as coarse as the buckets never unwind the events; without the rewrite they do; both are right."""
    beside = shop("bucket_window", database, tmp_path)
    assert "$readings" not in repr(beside.compiled(sql).pipeline)
    assert "$readings" in repr(beside.compiled(sql, ALL_REWRITES - {Rewrite.SUMMARY}).pipeline)
    beside.assert_equal(sql)
    beside.assert_equal(sql, rewrites=ALL_REWRITES - {Rewrite.SUMMARY})


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT strftime('%Y-%m-%d %H:%M', ts) AS m, count(*) AS n FROM reading GROUP BY 1",
        "SELECT sensor_id, count(*) AS n FROM reading WHERE temp > 22 GROUP BY sensor_id",
        "SELECT sensor_id, avg(temp) AS t FROM reading GROUP BY sensor_id",
        "SELECT ts, count(*) AS n FROM reading GROUP BY ts",
        "SELECT humidity, count(*) AS n FROM reading GROUP BY humidity",
        "SELECT count(temp) AS n FROM reading",
    ],
)
def test_what_buckets_do_not_know_is_asked_of_events(
    sql: str, database: Database[dict[str, Any]], tmp_path: Path
) -> None:
    """A finer group, a condition on events, an average without sum and number."""
    beside = shop("bucket_window", database, tmp_path)
    assert "$readings" in repr(beside.compiled(sql).pipeline)
    beside.assert_equal(sql)


REVIEWS = (
    'SELECT "user", rating, date FROM review WHERE product_id = 1 AND 1 = 1 ORDER BY date DESC LIMIT 8 -- total order',
    'SELECT "user", product_id FROM review WHERE product_id = 1 ORDER BY date DESC LIMIT 3 OFFSET 5',
    'SELECT "user" FROM review WHERE product_id = 2 ORDER BY date DESC LIMIT 3',
    'SELECT p.name, r."user", r.product_id FROM product p JOIN review r ON r.product_id = p.product_id '
    "WHERE p.product_id = 1 ORDER BY r.date DESC LIMIT 8",
    'SELECT p.name, r."user", r.product_id FROM product p LEFT JOIN review r ON r.product_id = p.product_id '
    "WHERE p.product_id = 2 ORDER BY r.date DESC LIMIT 3",
)


@pytest.mark.parametrize("sql", REVIEWS[1:])
def test_a_limited_copy_answers_for_the_first_few(sql: str, database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """As many as it holds, in its order: one document instead of two collections."""
    beside = shop("subset", database, tmp_path)
    assert collections_of(beside.compiled(sql)) == {"products"}
    assert "reviews" in collections_of(beside.compiled(sql, ALL_REWRITES - {Rewrite.COPIED_CHILDREN}))
    beside.assert_equal(sql)
    beside.assert_equal(sql, rewrites=ALL_REWRITES - {Rewrite.COPIED_CHILDREN})


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "sql",
    [
        'SELECT "user" FROM review WHERE product_id = 1 ORDER BY date DESC, review_id LIMIT 11',
        'SELECT "user" FROM review WHERE product_id = 1 ORDER BY date DESC LIMIT :n',
        'SELECT "user" FROM review WHERE product_id = 1 ORDER BY date LIMIT 3',
        'SELECT "user" FROM review WHERE product_id = 1 AND rating = 5 ORDER BY date DESC LIMIT 2',
        "SELECT helpful_votes FROM review WHERE product_id = 1 ORDER BY date DESC LIMIT 2",
        'SELECT "user" FROM review ORDER BY date DESC LIMIT 2',
        'SELECT r."user" FROM product p JOIN review r ON r.product_id = p.product_id ORDER BY r.date DESC LIMIT 2',
    ],
)
def test_a_limited_copy_answers_nothing_else(sql: str, database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """More than it holds, an unknown number, another order, a condition, an attribute it lacks, children of all."""
    beside = shop("subset", database, tmp_path)
    assert "reviews" in collections_of(beside.compiled(sql))


# --- random designs ------------------------------------------------------------------------------------------------------


def statements(design: Design) -> Iterator[str]:
    """For each value kept beside its home, what it might answer."""
    model = design.model
    for body in every_document(design.collections):
        for computed in body.computed:
            yield from _counts(model, body.entity, computed)
        for copy in body.copies:
            if not copy.closure:
                yield _joined(model, body.entity, copy)
    for collection in design.collections:
        if collection.bucket is not None:
            yield from _buckets(collection.root, collection.bucket)


def _counts(model: Model, entity: str, computed: Computed) -> Iterator[str]:
    assert computed.function is AggregateKind.COUNT
    tables, conditions, _ = _along(model, computed.path)
    outer = quoted(entity)
    inner = f"SELECT count(*) FROM {tables} WHERE {conditions}"
    yield f"SELECT t0.*, ({inner}) AS n FROM {outer} t0"
    key = model.entity(entity).key
    if key:
        names = ", ".join(f"t0.{quoted(name)}" for name in key)
        yield f"SELECT {names}, count(*) AS n FROM {outer} t0, {tables} WHERE {conditions} GROUP BY {names}"
        if len(computed.path) == 1:
            yield f"SELECT {names}, count(*) AS n FROM {outer} t0 LEFT JOIN {tables} ON {conditions} GROUP BY {names}"
    if len(computed.path) == 1 and not computed.path[0].up:
        link = model.relationship(computed.path[0].relationship)
        names = ", ".join(map(quoted, link.child_attributes))
        yield f"SELECT {names}, count(*) AS n FROM {quoted(link.child)} GROUP BY {names}"


def _joined(model: Model, entity: str, copy: Copy) -> str:
    tables, conditions, last = _along(model, copy.path)
    wanted = ", ".join(f"{last}.{quoted(field.attribute)}" for field in copy.attributes)
    kind = "LEFT JOIN" if len(copy.path) == 1 and copy.limit is None else "JOIN"
    return f"SELECT t0.*, {wanted} FROM {quoted(entity)} t0 {kind} {tables} ON {conditions}"


def _along(model: Model, path: Hops) -> tuple[str, str, str]:
    tables, conditions = [], []
    for place, hop in enumerate(path):
        link = model.relationship(hop.relationship)
        before, after = f"t{place}", f"t{place + 1}"
        parent, child = (after, before) if hop.up else (before, after)
        tables.append(f"{quoted(hop.target(model))} {after}")
        conditions += [
            f"{child}.{quoted(one)} = {parent}.{quoted(other)}"
            for one, other in zip(link.child_attributes, link.parent_attributes, strict=True)
        ]
    return " JOIN ".join(tables), " AND ".join(conditions), f"t{len(path)}"


def _buckets(entity: str, bucket: Bucket) -> Iterator[str]:
    table = quoted(entity)
    yield f"SELECT count(*) AS n FROM {table}"
    aggregates = ", ".join(["count(*)", *(f"max({quoted(str(each.attribute))})" for each in bucket.summary)])
    for names in (bucket.by, bucket.by[:1]):
        if names:
            listed = ", ".join(map(quoted, names))
            yield f"SELECT {listed}, {aggregates} FROM {table} GROUP BY {listed}"
    if bucket.window is not None:
        time = quoted(bucket.window.attribute)
        yield f"SELECT strftime('%Y-%m', {time}) AS m, {aggregates} FROM {table} GROUP BY 1"


@pytest.mark.timeout(0 if SOAKING else 900)
@given(st.data())
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
def test_on_random_designs(mongo_client: MongoClient[dict[str, Any]], data: st.DataObject) -> None:
    """What is kept answers as SQLite does, and as the homes do without these rewrites."""
    world: World = data.draw(worlds())
    design: Design = data.draw(designs(world, moves=30))
    database = mongo_client[f"kept_{uuid.uuid4().hex}"]
    with tempfile.TemporaryDirectory() as directory:
        source = sqlite_source(Path(directory) / "source.db", world.model, world.rows)
        try:
            compare(design, source, database)
        finally:
            mongo_client.drop_database(database.name)


def compare(design: Design, source: SqlDatabase, database: Database[dict[str, Any]]) -> None:
    """Run every statement with and without the rewrites."""
    design = Design(with_seen_types(design.model, source), design.collections)
    asked = list(dict.fromkeys(statements(design)))
    if not asked:
        return
    source = SqlDatabase(source.address, design.model)
    create(collection_commands(design), database, written_collections(design))
    load(design, source, database, unseen=unseen_commands(design))
    for sql in asked:
        try:
            query = translate(sql, design.model, "sqlite")
            assert isinstance(query, Query)
            kept, asked_anew = (
                compiled_read(plan_read(query, design, rewrites=rewrites))
                for rewrites in (ALL_REWRITES, ALL_REWRITES - KEPT)
            )
        except Exception as error:
            if "Gap" not in type(error).__name__:
                raise
            continue
        event(f"rewritten: {kept.path != asked_anew.path}")
        note(sql)
        note(kept.access_path)
        found, wanted = bag(database, kept), bag(database, asked_anew)
        assert found == wanted, f"{sql}\nonly kept: {list(found - wanted)}\nonly asked: {list(wanted - found)}"


def bag(database: Database[dict[str, Any]], read: CompiledRead) -> Counter[str]:
    """The rows, by what they look like; what the server cannot convert it refuses either way."""
    try:
        return Counter(map(repr, run_read(database, read)))
    except ReadError:
        event("refused by the server")
        return Counter(["refused"])
