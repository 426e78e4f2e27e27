"""Collations columns declare, beside SQLite's; and which one MySQL's comparisons use."""

from __future__ import annotations

import sqlite3
from functools import cache

import pytest

from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.statements import algebra as a
from nestling.ir.statements import expression as e
from nestling.ir.statements.operators import Collation
from nestling.ir.types import INTEGER, TEXT
from nestling.planner.sql import translate
from tests.planner.sql.sqlite_oracle import Oracle

_SCRIPT = """
CREATE TABLE t (id INTEGER PRIMARY KEY, ci TEXT COLLATE NOCASE, plain TEXT, rt TEXT COLLATE RTRIM, mix COLLATE NOCASE);
CREATE TABLE u (ci TEXT PRIMARY KEY COLLATE NOCASE, plain TEXT);
INSERT INTO t VALUES (1, 'Ada', 'ada', 'x ', 'A'), (2, 'ADA', 'ADA', 'x', 'a'), (3, 'bob', 'Bob', 'y', 3),
  (4, 'BOB', 'bob', 'y  ', NULL), (5, NULL, NULL, NULL, 'B'), (6, 'Zoe', 'zoe', ' x', 'b'), (7, 'émil', 'Émil', 'X', 'É');
INSERT INTO u VALUES ('ada', 'ADA'), ('Bob', 'BOB'), ('zoe', 'ZOE');
"""


@cache
def texts() -> Oracle:
    """The database, read once."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.executescript(_SCRIPT)
    return Oracle.of(connection)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM t WHERE ci = 'ADA'",
        "SELECT id FROM t WHERE 'ADA' = ci",
        "SELECT id FROM t WHERE ci = plain",
        "SELECT id FROM t WHERE plain = ci",
        "SELECT id FROM t WHERE ci || '' = 'ada'",
        "SELECT id FROM t WHERE CAST(ci AS TEXT) = 'ada'",
        "SELECT id FROM t WHERE ci COLLATE BINARY = 'ADA'",
        "SELECT id FROM t WHERE plain = 'ADA' COLLATE NOCASE",
        "SELECT id FROM t WHERE lower(ci) = 'ADA'",
        "SELECT id FROM t WHERE rt = 'x'",
        "SELECT id FROM t WHERE rt = ci",
        "SELECT id FROM t WHERE ci BETWEEN 'ADA' AND 'BOB'",
        "SELECT id FROM t WHERE 'BOB' BETWEEN plain AND ci",
        "SELECT id FROM t WHERE ci IN ('ADA', 'x')",
        "SELECT id FROM t WHERE 'ADA' IN (ci)",
        "SELECT id FROM t WHERE ci IN (SELECT plain FROM u)",
        "SELECT id FROM t WHERE plain IN (SELECT ci FROM u)",
        "SELECT id FROM t WHERE lower(plain) || '' IN (SELECT ci FROM u)",
        "SELECT id FROM t WHERE (id, ci) IN (SELECT 1, ci FROM u)",
        "SELECT id, CASE ci WHEN 'ADA' THEN 1 WHEN 'BOB' THEN 2 END FROM t",
        "SELECT id, nullif(ci, 'ADA') FROM t",
        "SELECT id FROM t WHERE ci IS 'ADA'",
        "SELECT id FROM t WHERE ci IS NOT DISTINCT FROM 'ADA'",
        "SELECT id FROM t WHERE mix = 'A' OR mix = 3",
        "SELECT id FROM t ORDER BY ci, id",
        "SELECT id FROM t ORDER BY ci DESC, id",
        "SELECT id, ci AS x FROM t ORDER BY x, id",
        "SELECT id, plain COLLATE NOCASE AS x FROM t ORDER BY x, id",
        "SELECT id, plain COLLATE NOCASE AS x FROM t WHERE x = 'BOB'",
        "SELECT id, ci FROM t ORDER BY 2 COLLATE BINARY, 1",
        "SELECT id FROM t ORDER BY rt, id",
        "SELECT min(lower(ci)), count(*) FROM t GROUP BY ci",
        "SELECT lower(ci), count(*) FROM t GROUP BY ci HAVING ci = 'BOB'",
        "SELECT lower(ci), count(*) FROM t GROUP BY lower(ci)",
        "SELECT count(DISTINCT ci), count(DISTINCT plain), count(DISTINCT rt) FROM t",
        "SELECT lower(max(ci)), lower(min(ci)) FROM t",
        "SELECT count(*) FROM (SELECT DISTINCT ci FROM t)",
        "SELECT count(*) FROM (SELECT ci FROM t UNION SELECT plain FROM u)",
        "SELECT count(*) FROM (SELECT plain FROM t UNION SELECT ci FROM u)",
        "SELECT count(*) FROM (SELECT 'ADA' AS x UNION SELECT ci FROM t)",
        "SELECT lower(ci) FROM t INTERSECT SELECT ci FROM u",
        "SELECT x FROM (SELECT lower(ci) AS l, ci AS x FROM t) WHERE x = 'ADA' ORDER BY x, l",
        "SELECT count(*) FROM (SELECT ci || '' AS x FROM t) s JOIN u ON s.x = u.ci",
        "SELECT t.id FROM t JOIN u ON t.ci = u.ci",
        "SELECT t.id FROM t JOIN u USING (ci)",
        "SELECT t.id FROM t JOIN u ON t.plain = u.ci",
        "SELECT t.id FROM t JOIN u ON u.ci = t.plain",
        "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.ci = t.plain)",
        "WITH w(x) AS (SELECT ci FROM t) SELECT count(*) FROM w WHERE x = 'ADA'",
        "SELECT id, rank() OVER (ORDER BY ci) FROM t",
        "SELECT id, count(*) OVER (PARTITION BY ci) FROM t",
        "SELECT id FROM t WHERE ci LIKE 'a%' AND ci GLOB 'A*'",
        "SELECT id FROM t WHERE ci > plain",
        "SELECT id FROM t WHERE ci = (SELECT min(ci) FROM u)",
        "SELECT id FROM t WHERE (SELECT ci FROM u LIMIT 1) = plain",
    ],
)  # fmt: skip
def test_columns_compare_by_their_own_collation(sql: str) -> None:
    """Comparisons, sorting, grouping and joins take a column's collation as SQLite does."""
    answer = texts().ask(sql)
    assert answer.equal(), f"{answer.mine} is not {answer.theirs}"


