"""Law 1 for reads: random statements on random designs over random data return what SQLite returns.

A round loads one world by one design and runs many statements on it, since loading is what takes time. `make soak` runs at
least 20,000 statements and prints them by primitive and by construct; `benchmarks.soak` goes on for as long as it is told.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from pymongo import MongoClient

from tests.laws.reads import round_of_reads
from tests.laws.tally import Counts
from tests.soaking import SOAKING, examples

ROUNDS = examples(7, 400, "NESTLING_STATEMENT_ROUNDS")
"""A round takes two seconds or so."""
STATEMENTS = 60 if SOAKING else 20


@pytest.mark.timeout(0 if SOAKING else 900)  # finding the smallest example of a failure takes minutes
@given(st.data())
@settings(
    max_examples=ROUNDS,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
def test_statements_answer_as_sqlite_does(
    mongo_client: MongoClient[dict[str, Any]], tally: Counts, data: st.DataObject
) -> None:
    """The same bag, in the same order where ORDER BY fixes it; or a typed gap, or a choice SQL leaves open."""
    for statement, outcome, _, design in round_of_reads(data, mongo_client, tally, count=STATEMENTS):
        if outcome.failed:
            note(repr(design.collections))
        assert not outcome.failed, f"{outcome.verdict}: {statement.sql}\n{statement.values}\n{outcome.cause}"
