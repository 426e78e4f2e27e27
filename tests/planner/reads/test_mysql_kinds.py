"""MySQL's SET, YEAR, TIME, BIT and JSON: read from MariaDB, loaded, and asked beside it; what has no exact form is a gap."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

import pytest

from nestling.executors.run import run_read
from tests.beside_mariadb import Both, both_of

_SCRIPT = """
CREATE TABLE day (id int PRIMARY KEY, marks set('y', 'x', 'z'), y year, t time, long_t time, b bit(4), doc json);
INSERT INTO day VALUES
  (1, 'y', 2020, '09:30', '100:00:00', b'0101', '{"a": 1}'),
  (2, 'x,y', 1999, '23:00', '-01:00', b'1', '{"a":1}'),
  (3, 'x', NULL, '00:10', '02:00', b'1111', '[2]'), (4, 'z', 2002, NULL, NULL, NULL, NULL),
  (5, 'y', 2155, '09:30', '02:00', b'0101', '[2]');
"""
both = both_of(_SCRIPT, "normalized", scope="module")

QUERIES = (
    "SELECT id, marks, y, t, b FROM day",
    "SELECT id FROM day WHERE marks = 'X,y'",
    "SELECT marks, count(*) FROM day GROUP BY marks",
    "SELECT max(marks), min(marks) FROM day",
    "SELECT id, concat(marks, '!') FROM day WHERE marks LIKE '%x%'",
    "SELECT id FROM day WHERE y = 99",
    "SELECT id FROM day WHERE y > 50 AND y < 99",
    "SELECT id FROM day WHERE y IN (20, 1999)",
    "SELECT id FROM day WHERE y BETWEEN 70 AND 2 ORDER BY y",
    "SELECT id FROM day WHERE y = 2020 OR y = '1999'",
    "SELECT id, y + 1 FROM day",
    "SELECT id FROM day ORDER BY t, id LIMIT 3",
    "SELECT id FROM day WHERE t > '9:00' AND t < '23:00:00'",
    "SELECT max(t) FROM day",
    "SELECT a.id, b.id FROM day a JOIN day b ON a.t < b.t",
    "SELECT id FROM day WHERE long_t = '02:00:00'",
    "SELECT id FROM day ORDER BY b, id LIMIT 3",
    "SELECT id, doc FROM day WHERE doc IS NOT NULL",
    "SELECT id, field(id, 3, 1, 5), field(id + 1, y, 2) FROM day ORDER BY field(id, 5, 4), id",
    "SELECT id, field(concat(id, ''), '3', '1') FROM day",
    "SELECT cast(round(1, -1) AS char), cast(round(id * 123, -1) AS char), concat(round(1250, -2), '!') FROM day",
)
GAPS = {
    "SELECT id FROM day ORDER BY marks": "an order of SET",
    "SELECT id FROM day ORDER BY TRUE DESC": "ORDER BY TRUE",
    "SELECT row_number() OVER (ORDER BY marks) FROM day": "an order of SET",
    "SELECT id FROM day ORDER BY long_t": "an order of `duration`",
    "SELECT id FROM day WHERE long_t > '01:00:00'": "a comparison of `duration`",
    "SELECT max(long_t) FROM day": "MAX of `duration`",
    "SELECT id FROM day WHERE y = '99'": "YEAR with a text of two digits",
    "SELECT id FROM day ORDER BY doc": "an order of JSON",
    "SELECT field('5', concat(id, ''), id) FROM day": "FIELD() of other than only texts or only numbers",
    "SELECT field(t, '9:30') FROM day": "FIELD() of other than only texts or only numbers",
    "SELECT field(b, 5) FROM day": "FIELD() of bits",
    "SELECT length(b) FROM day": "LENGTH() of bits",
    "SELECT concat(b, '') FROM day": "CONCAT() of bits",
    "SELECT greatest(b, 1) FROM day": "GREATEST() of bits",
    "SELECT coalesce(b, 1) FROM day": "one value of several of bits",
    "SELECT CASE WHEN id = 1 THEN b END FROM day": "one value of several of bits",
    "SELECT IF(id = 1, b, 1) FROM day": "one value of several of bits",
    "SELECT nullif(b, b) FROM day": "one value of several of bits",
    "SELECT b + 1 FROM day": "arithmetic of bits",
    "SELECT t + 1 FROM day": "arithmetic of time",
    "SELECT date_format(t, 'abc') FROM day": "no part of a time",
    "SELECT max(doc) FROM day": "MAX of JSON",
    "SELECT DISTINCT doc FROM day": "DISTINCT of JSON",
    "SELECT count(DISTINCT doc) FROM day": "of JSON, which the source compares as text",
    "SELECT a.id FROM day a JOIN day b ON a.doc = b.doc": "a comparison of JSON",
    "SELECT doc, count(*) FROM day GROUP BY doc": "groups of JSON",
    "SELECT count(*) OVER (PARTITION BY doc) FROM day": "a window's partitions of JSON",
}


def _bag(rows: Sequence[object]) -> Counter[str]:
    return Counter(map(str, rows))


@pytest.mark.parametrize("sql", QUERIES)
def test_answers_as_mariadb_does(both: Both, sql: str) -> None:
    """Times as texts, and JSON as the value it says."""
    mine, theirs = both.answers(sql)
    shown = [tuple(map(_shown, row.values() if isinstance(row, dict) else row)) for row in theirs]
    assert _bag([tuple(map(_shown, row.values() if isinstance(row, dict) else row)) for row in mine]) == _bag(shown)


def _shown(value: object) -> object:
    match value:
        case timedelta():
            return f"{value.seconds // 3600:02}:{value.seconds % 3600 // 60:02}:{value.seconds % 60:02}"
        case bytes():
            return f"{int.from_bytes(value):04b}"
        case dict() | list():
            return json.dumps(value)
        case str() if value[:1] in ("{", "["):
            return json.dumps(json.loads(value))
        case _:
            return str(value)


@pytest.mark.parametrize("sql", GAPS)
def test_what_goes_by_another_order_is_a_gap(both: Both, sql: str) -> None:
    """Labels in the order of their declaration, times of many hours as texts, JSON by its text."""
    assert GAPS[sql] in both.gap(sql)


def test_a_year_that_is_given_has_four_digits_or_two(both: Both) -> None:
    """A parameter is the year MySQL takes it for."""
    read = both.convert("SELECT id FROM day WHERE y = :year")
    assert [list(run_read(both.database, read, {"year": year})) for year in (99, 1999, 2, 20, 0)] == [
        [(2,)], [(2,)], [(4,)], [(1,)], [],
    ]  # fmt: skip
