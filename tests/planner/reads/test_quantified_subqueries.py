"""Comparisons with ANY, SOME and ALL of a subquery and of an array, beside PostgreSQL and MariaDB."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from nestling.executors.run import run_read
from tests.beside_mariadb import Both, both_of
from tests.planner.reads.beside_postgresql import Beside, beside_of, written
from tests.soaking import sample

OPERATORS = ("<", "<=", ">", ">=", "=", "<>")
SETS = {
    "all": "SELECT price FROM item WHERE price IS NOT NULL",
    "some NULL": "SELECT price FROM item",
    "only NULL": "SELECT price FROM item WHERE price IS NULL",
    "empty": "SELECT price FROM item WHERE id > 99",
    "one": "SELECT price FROM item WHERE id = 2",
    "correlated": "SELECT j.price FROM item j WHERE j.shop_id = i.shop_id AND j.id <> i.id",
    "grouped": "SELECT max(price) FROM item GROUP BY shop_id",
    "united": "SELECT price FROM item WHERE shop_id = 1 UNION SELECT rent FROM shop",
}
BOTH = (
    "SELECT id FROM item i WHERE shop_id = 1 AND price >= ALL (SELECT price FROM item WHERE shop_id = 2) ORDER BY id",
    "SELECT id FROM shop s WHERE rent > ALL (SELECT price FROM item i WHERE i.shop_id = s.id)",
    "SELECT id FROM shop s WHERE NOT rent > SOME (SELECT price FROM item i WHERE i.shop_id = s.id)",
    "SELECT shop_id, count(*) FROM item GROUP BY shop_id HAVING count(*) >= ALL (SELECT count(*) FROM item GROUP BY shop_id)",
    "SELECT id FROM item WHERE name < ALL (SELECT name FROM shop)",
    "SELECT id FROM item WHERE made > ALL (SELECT made FROM item WHERE shop_id = 2) OR made IS NULL",
    "SELECT id FROM item WHERE made <= ANY (SELECT founded FROM shop)",
    "SELECT id FROM shop WHERE 2.50 < ALL (SELECT price FROM item WHERE price IS NOT NULL) OR NULL = ANY (SELECT id FROM item)",
    "SELECT id, CASE WHEN price > ANY (SELECT rent FROM shop) THEN 'high' ELSE 'low' END AS kind FROM item",
    "SELECT max(price) >= ALL (SELECT rent FROM shop) AS a, count(*) FROM item",
)
POSTGRESQL = (
    "SELECT id FROM item WHERE price > ALL (ARRAY[1.5, 2.5]) OR id <> ANY (ARRAY[3])",
    "SELECT id, price > ANY (ARRAY[2, NULL, 7]) AS a, price = ALL (ARRAY[2.5, 2.50]) AS b FROM item",
    "SELECT id FROM item WHERE size > ALL (SELECT size FROM item WHERE id = 1)",
    "SELECT id FROM item WHERE size <= ANY (SELECT size FROM item WHERE id IN (1, 2))",
    "SELECT id FROM item WHERE price < ALL (VALUES (5), (7.5)) OR price = ANY (VALUES (7))",
    "SELECT id FROM item WHERE price IN (VALUES (2.5), (7)) OR id NOT IN (VALUES (1), (2), (3), (4))",
    "SELECT id FROM item WHERE price NOT IN (VALUES (2.5), (NULL))",
)
_ROWS = """
CREATE TABLE shop (id integer PRIMARY KEY, name varchar(20), rent decimal(8, 2), founded date);
CREATE TABLE item (id integer PRIMARY KEY, shop_id integer REFERENCES shop (id), name varchar(20), price decimal(8, 2),
    made date{size});
INSERT INTO shop VALUES (1, 'm', 2.5, '2020-01-01'), (2, 'b', NULL, NULL), (3, 'z', 9, '2019-05-05');
INSERT INTO item (id, shop_id, name, price, made) VALUES (1, 1, 'a', 2.5, '2020-01-01'), (2, 1, 'n', 7, '2021-01-01'),
    (3, 2, 'b', NULL, NULL), (4, 2, NULL, 1, '2018-03-04'), (5, NULL, 'c', 7, '2020-01-01'), (6, 1, 'z', 0.5, '2017-01-01')
"""
TABLES = (
    "CREATE TYPE size AS ENUM ('small', 'big', 'Large');"
    + _ROWS.format(size=", size size")
    + "; UPDATE item SET size = (ARRAY['big', 'small', 'Large', NULL, 'big', 'Large'])[id]::size"
)
both = both_of(_ROWS.format(size=""), "normalized", "embedded", scope="module")


def statements() -> Iterator[str]:
    """Each operator before ANY and ALL of each kind of set: as a condition, under NOT, and as a value."""
    for operator in OPERATORS:
        for query in SETS.values():
            for word in ("ANY", "ALL"):
                asked = f"i.price {operator} {word} ({query})"
                yield f"SELECT id FROM item i WHERE {asked}"
                yield f"SELECT id FROM item i WHERE NOT {asked}"
                yield f"SELECT id, {asked} AS found FROM item i"


shops = beside_of(TABLES, "normalized", "embedded", scope="module")
"""The tables in PostgreSQL, and loaded."""


@pytest.mark.thorough
def test_every_operator_of_every_set_is_postgresqls(shops: Beside) -> None:
    """With NULLs among the values and no values at all."""
    for sql in sample(statements(), one_in=5, first=len(shops.proposal.strategy)):
        assert Counter(shops.ours(sql)) == Counter(shops.theirs(sql)), sql


@pytest.mark.one_in(2)
@pytest.mark.parametrize("sql", [*BOTH, *POSTGRESQL])
def test_answers_are_postgresqls(shops: Beside, sql: str) -> None:
    """In HAVING, of dates, texts, enums and constants."""
    assert Counter(shops.ours(sql)) == Counter(shops.theirs(sql))


@pytest.mark.thorough
def test_every_operator_of_every_set_is_mariadbs(both: Both) -> None:
    """With NULLs among the values and no values at all."""
    for sql in sample(statements(), one_in=5, first=len(both.proposal.strategy) + 1):
        _are_mariadbs(both, sql)


@pytest.mark.parametrize("sql", BOTH)
def test_answers_are_mariadbs(both: Both, sql: str) -> None:
    """In HAVING, of dates, texts and constants."""
    _are_mariadbs(both, sql)


def _are_mariadbs(both: Both, sql: str) -> None:
    read = both.convert(sql)
    both.cursor.execute(sql)
    ours = Counter(tuple(map(written, row)) for row in run_read(both.database, read))
    assert ours == Counter(tuple(map(written, row)) for row in both.cursor.fetchall()), sql


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM item WHERE (id, price) > ANY (SELECT id, price FROM item)",
        "SELECT id FROM item WHERE id > ANY(:ids)",
    ],
)
def test_rows_and_given_lists_are_gaps(shops: Beside, sql: str) -> None:
    """They are refused in words."""
    assert "ANY" in shops.gap(sql)


@pytest.mark.parametrize(
    "condition", ["price > ALL (SELECT rent FROM shop)", "NOT price > ANY (SELECT rent FROM shop)"]
)
def test_what_every_row_is_compared_with_is_made_once(both: Both, condition: str) -> None:
    """The greatest value comes first, and the items are read beside it."""
    read = both.convert(f"SELECT id FROM item WHERE {condition}")
    names = [next(iter(stage)) for stage in read.pipeline]
    assert names.index("$group") < names.index("$lookup")
    assert read.collection == "shop"
