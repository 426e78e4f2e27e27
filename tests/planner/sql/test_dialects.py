"""What dialects do differently is in the nodes."""

# ruff: noqa: E501 - SQL reads best on one line
from __future__ import annotations

from datetime import date, datetime

import pytest

from nestling.common.errors import WorkloadError
from nestling.ir.statements import algebra as a
from nestling.ir.statements import expression as e
from nestling.ir.statements.operators import CaseRule, Division, Function
from nestling.ir.statements.write import Delete
from nestling.ir.types import INTEGER, TEXT, Type, TypeName
from nestling.planner.sql import translate
from tests.planner.sql.shop_rows import shop


def output(sql: str, dialect: str) -> e.Expression:
    """The first output of a query."""
    query = translate(sql, shop().model, dialect)
    assert isinstance(query, a.Query)
    assert isinstance(query.relation, a.Project)
    return query.relation.outputs[0].expression


def condition(sql: str, dialect: str) -> e.Expression:
    """The WHERE of a query over one table."""
    query = translate(sql, shop().model, dialect)
    assert isinstance(query, a.Query)
    assert isinstance(query.relation, a.Project)
    assert isinstance(query.relation.input, a.Filter)
    return query.relation.input.predicate


@pytest.mark.parametrize(
    ("dialect", "division", "zero_fails"),
    [("sqlite", Division.INTEGER, False), ("postgresql", Division.INTEGER, True), ("mysql", Division.DECIMAL, False)],
)  # fmt: skip
def test_division_of_integers(dialect: str, division: Division, zero_fails: bool) -> None:
    """SQLite and PostgreSQL truncate, MySQL does not; only PostgreSQL fails on zero."""
    found = output("SELECT id / 2 FROM person", dialect)
    if dialect == "mysql":  # which rounds it to be shown
        assert isinstance(found, e.Call)
        found = found.arguments[0]
    assert isinstance(found, e.Arithmetic)
    assert (found.division, found.zero_fails) == (division, zero_fails)


@pytest.mark.parametrize(
    ("dialect", "column", "kind"),
    [
        ("sqlite", "id", TypeName.FLOAT),
        ("sqlite", "pay", TypeName.FLOAT),
        ("postgresql", "pay", TypeName.DECIMAL),
        ("postgresql", "score", TypeName.FLOAT),
        ("mysql", "id", TypeName.INTEGER),
        ("mysql", "score", TypeName.FLOAT),
    ],
)
def test_what_is_rounded_has_a_type(dialect: str, column: str, kind: TypeName) -> None:
    """SQLite rounds to floats; the servers keep exact numbers exact, and MySQL integers integers."""
    assert output(f"SELECT round({column}) FROM person", dialect).type.name is kind


def test_division_of_a_numeric_column_goes_by_value() -> None:
    """SQLite's NUMERIC holds integers and floats side by side."""
    found = output("SELECT pay / 2 FROM person", "sqlite")
    assert isinstance(found, e.Arithmetic)
    assert found.division is Division.BY_VALUE


@pytest.mark.parametrize(
    ("dialect", "case", "escape"),
    [
        ("sqlite", CaseRule.ASCII, None),
        ("postgresql", CaseRule.EXACT, "\\"),
        ("mysql", CaseRule.EXACT, "\\"),
    ],
)
def test_like(dialect: str, case: CaseRule, escape: str | None) -> None:
    """LIKE's case rule and escape are the dialect's; MySQL's goes by the column's collation, here binary."""
    found = condition("SELECT id FROM person WHERE name LIKE 'a%'", dialect)
    assert isinstance(found, e.Like)
    assert (found.case, found.escape) == (case, escape)


def test_ilike_and_an_own_escape() -> None:
    """ILIKE folds case; ESCAPE replaces the dialect's."""
    found = condition("SELECT id FROM person WHERE name NOT ILIKE 'a#%' ESCAPE '#'", "postgresql")
    assert isinstance(found, e.Not)
    assert found.operand == e.Like(e.Column("person", "name", TEXT), e.Literal("a#%", TEXT), "#", CaseRule.LOWER)


