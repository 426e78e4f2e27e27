"""What each rewrite makes of a statement: the form, and the same answer as without it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling import pipeline
from nestling.emitters.mql.read import compiled_read
from nestling.ir.freshness import Freshness
from nestling.ir.programs.compiled import CompiledRead, Operation, bind
from nestling.ir.statements.algebra import Query
from nestling.ir.tolerance import Tolerated
from nestling.planner.reads import ALL_REWRITES, Rewrite, plan_read
from nestling.planner.sql import translate
from tests.cases.pattern_case import pattern_cases
from tests.planner.reads.beside_sqlite import Beside, loaded
from tests.planner.reads.shop import READING, ROWS


@pytest.fixture(scope="module")
def shops(
    mongo_client: MongoClient[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Beside]]:
    """The shop, normalized and embedded."""
    databases = {name: mongo_client[f"test_{uuid.uuid4().hex}"] for name in ("normalized", "embedded")}
    yield {
        name: loaded(pipeline.design(READING, name), ROWS, database, tmp_path_factory.mktemp(name))
        for name, database in databases.items()
    }
    for database in databases.values():
        mongo_client.drop_database(database.name)


def kinds(read: CompiledRead) -> list[str]:
    """The stages' names."""
    return [next(iter(stage)) for stage in read.pipeline]


def reads_of(read: CompiledRead, collection: str) -> int:
    """How often the read mentions a collection."""
    return (read.collection == collection) + repr(read.pipeline).count(f"'from': '{collection}'")


@pytest.mark.thorough
def test_one_place_is_a_find(shops: dict[str, Beside]) -> None:
    """A filter, projection, sort and limit of one root need no aggregation."""
    read = shops["normalized"].compiled("SELECT name FROM customer WHERE city = 'Oslo' ORDER BY name LIMIT 2")
    assert read.operation is Operation.FIND
    assert (read.collection, read.filter) == ("customer", {"city": {"$eq": "Oslo"}})
    assert (read.sort, read.limit) == ((("name", 1),), 2)
    assert read.projection == {"_id": 0, "name": {"$ifNull": ["$name", None]}}


def test_children_in_their_parent_are_unwound(shops: dict[str, Beside]) -> None:
    """Two levels down, from the parent and from the child; without the rewrite they are looked up."""
    down = "SELECT c.name, l.quantity FROM customer c JOIN orders o ON o.customer_id = c.id JOIN line l ON l.order_id = o.id"
    up = "SELECT c.name, l.quantity FROM line l JOIN orders o ON o.id = l.order_id JOIN customer c ON c.id = o.customer_id"
    for sql in (down, up):
        assert "$lookup" not in kinds(shops["embedded"].compiled(sql))
        without = ALL_REWRITES - {Rewrite.EMBEDDED_CHILD, Rewrite.EMBEDDED_PARENT}
        assert "$lookup" in kinds(shops["embedded"].compiled(sql, without))
        shops["embedded"].assert_equal(sql)
        shops["embedded"].assert_equal(sql, rewrites=without)


def test_a_parent_without_children_stays(shops: dict[str, Beside]) -> None:
    """A left join keeps it, and even the foreign key, which is not stored, is NULL."""
    sql = "SELECT c.id, o.customer_id, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id"
    assert "$lookup" not in kinds(shops["embedded"].compiled(sql))
    assert (3, None, None) in shops["embedded"].mine(sql)
    shops["embedded"].assert_equal(sql)


def test_predicates_on_elements_leave_out_documents_first(shops: dict[str, Beside]) -> None:
    """By `$elemMatch`, before anything is unwound; what is about the root moves there."""
    sql = "SELECT o.id FROM customer c JOIN orders o ON o.customer_id = c.id WHERE o.status = 'open' AND c.name = 'Ann'"
    read = shops["embedded"].compiled(sql)
    assert kinds(read)[:2] == ["$match", "$match"]
    assert "$elemMatch" in repr(read.pipeline[:2])
    shops["embedded"].assert_equal(sql)


def test_a_text_that_names_an_operator_is_a_text(shops: dict[str, Beside]) -> None:
    """Elements are sought by it as by any other."""
    asked = [
        f"SELECT c.id FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND o.status = '{text}'"
        " AND o.total > 1)"
        for text in ("open", "$expr")
    ]
    known, odd = (shops["embedded"].compiled(sql) for sql in asked)
    assert repr(odd).replace("$expr", "open") == repr(known)
    shops["embedded"].assert_equal(asked[1])


