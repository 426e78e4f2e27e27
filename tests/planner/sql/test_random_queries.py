"""Random queries over random rows, through the algebra and by SQLite."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import HealthCheck, given, reject, settings

from nestling.planner.sql.gaps import StatementGap
from tests.planner.sql.sql_text import databases, queries
from tests.planner.sql.sqlite_oracle import Oracle

pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")
_SLOW = (HealthCheck.too_slow, HealthCheck.filter_too_much)


_GAPS = ("(DISTINCT) of values that are not numbers", "LIKE NULL with a value that may be bytes")
"""Those there are among these queries."""


def check(oracle: Oracle, sql: str) -> None:
    try:
        answer = oracle.ask(sql)
    except sqlite3.OperationalError:  # SQLite refuses it as well, such as an overflow
        reject()
    except StatementGap as gap:
        if not any(each in str(gap) for each in _GAPS):
            raise
        reject()
    assert answer.equal() or answer.arbitrary, f"{sql}\n{answer.mine} is not {answer.theirs}"
    assert answer.query.names == answer.names


@settings(max_examples=250, suppress_health_check=_SLOW)
@given(databases(), queries())
def test_random_queries_answer_as_sqlite_does(oracle: Oracle, sql: str) -> None:
    """Whatever the query and the rows, the answers differ at most where SQL leaves a choice."""
    check(oracle, sql)


@pytest.mark.soak
@settings(max_examples=8_000, suppress_health_check=_SLOW)
@given(databases(), queries())
def test_many_random_queries_answer_as_sqlite_does(oracle: Oracle, sql: str) -> None:
    """The same at length."""
    check(oracle, sql)
