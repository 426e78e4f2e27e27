"""Lists of values and JSON made of them, beside PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pymongo import MongoClient

from nestling import pipeline
from nestling.common.errors import ReadError, WorkloadError
from nestling.emitters.mql.read import compiled_read
from nestling.executors.run import run_read
from nestling.ir.programs.compiled import NotCompiled
from nestling.ir.statements.algebra import Query
from nestling.planner.reads import NO_REWRITES, plan_read
from nestling.planner.sql import translate
from nestling.store import Store
from tests.planner.reads.beside_postgresql import STRATEGIES, Served, served_by_strategies, written

TABLES = """
CREATE TYPE size AS ENUM ('small', 'big');
CREATE TABLE author (id integer PRIMARY KEY, name text NOT NULL, born date, code varchar(5) DEFAULT 'c');
CREATE TABLE book (id integer PRIMARY KEY, author_id integer REFERENCES author, title text, price numeric(8, 2), pages integer,
    size size, rate float8, sold boolean, tags text[], data jsonb, mark uuid, noted timestamp);
INSERT INTO author VALUES (1, 'Ann', '1970-05-01'), (2, 'Bob', NULL), (3, 'Cy', '1990-01-31');
INSERT INTO book VALUES
    (1, 1, 'A', 9.50, 100, 'big', 0.5, true, '{x,y}', '{"a": 1.50, "b": [1, null]}',
    'a0000000-0000-0000-0000-00000000000a', '2024-01-31 10:00'),
    (2, 1, 'B', NULL, 300, 'small', 2, false, '{}', '[]', NULL, NULL),
    (3, 1, NULL, 5.00, 100, NULL, NULL, NULL, NULL, NULL, 'b0000000-0000-0000-0000-00000000000b', '2024-02-01'),
    (4, 2, 'D', 12.25, NULL, 'big', 1.25, true, '{z,NULL}', '"text"', NULL, '2024-02-02'),
    (5, NULL, 'E', 1, 7, 'small', 3, false, '{y}', 'null', NULL, NULL);
