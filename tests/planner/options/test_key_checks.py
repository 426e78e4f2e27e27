"""What keys and foreign keys cost a row that is put into its parent's document: what the write's program asks, and no more."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling.pipeline import design
from tests.people import people
from tests.two_prices import two_prices

ADD_PET = 'add_pet: {sql: "INSERT INTO pet (id, person_id, name) VALUES (:id, :person, :name)", rate: 1/s}'


@pytest.mark.parametrize("key", ["id", "person_id, id", "person_id, id, name"])
def test_the_parent_is_not_read_before(tmp_path: Path, key: str) -> None:
    """The command that puts the row there finds its parent or refuses the row, whatever the row's own key is."""
    reading = people(tmp_path, ADD_PET, key=key)
    prices = two_prices(reading, design(reading, "embedded"))["add_pet"]
    assert prices.factor < 1.3, prices
