"""What statements do with their parameters: attributes, rows and relationships, however the SQL is put."""

from __future__ import annotations

import pytest

from nestling.ir.bindings import Joined, ParameterRole
from nestling.ir.model import Model
from nestling.planner.sql import translate
from nestling.planner.statements.parameters import parameter_uses
from nestling.sources.ddl import read_ddl

DDL = """
CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT, born DATE);
CREATE TABLE book (id INTEGER PRIMARY KEY, author_id INTEGER NOT NULL REFERENCES author (id), title TEXT, price INTEGER);
CREATE TABLE sale (book_id INTEGER NOT NULL REFERENCES book (id), number INTEGER, sold TIMESTAMP, PRIMARY KEY (book_id, number));
"""


@pytest.fixture(scope="module")
def model() -> Model:
    """Authors, their books and the sales of these."""
    return read_ddl(DDL, name="books", dialect="sqlite").model


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT 1 FROM book WHERE id = :a", [("a", ParameterRole.EQUAL, "book", "id")]),
        ("SELECT 1 FROM book WHERE :a = id", [("a", ParameterRole.EQUAL, "book", "id")]),
        ("SELECT 1 FROM book WHERE :a < price", [("a", ParameterRole.LOWER, "book", "price")]),
        (
            "SELECT 1 FROM sale WHERE sold BETWEEN :a AND :b",
            [("a", ParameterRole.LOWER, "sale", "sold"), ("b", ParameterRole.UPPER, "sale", "sold")],
        ),
        (
            "SELECT 1 FROM book WHERE id IN (:a, :b)",
            [("a", ParameterRole.EQUAL, "book", "id"), ("b", ParameterRole.EQUAL, "book", "id")],
        ),
        ("SELECT 1 FROM book WHERE id = ANY(:a)", [("a", ParameterRole.LISTED, "book", "id")]),
        ("DELETE FROM book WHERE title NOT IN :a", [("a", ParameterRole.LISTED, "book", "title")]),
        ("SELECT 1 FROM book WHERE title LIKE :a", [("a", ParameterRole.PATTERN, "book", "title")]),
        ("SELECT x.t FROM (SELECT title AS t FROM book) x WHERE x.t = :a", [("a", ParameterRole.EQUAL, "book", "title")]),
        (
            "WITH cheap AS (SELECT id AS book, price FROM book) SELECT 1 FROM cheap WHERE book = :a",
            [("a", ParameterRole.EQUAL, "book", "id")],
        ),
        (
            "SELECT 1 FROM author a WHERE EXISTS (SELECT 1 FROM book b WHERE b.author_id = a.id AND b.title = :t)",
            [("t", ParameterRole.EQUAL, "book", "title")],
        ),
        (
            "SELECT author_id, COUNT(*) FROM book GROUP BY author_id HAVING author_id = :a",
            [("a", ParameterRole.EQUAL, "book", "author_id")],
        ),
        (
            "INSERT INTO author (id, name) VALUES (:i, :n)",
            [("i", ParameterRole.INSERTED, "author", "id"), ("n", ParameterRole.INSERTED, "author", "name")],
        ),
        (
            "INSERT INTO author (id, name) VALUES (:i, :n) ON CONFLICT (id) DO NOTHING",
            [("i", ParameterRole.UPSERTED, "author", "id"), ("n", ParameterRole.UPSERTED, "author", "name")],
        ),
        (
            "UPDATE book SET title = :t, price = price + :p WHERE id = :i",
            [
                ("i", ParameterRole.EQUAL, "book", "id"),
                ("t", ParameterRole.ASSIGNED, "book", "title"),
                ("p", ParameterRole.AMOUNT, "book", "price"),
            ],
        ),
        ("DELETE FROM sale WHERE book_id = :b", [("b", ParameterRole.EQUAL, "sale", "book_id")]),
        ("SELECT title FROM book LIMIT :n", []),
    ],
)  # fmt: skip
def test_uses(model: Model, sql: str, expected: list[tuple[str, ParameterRole, str, str]]):
    """Each parameter's role and attribute, through subqueries, derived tables, groups and conversions."""
    found = parameter_uses(translate(sql, model, "sqlite"), model)
    assert [(use.parameter, use.role, use.entity, use.attribute) for use in found.uses] == expected


def test_rows_that_refer_to_each_other(model: Model):
    """A join, an IN and a correlated EXISTS say the same: which row refers to which."""
    for sql in (
        "SELECT 1 FROM book b JOIN author a ON a.id = b.author_id",
        "SELECT 1 FROM book b WHERE b.author_id IN (SELECT a.id FROM author a)",
        "SELECT 1 FROM author a WHERE EXISTS (SELECT 1 FROM book b WHERE b.author_id = a.id)",
    ):
        found = parameter_uses(translate(sql, model, "sqlite"), model)
        [link] = found.joined
        assert (link.child, link.parent) == ("b", "a")
        assert dict(found.rows) == {"b": "book", "a": "author"}


def test_a_new_value_is_another_rows(model: Model):
    """What is assigned is drawn apart from the row that is looked for; inserted rows are rows of their own."""
    update = parameter_uses(translate("UPDATE book SET title = :t WHERE id = :i", model, "sqlite"), model)
    assert len({use.row for use in update.uses}) == 2
    insert = parameter_uses(translate("INSERT INTO author (id) VALUES (:a), (:b)", model, "sqlite"), model)
    assert len({use.row for use in insert.uses}) == 2


def test_deleting_says_so(model: Model):
    """Rows that go can be asked for only once; three tables in a chain are joined twice."""
    assert parameter_uses(translate("DELETE FROM sale", model, "sqlite"), model).deletes
    sql = "SELECT 1 FROM sale s, book b, author a WHERE s.book_id = b.id AND b.author_id = a.id"
    joined = parameter_uses(translate(sql, model, "sqlite"), model).joined
    assert {(link.child, link.parent) for link in joined} == {("s", "b"), ("b", "a")}
    assert all(isinstance(link, Joined) for link in joined)