def test_truth_is_a_number_where_it_is_one() -> None:
    """A computed truth value is 0 or 1 in SQLite, and true or false in PostgreSQL."""
    assert output("SELECT id = 1 FROM person", "sqlite").type.name is TypeName.INTEGER
    assert output("SELECT id = 1 FROM person", "postgresql").type.name is TypeName.BOOLEAN


def test_concatenation_and_null() -> None:
    """`||` and MySQL's CONCAT yield NULL, PostgreSQL's concat() leaves NULLs out; `||` is OR in MySQL."""
    calls = [
        output("SELECT name || 'x' FROM person", "postgresql"),
        output("SELECT concat(name, 'x') FROM person", "mysql"),
        output("SELECT concat(name, 'x') FROM person", "postgresql"),
    ]
    functions = [call.function for call in calls if isinstance(call, e.Call)]
    assert functions == [Function.CONCAT, Function.CONCAT, Function.CONCAT_PRESENT]
    assert isinstance(condition("SELECT id FROM person WHERE active || id", "mysql"), e.Or)


def test_postgresql_types_its_constants_and_parameters() -> None:
    """An untyped constant is read as the other side's type when the statement is translated."""
    day = condition("SELECT id FROM person WHERE born >= '2020-01-31'", "postgresql")
    assert isinstance(day, e.Compare)
    assert day.right == e.Literal(date(2020, 1, 31), Type(TypeName.DATE))
    moment = condition("SELECT city FROM visit WHERE at < '2020-01-31'", "postgresql")
    assert isinstance(moment, e.Compare)
    assert moment.right == e.Literal(datetime(2020, 1, 31), Type(TypeName.TIMESTAMP))  # noqa: DTZ001
    named = condition("SELECT id FROM person WHERE born >= :day", "postgresql")
    assert isinstance(named, e.Compare)
    assert isinstance(named.right, e.Parameter)
    assert named.right.type.name is TypeName.DATE


@pytest.mark.parametrize(("dialect", "sent"), [("postgresql", TypeName.DATE), ("mysql", TypeName.ANY)])
def test_what_is_not_known_does_not_decide_a_common_type(dialect: str, sent: TypeName) -> None:
    """NULL and parameters become what the other values are; PostgreSQL has it sent as that."""
    null, named = (output(f"SELECT coalesce(born, {last}) FROM person", dialect) for last in ("NULL", ":day"))
    assert null.type == named.type == Type(TypeName.DATE)
    assert isinstance(named, e.Call)
    assert named.arguments[1] == e.Parameter("day", Type(sent))


def test_sqlite_compares_dates_as_the_texts_they_are() -> None:
    """A date beside a text is its text; beside a date it is itself."""
    beside_text = condition("SELECT id FROM person WHERE born >= '2020'", "sqlite")
    assert isinstance(beside_text, e.Compare)
    assert isinstance(beside_text.left, e.Raw)
    beside_date = condition("SELECT id FROM person WHERE born = born", "sqlite")
    assert isinstance(beside_date, e.Compare)
    assert isinstance(beside_date.left, e.Column)


@pytest.mark.parametrize(("dialect", "first"), [("sqlite", True), ("mysql", True), ("postgresql", False)])
def test_where_nulls_sort(dialect: str, first: bool) -> None:
    """NULLs come first in SQLite and MySQL, last in PostgreSQL, when nothing is said."""
    query = translate("SELECT id FROM person ORDER BY name", shop().model, dialect)
    assert isinstance(query, a.Query)
    assert isinstance(query.relation, a.Project)
    assert isinstance(query.relation.input, a.Sort)
    assert query.relation.input.keys[0].nulls_first is first


@pytest.mark.parametrize(
    ("sql", "function"),
    [
        ("SELECT extract(year FROM at) FROM visit", Function.TIME_PART),
        ("SELECT date_trunc('month', at) FROM visit", Function.TRUNCATE_TIME),
        ("SELECT at + interval '1 month' FROM visit", Function.ADD_TIME),
        ("SELECT at - stars * interval '30 minutes' FROM visit", Function.ADD_TIME),
        ("SELECT at - at FROM visit", Function.TIME_BETWEEN),
        ("SELECT current_date", Function.DATE_OF),
        ("SELECT lpad(city, 5, '0') FROM visit", Function.PAD_START),
        ("SELECT translate(city, 'a', 'b') FROM visit", Function.TRANSLATE),
        ("SELECT city ~ 'x' FROM visit", Function.MATCHES),
        ("SELECT greatest(stars, 1) FROM visit", Function.GREATEST),
    ],
)
def test_postgresql_functions(sql: str, function: Function) -> None:
    """PostgreSQL's own functions are those of the closed set."""
    found = output(sql, "postgresql")
    assert isinstance(found, e.Call)
    assert found.function is function


