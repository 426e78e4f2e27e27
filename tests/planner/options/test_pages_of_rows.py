"""A page of rows in an order: what an index leads to is read until enough rows fulfil all that is asked."""

from __future__ import annotations

from pathlib import Path

from nestling.pipeline import design
from tests.people import people
from tests.two_prices import two_prices

PAGE = "SELECT id, name FROM pet WHERE person_id = :id AND id > :after ORDER BY id LIMIT 30"
ADD = 'add_pet: {sql: "INSERT INTO pet (id, person_id, name) VALUES (:id, :person, :name)", rate: 20/s}'


def test_rows_of_others_are_read_on_the_way(tmp_path: Path) -> None:
    """All pets in their order are those of all people: the next of one person are found by an index on both."""
    reading = people(tmp_path, f'next: {{sql: "{PAGE}", rate: 60/s}}', ADD, mean=1_000, most=9_000)
    made = design(reading)
    assert [("person_id", 1), ("_id", 1)] in [list(index.keys) for index in made.design.indexes]
    assert two_prices(reading, made)["next"].factor < 1.2
