"""Constructs of the servers' dialects SQLite has not, beside what says the same in SQLite."""

# ruff: noqa: E501 - SQL reads best on one line
from __future__ import annotations

import pytest

from nestling.common.errors import GapError
from nestling.ir.statements import algebra as a
from nestling.planner.sql import translate
from tests.planner.sql.shop_rows import shop
from tests.reference_algebra import Interpreter


def answer(sql: str, dialect: str) -> list[tuple[object, ...]]:
    """What the algebra says of a query over the shop."""
    query = translate(sql, shop().model, dialect)
    assert isinstance(query, a.Query)
    return Interpreter(shop().rows, {}).run(query)


def by_sqlite(sql: str) -> list[tuple[object, ...]]:
    """What SQLite says of a query over the shop."""
    return [*shop().connection.execute(sql)]


@pytest.mark.parametrize(
    ("dialect", "sql", "same"),
    [
        ("postgresql", "SELECT city, stars, count(*), sum(person_id) FROM visit GROUP BY ROLLUP (city, stars)",
         "SELECT city, stars, count(*), sum(person_id) FROM visit GROUP BY 1, 2 UNION ALL SELECT city, NULL, count(*), sum(person_id) FROM visit GROUP BY 1 UNION ALL SELECT NULL, NULL, count(*), sum(person_id) FROM visit"),
        ("mysql", "SELECT city, count(*) FROM visit GROUP BY city WITH ROLLUP",
         "SELECT city, count(*) FROM visit GROUP BY 1 UNION ALL SELECT NULL, count(*) FROM visit"),
        ("postgresql", "SELECT city, stars, count(*) FROM visit GROUP BY CUBE (city, stars)",
         "SELECT city, stars, count(*) FROM visit GROUP BY 1, 2 UNION ALL SELECT city, NULL, count(*) FROM visit GROUP BY 1 UNION ALL SELECT NULL, stars, count(*) FROM visit GROUP BY 2 UNION ALL SELECT NULL, NULL, count(*) FROM visit"),
        ("postgresql", "SELECT city c, sum(stars) s FROM visit GROUP BY GROUPING SETS ((c), (person_id), ())",
         "SELECT city, sum(stars) FROM visit GROUP BY 1 UNION ALL SELECT NULL, sum(stars) FROM visit GROUP BY person_id UNION ALL SELECT NULL, sum(stars) FROM visit"),
        ("postgresql", "SELECT person_id, city, count(*) FROM visit GROUP BY person_id, ROLLUP (city) HAVING count(*) > 1",
         "SELECT person_id, city, count(*) FROM visit GROUP BY 1, 2 HAVING count(*) > 1 UNION ALL SELECT person_id, NULL, count(*) FROM visit GROUP BY 1 HAVING count(*) > 1"),
        ("postgresql", "SELECT city, grouping(city), sum(person_id) FROM visit GROUP BY ROLLUP (city)",
         "SELECT city, 0, sum(person_id) FROM visit GROUP BY 1 UNION ALL SELECT NULL, 1, sum(person_id) FROM visit"),
        ("postgresql", "SELECT city, max(city) FROM visit WHERE city = 'none' GROUP BY ROLLUP (city)", "SELECT NULL, NULL"),
        ("postgresql", "SELECT 1 FROM visit GROUP BY ROLLUP (city)", "SELECT 1 FROM visit GROUP BY city UNION ALL SELECT 1"),
        ("postgresql", "SELECT x.n FROM (SELECT count(*) AS n FROM visit GROUP BY ROLLUP (city)) x WHERE x.n > 2",
         "SELECT x.n FROM (SELECT count(*) AS n FROM visit GROUP BY city UNION ALL SELECT count(*) FROM visit) x WHERE x.n > 2"),
        ("postgresql", "WITH v AS (SELECT * FROM visit WHERE stars > 1) SELECT city, count(*) FROM v GROUP BY ROLLUP (1)",
         "SELECT city, count(*) FROM visit WHERE stars > 1 GROUP BY 1 UNION ALL SELECT NULL, count(*) FROM visit WHERE stars > 1"),
    ],
)  # fmt: skip
def test_grouping_sets(dialect: str, sql: str, same: str) -> None:
    """Rollups, cubes and sets are the groupings one after the other."""
    assert sorted(answer(sql, dialect), key=repr) == sorted(by_sqlite(same), key=repr)


def test_grouping_sets_are_ordered_and_limited_as_one() -> None:
    """ORDER BY and LIMIT stand behind all the groupings."""
    sql = "SELECT city, count(*) AS n FROM visit GROUP BY ROLLUP (city) ORDER BY n DESC, city NULLS LAST LIMIT 2"
    assert answer(sql, "postgresql") == [(None, 9), ("Rome", 4)]


@pytest.mark.parametrize(
    ("sql", "same"),
    [
        ("SELECT DISTINCT ON (city) city, stars, person_id FROM visit ORDER BY city, stars DESC NULLS LAST, person_id",
         "SELECT city, stars, person_id FROM (SELECT *, row_number() OVER (PARTITION BY city ORDER BY stars DESC NULLS LAST, person_id) r FROM visit) WHERE r = 1 ORDER BY city"),
        ("SELECT DISTINCT ON (v.city, stars % 2) v.city, code FROM visit v ORDER BY v.city, stars % 2, person_id DESC, code",
         "SELECT city, code FROM (SELECT *, row_number() OVER (PARTITION BY city, stars % 2 ORDER BY person_id DESC, code NULLS LAST) r FROM visit) WHERE r = 1 ORDER BY city, stars % 2 NULLS LAST"),
        ("SELECT DISTINCT ON (1) city, person_id FROM visit ORDER BY city DESC, person_id LIMIT 2",
         "SELECT city, min(person_id) FROM visit GROUP BY city ORDER BY city DESC LIMIT 2"),
        ("SELECT DISTINCT ON (n) city, count(*) AS n FROM visit GROUP BY city ORDER BY n, city",
         "SELECT min(city), n FROM (SELECT city, count(*) AS n FROM visit GROUP BY city) GROUP BY n ORDER BY n"),
    ],
)  # fmt: skip
def test_distinct_on(sql: str, same: str) -> None:
    """The first row of each key, in order."""
    assert answer(sql, "postgresql") == by_sqlite(same)


@pytest.mark.parametrize(
    ("behind", "rows"), [("LIMIT 2", 2), ("OFFSET 3", 5), ("ORDER BY id LIMIT 3 OFFSET 6", 2), ("ORDER BY id", 8)]
)
def test_what_stands_behind_a_parenthesis_in_from(behind: str, rows: int) -> None:
    """ORDER BY, LIMIT and OFFSET of a query in parentheses."""
    assert answer(f"SELECT count(p.id) FROM ((SELECT id FROM person) {behind}) p", "postgresql") == [(rows,)]


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT DISTINCT city FROM visit GROUP BY ROLLUP (city)", "DISTINCT or a window together with grouping sets"),
        (
            "SELECT city FROM visit GROUP BY CUBE (person_id, city, at, code, stars, person_id, city)",
            "more than 64 grouping sets",
        ),
    ],
)
def test_what_grouping_sets_cannot_be(sql: str, said: str) -> None:
    """Too many sets, and what would see all of them at once, are gaps."""
    with pytest.raises(GapError, match=said):
        answer(sql, "postgresql")