def mysql_rule(condition: str) -> Collation:
    """The collation MySQL's comparison uses, of columns without case, with and of numbers."""
    columns = (
        Attribute("ci", TEXT, collation=Collation.UNICODE_CI), Attribute("bin", TEXT), Attribute("n", INTEGER),
    )  # fmt: skip
    query = translate(f"SELECT 1 FROM t WHERE {condition}", Model("m", (Entity("t", columns),)), "mysql")
    assert isinstance(query, a.Query)
    assert isinstance(query.relation, a.Project)
    assert isinstance(query.relation.input, a.Filter)
    found = query.relation.input.predicate
    assert isinstance(found, e.Compare)
    return found.collation


@pytest.mark.parametrize(
    ("condition", "rule"),
    [
        ("ci = 'x'", Collation.UNICODE_CI),
        ("lower(ci) = 'x'", Collation.UNICODE_CI),
        ("bin = 'x'", Collation.BINARY),
        ("ci = bin", Collation.BINARY),
        ("ci COLLATE utf8mb4_bin = 'x'", Collation.BINARY),
        ("bin = 'x' COLLATE utf8mb4_general_ci", Collation.UNICODE_CI),
        ("'a' = 'A'", Collation.UNICODE_CI),
        ("n = 1", Collation.BINARY),
        ("(SELECT max(ci) FROM t) = 'x'", Collation.UNICODE_CI),
    ],
)
def test_mysql_takes_the_columns_collation(condition: str, rule: Collation) -> None:
    """Texts made of columns have theirs, binary beats the others, constants alone have the connection's."""
    assert mysql_rule(condition) is rule
