"""Types of PostgreSQL's that statements tell, and those whose texts have no order: enums, JSON, instants, intervals."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache

import pytest

from nestling.common.errors import GapError, WorkloadError
from nestling.ir.model import Model
from nestling.ir.statements.algebra import Filter, Query
from nestling.ir.statements.expression import AttributeCast, Compare, Literal, Parameter
from nestling.ir.statements.operands import operands
from nestling.ir.statements.write import Update
from nestling.ir.types import TypeName
from nestling.planner.sql import translate
from nestling.sources.ddl import read_ddl

_SCHEMA = """CREATE TYPE ticket_state AS ENUM ('new', 'solved');
CREATE TABLE ticket (
  id int PRIMARY KEY, state ticket_state, meta jsonb, at timestamptz, spent interval, opens time, name text
);"""


@cache
def model() -> Model:
    """One table of PostgreSQL's own types."""
    return read_ddl(_SCHEMA, "desk", dialect="postgresql").model


@pytest.mark.parametrize("value", ["'solved'", ":state"])
@pytest.mark.parametrize("kind", ["ticket_state", "desk.ticket_state"])
def test_an_enum_takes_the_text(value: str, kind: str) -> None:
    """A cast to a type of the user's own says nothing new, in a condition and in an assignment."""
    plain = translate(f"SELECT id FROM ticket WHERE state = {value}", model(), "postgresql")
    assert translate(f"SELECT id FROM ticket WHERE state = {value}::{kind}", model(), "postgresql") == plain
    assert translate(f"UPDATE ticket SET state = CAST({value} AS {kind})", model(), "postgresql") == translate(
        f"UPDATE ticket SET state = {value}", model(), "postgresql"
    )


@pytest.mark.parametrize("value", ["'{\"a\": 1}'", ":meta"])
def test_json_is_read_as_it_is_stored(value: str) -> None:
    """With the cast and without."""
    for cast in ("", "::jsonb", "::json"):
        write = translate(f"UPDATE ticket SET meta = {value}{cast}", model(), "postgresql")
        assert isinstance(write, Update)
        (change,) = write.assignments
        assert isinstance(change.expression, AttributeCast)
        assert change.expression.type.name is TypeName.JSON
        assert isinstance(change.expression.operand, Literal | Parameter)


@pytest.mark.parametrize(
    "value", ["'2025-03-01 11:00:00.5+01'", "'2025-03-01 10:00:00.5'::timestamptz", "timestamptz '2025-03-01 11:00:00.5+01'"]
)  # fmt: skip
def test_instants_are_in_utc(value: str) -> None:
    """Whatever offset they are written with."""
    query = translate(f"SELECT id FROM ticket WHERE at > {value}", model(), "postgresql")
    assert isinstance(query, Query)
    (rows,) = [each for each in _within(query.relation) if isinstance(each, Filter)]
    assert isinstance(rows.predicate, Compare)
    (literal,) = [each for each in operands(rows.predicate) if isinstance(each, Literal)]
    assert literal.value == datetime(2025, 3, 1, 10, 0, 0, 500000, tzinfo=UTC)


def _within(relation: object) -> list[object]:
    inner = getattr(relation, "input", None)
    return [relation, *(_within(inner) if inner is not None else [])]


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("SELECT sum(spent) FROM ticket", "SUM of intervals"),
        ("SELECT avg(spent) FROM ticket", "AVG of intervals"),
        ("SELECT max(spent) FROM ticket", "MAX of intervals"),
        ("SELECT id FROM ticket ORDER BY spent", "an order of intervals"),
        ("SELECT id FROM ticket WHERE spent > '2 hours'", "a comparison of intervals"),
        ("SELECT meta->'src' FROM ticket", "`meta -> 'src'`"),
        ("SELECT at AT TIME ZONE 'CET' FROM ticket", "a time zone that is not a constant name"),
        ("SELECT id::regclass FROM ticket", "CAST to"),
    ],
)
def test_gaps_say_what_the_statement_says(sql: str, what: str) -> None:
    """Texts of intervals have an order of their own; and no names of anybody's classes."""
    with pytest.raises(GapError) as caught:
        translate(sql, model(), "postgresql")
    assert what in caught.value.problems[0].what


def test_there_is_no_sum_of_texts() -> None:
    """As PostgreSQL says."""
    with pytest.raises(WorkloadError, match="there is no SUM of text"):
        translate("SELECT sum(name) FROM ticket", model(), "postgresql")
    with pytest.raises(WorkloadError, match="there is no AVG of json"):
        translate("SELECT avg(meta) FROM ticket", model(), "postgresql")


def test_a_time_is_kept_in_one_form() -> None:
    """However it is written."""
    query = repr(translate("SELECT id FROM ticket WHERE opens > '8:30'", model(), "postgresql"))
    assert "'08:30:00'" in query


_SHOP = "CREATE TABLE visit (id int PRIMARY KEY, opens time, day date, doc json);"


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("SELECT id FROM visit WHERE opens < 'soon'", "a comparison of a time of day with text"),
        ("SELECT id FROM visit WHERE opens < day", "a comparison of a time of day with date"),
        ("SELECT id FROM visit WHERE doc = '1'", "a comparison of JSON with text"),
        ("SELECT coalesce(day, opens) FROM visit", "date and time in one value"),
        ("SELECT coalesce(doc, day) FROM visit", "date and json in one value"),
    ],
)
def test_what_mysql_makes_of_two_types_is_a_gap(sql: str, what: str) -> None:
    """Where it converts in a way of its own."""
    with pytest.raises(GapError, match=what):
        translate(sql, read_ddl(_SHOP, "shop", dialect="mysql").model, "mysql")
