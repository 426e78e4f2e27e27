"""Hypothesis strategies for small SQLite queries over two tables, and for rows that make them disagree."""

# ruff: noqa: E501 - SQL reads best on one line
from __future__ import annotations

import sqlite3
from functools import cache

from hypothesis import strategies as st

from tests.planner.sql.sqlite_oracle import Oracle

SCHEMA = "CREATE TABLE t (a INTEGER, b TEXT, c NUMERIC, d, e DATE, f BOOLEAN, g REAL); CREATE TABLE u (a INTEGER, b TEXT, k TEXT, n INT)"
TEXTS = ("", "a", "A", "b", "ab", "1", "1.0", " 2", "3x", "0", "é", "a%", "10")
COLUMNS = {"t": "abcdefg", "u": "abkn"}

integers = st.none() | st.integers(-2, 3)
texts = st.none() | st.sampled_from(TEXTS)
numbers = integers | st.sampled_from((0.5, 1.5, 2.0, -1.25))
anything = integers | texts | numbers
dates = st.none() | st.sampled_from(("2020-01-31", "2020-02-29", "1999-12-31", "2024-07-04"))
truths = st.none() | st.booleans()
reals = st.none() | st.sampled_from((0.0, 1.0, -1.0, 0.25, 1e10, 2.5))