def test_all_that_is_asked_of_an_element_is_asked_of_one(shops: dict[str, Beside]) -> None:
    """An index over two attributes of elements is sought by both, and by both ends of a range, expressions or not."""
    sql = (
        "SELECT o.id FROM customer c JOIN orders o ON o.customer_id = c.id "
        "WHERE o.status = 'open' AND o.total > 1 AND o.total < 6 AND o.id % 2 = 0"
    )
    shops["embedded"].assert_equal(sql)
    collection = shops["embedded"].database["customer"]
    name = collection.create_index([("orders.status", 1), ("orders.total", 1)])
    try:
        read = bind(shops["embedded"].compiled(sql))
        plan = shops["embedded"].database.command(
            "explain", {"aggregate": "customer", "pipeline": list(read.pipeline), "cursor": {}}
        )
    finally:
        collection.drop_index(name)
    (bounds,) = {str(each) for each in _all_of(plan, "indexBounds")}
    assert "'orders.status': ['[\"open\", \"open\"]']" in bounds
    assert "'orders.total': ['(1, 6)']" in bounds


def _all_of(document: object, name: str) -> Iterator[object]:
    """All values of a field, at any depth."""
    if isinstance(document, dict):
        yield from (value for key, value in document.items() if key == name)
    for each in document.values() if isinstance(document, dict) else document if isinstance(document, list) else ():
        yield from _all_of(each, name)


def test_a_compound_id_is_asked_for_as_one(shops: dict[str, Beside]) -> None:
    """All parts are the exact `_id`, the first a range; the server then needs its index alone."""
    whole = shops["normalized"].compiled("SELECT quantity FROM line WHERE no = 2 AND order_id = 10")
    assert whole.filter == {"_id": {"$eq": {"order_id": 10, "no": 2}}}
    part = bind(shops["normalized"].compiled("SELECT quantity FROM line WHERE order_id = 10"))
    collection = shops["normalized"].database["line"]
    for read in (whole, part):
        assert read.filter is not None
        plan = collection.find(read.filter).explain()["queryPlanner"]["winningPlan"]
        assert "COLLSCAN" not in repr(plan)


def test_a_lookup_uses_the_equality(shops: dict[str, Beside]) -> None:
    """As `localField` and `foreignField`, even inside EXISTS; NULL never finds NULL."""
    sql = "SELECT id FROM product p WHERE EXISTS (SELECT 1 FROM maker m WHERE m.id = p.maker_id)"
    assert "'localField': 'maker_id'" in repr(shops["normalized"].compiled(sql).pipeline)
    pairs = "SELECT a.id, b.id FROM employee a JOIN employee b ON a.boss_id = b.boss_id"
    assert "'foreignField': 'boss_id'" in repr(shops["normalized"].compiled(pairs).pipeline)
    shops["normalized"].assert_equal(pairs)


def test_a_join_nothing_is_taken_from_disappears(shops: dict[str, Beside]) -> None:
    """Where each row has one parent, or the join keeps rows without; else it stays, as it drops rows."""
    normalized = shops["normalized"]
    required = "SELECT o.id FROM orders o JOIN customer c ON c.id = o.customer_id"
    optional = "SELECT l.no FROM line l LEFT JOIN product p ON p.id = l.product_id"
    dropping = "SELECT l.no FROM line l JOIN product p ON p.id = l.product_id"
    assert normalized.compiled(required).operation is Operation.FIND
    assert normalized.compiled(optional).operation is Operation.FIND
    assert "$lookup" in kinds(normalized.compiled(dropping))
    for sql in (required, optional, dropping):
        normalized.assert_equal(sql)


def test_rows_are_grouped_before_they_meet_what_names_the_groups(shops: dict[str, Beside]) -> None:
    """One lookup for each group and, where each row has its parent, only for those a limit leaves; else one for each row."""
    sql = (
        "SELECT c.id, c.name, sum(o.total) AS total FROM orders o JOIN customer c ON c.id = o.customer_id "
        "GROUP BY c.id, c.name ORDER BY total DESC, c.id LIMIT 2 -- total order"
    )
    normalized = shops["normalized"]
    found = kinds(normalized.compiled(sql))
    assert found.index("$group") < found.index("$lookup")
    assert kinds(normalized.compiled(sql, ALL_REWRITES - {Rewrite.EARLY_GROUPS})).index("$lookup") == 0
    assert "$lookup" not in kinds(shops["embedded"].compiled(sql))
    for beside in shops.values():
        beside.assert_equal(sql)


def test_a_parent_that_is_asked_about_meets_each_row(shops: dict[str, Beside]) -> None:
    """An aggregate of its own, a condition on it, and keys that do not say which parent keep the join below the group."""
    start = "FROM orders o JOIN customer c ON c.id = o.customer_id"
    for sql in (
        f"SELECT c.id, max(c.name) {start} GROUP BY c.id",
        f"SELECT c.id, c.name, count(*) {start} WHERE c.city = 'Oslo' GROUP BY c.id, c.name",
        f"SELECT c.name, count(*) {start} GROUP BY c.name",
    ):
        found = kinds(shops["normalized"].compiled(sql))
        assert found.index("$lookup") < found.index("$group"), sql
        shops["normalized"].assert_equal(sql)