"""
STATEMENTS = (
    "SELECT row_to_json(a) FROM author a",
    "SELECT to_jsonb(a.*) AS a FROM author a WHERE id < 3",
    "SELECT to_json(author) FROM author ORDER BY author.id LIMIT 2",
    "SELECT row_to_json(x) FROM (SELECT id, title AS \"the title\", price FROM book) x",
    "SELECT json_agg(x) FROM (SELECT id, title, size FROM book ORDER BY id) x",
    "SELECT json_agg(x ORDER BY x.id), jsonb_agg(row_to_json(x) ORDER BY x.id DESC) FROM (SELECT id, rate FROM book) AS x",
    "SELECT json_agg(a ORDER BY a.id) FILTER (WHERE a.id > 1) FROM author a",
    "SELECT b.id, to_json(a) FROM book b LEFT JOIN author a ON a.id = b.author_id",
    ("SELECT b.id, json_build_object('title', b.title, 'author', row_to_json(a)) FROM book b LEFT JOIN author a"
     " ON a.id = b.author_id"),
    ("SELECT a.id, json_agg(x ORDER BY x.id) FROM author a JOIN (SELECT id, author_id FROM book) x ON x.author_id = a.id"
     " GROUP BY a.id"),
    ("SELECT a.id, (SELECT json_agg(x) FROM (SELECT b.id, b.title FROM book b WHERE b.author_id = a.id ORDER BY b.id) x)"
     " FROM author a"),
    "SELECT author_id, array_agg(title ORDER BY id) FROM book GROUP BY author_id",
    "SELECT author_id, array_agg(price ORDER BY pages DESC, id) FROM book GROUP BY author_id",
    "SELECT author_id, array_agg(DISTINCT pages) FROM book GROUP BY author_id",
    "SELECT array_agg(DISTINCT pages ORDER BY pages DESC) FROM book",
    "SELECT author_id, array_agg(id ORDER BY id) FILTER (WHERE pages > 100) FROM book GROUP BY author_id",
    "SELECT coalesce(array_agg(id) FILTER (WHERE pages > 1000), '{}') FROM book",
    "SELECT a.id, ARRAY(SELECT b.title FROM book b WHERE b.author_id = a.id ORDER BY b.id DESC) AS titles FROM author a",
    "SELECT a.id, ARRAY(SELECT b.pages + 1 AS more FROM book b WHERE b.author_id = a.id ORDER BY b.pages, b.id) FROM author a",
    "SELECT ARRAY(SELECT id FROM book WHERE id > 99), ARRAY(SELECT title FROM book WHERE sold ORDER BY price DESC)",
    ("SELECT a.id, coalesce((SELECT array_agg(a2.code ORDER BY a2.code) FROM author a2 WHERE a2.born = a.born),"
     " ARRAY[]::text[]) FROM author a"),
    "SELECT coalesce(array_agg(title ORDER BY title) FILTER (WHERE sold), '{}'::text[]) FROM book WHERE id > 3",
    "SELECT array_agg(id) FROM book WHERE id > 99",
    "SELECT array_agg(mark ORDER BY id), array_agg(noted ORDER BY id) FROM book",
    "SELECT array_agg(size::text ORDER BY id), array_agg(sold ORDER BY id) FROM book",
    "SELECT array_agg(CASE WHEN id > 1 THEN price ELSE 1 END ORDER BY id), array_agg(rate ORDER BY id) FROM book",
    "SELECT json_agg(title ORDER BY id) FROM book",
    ("SELECT author_id, json_agg(json_build_object('id', id, 'title', title, 'price', price, 'sold', sold) ORDER BY id)"
    " FROM book GROUP BY author_id"),
    ("SELECT a.id, jsonb_agg(jsonb_build_object('book', b.id, 'tags', b.tags, 'data', b.data, 'rate', b.rate) ORDER BY b.id)"
    " FROM author a JOIN book b ON b.author_id = a.id WHERE b.id < 4 GROUP BY a.id"),
    ("SELECT a.name, coalesce(json_agg(b.title ORDER BY b.id) FILTER (WHERE b.id IS NOT NULL), '[]') AS books"
    " FROM author a LEFT JOIN book b ON b.author_id = a.id GROUP BY a.id, a.name"),
    ("SELECT a.name, coalesce(jsonb_agg(b.title ORDER BY b.id) FILTER (WHERE b.id IS NOT NULL), '[]'::jsonb) AS books"
    " FROM author a LEFT JOIN book b ON b.author_id = a.id GROUP BY a.id, a.name"),
    "SELECT a.id, (SELECT array_agg(b.title ORDER BY b.id DESC) FROM book b WHERE b.author_id = a.id) AS titles FROM author a",
    ("SELECT a.id, (SELECT json_agg(json_build_object('id', b.id, 'pages', b.pages) ORDER BY b.id) FROM book b"
    " WHERE b.author_id = a.id AND b.pages < 300) AS books FROM author a"),
    ("SELECT a.id, x.books FROM author a LEFT JOIN LATERAL (SELECT json_agg(b.id ORDER BY b.id) AS books FROM book b"
    " WHERE b.author_id = a.id) x ON true"),
    "SELECT json_build_object('id', id, 'born', born, 'list', json_build_array(1, name, NULL, true, 2.5)) FROM author",
    "SELECT jsonb_build_object(), jsonb_build_array(), to_jsonb(id), to_json(id > 1) FROM author",
    "SELECT to_jsonb(data), jsonb_build_object('d', data, 't', tags), to_jsonb(price) FROM book WHERE id < 4",
    "SELECT jsonb_agg(data ORDER BY id) FROM book WHERE id < 4",
    ("SELECT jsonb_build_object('id', a.id, 'books', jsonb_agg(b.title ORDER BY b.id)) FROM author a"
    " LEFT JOIN book b ON b.author_id = a.id GROUP BY a.id"),
    ("SELECT json_build_object('author', author_id, 'n', count(*), 'old', json_agg(id ORDER BY id) FILTER (WHERE pages > 200))"
    " FROM book GROUP BY author_id"),
    ("SELECT json_build_object('name', a.name, 'books', (SELECT json_agg(json_build_object('id', b.id, 'price', b.price)"
    " ORDER BY b.id) FROM book b WHERE b.author_id = a.id)) FROM author a"),
    ("SELECT json_build_array(a.id, coalesce((SELECT jsonb_agg(b.id ORDER BY b.id) FROM book b WHERE b.author_id = a.id), '[]'))"
    " FROM author a"),
    ("SELECT json_build_object('all', coalesce(json_agg(json_build_object('id', id, 'tags', tags, 'data', data) ORDER BY id),"
    " '[]')) FROM book WHERE id < 4"),
    "SELECT json_build_object('a', CASE WHEN id > 1 THEN json_build_array(born) END) FROM author",
    ("SELECT json_build_array(CASE WHEN count(*) > 1 THEN json_agg(price ORDER BY id) ELSE '[]' END) FROM book"
    " GROUP BY author_id"),
    ("SELECT json_build_array(x.j) FROM (SELECT coalesce(data, jsonb_build_object('n', id)) AS j FROM book WHERE id < 4) x"),
    "SELECT json_build_object('all', coalesce(json_agg(id), '[]')) FROM book WHERE id > 99",
    ("SELECT json_agg(json_build_object('name', x.name, 'books', x.books) ORDER BY x.id) FROM (SELECT a.id, a.name,"
    " (SELECT json_agg(b.title ORDER BY b.id) FROM book b WHERE b.author_id = a.id) AS books FROM author a) x"),
    ("SELECT json_build_object('first', (SELECT jsonb_build_object('t', b.title) FROM book b WHERE b.author_id = a.id"
    " ORDER BY b.id LIMIT 1)) FROM author a"),
    "SELECT json_build_object('d', coalesce(data, jsonb_build_object('n', id))) FROM book WHERE id < 4",
    "SELECT coalesce(data, jsonb_build_object('n', id)) FROM book WHERE id < 4",
    "SELECT jsonb_agg(DISTINCT pages) FROM book",
    "SELECT every(pages > 50), bool_and(pages > 100), bool_or(pages > 100) FROM book",
    "SELECT string_agg(DISTINCT title, ','), string_agg(DISTINCT pages::text, ',') FROM book",
    "SELECT string_agg(DISTINCT size::text, ',') FROM book",
    "SELECT author_id, string_agg(DISTINCT title, ',') FROM book GROUP BY author_id ORDER BY author_id",
    "SELECT array_agg(DISTINCT title), array_agg(DISTINCT price), array_agg(DISTINCT noted) FROM book",
    "SELECT string_agg(title, ', ' ORDER BY id DESC), string_agg(DISTINCT size::text, '/' ORDER BY size::text) FROM book",
)  # fmt: skip
GAPS = {
    "SELECT array_agg(tags) FROM book": "ARRAY_AGG of array",
    "SELECT array_agg(data) FROM book": "ARRAY_AGG of json",
    "SELECT json_agg(mark) FROM book": "JSON_AGG of uuid",
    "SELECT json_agg(noted) FROM book": "JSON_AGG of timestamp",
    "SELECT json_build_object('a.b', 1)": "with the key `a.b`",
    "SELECT json_build_object(name, 1) FROM author": "not a constant text",
    "SELECT json_build_object('a', coalesce(json_agg(id), '[1.50]')) FROM author": "of constructed JSON, except by",
    "SELECT to_jsonb(name) FROM author": "TO_JSONB() of text",
    "SELECT x.d->>'p' FROM (SELECT jsonb_build_object('p', price) AS d FROM book) x": "not a JSON column with keys",
    "UPDATE book SET data = jsonb_build_object('p', price) WHERE id = 1": "json as made",
    "SELECT to_jsonb(:x)": "a parameter whose type is not given by a cast",
    "SELECT array_agg(id) OVER () FROM book": "over a window",
    "SELECT ARRAY(SELECT id FROM book ORDER BY id LIMIT 2)": "ARRAY of a SELECT with DISTINCT, GROUP BY or LIMIT",
    "SELECT ARRAY(SELECT DISTINCT pages FROM book)": "ARRAY of a SELECT with DISTINCT, GROUP BY or LIMIT",
    "SELECT ARRAY(SELECT max(id) FROM book)": "ARRAY of a SELECT",
}


@pytest.fixture(scope="module")
def served(postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Served]:
    """The tables in PostgreSQL and by each strategy."""
    with served_by_strategies(postgresql, mongo_client, TABLES) as found:
        yield found


def _in_order(rows: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    return sorted((tuple(map(_written, row)) for row in rows), key=repr)


def _written(value: object) -> object:
    return [_written(item) for item in value] if isinstance(value, list) else written(value)


@pytest.mark.in_turn("strategy")
@pytest.mark.parametrize("sql", STATEMENTS)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_answers_are_postgresqls(served: Served, sql: str, strategy: str) -> None:
    """Also of children that lie in their parent's document."""
    engine, designs = served
    proposal, database = designs[strategy]
    query = translate(sql, proposal.design.model, "postgresql")
    assert isinstance(query, Query)
    plain = plan_read(query, proposal.design, rewrites=NO_REWRITES)
    best = plan_read(query, proposal.design, statistics=proposal.statistics)
    with engine.connect() as connection:
        theirs = _in_order([tuple(row) for row in connection.exec_driver_sql(sql)])
    for plan in (plain, best):
        assert _in_order(list(run_read(database, compiled_read(plan)))) == theirs


