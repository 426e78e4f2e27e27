"""Pipelines of light stages alone: a read of one document's array is priced about as a `find` of its rows.

How fast they are on a server is measured by `benchmarks.light_stages`.
"""

from __future__ import annotations

from pathlib import Path

from nestling.pipeline import design
from tests.people import people
from tests.two_prices import two_prices

MOST = 1.25
"""How many times the other's price the read inside a document has at most."""


def test_light_stages_cost_little(tmp_path: Path) -> None:
    """Both the search's price and that of what is compiled."""
    reading = people(tmp_path, 'pets: {sql: "SELECT id, name FROM pet WHERE person_id = :id", rate: 50/s}')
    inside, apart = (two_prices(reading, design(reading, each))["pets"] for each in ("embedded", "normalized"))
    assert inside.search < MOST * apart.search
    assert inside.compiled < MOST * apart.compiled