def test_a_subquery_over_the_rows_that_are_joined_is_a_window(shops: dict[str, Beside]) -> None:
    """They are read once; where the statement leaves some of these rows out, it is asked by itself."""
    start = "SELECT o.id, l.no FROM orders o JOIN line l ON l.order_id = o.id WHERE"
    most = "l.quantity = (SELECT max(x.quantity) FROM line x WHERE x.order_id = o.id)"
    normalized = shops["normalized"]
    whole, part = f"{start} {most}", f"{start} {most} AND l.no > 1"
    assert reads_of(normalized.compiled(whole), "line") == 1
    assert reads_of(normalized.compiled(part), "line") == 2
    assert reads_of(normalized.compiled(whole, ALL_REWRITES - {Rewrite.WINDOWED}), "line") == 2
    for sql in (whole, part):
        for beside in shops.values():
            beside.assert_equal(sql)


def test_groups_made_twice_are_made_once(shops: dict[str, Beside]) -> None:
    """The greatest of all groups is a window over them."""
    sql = (
        "WITH per AS (SELECT customer_id, count(*) AS n FROM orders GROUP BY customer_id) "
        "SELECT c.id, n FROM customer c JOIN per ON customer_id = c.id WHERE n = (SELECT max(n) FROM per)"
    )
    read = shops["normalized"].compiled(sql)
    assert (read.collection, reads_of(read, "orders")) == ("orders", 1)
    shops["normalized"].assert_equal(sql)


def test_conditions_on_both_sides_are_asked_of_what_a_lookup_finds(shops: dict[str, Beside]) -> None:
    """The lookup is by its equality alone, without variables."""
    sql = "SELECT o.id, l.no FROM orders o JOIN line l ON l.order_id = o.id AND l.quantity > o.customer_id"
    read = shops["normalized"].compiled(sql)
    assert "'let'" not in repr(read.pipeline)
    shops["normalized"].assert_equal(sql)


def test_beginnings_of_texts_are_asked_by_the_query_language(shops: dict[str, Beside]) -> None:
    """The first characters of a field as a regular expression, NOT LIKE as one that must not match."""
    begins = shops["normalized"].compiled("SELECT id FROM customer WHERE substr(name, 1, 2) IN ('An', 'bo')")
    unlike = shops["normalized"].compiled("SELECT id FROM product WHERE title NOT LIKE '%n'")
    assert begins.filter == {"name": {"$regex": "^(?:An|bo)"}}
    assert "$expr" not in repr(unlike.filter)
    assert "$ne" in repr(unlike.filter)


def test_the_most_restricted_table_comes_first(shops: dict[str, Beside]) -> None:
    """The one found by its key, whatever the order they are written in."""
    sql = "SELECT o.id FROM orders o JOIN customer c ON c.id = o.customer_id WHERE c.id = 1 AND c.name = 'Ann'"
    assert shops["normalized"].compiled(sql).collection == "customer"
    assert shops["normalized"].compiled(sql, ALL_REWRITES - {Rewrite.JOIN_ORDER}).collection == "orders"
    shops["normalized"].assert_equal(sql)


def test_only_a_fresh_copy_answers(database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """A copy that may be behind serves only a statement that tolerates it."""
    case = next(case for case in pattern_cases() if case.name == "extended_reference_one_to_squillions")
    beside = loaded(case.proposal, case.rows, database, tmp_path)
    sql = "SELECT l.message, h.ipaddr FROM logmsg l LEFT JOIN host h ON h.host_id = l.host"
    query = translate(sql, beside.design.model, "sqlite")
    assert isinstance(query, Query)
    for text, looked_up in (("async(1s)", True), ("async(1h)", False), ("snapshot", True)):
        tolerated = Tolerated({("host", "ipaddr"): Freshness.parse(text)})
        read = compiled_read(plan_read(query, beside.design, tolerated=tolerated))
        assert ("$lookup" in kinds(read)) is looked_up, text
    assert "$lookup" in kinds(beside.compiled(sql))


def test_the_access_path_is_said_in_words(shops: dict[str, Beside]) -> None:
    """A line per step, what is looked up below the lookup."""
    sql = "SELECT m.name, count(*) FROM product p JOIN maker m ON m.id = p.maker_id WHERE p.price > 1 GROUP BY m.name"
    assert shops["normalized"].compiled(sql).access_path == (
        "read the documents of `product`\n"
        "where p.price > 1\n"
        "as `m`, look up the one where `_id` is `maker_id`:\n"
        "  read the documents of `maker`\n"
        "group by m.name: count = count(*)\n"
        "take name = result.name, count(*) = result.COUNT(*)"
    )


def test_what_groups_are_made_of_is_computed_as_they_are(shops: dict[str, Beside]) -> None:
    """An output of a derived table that is asked for once needs no stage; one asked for twice is computed once."""
    once = "SELECT k, SUM(n) FROM (SELECT id % 2 AS k, total + 1 AS n FROM orders) d GROUP BY k"
    twice = once.replace("SUM(n)", "SUM(n), MAX(n)")
    assert kinds(shops["normalized"].compiled(once))[0] == "$group"
    assert kinds(shops["normalized"].compiled(twice))[:2] == ["$set", "$group"]
    for shop in shops.values():
        shop.assert_equal(once)
        shop.assert_equal(twice)
