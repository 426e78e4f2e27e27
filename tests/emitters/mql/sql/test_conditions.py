"""Conditions: `truth_mql` and `match_mql` keep the rows SQLite keeps, and so they do for each condition's NOT."""

from __future__ import annotations

from typing import Any

import pytest

from nestling.emitters.mql.sql import match_mql
from tests.emitters.mql.sql.beside import Fields, compare_conditions, predicate
from tests.emitters.mql.sql.conftest import Table

COMPARISONS = (
    "i = 3",
    "3 < i",
    "i <> j",
    "i < j",
    "f >= g",
    "s = 'abc'",
    "s < 'b'",
    "s > 'b'",
    "z >= 'a'",
    "i IS NULL",
    "i IS NOT NULL",
    "i IS j",
    "i IS NOT j",
    "i BETWEEN 0 AND 10",
    "x = 1",
    "x < 'a'",
    "x > 1",
    "x <= 1.5",
    "x = '1'",
    "y > 'x'",
    "s = 12",
    "s < 12",
    "i = '3'",
    "i < 'x'",
    "i < '12'",
    "i > '12'",
    "n > 1.5",
    "n = 2",
    "i = 9223372036854775807",
    "i > 9007199254740992.0",
    "f = 3",
    "i = NULL",
    "f = 0",
    "f < 0.0",
    "s COLLATE NOCASE = 'ABC'",
    "s = z COLLATE NOCASE",
    "s COLLATE RTRIM = 'trailing'",
    "i + 1 > j",
    "(i > 1) = (f > 1)",
    "(i > 1) IS NULL",
    "i = j",
    "s IS 'abc'",
    "s IS NOT 'abc'",
    "i IS NOT 3",
    "length(s) > 3",
    "upper(s) = 'ABC'",
    "coalesce(s, '') = ''",
    "round(f, 1) = 0.1",
)
LISTS = (
    "i IN (1, 3, NULL)",
    "i IN (1, 3)",
    "s IN ('a', '12')",
    "i IN (1, f, j)",
    "i NOT IN (1, j)",
    "i IN ()",
    "i NOT IN ()",
    "x IN (1, 'x')",
    "d IN ('2024-02-29', 'nope')",
    "d IN ('2024-02-29', NULL)",
    "i IN (NULL)",
    "s IN (1, 12)",
    "i IN ('3', '1')",
    "j IN (0, 2147483648)",
)
LOGIC = (
    "i = 1 OR s = 'a'",
    "i = 1 AND (f > 0 OR g < 2)",
    "s IS NULL OR i > 3",
    "b",
    "b = 1",
    "b IS 1",
    "i",
    "f",
    "s",
    "x",
    "NULL",
    "1",
    "0",
    "1 = 1",
    "CASE WHEN i > 1 THEN b ELSE i END",
    "i > 1 AND i < 10 AND i <> 3 AND i <> 7",
    "(i = 1 OR i = 3) AND (i = 3 OR i = 7)",
    "i = 1 OR i IS NULL OR s LIKE 'a%'",
    "NOT (i = 1 OR s = 'a')",
    "NOT (i = 1 AND NOT s = 'a')",
    "b IS NULL OR NOT b",
    "i > 1 OR f + 1 > 2",
)
PATTERNS = (
    "s LIKE 'a%'",
    "s LIKE '%B%'",
    "s LIKE '_b_'",
    "s LIKE '10\\%' ESCAPE '\\'",
    "z LIKE s",
    "s LIKE z",
    "s LIKE z ESCAPE '_'",
    "s LIKE '%'",
    "s LIKE ''",
    "s NOT LIKE '%a%'",
    "s LIKE 'a%c'",
    "s LIKE '%k%'",
    "s LIKE NULL",
    "s GLOB NULL",
    "i LIKE '1%'",
    "f LIKE '%.5'",
    "d LIKE '2024%'",
    "ts LIKE '%00:00'",
    "x LIKE '1%'",
    "s LIKE '%.%'",
    "s LIKE '[x]'",
    "s LIKE 'a\\b'",
    "s LIKE 'x_y'",
    "s GLOB 'a*'",
    "s || z LIKE '%a%a%'",
    "s LIKE 'abc%' ESCAPE '%'",
    "s LIKE '%é'",
    "s LIKE 'x%' ESCAPE 'x'",
    "s LIKE 'TRAILING%%'",
    "s LIKE '%a_c%'",
)
DATES = (
    "d > '2024'",
    "d >= '2024-02-29x'",
    "d < '2024-02-30'",
    "d BETWEEN '2023-01-01' AND '2024-02-29'",
    "d <> '2024-02-29'",
    "d = '2024-02-29'",
    "d IS '2024-02-29'",
    "d IS NOT '2024-02-29'",
    "d IS NOT 'x'",
    "d <> 'x'",
    "ts >= '2024-02-29'",
    "ts <= '2024-02-29 12:30:45'",
    "ts < '2024-03-01'",
    "ts = '2024-03-01 00:00:00'",
    "ts = '2024-03-01'",
    "d < ts",
    "d = 5",
    "d < 5",
    "d > 5",
    "d IS NULL",
    "d > ts OR d IS NULL",
    "d < ''",
    "d > 'z'",
    "date(d) > '2024'",
    "strftime('%Y', d) = '2024'",
    "d >= date('2024-03-31', '-1 month')",
    "ts BETWEEN '2024' AND '2025'",
    "d > '9999-12-31'",
)
GROUPS = {"comparisons": COMPARISONS, "lists": LISTS, "logic": LOGIC, "patterns": PATTERNS, "dates": DATES}


