"""Aggregates in `$group` beside SQLite's, over groups, over everything, over single rows and over nothing."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from nestling.emitters.mql.sql import accumulator_mql, value_mql
from nestling.ir.statements import algebra as a
from nestling.ir.types import Type, TypeName
from nestling.planner.sql import translate
from tests.emitters.mql.sql.beside import Fields, plain, truth_mql
from tests.emitters.mql.sql.conftest import Table
from tests.planner.sql.sqlite_oracle import rounded

AGGREGATES = (
    "count(*)",
    "count(i)",
    "count(j)",
    "count(distinct s)",
    "sum(i % 1000)",
    "sum(j)",
    "sum(f / 1e290)",
    "sum(n / 1e9)",
    "total(i / 1000)",
    "avg(i % 100)",
    "avg(n / 1e9)",
    "avg(j % 100)",
    "min(s)",
    "max(s)",
    "min(x)",
    "max(x)",
    "max(i)",
    "min(f)",
    "max(d)",
    "min(ts)",
    "sum(distinct i % 10)",
    "avg(distinct i % 10)",
    "total(distinct i % 10)",
    "total(f / 1e290)",
    "count(*) FILTER (WHERE i > 1)",
    "sum(j) FILTER (WHERE f > 1)",
    "count(distinct i % 5) FILTER (WHERE f > 1)",
    "min(i) FILTER (WHERE s > 'a')",
    "max(i) FILTER (WHERE s > 'zzzz')",
    "sum(b)",
    "count(b)",
    "count(distinct x)",
    "min(d || '')",
    "sum(i > 3)",
    "count(distinct s COLLATE NOCASE)",
    "group_concat(b)",
    "group_concat(j % 2, '')",
)
ROWS = {
    "groups": ("b", "1"),
    "all": ("", "1"),
    "single rows": ("id", "1"),
    "nothing": ("", "id < 0"),
    "a few": ("", "id IN (3, 5, 24)"),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("text", AGGREGATES)
def test_aggregates_are_sqlites(table: Table, text: str, rows: str) -> None:
    """Each aggregate over each grouping, NULLs and empty groups included."""
    key, condition = ROWS[rows]
    sql = f"SELECT {key + ',' if key else ''} {text} FROM t WHERE {condition} {'GROUP BY ' + key if key else ''}"
    theirs = [tuple(map(rounded, row)) for row in table[0].connection.execute(sql)]
    assert sorted(grouped(table, sql, condition == "1"), key=repr) == sorted(theirs, key=repr)


ROW_OF_EXTREME = (
    "SELECT b, max(id), s, i FROM t GROUP BY b",
    "SELECT min(id), s, f FROM t",
    "SELECT d, max(i * 200 + id % 130), z FROM t WHERE id < 0 GROUP BY d",
)


@pytest.mark.parametrize("sql", ROW_OF_EXTREME)
def test_bare_columns_are_of_the_extreme_row(table: Table, sql: str) -> None:
    """Beside MIN or MAX, a column that is not grouped by is of the row that holds it."""
    rows = grouped(table, sql, "WHERE" not in sql)
    theirs = {frozenset(map(str, row)) for row in table[0].connection.execute(sql)}
    assert {frozenset(str(v) for v in row) for row in rows} == theirs


ORDERED = {
    "group_concat(s, '-' ORDER BY id)": lambda rows: "-".join(r[6] for r in rows if r[6] is not None),
    "group_concat(s ORDER BY i DESC, id)": lambda rows: ",".join(
        r[6] for r in sorted(rows, key=lambda r: (r[1] is None, -(r[1] or 0), r[0])) if r[6] is not None
    ),
}


@pytest.mark.parametrize("text", ORDERED)
def test_concatenations_keep_their_order(table: Table, text: str) -> None:
    """By several keys, in both directions, NULLs where SQL puts them."""
    (row,) = grouped(table, f"SELECT {text} FROM t", True)
    assert row[0] == ORDERED[text](table[0].rows["t"])


def grouped(
    table: Any, sql: str, whole: bool, model: Any = None, dialect: str = "sqlite", show: Any = None
) -> list[tuple[Any, ...]]:
    """The rows of a GROUP BY's relation, keys before aggregates, by a `$group`."""
    query = translate(sql, model or table[0].model, dialect)
    assert isinstance(query, a.Query)
    relation: Any = query.relation
    while not isinstance(relation, a.GroupBy):
        relation = relation.input
    source: Any = relation.input
    environment = Fields()
    keys = {
        str(place): {"$ifNull": [value_mql(key.expression, environment), None]}
        for place, key in enumerate(relation.keys)
    }
    group: dict[str, Any] = {"_id": keys or None}
    finish: dict[str, Any] = {}
    nothing: dict[str, Any] = {}
    for place, item in enumerate(relation.aggregates):
        made = accumulator_mql(item.aggregate, f"a{place}", environment)
        group |= made.accumulators
        finish |= made.finish
        nothing |= made.nothing
    stages: list[dict[str, Any]] = [] if whole else [{"$match": {"$expr": truth_mql(source.predicate, environment)}}]
    found = list(
        table[1].aggregate([*stages, {"$sort": {"_id": 1}}, {"$group": group}, *([{"$set": finish}] if finish else [])])
    )
    if not found and not keys:
        found = [nothing]
    names = {f"a{place}": item.aggregate.type for place, item in enumerate(relation.aggregates)}
    assert all(set(row) - {"_id"} <= set(names) for row in found), "temporary fields are left"
    show = show or shown
    kinds = {str(place): key.expression.type for place, key in enumerate(relation.keys)}
    return [
        tuple(show(row["_id"][key], kind) for key, kind in kinds.items())
        + tuple(show(row.get(name), kind) for name, kind in names.items())
        for row in found
    ]


def shown(value: Any, kind: Type) -> Any:
    """As SQLite shows it."""
    if isinstance(value, datetime):
        return value.date().isoformat() if kind.name is TypeName.DATE else value.isoformat(" ")
    value = plain(value)
    return int(value) if isinstance(value, bool) else rounded(value)
