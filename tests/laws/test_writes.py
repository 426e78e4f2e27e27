"""Law 1 for writes: after random traces of INSERT, UPDATE and DELETE every home holds what SQLite's table holds.

And every copy, computed value and array of ids is what the homes imply. What a design cannot do is a typed gap, and counted.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pymongo import MongoClient

from tests.laws.tally import Counts
from tests.laws.writes import round_of_writes
from tests.soaking import SOAKING, examples

TRACES = examples(12, 2000, "NESTLING_WRITE_TRACES")
"""A trace takes a second or two; so many keep the default suite quick. Set NESTLING_WRITE_TRACES for any other number."""
STATEMENTS = 8


@pytest.mark.timeout(0 if SOAKING else 900)  # finding the smallest example of a failure takes minutes
@given(st.data())
@settings(max_examples=TRACES, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_trace_leaves_what_sqlite_leaves(
    mongo_client: MongoClient[dict[str, Any]], tally: Counts, data: st.DataObject
) -> None:
    """Homes after each statement, derived values at the end."""
    round_of_writes(data, mongo_client, tally, count=STATEMENTS)