@pytest.mark.parametrize(
    ("sql", "function"),
    [
        ("SELECT date_add(at, interval 1 day) FROM visit", Function.ADD_TIME),
        ("SELECT date_format(at, '%Y') FROM visit", Function.FORMAT_TIME),
        ("SELECT year(at) FROM visit", Function.TIME_PART),
        ("SELECT quarter(at) FROM visit", Function.TIME_PART),
        ("SELECT dayofyear(at) FROM visit", Function.TIME_PART),
        ("SELECT datediff(at, at) FROM visit", Function.DAYS_BETWEEN),
        ("SELECT timestampdiff(hour, at, at) FROM visit", Function.UNITS_BETWEEN),
        ("SELECT substring_index(city, ' ', 1) FROM visit", Function.SUBSTRING_INDEX),
        ("SELECT concat_ws(',', city, code) FROM visit", Function.CONCAT_SEPARATED),
        ("SELECT now()", Function.ROUND_TIME),
        ("SELECT now(3)", Function.NOW),
    ],
)
def test_mysql_functions(sql: str, function: Function) -> None:
    """MySQL's own functions are those of the closed set."""
    found = output(sql, "mysql")
    assert isinstance(found, e.Call)
    assert found.function is function


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT count(*), sum(id) AS total, id + 1, coalesce(1, 2) FROM person GROUP BY id", ("count", "total", "?column?", "coalesce")),
        ("SELECT CASE WHEN true THEN 1 END, extract(year FROM born), (SELECT 1) FROM person", ("case", "extract", "?column?")),
    ],
)  # fmt: skip
def test_postgresql_names(sql: str, names: tuple[str, ...]) -> None:
    """PostgreSQL names an output after its function."""
    query = translate(sql, shop().model, "postgresql")
    assert isinstance(query, a.Query)
    assert query.names == names


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql", "mysql"])
def test_parameters_may_be_called_like_keywords(dialect: str) -> None:
    """A word straight behind a colon is a name; casts stay casts."""
    query = translate(
        "SELECT id FROM person WHERE id BETWEEN :from AND :to OR id IN (:in, :select)", shop().model, dialect
    )
    assert all(f"Parameter(name='{name}'" in repr(query) for name in ("from", "to", "in", "select"))
    limited = translate(
        "SELECT CAST(id AS CHAR) AS c FROM person ORDER BY id LIMIT :limit OFFSET :order", shop().model, dialect
    )
    assert all(f"Parameter(name='{name}'" in repr(limited) for name in ("limit", "order"))
    assert isinstance(translate("DELETE FROM person WHERE id = :values", shop().model, dialect), Delete)


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql", "mysql"])
def test_a_limit_larger_than_any_table_is_none(dialect: str) -> None:
    """MySQL has no OFFSET without a LIMIT: its manual says 18446744073709551615; other databases take no such number."""
    model = shop().model
    for number in (2**63 - 1, 2**64 - 1):
        sql = f"SELECT id FROM person ORDER BY id LIMIT {number} OFFSET 2"
        if number < 2**63 or dialect == "mysql":
            query = translate(sql, model, dialect)
            assert isinstance(query, a.Query)
            assert isinstance(query.relation, a.Project)
            limit = query.relation.input
            assert isinstance(limit, a.LimitOffset)
            assert (limit.count, limit.offset) == (None, e.Literal(2, INTEGER))
        else:
            with pytest.raises(WorkloadError, match="a whole number of 64 bits"):
                translate(sql, model, dialect)
    with pytest.raises(WorkloadError, match="a whole number of 64 bits"):
        translate(f"SELECT id FROM person LIMIT {2**64}", model, dialect)
