"""What the documentation says is a gap in SQLite's dialect is one, row by row."""

from __future__ import annotations

import pytest

from nestling.ir.proposal import Proposal
from tests.planner.sql.gaps_of_dialects import cases, is_gap, kinds_listed, table_of

ROWS = {
    "texts": (
        "hex(s)", "hex(b)", "unhex(s)", "quote(s)", "soundex(s)", "unistr(s)", "char(65, 66)", "s MATCH 'a'", "s REGEXP 'a'",
    ),
    "numbers": ("n & 1", "n | 1", "n << 1", "n >> 1", "~n", "sin(f)", "acos(f)", "radians(f)", "degrees(f)", "+n"),
    "times": (
        "datetime(f, 'unixepoch')", "datetime(n, 'auto')", "date(at, 'weekday 7')",
        "datetime(at, 'localtime')", "datetime(at, 'utc')", "datetime(at, 'subsec')", "date(at, :days)", "timediff(at, at)",
    ),
    "JSON": (
        "json_extract(j, '$.a[0]')", "json(j)", "json_array(1, 2)", "json_object('a', n)", "json_array_length(j)", "json_type(j)",
        "json_valid(j)", "json_set(j, '$.a', 1)", "json_patch(j, '{}')", "json_quote(s)", "j -> '$.a'", "j ->> 1",
    ),
    "casts": ("CAST(s AS BLOB)",),
    "groups": ("SELECT nc, count(*) FROM item GROUP BY nc", "SELECT DISTINCT nc FROM item"),
    "aggregates": ("median(n)", "percentile(n, 50)", "json_group_array(n)", "json_group_object(s, n)"),
    "windows": (
        "group_concat(s) OVER (ORDER BY id)", "sum(n) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW EXCLUDE TIES)",
        "sum(n) OVER (ORDER BY n RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)",
    ),
    "FROM": (
        "SELECT item.id, e.value FROM item, json_each(item.j) e", "SELECT * FROM generate_series(1, 5)",
        "SELECT * FROM pragma_table_info('item')",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 5) SELECT x FROM c",
    ),
    "comparisons": ("SELECT id FROM item WHERE n > ALL (SELECT n FROM item)",),
    "rows": ("rowid",),
    "new values": ("random()", "randomblob(4)", "last_insert_rowid()", "changes()", "total_changes()"),
    "writes": (
        "REPLACE INTO item (id, n) SELECT id + 10, n FROM item",
        "INSERT OR FAIL INTO item (id, n) VALUES (1, 2)", "INSERT OR ROLLBACK INTO item (id, n) VALUES (1, 2)",
        "UPDATE OR IGNORE item SET id = 2", "update or replace item set id = 2 where id = 1",
        "INSERT INTO item (id) VALUES (1) ON CONFLICT (id) DO NOTHING ON CONFLICT DO UPDATE SET n = 1",
        "UPDATE item SET n = 1 ORDER BY id LIMIT 1", "DELETE FROM item ORDER BY id LIMIT 1",
        "UPDATE item SET (n, f) = (SELECT 1, 2.0)",
        "UPDATE item SET n = (SELECT max(i.n) FROM item i WHERE i.s = item.s) WHERE f > 1 RETURNING n",
        "INSERT INTO item (id, n) VALUES (1, 2), (2, 3) ON CONFLICT (id) DO UPDATE SET n = (SELECT max(i.n) FROM item i)",
    ),
    "statements": ("PRAGMA table_info(item)", "VACUUM", "ATTACH 'x' AS y", "EXPLAIN SELECT 1"),
}  # fmt: skip
CONVERTED = (
    "SELECT lower(nc), count(*) FROM item GROUP BY lower(nc)",
    "INSERT INTO item (id, n) VALUES (:x, 1) RETURNING id",
    "INSERT OR ABORT INTO item (id, n) VALUES (1, 2)",
    "UPDATE item SET n = (SELECT max(i.f) FROM item i WHERE i.s = item.s)",
)


@pytest.fixture(scope="module")
def proposal() -> Proposal:
    """A table of each kind of column."""
    columns = {
        "id": "integer",
        "n": "integer",
        "f": "float",
        "s": "text",
        "nc": "text",
        "at": "timestamp",
        "b": "bytes",
        "j": "json",
    }
    return table_of("sqlite", columns)


def test_every_row_of_the_table_is_tried() -> None:
    """A row that is added or dropped is so here too."""
    assert kinds_listed("sqlite") == list(ROWS)


@pytest.mark.parametrize(("kind", "sql"), cases(ROWS))
def test_it_is_a_gap(proposal: Proposal, kind: str, sql: str) -> None:
    """And is refused in words."""
    assert is_gap(proposal, sql, "sqlite"), kind


@pytest.mark.parametrize("sql", CONVERTED)
def test_what_is_said_to_be_converted_is(proposal: Proposal, sql: str) -> None:
    """The other way to write it."""
    assert not is_gap(proposal, sql, "sqlite")