@st.composite
def databases(draw: st.DrawFn) -> Oracle:
    """Both tables with up to six rows: NULLs, ties and duplicates are likely."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA)
    t = draw(st.lists(st.tuples(integers, texts, numbers, anything, dates, truths, reals), max_size=6))
    u = draw(st.lists(st.tuples(integers, texts, texts, integers), max_size=5))
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)", t)
    connection.executemany("INSERT INTO u VALUES (?, ?, ?, ?)", u)
    return Oracle.of(connection)


def quoted(value: object) -> str:
    return "NULL" if value is None else "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


literals = st.one_of(integers, texts, numbers, dates).map(quoted)


@cache
def columns(tables: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.sampled_from([f"{alias}.{name}" for alias in tables for name in COLUMNS[alias[0]]])


@cache
def scalars(tables: tuple[str, ...], depth: int = 2) -> st.SearchStrategy[str]:
    base = columns(tables) | columns(tables) | literals
    if depth == 0:
        return base
    inner = scalars(tables, depth - 1)
    whole = inner.map(lambda x: f"CAST({x} AS INTEGER)")
    return st.one_of(
        base,
        st.builds("({} {} {})".format, inner, st.sampled_from("+-*/"), inner),
        st.builds("({} || {})".format, inner, inner),
        st.builds("coalesce({}, {})".format, inner, inner),
        st.builds("nullif({}, {})".format, inner, inner),
        st.builds("CASE WHEN {} THEN {} ELSE {} END".format, conditions(tables, depth - 1), inner, inner),
        st.builds("CASE {} WHEN {} THEN {} END".format, inner, inner, inner),
        st.builds("{}({})".format, st.sampled_from(("upper", "lower", "length", "abs", "trim", "typeof")), inner),
        st.builds("substr({}, {}, {})".format, inner, st.integers(-3, 3), st.integers(-2, 3)),
        st.builds("replace({}, 'a', {})".format, inner, inner),
        st.builds("instr({}, {})".format, inner, inner),
        st.builds("CAST({} AS {})".format, inner, st.sampled_from(("INTEGER", "TEXT", "REAL", "NUMERIC"))),
        st.builds("max({}, {})".format, inner, inner),
        st.builds("({} % {})".format, whole, whole),
        st.builds("date(t.e, '{:+d} {}')".format, st.integers(-40, 40), st.sampled_from(("day", "month", "year")))
        if "t" in tables
        else base,
    )


@cache
def conditions(tables: tuple[str, ...], depth: int = 2) -> st.SearchStrategy[str]:
    value = scalars(tables, min(depth, 1))
    base = st.one_of(
        st.builds("{} {} {}".format, value, st.sampled_from(("=", "<>", "<", "<=", ">", ">=", "IS", "IS NOT")), value),
        st.builds("{} IS {}NULL".format, value, st.sampled_from(("", "NOT "))),
        st.builds("{} {}IN ({}, {})".format, value, st.sampled_from(("", "NOT ")), value, literals),
        st.builds("{} {}BETWEEN {} AND {}".format, value, st.sampled_from(("", "NOT ")), value, value),
        st.builds("({}, {}) {} ({}, {})".format, value, value, st.sampled_from(("=", "<>", "<", "<=", ">", ">=")), value, value),
        st.builds("{} {}LIKE {}".format, value, st.sampled_from(("", "NOT ")), st.sampled_from(("'a%'", "'%1%'", "'_'", "NULL", "''"))),
        value,
    )  # fmt: skip
    if depth == 0:
        return base
    inner = conditions(tables, depth - 1)
    return st.one_of(
        base,
        st.builds("({} AND {})".format, inner, inner),
        st.builds("({} OR {})".format, inner, inner),
        st.builds("NOT ({})".format, inner),
        st.builds("{} {}IN (SELECT {} FROM u u2 WHERE {})".format, value, st.sampled_from(("", "NOT ")), columns(("u2",)), conditions((*tables, "u2"), 0)),
        st.builds("EXISTS (SELECT 1 FROM t t2 WHERE {})".format, conditions((*tables, "t2"), 0)),
        st.builds("{} > (SELECT max({}) FROM u u3 WHERE {})".format, value, columns(("u3",)), conditions((*tables, "u3"), 0)),
    )  # fmt: skip


@st.composite
def queries(draw: st.DrawFn) -> str:
    """A SELECT, perhaps with a join, a grouping, a set operation, an order over all columns and a limit."""
    shape = draw(st.sampled_from(("plain", "plain", "group", "set", "window")))
    if shape == "set":
        return _set(draw)
    tables, source = draw(_sources())
    where = draw(st.just("") | conditions(tables).map(" WHERE {}".format))
    if shape == "group":
        return _group(draw, tables, source + where)
    if shape == "window":
        return _window(draw, tables, source + where)
    outputs = draw(st.lists(scalars(tables), min_size=1, max_size=3))
    distinct = draw(st.sampled_from(("", "", "DISTINCT ")))
    listed = ", ".join(f"{output} AS o{place}" for place, output in enumerate(outputs))
    return f"SELECT {distinct}{listed} FROM {source}{where}{_tail(draw, len(outputs))}"


@st.composite
def _sources(draw: st.DrawFn) -> tuple[tuple[str, ...], str]:
    kind = draw(st.sampled_from(("", "", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", ",")))
    if not kind:
        return ("t",), "t"
    if kind == ",":
        return ("t", "u"), "t, u"
    on = draw(
        st.sampled_from(("t.a = u.a", "t.b = u.b", "t.a = u.b", "t.d = u.k AND t.a > 0")) | conditions(("t", "u"), 0)
    )
    return ("t", "u"), f"t {kind} u ON {on}"


def _tail(draw: st.DrawFn, width: int) -> str:
    order = draw(st.lists(st.sampled_from(range(1, width + 1)), unique=True, max_size=width))
    marks = [f"{place}{draw(st.sampled_from(('', ' DESC', ' NULLS LAST', ' DESC NULLS FIRST')))}" for place in order]
    limit = draw(st.sampled_from(("", "", " LIMIT 2", " LIMIT 3 OFFSET 1", " LIMIT -1 OFFSET 2")))
    return (" ORDER BY " + ", ".join(marks) if marks else "") + limit


def _group(draw: st.DrawFn, tables: tuple[str, ...], source: str) -> str:
    keys = draw(st.lists(scalars(tables, 1), max_size=2))
    aggregates = draw(
        st.lists(
            st.builds(
                "{}({}{})".format,
                st.sampled_from(("count", "sum", "avg", "min", "max", "total")),
                st.sampled_from(("", "", "DISTINCT ")),
                scalars(tables, 1),
            )
            | st.just("count(*)"),
            min_size=1,
            max_size=3,
        )
    )
    keys = [key for key in keys if not key.lstrip("-").replace(".", "").isdecimal()]
    outputs = ", ".join(f"{item} AS o{place}" for place, item in enumerate([*keys, *aggregates]))
    by = f" GROUP BY {', '.join(keys)}" if keys else ""
    having = draw(st.sampled_from(("", "", " HAVING count(*) > 1", f" HAVING {aggregates[0]} IS NOT NULL")))
    return f"SELECT {outputs} FROM {source}{by}{having}{_tail(draw, len(keys) + len(aggregates))}"


def _set(draw: st.DrawFn) -> str:
    sides = []
    for _ in range(draw(st.integers(2, 3))):
        name = draw(st.sampled_from(("t", "u")))
        outputs = ", ".join(draw(scalars((name,), 1)) for _ in range(2))
        where = draw(st.just("") | conditions((name,), 0).map(" WHERE {}".format))
        sides.append(f"SELECT {outputs} FROM {name}{where}")
    text = sides[0]
    for side in sides[1:]:
        text += draw(st.sampled_from((" UNION ", " UNION ALL ", " INTERSECT ", " EXCEPT "))) + side
    return text + _tail(draw, 2)


def _window(draw: st.DrawFn, tables: tuple[str, ...], source: str) -> str:
    function = draw(
        st.sampled_from(("rank()", "dense_rank()", "count(*)", "sum(t.a)", "min(t.b)", "max(t.d)", "avg(t.g)"))
    )
    partition = draw(st.just("") | scalars(tables, 1).map("PARTITION BY {} ".format))
    order = draw(columns(tables))
    frame = draw(st.sampled_from(("", "", " RANGE UNBOUNDED PRECEDING", " GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW")))
    return f"SELECT t.a, {function} OVER ({partition}ORDER BY {order}{frame}) FROM {source}"
