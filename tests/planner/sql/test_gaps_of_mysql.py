"""What the documentation says is a gap in MySQL's dialect is one, row by row."""

from __future__ import annotations

import pytest

from nestling import pipeline
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.programs.compiled import NotCompiled
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.statements.operators import Collation
from nestling.ir.types import Type
from tests.planner.sql.gaps_of_dialects import cases, is_gap, kinds_listed

COLUMNS = {
    "id": "integer", "price": "decimal(12,2)", "n": "integer", "f": "float", "s": "text(20)", "v": "text", "at": "timestamp",
    "d": "date", "e": "enum('small', 'large')", "j": "json", "b": "bits(4)", "us": "timestamp(6)",
}  # fmt: skip
ROWS = {
    "numbers": ("price / :x", "s + 1", "CAST(s AS SIGNED)", "s = 1", "n & 1", "n | 1", "n << 1", "e = 1",
        "b + 1", "b = n", "b LIKE '1'", "n = b'0101'", "UPDATE item SET n = b'0101'", "UPDATE item SET s = b'0101'",
        "POWER(n, 2)", "INTERVAL(n, 5, 1)", "x'01'", "0x01", "UNHEX('01')", "CONV(n, 10, 2)",
    ),
    "texts": (
        "FORMAT(price, 2)", "HEX(s)", "FIND_IN_SET('x', s)", "ELT(n, 'a', 'b')", "REGEXP_REPLACE(s, 'a', 'b')", "MD5(s)",
        "SHA2(s, 256)", "LOCATE('a', s)", "INSTR(s, 'a')", "POSITION('a' IN s)", r"s REGEXP '\\d'", "s LIKE BINARY 'a_'",
        "s REGEXP BINARY 'a.'", "s LIKE CONCAT('%', v, '%')", "s LIKE CONCAT(:a, :b)", "MATCH (s) AGAINST ('x')",
        "TRIM(v FROM s)", "LEFT(s, n)", "CONCAT(f, 'x')",
        "BINARY v = 'x'", "CAST(v AS BINARY)", "GREATEST(s, v)", "LEAST(s, v)",
    ),
    "times": (
        "ADDTIME(at, s)", "SUBTIME(d, '01:00:00')", "CAST(at AS TIME)", "DATE_FORMAT(at, '%f')", "STR_TO_DATE(s, '%Y')",
        "FROM_UNIXTIME(n)", "TIMEDIFF(at, at)", "UNIX_TIMESTAMP(at)", "TIMESTAMP_DIFF(at, at)",
        "CONVERT_TZ(at, 'Europe/Berlin', 'UTC')", "CURTIME()", "CURRENT_TIME", "d > 77",
        "UPDATE item SET us = NOW(6), at = us", "TIME_FORMAT(at, '%H')", "TIME_TO_SEC(at)", "SEC_TO_TIME(n)",
        "TO_SECONDS(at)", "FROM_DAYS(n)", "MICROSECOND(at)", "at + INTERVAL '1 2' DAY_HOUR", "at LIKE '2024-01%'",
        "CONCAT(at + INTERVAL 1 SECOND)", "LEAST(d, '2024-01-31')", "COALESCE(d, 'x') + INTERVAL 1 DAY", "d = '2024/1/31'",
        "COALESCE(at, us)", "HOUR(:t)", ":t - d", ":t + INTERVAL 1 DAY", "COALESCE(at, :t + INTERVAL 1 DAY)",
    ),
    "aggregates": (
        "STDDEV(n)", "VARIANCE(n)", "BIT_OR(n)", "BIT_AND(n)", "JSON_ARRAYAGG(n)", "JSON_OBJECTAGG(s, n)",
    ),
    "JSON": (
        "JSON_EXTRACT(j, '$.a')", "j -> '$.a'", "JSON_KEYS(j)", "JSON_LENGTH(j, '$.a[0]')", "JSON_CONTAINS(j, '1', '$.a')",
        "MAX(j)",
        "SELECT DISTINCT j FROM item", "SELECT id FROM item ORDER BY j",
    ),
    "new values": ("RAND()", "UUID()", "LAST_INSERT_ID()"),
    "reads": ("SELECT SQL_CALC_FOUND_ROWS n FROM item", "FOUND_ROWS()", "ROW_COUNT()", "@x := n"),
    "writes": (
        "UPDATE IGNORE item SET n = 1", "DELETE IGNORE FROM item",
        "DELETE a, b FROM item a JOIN item b ON a.id = b.n", "DELETE FROM part LIMIT 1",
        "UPDATE item a JOIN item b ON a.id = b.n SET a.n = 1, b.n = 2", "UPDATE item NATURAL JOIN part SET n = 1",
        "REPLACE INTO item (id, n) SELECT id + 100, n FROM item",
        "REPLACE INTO item (id, n) SELECT id + 100, n FROM item",
    ),
    "statements": ("TRUNCATE TABLE item", "LOAD DATA INFILE 'x' INTO TABLE item"),
}  # fmt: skip
CONVERTED = (
    "SELECT price / CAST(:x AS DECIMAL(10, 2)) FROM item",
    "SELECT LOCATE('a', s COLLATE utf8mb4_bin) FROM item",
    "SELECT id FROM item WHERE s LIKE CONCAT('%', :q, '%') OR s REGEXP '[0-9]'",
    "SELECT ROUND(f, 2), n * n FROM item WHERE v COLLATE utf8mb4_bin = 'x' AND at >= '2024-01-01'",
    "SELECT TRIM(s), SUBSTRING(s, 1, 3) FROM item",
    "SELECT CONVERT_TZ(at, 'UTC', 'Europe/Berlin') FROM item",
    "SELECT id FROM item WHERE d > 20240131 OR e = 'small'",
    "SELECT j->>'$.key', JSON_CONTAINS_PATH(j, 'one', '$.a') FROM item WHERE JSON_CONTAINS(j, '{\"a\": 1}')",
    "UPDATE item SET b = b'0101', n = n + :x WHERE b = 5 OR NOT b",
    "UPDATE item SET at = at + INTERVAL :x DAY",
    "SELECT DATEDIFF(:t, d), HOUR(CAST(:t AS DATETIME)), CAST(:t AS DATE) + INTERVAL 1 DAY FROM item",
    "SELECT id FROM item WHERE at < :t + INTERVAL 1 DAY",
    "INSERT INTO item (id, n) VALUES (:x, 1) RETURNING id",
    "INSERT IGNORE INTO item (id, n) SELECT id + 100, n FROM item",
    "DELETE FROM item ORDER BY at LIMIT 1",
    "DELETE a FROM item a LEFT JOIN item b ON b.id = a.n WHERE b.id IS NULL",
)


