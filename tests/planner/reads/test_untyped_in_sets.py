"""Parameters and quoted constants on one side of UNION, INTERSECT and EXCEPT, beside PostgreSQL: they have the other's type."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from nestling.store import Store
from tests.planner.reads.beside_postgresql import Beside, beside_of

KEY = "7aa068f1-13a5-397f-61ef-7bd1d874bc79"
AT = datetime(2023, 1, 1, 12, 30, tzinfo=UTC)
TABLES = f"""
CREATE TYPE grade AS ENUM ('low', 'high', 'emergency');
CREATE TABLE thing (
    id integer PRIMARY KEY, key uuid, at timestamptz, seen timestamptz(3), day date, grade grade, price numeric(8, 2),
    is_open boolean, name varchar(20));
INSERT INTO thing VALUES
    (1, '{KEY}', '2025-01-01 00:00:00.123456+00', '2025-01-01 00:00:00+00', '2024-02-29', 'low', 3, true, 'a'),
    (2, NULL, NULL, NULL, '2022-06-01', 'high', 2.5, false, '3'),
    (3, NULL, '2022-01-01 00:00:00+00', '2022-01-01 00:00:00+00', NULL, 'emergency', NULL, NULL, NULL);
"""
READS: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("SELECT id FROM thing WHERE id = 3 UNION SELECT '3'", {}),
    ("SELECT id FROM thing UNION ALL SELECT :x ORDER BY 1", {"x": 2}),
    (f"SELECT key FROM thing WHERE id = 1 INTERSECT SELECT '{KEY}'", {}),
    ("SELECT key FROM thing WHERE id = 1 EXCEPT SELECT :k", {"k": KEY}),
    ("SELECT :k EXCEPT SELECT key FROM thing WHERE id = 1", {"k": KEY}),
    ("SELECT count(*) FROM thing WHERE key IN (SELECT key FROM thing WHERE id = 2 UNION SELECT :k)", {"k": KEY}),
    ("SELECT day FROM thing UNION SELECT '2023-01-01' ORDER BY 1", {}),
    ("SELECT grade FROM thing UNION SELECT :g ORDER BY 1", {"g": "low"}),
    ("SELECT grade FROM thing WHERE id > 1 UNION SELECT 'low' ORDER BY 1", {}),
    (
        "SELECT grade, count(*) FROM (SELECT grade FROM thing UNION ALL SELECT :g) z GROUP BY grade ORDER BY 1",
        {"g": "high"},
    ),
    ("SELECT max(x) FROM (SELECT at AS x FROM thing UNION ALL SELECT :at) z", {"at": AT}),
    ("SELECT at FROM thing WHERE at IS NOT NULL UNION SELECT :at ORDER BY 1 LIMIT 2", {"at": AT}),
    ("SELECT seen FROM thing WHERE seen IS NOT NULL UNION SELECT :at ORDER BY 1", {"at": AT}),
    ("SELECT price FROM thing WHERE id = 1 UNION SELECT '3'", {}),
    ("SELECT name FROM thing WHERE id = 2 UNION SELECT '3'", {}),
    ("SELECT id FROM thing WHERE id = 3 UNION (SELECT '3' FROM thing ORDER BY id LIMIT 1)", {}),
    ("SELECT id FROM thing WHERE id = 3 UNION SELECT NULL UNION SELECT 2 ORDER BY 1", {}),
    ("SELECT '3' UNION SELECT '3'", {}),
)
ROWS: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("INSERT INTO thing (id, at) SELECT 11, :at FROM thing WHERE id = 1", {"at": AT}),
    ("INSERT INTO thing (id, seen) SELECT 12, :at FROM thing WHERE id = 1", {"at": AT}),
    ("INSERT INTO thing (id, key) SELECT 13, :k FROM thing WHERE id = 1", {"k": KEY}),
    ("INSERT INTO thing (id, price, name) SELECT 14, :p, :n FROM thing WHERE id = 1", {"p": "2.25", "n": "new"}),
    ("INSERT INTO thing (id, day, grade) SELECT 15, '2024-03-01', 'high' FROM thing WHERE id = 1", {}),
    ("INSERT INTO thing (id, at, day) SELECT id + 20, at, :d FROM thing", {"d": "2024-05-05"}),
)


things = beside_of(TABLES, scope="module")
"""The table in both."""


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("sql", "values"), READS)
def test_answers_are_postgresqls(things: Beside, sql: str, values: Mapping[str, object]) -> None:
    """In rows, their types and their order."""
    theirs, ours = things.theirs(sql, values), things.ours(sql, values)
    assert (ours if "ORDER BY" in sql else sorted(ours)) == (theirs if "ORDER BY" in sql else sorted(theirs))


@pytest.mark.parametrize(("sql", "values"), ROWS)
def test_rows_are_stored_as_their_columns_keep_them(things: Beside, sql: str, values: Mapping[str, object]) -> None:
    """And found by these values again."""
    shown = "SELECT id, key, at, seen, day, grade, price, name FROM thing WHERE id > 10 ORDER BY id"
    found = "SELECT count(*) FROM thing WHERE at = :at AND id = 11"
    Store(things.proposal, things.database).execute(sql, **values)
    things.theirs(sql, values)
    assert things.ours(shown) == things.theirs(shown)
    assert things.ours(found, {"at": AT}) == things.theirs(found, {"at": AT})


def test_what_has_no_type_is_not_stored_as_a_moment(things: Beside) -> None:
    """Of six digits, which are texts with their zone."""
    assert "has no type" in things.gap("UPDATE thing SET at = (SELECT :at FROM thing t WHERE t.id = 1) WHERE id = 2")
