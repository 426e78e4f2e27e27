"""Every node and function, as values over the torture table, beside SQLite."""

from __future__ import annotations

import pytest

from nestling.emitters.mql.sql import RenderingGap, value_mql
from tests.emitters.mql.sql.beside import Fields, compare_values, failing, outputs
from tests.emitters.mql.sql.conftest import Table

ARITHMETIC = (
    "i + 1",
    "j - i",
    "i * j",
    "f + g",
    "f * g - 0.1",
    "i + f",
    "f - i",
    "i * f",
    "i / j",
    "i / 2",
    "i % j",
    "i % 7",
    "j / 0",
    "j % 0",
    "f / g",
    "n / 2",
    "n / i",
    "n * 2 + 1",
    "i / f",
    "-j",
    "-f",
    "f + 0.1 + 0.2",
    "0.1 + f + 0.2",
    "g * 0.1 * 0.3",
    "(f + 1) * (g - 1)",
    "9223372036854775807 + j",
    "(-9223372036854775807 - 1) / -1",
    "b + 1",
    "i = 1",
    "x IS 1",
)
LOGIC = (
    "i = j",
    "i < f",
    "i <> j",
    "s <= z",
    "x >= i",
    "y < x",
    "i IS NULL",
    "i IS j",
    "i IS NOT j",
    "NOT (i < j)",
    "i IN (1, NULL)",
    "i NOT IN (1, j)",
    "i BETWEEN j AND 10",
    "s LIKE 'a%'",
    "s LIKE z",
    "b AND i",
    "b OR i > 1",
    "NOT b",
    "i > 1 AND s IS NULL",
    "(i > 1) = (f > 1)",
    "d < ts",
    "d = '2024-02-29'",
    "i > 3 OR NULL",
    "i > 3 AND NULL",
    "NULL IN (1)",
    "1 IN ()",
    "CASE WHEN i > 1 THEN s WHEN i IS NULL THEN 'none' END",
    "CASE i WHEN 1 THEN 'one' WHEN 3 THEN 'three' ELSE 'x' END",
    "CASE WHEN b THEN i ELSE f END",
    "coalesce(i, j, 5)",
    "coalesce(s, i)",
    "coalesce(NULL, s)",
    "nullif(i, j)",
    "ifnull(s, 'none')",
    "iif(i > 0, 'p', 'n')",
    "max(i, j)",
    "min(s, z)",
    "max(i, f, 3)",
    "min(x, i)",
    "max(s, z, 'b')",
    "typeof(y)",
    "typeof(i)",
    "typeof(n)",
)
CONVERSIONS = (
    "CAST(f AS TEXT)",
    "CAST(n AS TEXT)",
    "CAST(i AS TEXT)",
    "CAST(x AS TEXT)",
    "CAST(s AS INTEGER)",
    "CAST(s AS REAL)",
    "CAST(f AS INTEGER)",
    "CAST(i * i AS INTEGER)",
    "CAST(i AS REAL)",
    "CAST(s AS NUMERIC)",
    "CAST(s AS NUMERIC) / 4",
    "CAST(x AS NUMERIC)",
    "CAST('10.0' AS NUMERIC) / 4",
    "'10.0' / 4",
    "s / 4",
    "s + 0",
    "(s || '.0') / 4",
    "(i || '.0') + 1",
    "CAST(i || '.0' AS NUMERIC)",
    "CAST(x AS INTEGER)",
    "CAST(x AS REAL)",
    "CAST(b AS TEXT)",
    "CAST(d AS TEXT)",
    "CAST(d AS INTEGER)",
    "CAST(i > 1 AS TEXT)",
    "printf('%d|%5d|%-5d|%05d', i, j, i, j)",
    "printf('%s|%6s', s, z)",
    "iif(abs(f) < 1e12 AND abs(g) < 1e12 AND abs(n) < 1e12, printf('%.2f|%8.1f|%.0f', f, g, n), '')",
    "i || s",
    "d || ''",
    "ts || 'x'",
    "b || ''",
    "f || '|'",
    "n || '|'",
    "x || '|'",
    "'$x'",
    "'{\"$ne\": 1}'",
    "NULL",
    "1.5",
    "5",
    "s = 12",
    "i < '12'",
    "s * 1.0",
    "'12' = i",
    "x = '1'",
    "n > '1.5'",
)
TEXTS = (
    "upper(s)",
    "lower(s)",
    "length(s)",
    "length(i)",
    "length(f)",
    "substr(s, 2)",
    "substr(s, 2, 2)",
    "substr(s, -2)",
    "substr(s, -3, 2)",
    "substr(s, 0, 2)",
    "substr(s, 0)",
    "substr(s, 3, -2)",
    "substr(s, j % 9, 3)",
    "substr(s, -1, j % 5)",
    "substr(s, i % 7, j % 7)",
    "substr(s, 2, i % 7)",
    "substr(s, i % 7 - 3, j % 9 - 4)",
    "substr(s, -3, -2)",
    "instr(s, 'b')",
    "instr(s, '')",
    "instr(s, z)",
    "replace(s, 'a', 'x')",
    "replace(s, '', 'x')",
    "replace(s, z, '-')",
    "trim(s)",
    "ltrim(s, 'a')",
    "rtrim(s, ' c')",
    "trim(s, z)",
    "char(36)",
    "x GLOB 'a*'",
    "s GLOB '[a-c]*'",
    "s GLOB '*[^a]?'",
    "s GLOB 'A?c%'",
    "s GLOB '[]x]*'",
    "s GLOB '[z'",
    "s GLOB NULL",
)
NUMBERS = (
    "abs(j)",
    "abs(f)",
    "abs(n)",
    "round(f)",
    "round(f, 1)",
    "round(n, 2)",
    "round(g * 1.005, 2)",
    "round(i / 7.0, 3)",
    "round(-2.5)",
    "round(2.675, 2)",
    "round(f, 15)",
    "round(g / 3, 2)",
    "round(n * 1.15, 1)",
    "round(i)",
    "round(f, -1)",
    "round(f, NULL)",
    "sign(f)",
    "sign(i)",
    "floor(f)",
    "ceil(f)",
    "floor(i)",
    "sqrt(f)",
    "sqrt(i)",
    "pow(g, 2)",
    "pow(f, 0.5)",
    "pow(f, -1)",
    "exp(g / 100000)",
    "ln(f)",
    "log10(i)",
    "log2(j + 1)",
)
TIMES = (
    "date(d)",
    "datetime(ts)",
    "time(ts)",
    "strftime('%Y', d)",
    "strftime('%Y-%m', ts)",
    "strftime('%W %w %j %s', d)",
    "strftime('%H:%M:%f', ts)",
    "strftime('%d%%', d)",
    "strftime('%j', j + 2460000)",
    "date(d, '+1 month')",
    "date(d, '-1 year', '+3 days')",
    "date('2024-01-31', '+1 month')",
    "date(CASE WHEN length(s) > 5 THEN s END)",
    "date(CASE WHEN typeof(x) = 'text' AND length(x) > 3 THEN x END)",
    "datetime(CASE WHEN abs(j) > 100 THEN j % 5000000 ELSE 2460000.5 END)",
    "date(ts, 'start of month')",
    "date(ts, 'start of year', '+1 month', '-1 day')",
    "datetime(ts, '-36 hours', '+1.5 minutes')",
    "julianday(d)",
    "julianday(ts) - julianday(d)",
    "CAST(strftime('%Y', d) AS INTEGER)",
    "unixepoch(ts)",
    "date(d) = d",
    "d > date(ts)",
    "ts > datetime(d, '+1 day')",
    "datetime('2024-02-29 12:30:45.678+02:00')",
    "datetime('12:30')",
    "datetime('2024-02-29T12:30Z')",
    "datetime(' 2024-02-29')",
    "strftime('%f', '2024-02-29 12:30:45.678')",
    "date('nope')",
    "date(NULL)",
)
GROUPS = {
    "arithmetic": ARITHMETIC,
    "logic": LOGIC,
    "conversions": CONVERSIONS,
    "texts": TEXTS,
    "numbers": NUMBERS,
    "times": TIMES,
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("prefix", ["$", "$$this."])
@pytest.mark.parametrize("group", GROUPS)
def test_values_are_sqlites(table: Table, group: str, prefix: str) -> None:
    """Each expression gives SQLite's value, class included, on every row; as fields and as an enclosing variable's."""
    report = compare_values(*table, GROUPS[group], Fields(prefix=prefix))
    assert not report.differences
    assert not report.gaps
    assert report.compared == len(GROUPS[group]) * 130


def test_parameters_are_values(table: Table) -> None:
    """A bound parameter is what its value is, whatever it looks like."""
    bound: dict[str, object] = {"number": 3, "text": "$s", "nothing": None, "numeral": "3", "pattern": "%b%"}
    texts = (
        "i + :number",
        "s || :text",
        "coalesce(:nothing, i)",
        "i = :numeral",
        "i + :number > f",
        ":text",
        "s LIKE :pattern",
        "s NOT LIKE :pattern",
        "s LIKE '%' || :text || '%'",
        "i = :nothing",
        "substr(s, :number)",
        "replace(s, 'a', :text)",
    )
    report = compare_values(*table, texts, Fields(bound))
    assert not report.differences + report.gaps


def test_days_of_the_year_before_year_zero_fail(table: Table) -> None:
    """SQLite counts them from another day than the calendar's; a NULL and a number that is no Julian day stay NULL."""
    (told, none) = outputs("SELECT strftime('%j', id + 41000), strftime('%j', id - 1000) FROM t", table[0].model)
    assert "a time before the year 0" in failing(table[1], told, Fields())[0]
    assert set(failing(table[1], none, Fields())) == {None}


@pytest.mark.parametrize("text", ["max(x'01', x'ff00')", "min(x'01', NULL)"])
def test_bytes_have_no_order(table: Table, text: str) -> None:
    """MongoDB sorts shorter ones first."""
    (expression,) = outputs(f"SELECT {text} AS v FROM t", table[0].model)
    with pytest.raises(RenderingGap, match="an order of bytes"):
        value_mql(expression, Fields())