@pytest.fixture(scope="module")
def proposal() -> Proposal:
    """A table of each kind of column, and one with two columns in its key."""
    attributes = tuple(
        Attribute(name, Type.parse(kind), nullable=name != "id", collation=_collation(kind))
        for name, kind in COLUMNS.items()
    )
    key = tuple(Attribute(name, Type.parse("integer"), nullable=False) for name in ("item", "line"))
    model = Model("shop", (Entity("item", attributes, ("id",)), Entity("part", key, ("item", "line"))))
    return pipeline.design(Reading(model, dialect="mysql"), "normalized")


def _collation(kind: str) -> Collation:
    return Collation.UNICODE_CI if kind.startswith("text") else Collation.BINARY


def test_every_row_of_the_table_is_tried() -> None:
    """A row that is added or dropped is so here too."""
    assert kinds_listed("mysql") == list(ROWS)


@pytest.mark.parametrize(("kind", "sql"), cases(ROWS))
def test_it_is_a_gap(proposal: Proposal, kind: str, sql: str) -> None:
    """And is refused in words."""
    assert is_gap(proposal, sql, "mysql"), kind


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        (
            "SELECT JSON_UNQUOTE(JSON_EXTRACT(j, '$.tags[0]')) FROM item",
            "`JSON_UNQUOTE(JSON_EXTRACT(j, '$.tags[0]'))`, whose path",
        ),
        ("SELECT price / :x FROM item", "with an undeclared number of digits; write `CAST(:x AS DECIMAL(10, 2))`"),
    ],
)
def test_the_words_are_whole(proposal: Proposal, sql: str, said: str) -> None:
    """No text of SQL ends within a quoted one, and a parameter is named by its name."""
    found = pipeline.convert(proposal, sql, dialect="mysql")
    assert isinstance(found, NotCompiled)
    assert said in str(found.gap)


@pytest.mark.parametrize("sql", CONVERTED)
def test_what_is_said_to_be_converted_is(proposal: Proposal, sql: str) -> None:
    """The other way to write it."""
    assert not is_gap(proposal, sql, "mysql")
