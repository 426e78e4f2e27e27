"""A transaction is charged where the program that a statement is compiled to runs in one, home by home, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling import pipeline
from nestling.ir.design_problem import Charge, StatementStep
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.reading import Reading
from nestling.pipeline.designing import posed_problem, priced_problem

MODEL = """nestling: 1
dialect: postgresql
model:
  name: small
  entities:
    person: {{key: id, attributes: {{id: integer!, name: text!}}}}
    pet: {{key: [{key}], attributes: {{id: integer!, person_id: integer!, name: text!}}, uniques: [{uniques}]}}
  relationships: {{pets: {{parent: person, child: pet, attributes: person_id, required: true, on_delete: {on_delete}}}}}
statistics:
  entities: {{person: {{count: 1000}}, pet: {{count: 3000}}}}
  relationships: {{pets: {{mean: 3, maximum: 5}}}}
workload:
  write: {{sql: "{sql}", rate: 1/s}}
  page: {{sql: "SELECT p.name, q.name AS pet FROM person p JOIN pet q ON q.person_id = p.id WHERE p.id = :id", rate: 50/s}}
"""
HOMES = {"normalized": "pet in a collection of its own", "embedded": "pet in person"}
ADD = "INSERT INTO pet (id, person_id, name) VALUES (:id, :person, :name)"
MOVE = "UPDATE pet SET person_id = :person WHERE id = :id"
LEAVE, RENAME = (
    "DELETE FROM person WHERE id = :id",
    "UPDATE pet SET name = :name WHERE person_id = :person AND id = :id",
)


def _charged(reading: Reading) -> set[str]:
    """The homes in which the write is charged a transaction."""
    of = posed_problem(reading, None, None)
    problem = priced_problem(of.situation, of.profile, of.candidates)
    every: tuple[StatementStep | Charge, ...] = (*problem.steps, *problem.charges)
    told = [each for each in every if each.statement == "write"]
    if any(isinstance(each, Charge) and each.text == "a transaction" for each in told):
        return {*HOMES.values()}
    steps = [each for each in told if isinstance(each, StatementStep) and each.name.endswith("together")]
    alone = [mode for each in steps for mode in each.modes if mode.text == "one command"]
    return {home for home in HOMES.values() if any(home in mode.without for mode in alone)}


@pytest.mark.parametrize(
    ("sql", "key", "uniques", "on_delete", "expected"),
    [
        (
            ADD,
            "id",
            "",
            "restrict",
            {"normalized", "embedded"},
        ),  # no command tells whether another person's pet has the id
        (ADD, "person_id, id", "", "restrict", {"normalized"}),  # the command that puts it into the array does
        (ADD, "person_id, id", "name", "restrict", {"normalized", "embedded"}),
        (
            LEAVE,
            "person_id, id",
            "",
            "restrict",
            {"normalized", "embedded"},
        ),  # whether there are pets is looked at first
        (LEAVE, "person_id, id", "", "cascade", {"normalized"}),  # those in its document go along
        (RENAME, "person_id, id", "", "cascade", set()),
        (MOVE, "id", "", "cascade", {"normalized", "embedded"}),  # the new owner has to be there
    ],
)
def test_where_a_write_is_a_transaction(
    sql: str, key: str, uniques: str, on_delete: str, expected: set[str], tmp_path: Path
) -> None:
    """Pets apart need one where their owner has to stay or they have to go with it; inside, where keys are read for, or them."""
    path = tmp_path / "model.yaml"
    path.write_text(MODEL.format(sql=sql, key=key, uniques=uniques, on_delete=on_delete), encoding="utf-8")
    reading = pipeline.inspect(path)
    writes = {name: pipeline.convert(pipeline.design(reading, name), sql, dialect="postgresql") for name in HOMES}
    run = {name for name, write in writes.items() if isinstance(write, CompiledWrite) and write.transaction}
    assert run == expected
    assert _charged(reading) == {HOMES[name] for name in expected}
