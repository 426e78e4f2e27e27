"""Orders of columns that conditions leave no NULLs in: they are the server's own, and answers stay PostgreSQL's."""

from __future__ import annotations

import pytest

from nestling import pipeline
from tests.planner.reads.beside_postgresql import Beside, beside_of

TABLES = """
CREATE TABLE shelf (id integer PRIMARY KEY, name text);
CREATE TABLE book (id integer PRIMARY KEY, shelf_id integer REFERENCES shelf, sold integer, price numeric(6, 2), title text);
INSERT INTO shelf VALUES (1, 'a'), (2, NULL), (3, 'c');
INSERT INTO book VALUES (1, 1, 5, 2.50, 'x'), (2, 1, NULL, 1.00, NULL), (3, 2, 7, NULL, 'y'), (4, NULL, 1, 9.99, 'z'),
    (5, 3, NULL, NULL, 'w'), (6, 3, 6, 0.10, NULL);
"""
NEVER_NULL = (
    "SELECT id FROM book WHERE sold < 7 ORDER BY sold DESC",
    "SELECT id FROM book WHERE sold IS NOT NULL ORDER BY sold DESC",
    "SELECT id FROM book WHERE NOT sold > 6 ORDER BY sold DESC",
    "SELECT id FROM book WHERE sold IN (1, 5, 7) ORDER BY sold DESC",
    "SELECT id FROM book WHERE sold BETWEEN 1 AND 6 ORDER BY sold DESC LIMIT 2",
    "SELECT id FROM book WHERE (sold, id) < (7, 3) ORDER BY sold DESC, id DESC",
    "SELECT id FROM book WHERE sold = 1 OR sold > 5 ORDER BY sold DESC",
    "SELECT id FROM book WHERE title LIKE '_' ORDER BY title DESC",
    "SELECT id FROM book WHERE sold IN (SELECT id FROM shelf) OR sold > 1 ORDER BY sold DESC",
    "SELECT DISTINCT sold FROM book WHERE sold > 1 ORDER BY sold DESC",
    "SELECT sold, count(*) FROM book GROUP BY sold HAVING sold > 1 ORDER BY sold DESC",
    "SELECT sold, count(*) FROM book WHERE sold > 1 GROUP BY sold ORDER BY sold DESC",
    "SELECT x.sold FROM (SELECT sold FROM book WHERE sold > 1) x ORDER BY x.sold DESC",
    "SELECT b.id FROM book b JOIN shelf s ON s.id = b.shelf_id ORDER BY b.shelf_id DESC, b.id",
    "SELECT b.id, s.name FROM book b LEFT JOIN shelf s ON s.id = b.shelf_id WHERE b.sold > 1 ORDER BY b.sold DESC",
    "SELECT b.id, s.name FROM book b LEFT JOIN shelf s ON s.id = b.shelf_id WHERE s.name > '' ORDER BY s.name DESC, b.id",
)
MAYBE_NULL = (
    "SELECT id FROM book ORDER BY sold DESC, id",
    "SELECT id FROM book WHERE sold > 1 OR price > 1 ORDER BY sold DESC, id",
    "SELECT id FROM book WHERE NOT (sold IN (1, 5)) OR sold IS NULL ORDER BY sold DESC, id",
    "SELECT id FROM book WHERE sold IS DISTINCT FROM 5 ORDER BY sold DESC, id",
    "SELECT id FROM book WHERE sold NOT IN (SELECT id FROM shelf WHERE id > 9) ORDER BY sold DESC, id",
    "SELECT id FROM book WHERE price > 1 ORDER BY sold DESC, id",
    "SELECT id FROM book WHERE coalesce(sold, 6) > 1 ORDER BY sold DESC, id",
    "SELECT b.id, s.name FROM book b LEFT JOIN shelf s ON s.id = b.shelf_id AND s.name > '' ORDER BY s.name DESC, b.id",
    "SELECT max(price), sold FROM book GROUP BY sold HAVING max(price) > 1 OR sold = 6 ORDER BY sold DESC",
    "SELECT sold FROM book WHERE sold > 1 UNION SELECT NULL ORDER BY sold DESC",
)


books = beside_of(TABLES, scope="module")
"""The tables in PostgreSQL, and loaded."""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("sql", NEVER_NULL)
def test_no_place_is_made_for_nulls(books: Beside, sql: str) -> None:
    """PostgreSQL has them first when descending; there are none."""
    assert books.ours(sql) == books.theirs(sql)
    assert "sort0n" not in repr(pipeline.convert(books.proposal, sql, dialect="postgresql"))


@pytest.mark.parametrize("sql", MAYBE_NULL)
def test_nulls_have_their_place(books: Beside, sql: str) -> None:
    """Where a condition may be true of them."""
    assert books.ours(sql) == books.theirs(sql)
    assert "sort0n" in repr(pipeline.convert(books.proposal, sql, dialect="postgresql"))
