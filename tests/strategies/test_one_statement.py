"""Two statements of one page that would be one read: a note says so where the children live apart and may be embedded."""

from __future__ import annotations

from pathlib import Path

from nestling.pipeline import design
from tests.people import people

PAGE = 'person_page: {sql: "SELECT name FROM person WHERE id = :id", rate: 50/s}'
PETS = 'person_pets: {sql: "SELECT id, name FROM pet WHERE person_id = :id", rate: RATE}'
JOINED = (
    'both: {sql: "SELECT p.name AS person, t.id, t.name FROM person p JOIN pet t ON t.person_id = p.id WHERE p.id = :id",'
    " rate: 50/s}"
)
SAID = (
    "`person_page` and `person_pets` run equally often (50/s) by the same key of `person`; if one page shows both, write them "
    "as one statement (SELECT … JOIN …) and design again: with `pet` embedded in `person` one read of one document answers both"
)


def notes(tmp_path: Path, *statements: str, most: int = 5, strategy: str = "optimal") -> tuple[str, ...]:
    """What is noted of a design of these statements."""
    return design(people(tmp_path, *statements, most=most), strategy).notes


def test_two_reads_by_one_key_as_often(tmp_path: Path) -> None:
    """They are named, with what to do; rates that are far apart, and one statement that joins, are no such pair."""
    assert SAID in notes(tmp_path, PAGE, PETS.replace("RATE", "50/s"))
    assert SAID in notes(tmp_path, PAGE, PETS.replace("RATE", "45/s"))
    assert not any("one statement" in note for note in notes(tmp_path, PAGE, PETS.replace("RATE", "20/s")))
    assert not any("one statement" in note for note in notes(tmp_path, PAGE, JOINED))


def test_children_that_no_document_holds_are_none(tmp_path: Path) -> None:
    """Advice that leads nowhere is not given: so many children are not embedded whatever is asked."""
    assert not any("one statement" in note for note in notes(tmp_path, PAGE, PETS.replace("RATE", "50/s"), most=10**6))


MADE = 'made: {sql: "INSERT INTO person (id, name) VALUES (:id, :name)", rate: 50/s}'
WITH_PETS = (
    'with_pets: {sql: "INSERT INTO pet (id, name, person_id) VALUES (:id, :name, :of)", rate: 50/s, asked_with: made}'
)
ONE_COMMAND = "`made` and `with_pets` are one command today, and are priced as one"


def test_what_one_command_inserts_is_priced_as_one(tmp_path: Path) -> None:
    """Where the children are put in their parents; as commands of their own they would be put apart."""
    seldom = JOINED.replace("50/s", "2/s")
    alone = WITH_PETS.replace(", asked_with: made", "")
    together, apart = (design(people(tmp_path, seldom, MADE, each)) for each in (WITH_PETS, alone))
    assert [len(each.design.collections) for each in (together, apart)] == [1, 2]
    assert any(note.startswith(ONE_COMMAND) for note in together.notes)
    assert not any("one command" in note for note in apart.notes)
    (inside, outside) = (each.costs for each in (together, apart))
    assert inside is not None
    assert outside is not None
    assert dict(inside.statements)["with_pets"] < dict(outside.statements)["with_pets"] / 10
