"""Expressions nested at random, beside SQLite."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.emitters.mql.sql.beside import compare_conditions, compare_values
from tests.emitters.mql.sql.conftest import Table
from tests.soaking import examples


def joined(*parts: st.SearchStrategy[str] | str) -> st.SearchStrategy[str]:
    return st.tuples(*(st.just(part) if isinstance(part, str) else part for part in parts)).map("".join)


def parenthesised(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return inner.map("({})".format)


whole: st.SearchStrategy[str] = st.deferred(lambda: parenthesised(_whole))
number: st.SearchStrategy[str] = st.deferred(lambda: parenthesised(_number))
text: st.SearchStrategy[str] = st.deferred(lambda: parenthesised(_text))
condition: st.SearchStrategy[str] = st.deferred(lambda: parenthesised(_condition))

_whole: st.SearchStrategy[str] = st.one_of(
    st.sampled_from(["i % 1000", "j % 977", "id", "0", "1", "-3", "7", "NULL", "b", "CAST(s AS INTEGER) % 100"]),
    joined(whole, st.sampled_from([" + ", " - ", " / ", " % "]), whole),
    joined("length(", text, ")"),
    joined("CASE WHEN ", condition, " THEN ", whole, " ELSE ", whole, " END"),
    joined("instr(", text, ", ", text, ")"),
)
_number: st.SearchStrategy[str] = st.one_of(
    whole,
    st.sampled_from(["g", "f", "n", "2.5", "-0.1", "1e10", "julianday(d)"]),
    joined(number, st.sampled_from([" + ", " - ", " * ", " / "]), number),
    joined("coalesce(", number, ", ", number, ")"),
    joined("nullif(", number, ", ", number, ")"),
    joined("abs(", number, ")"),
    joined("max(", number, ", ", number, ")"),
)
_text: st.SearchStrategy[str] = st.one_of(
    st.sampled_from(["s", "z", "'abc'", "''", "'%'", "NULL", "d || ''", "ts || ''", "strftime('%m', d)"]),
    joined(text, " || ", text),
    joined("upper(", text, ")"),
    joined("substr(", text, ", ", whole, " % 5, ", whole, " % 5)"),
    joined("replace(", text, ", ", text, ", 'x')"),
    joined("CASE WHEN ", condition, " THEN ", text, " WHEN ", condition, " THEN ", text, " END"),
    joined("trim(", text, ")"),
    joined("CAST(", whole, " AS TEXT)"),
)
_condition: st.SearchStrategy[str] = st.one_of(
    joined(number, st.sampled_from([" = ", " <> ", " < ", " <= ", " > ", " >= ", " IS ", " IS NOT "]), number),
    joined(text, st.sampled_from([" = ", " <> ", " < ", " <= ", " > ", " >= ", " IS ", " IS NOT "]), text),
    joined("NOT ", condition),
    joined(condition, st.sampled_from([" AND ", " OR "]), condition),
    joined(condition, " IS NULL"),
    joined(number, " IN (", number, ", ", number, ", 3)"),
    joined(text, " NOT IN (", text, ", 'abc')"),
    joined(text, " LIKE ", text),
    joined(number, " BETWEEN ", number, " AND ", number),
    st.sampled_from(
        ["b", "i > 1", "s LIKE '%b%'", "s IS NULL", "d > '2020-01-01'", "x = 1", "s GLOB '*[a-c]*'", "1", "NULL"]
    ),
)


def batches(inner: st.SearchStrategy[str]) -> st.SearchStrategy[list[str]]:
    """Several in one pipeline; SQLite's own parser gives up on very deep ones."""
    return st.lists(inner.filter(lambda one: len(one) < 600), min_size=5, max_size=25)


QUICK = settings(max_examples=examples(12, 400), suppress_health_check=list(HealthCheck))


@QUICK
@given(texts=batches(st.one_of(number, text, condition)))
def test_nested_values_are_sqlites(table: Table, texts: list[str]) -> None:
    """Whatever is nested in whatever, the value is SQLite's on every row."""
    report = compare_values(*table, texts)
    assert not report.differences
    assert not report.gaps


@pytest.mark.thorough
@QUICK
@given(texts=batches(condition))
def test_nested_conditions_keep_sqlites_rows(table: Table, texts: list[str]) -> None:
    """Under any nesting of AND, OR and NOT the rows are SQLite's."""
    report = compare_conditions(*table, texts)
    assert not report.differences
    assert not report.gaps