@pytest.mark.parametrize(("sql", "why"), GAPS.items())
def test_what_is_not_known_to_be_alike_is_a_gap(served: Served, sql: str, why: str) -> None:
    """Texts of moments and UUIDs in JSON, arrays of arrays."""
    found = pipeline.convert(served[1]["normalized"][0], sql, dialect="postgresql")
    assert isinstance(found, NotCompiled)
    assert why in found.gap.what


def test_distinct_values_in_another_order_are_a_mistake(served: Served) -> None:
    """As in PostgreSQL."""
    with pytest.raises(WorkloadError, match="must be the argument"):
        translate(
            "SELECT array_agg(DISTINCT id ORDER BY pages) FROM book",
            served[1]["normalized"][0].design.model,
            "postgresql",
        )


def test_json_that_is_kept_as_its_text_fails(served: Served) -> None:
    """No server can read it there; what is not asked does no harm."""
    proposal, database = served[1]["normalized"]
    store = Store(proposal, database)
    assert store.execute("SELECT jsonb_build_array(data) AS x FROM book WHERE id = 2")[0]["x"] == [[]]
    with pytest.raises(ReadError, match="no document can be made of JSON stored as: string"):
        store.execute("SELECT jsonb_build_array(data) AS x FROM book WHERE id = 4")


def test_a_store_gives_lists(served: Served) -> None:
    """As PostgreSQL's drivers do."""
    proposal, database = served[1]["embedded"]
    sql = (
        "SELECT array_agg(price ORDER BY id) AS prices, json_agg(id ORDER BY id) AS ids FROM book WHERE author_id = :id"
    )
    (row,) = Store(proposal, database).execute(sql, id=1)
    with served[0].connect() as connection:
        asked = sql.replace(":id", "1")
        (theirs,) = connection.exec_driver_sql(asked)
    assert (row["prices"], row["ids"]) == tuple(theirs)