@pytest.mark.thorough
@pytest.mark.parametrize("prefix", ["$", "$$this."])
@pytest.mark.parametrize("group", GROUPS)
def test_conditions_keep_sqlites_rows(table: Table, group: str, prefix: str) -> None:
    """TRUE for exactly the rows SQLite keeps, with the query language and without it."""
    if prefix != "$":
        oracle, collection = table
        report = compare_conditions(oracle, collection, GROUPS[group], Fields(prefix=prefix), matched=False)
    else:
        report = compare_conditions(*table, GROUPS[group])
    assert not report.differences
    assert not report.gaps


SPELLED: dict[str, Any] = {
    "i = 3": {"i": {"$eq": 3}},
    "3 < i AND i <= 10": {"i": {"$gt": 3, "$lte": 10}},
    "i <> 3": {"i": {"$nin": [3, None]}},
    "j <> 3": {"j": {"$ne": 3}},
    "i IN (1, 2, NULL)": {"i": {"$in": [1, 2]}},
    "i IS NULL": {"i": {"$eq": None}},
    "i = '3'": {"i": {"$eq": 3}},
    "s = '$x'": {"s": {"$eq": "$x"}},
    "s LIKE 'a%'": {"s": {"$regex": "^[aA]"}},
    "s GLOB 'ab*'": {"s": {"$regex": "^ab"}},
    "i = 1 OR s = 'a'": {"$or": [{"i": {"$eq": 1}}, {"s": {"$eq": "a"}}]},
    "NOT (i = 1 OR s = 'a')": {"i": {"$nin": [1, None]}, "s": {"$nin": ["a", None]}},
    "x > 1": {"$expr": {"$gt": ["$x", 1]}},
    "i = j": {"$expr": {"$eq": ["$i", "$j"]}},
    "i = 3 AND f > g": {"i": {"$eq": 3}, "$expr": {"$gt": ["$f", "$g"]}},
    "NULL": {"_id": {"$in": []}},
    "1 = 0": {"_id": {"$in": []}},
    "i = 3 AND (1 > 2 OR NOT 2 = 2)": {"_id": {"$in": []}},
    "i = 3 AND 1 = 1": {"i": {"$eq": 3}},
    "(i = 1 OR 1 = 0) AND s = 'a'": {"$or": [{"i": {"$eq": 1}}], "s": {"$eq": "a"}},
}


@pytest.mark.parametrize("text", SPELLED)
def test_match_documents_are_the_short_ones(table: Table, text: str) -> None:
    """What the query language can say is said in it, in its shortest form."""
    assert match_mql(predicate(f"SELECT 1 FROM t WHERE {text}", table[0].model), Fields()) == SPELLED[text]


@pytest.mark.parametrize(
    "text",
    [
        "s = 'abc'",
        "s LIKE 'abc'",
        "s GLOB 'ab*'",
        "s IN ('a', 'b')",
        "s BETWEEN 'a' AND 'c'",
        "d >= '2024-01'",
        "i = '3'",
    ],
)
def test_matches_are_served_by_an_index(table: Table, text: str) -> None:
    """The server reads the index of the field the condition is about."""
    oracle, collection = table
    for name in ("s", "d", "i"):
        collection.create_index(name)
    document = match_mql(predicate(f"SELECT 1 FROM t WHERE {text}", oracle.model), Fields())
    plan = collection.find(document).explain()["queryPlanner"]["winningPlan"]
    assert "IXSCAN" in str(plan)
    collection.drop_indexes()
