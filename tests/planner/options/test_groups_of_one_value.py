"""Groups by what a statement fixes are one group, in both prices."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.people import people
from tests.planner.options.test_bucket_prices import HOMES, with_home
from tests.two_prices import two_prices

COUNT = "SELECT person_id, count(*) AS n FROM pet WHERE person_id = :id GROUP BY person_id"
ADD = 'add_pet: {sql: "INSERT INTO pet (id, person_id, name) VALUES (:id, :person, :name)", rate: 20/s}'
ONE_ANSWER = 1.5e-3
"""Seconds to read a person's thousand pets, or the entries of an index, and to send one row."""


@pytest.mark.parametrize("home", HOMES)
def test_one_group_is_sent(tmp_path: Path, home: str) -> None:
    """One person's pets are one group, wherever they live, and not as many as there are people."""
    reading = people(tmp_path, f'count: {{sql: "{COUNT}", rate: 60/s}}', ADD, mean=1_000, most=2_000)
    prices = two_prices(reading, with_home(reading, f"pet {home}"))["count"]
    assert prices.factor < 1.25
    assert max(prices.search, prices.compiled) < ONE_ANSWER
