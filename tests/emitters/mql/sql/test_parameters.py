"""Parameters: values that can never be operators, now or once they are bound."""

# ruff: noqa: DTZ001 - naive means UTC in BSON, and no zone in PostgreSQL
from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
from bson import Decimal128, json_util

from nestling.common.errors import WorkloadError
from nestling.emitters.mql.sql import ConvertedPlaceholder, match_mql, value_mql
from nestling.emitters.mql.sql.gaps import RenderingGap
from nestling.ir.statements.expression import ScalarSubquery
from nestling.ir.types import INTEGER
from tests.emitters.mql.sql.beside import Fields, outputs, predicate, truth_mql
from tests.emitters.mql.sql.conftest import Table
from tests.given_lists import written_out


@dataclass(frozen=True)
class Open(Fields):
    """An environment whose parameters are not known yet."""

    def parameter(self, name: str) -> object:
        return ConvertedPlaceholder(name)


def bound(document: Any, values: dict[str, object]) -> Any:
    """The document with every placeholder replaced by its parameter's value."""
    match document:
        case ConvertedPlaceholder():
            return document.bind(values[document.name])
        case dict():
            return {key: bound(value, values) for key, value in document.items()}
        case list():
            return [bound(value, values) for value in document]
        case _:
            return document


CONDITIONS = (
    "i = :p",
    "i < :p",
    "i >= :p",
    "i <= :p",
    "i <> :p",
    "s = :p",
    "s > :p",
    "s <= :p",
    "x = :p",
    "x > :p",
    "i IS :p",
    "i IN (:p, 3)",
    "i NOT IN (:p, 3)",
    "s LIKE :p",
    "s NOT LIKE :p",
    "s LIKE :p || '%'",
    "s LIKE :p ESCAPE '\\'",
    "d >= :p",
    "d < :p",
    "d = :p",
    "d <> :p",
    "d IS :p",
    "d IS NOT :p",
    "d IN (:p, '2024-02-28')",
    "d NOT IN (:p, '2024-02-28')",
    "ts = :p",
    "ts IS :p",
    "ts IN (:p)",
    "ts > :p",
    "ts <= :p",
    "coalesce(:p, s) = s",
    "substr(s, 1, :p % 3) = 'a'",
    "length(:p) > 1",
    "s || :p = 'abca'",
    "i + :p > 3",
    ":p",
    ":p IS NULL",
    "f BETWEEN :p AND 5",
    "b = :p",
    "upper(:p) = s",
    "CAST(CAST(:p AS REAL) AS TEXT) = '3.0'",
    "CAST(CAST(:p AS INTEGER) AS TEXT) || s = '3a'",
)
VALUES: tuple[object, ...] = (
    None,
    3,
    "3",
    "a",
    "abc",
    "",
    "$s",
    "%b_",
    "2024-02-29",
    "2024-02-29 12:30:45",
    "x",
    2.5,
    "a\\",
    True,
    "-1e400",
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("text", CONDITIONS)
def test_a_placeholder_takes_any_value(table: Table, text: str) -> None:
    """One document made without the value keeps SQLite's rows for each value, or says that the value is of the wrong kind."""
    oracle, collection = table
    condition = predicate(f"SELECT 1 FROM t WHERE {text}", oracle.model)
    documents = (match_mql(condition, Open()), {"$expr": truth_mql(condition, Open())})
    refused = 0
    for value in VALUES:
        theirs = [
            row[0] - 1
            for row in oracle.connection.execute(f"SELECT rowid FROM t WHERE {text} ORDER BY rowid", {"p": value})
        ]
        for document in documents:
            try:
                ready = bound(document, {"p": value})
            except WorkloadError:
                refused += 1
                continue
            assert [found["_id"] for found in collection.find(ready).sort("_id", 1)] == theirs, (value, ready)
    assert refused < len(VALUES)


LISTED = (
    "i",
    "f",
    "s",
    "x",
    "b",
    "d",
    "ts",
    "s COLLATE NOCASE",
    "s COLLATE RTRIM",
    "substr(s, 1, 1)",
    "i + 0",
    "lower(s)",
)
LISTS: tuple[list[object] | None, ...] = (
    *([value] for value in VALUES),
    [],
    None,
    [3, "a", None],
    ["2024-02-29", "x", "2024-02-29 12:30:45", 3, 3, 2.5],
    ["A ", "ABC", "a", 1, "1", 0],
)


@pytest.mark.in_turn("form")
@pytest.mark.parametrize("operand", LISTED)
@pytest.mark.parametrize("form", ["{} IN :p", "NOT ({} IN :p)", "({} IN :p) IS NULL", "coalesce({} NOT IN :p, i) = 1"])
def test_a_placeholder_takes_any_list(table: Table, operand: str, form: str) -> None:
    """One document made without the list keeps SQLite's rows for each list written out."""
    oracle, collection = table
    text = form.format(operand)
    condition = predicate(f"SELECT 1 FROM t WHERE {text}", oracle.model)
    documents = (match_mql(condition, Open()), {"$expr": truth_mql(condition, Open())})
    refused = 0
    for items in LISTS:
        written, values = written_out(f"SELECT rowid FROM t WHERE {text} ORDER BY rowid", {"p": items})
        theirs = [row[0] - 1 for row in oracle.connection.execute(written, values)]
        for document in documents:
            try:
                ready = bound(document, {"p": items})
            except WorkloadError:
                refused += 1
                continue
            assert [found["_id"] for found in collection.find(ready).sort("_id", 1)] == theirs, (items, ready)
    assert refused < len(LISTS)


@pytest.mark.parametrize("value", ["$s", "$$ROOT", "$", "{$ne: null}", "a.b"])
def test_values_that_look_like_operators_are_values(table: Table, value: str) -> None:
    """A text stays a text wherever it stands."""
    oracle, collection = table
    for text in ("s = :p", ":p = s", "s IN (:p)", "s LIKE :p", "s || :p = s", "coalesce(:p, s) = s"):
        document = match_mql(predicate(f"SELECT 1 FROM t WHERE {text}", oracle.model), Fields({"p": value}))
        assert list(collection.find(document)) == []
    (expression,) = outputs("SELECT :p AS v FROM t", oracle.model)
    assert value_mql(expression, Fields({"p": value})) == {"$literal": value}


@pytest.mark.parametrize("value", [{"$ne": None}, ["a"], {"$gt": ""}, re.compile("a"), object()])
def test_documents_are_no_parameters(value: object) -> None:
    """What is no SQL value is refused when it is bound, by itself and in a list."""
    with pytest.raises(WorkloadError, match="parameter `p` must be a value"):
        ConvertedPlaceholder("p").bind(value)
    with pytest.raises(WorkloadError, match="each value of parameter `p` must be a value"):
        ConvertedPlaceholder("p", listed=True).bind([1, value])


def test_dates_and_decimals_bind_as_what_they_are() -> None:
    """As the type map stores them; a date beside SQLite's texts as the first instant of its text."""
    assert ConvertedPlaceholder("p").bind(Decimal("1.50")) == Decimal128("1.50")
    assert ConvertedPlaceholder("p").bind(date(2024, 1, 31)) == datetime(2024, 1, 31)


def test_a_parameter_beside_a_time_is_an_instant(table: Table) -> None:
    """Equality with a parameter is one with the stored instant, given as one or as its text, so that an index serves."""
    instant = datetime(2024, 2, 29, 12, 30, 45)
    for text, operator in (("ts = :p", "$eq"), ("ts IS :p", "$eq"), ("ts IS NOT :p", "$ne")):
        document = match_mql(predicate(f"SELECT 1 FROM t WHERE {text}", table[0].model), Open())
        for given in (instant, "2024-02-29 12:30:45"):
            assert bound(document, {"p": given})["ts"][operator] == instant
        assert bound(document, {"p": "2024-02-29"})["ts"][operator] == "2024-02-29"
    document = match_mql(predicate("SELECT 1 FROM t WHERE ts IN (:p, :q)", table[0].model), Open())
    assert bound(document, {"p": instant, "q": None})["ts"] == {"$in": [instant, None], "$ne": None}
    document = match_mql(predicate("SELECT 1 FROM t WHERE ts IN :p", table[0].model), Open())
    listed = [instant, "2024-02-29 12:30:45", "2024-02-29", None]
    assert bound(document, {"p": listed})["ts"] == {"$in": [instant, instant, "2024-02-29", None], "$ne": None}


def test_placeholders_are_found_in_the_match_for_a_date(table: Table) -> None:
    """A date column compared with a parameter is a range over dates, so that its index serves."""
    document = match_mql(predicate("SELECT 1 FROM t WHERE d >= :p", table[0].model), Open())
    assert set(document) == {"d"}
    assert json.loads(json_util.dumps(bound(document, {"p": "2024-01-05"})))["d"]["$gte"] == {
        "$date": "2024-01-05T00:00:00Z"
    }


def test_subqueries_are_not_rendered(table: Table) -> None:
    """They are columns by then: one that is left is a mistake of the planner."""
    with pytest.raises(RenderingGap, match="subquery"):
        value_mql(ScalarSubquery(None, INTEGER), Fields())  # type: ignore[arg-type]
