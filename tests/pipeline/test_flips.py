"""A flip that is named holds: with the rate really changed the design is decided anew by its queries, and has turned."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import pytest

from nestling.cli import run
from nestling.ir.proposal import UNCHECKED, Proposal
from nestling.ir.reading import Reading
from nestling.ir.text import write_proposal
from nestling.optimizer.alternatives import group_named, problem_with_forced
from nestling.pipeline import design, inspect
from nestling.pipeline.correcting import least_cost_solution
from nestling.pipeline.designing import posed_problem, proposal_of, read_proposal
from nestling.pipeline.query_prices import Queries
from tests.least_cost import designed
from tests.planner.options.random_readings import random_reading

SCHEMA = """
CREATE TABLE doctor (doctor_id INTEGER PRIMARY KEY, full_name TEXT NOT NULL);
CREATE TABLE patient (patient_id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE appointment (
  doctor_id INTEGER NOT NULL REFERENCES doctor, starts_at TEXT NOT NULL, patient_id INTEGER NOT NULL REFERENCES patient,
  status TEXT NOT NULL, PRIMARY KEY (doctor_id, starts_at)
);
CREATE TABLE prescription (
  prescription_id INTEGER PRIMARY KEY, patient_id INTEGER NOT NULL REFERENCES patient, text TEXT NOT NULL
);
"""
WORKLOAD = """
-- name: history, rate: {history}/s
SELECT a.starts_at, a.status, d.full_name FROM appointment a JOIN doctor d ON d.doctor_id = a.doctor_id
WHERE a.patient_id = :id ORDER BY a.starts_at DESC LIMIT 20;
-- name: day, rate: {day}/s
SELECT a.starts_at, p.name FROM appointment a JOIN patient p ON p.patient_id = a.patient_id WHERE a.doctor_id = :doctor;
-- name: sheet, rate: {sheet}/s
SELECT text FROM prescription WHERE prescription_id = :id;
-- name: book, rate: {book}/s
INSERT INTO appointment (doctor_id, starts_at, patient_id, status) VALUES (:doctor, :at, :patient, 'booked');
-- name: complete, rate: {complete}/s
UPDATE appointment SET status = 'done' WHERE doctor_id = :doctor AND starts_at = :at;
-- name: prescribe, rate: {prescribe}/s
INSERT INTO prescription (prescription_id, patient_id, text) VALUES (:id, :patient, :text);
-- name: rename, rate: {rename}/s
UPDATE doctor SET full_name = :name WHERE doctor_id = :id;
"""
BEYOND = 0.05
"""How far before and beyond a flip the design is decided anew."""


@pytest.fixture(scope="module", params=range(4))
def reading(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Reading:
    """Patients with two kinds of children, both growing and most of them one patient's, asked at rates by chance."""
    folder, chance = tmp_path_factory.mktemp("clinic"), Random(request.param)
    with closing(sqlite3.connect(folder / "clinic.db")) as connection, connection:
        connection.executescript(SCHEMA)
        _fill(connection, chance)
    rates = {name: round(10 ** chance.uniform(-1, 2.5), 2) for name in NAMES}
    (folder / "workload.sql").write_text(WORKLOAD.format(**rates), encoding="utf-8")
    return inspect(f"sqlite:///{folder / 'clinic.db'}", workload=folder / "workload.sql")


NAMES = ("history", "day", "sheet", "book", "complete", "prescribe", "rename")


def _fill(connection: sqlite3.Connection, chance: Random) -> None:
    connection.executemany("INSERT INTO doctor VALUES (?, ?)", [(n, f"Dr. {n}") for n in range(20)])
    connection.executemany("INSERT INTO patient VALUES (?, ?)", [(n, f"patient {n}") for n in range(500)])
    for number in range(3000):
        one, other = (min(499, int(chance.paretovariate(0.7))) for _ in range(2))
        connection.execute("INSERT INTO appointment VALUES (?, ?, ?, 'done')", (number % 20, f"2023-{number:06}", one))
        connection.execute("INSERT INTO prescription VALUES (?, ?, 'thrice a day')", (number, other))


ONE_TO_ONE = """
nestling: 1
dialect: postgresql
model:
  name: one
  entities:
    person: {key: person_id, attributes: {person_id: integer!, name: text!}}
    passport: {key: passport_id, attributes: {passport_id: integer!, person_id: integer!, number: text!, issued: date!}}
  relationships:
    holds: {parent: person, child: passport, attributes: person_id, required: true}
statistics:
  entities: {person: {count: 100000}, passport: {count: 100000}}
  relationships: {holds: {mean: 1, maximum: 1}}
workload:
  show: {sql: "SELECT p.name, s.number, s.issued FROM person p
    JOIN passport s ON s.person_id = p.person_id
    WHERE p.person_id = :id", rate: 100/s}
  byid: {sql: "SELECT number FROM passport
    WHERE passport_id = :id", rate: 1/s}
  renew: {sql: "UPDATE passport SET number = :n, issued = :d
    WHERE passport_id = :id", rate: 1/s}
"""
SUBTYPES = """
nestling: 1
dialect: postgresql
model:
  name: fleet
  entities:
    vehicle: {key: vehicle_id, attributes: {vehicle_id: integer!, kind: text!, plate: text!, owner: integer!}}
    car: {key: vehicle_id, attributes: {vehicle_id: integer!, doors: integer!}}
    truck: {key: vehicle_id, attributes: {vehicle_id: integer!, axles: integer!, load_kg: integer!}}
  relationships:
    is_car: {parent: vehicle, child: car, attributes: vehicle_id, cardinality: "1:1", required: true}
    is_truck: {parent: vehicle, child: truck, attributes: vehicle_id, cardinality: "1:1", required: true}
  hierarchies:
    vehicles: {supertype: vehicle, subtypes: [is_car, is_truck]}
statistics:
  entities: {vehicle: {count: 100000}, car: {count: 80000}, truck: {count: 20000}}
workload:
  cars: {sql: "SELECT v.plate, c.doors FROM vehicle v
    JOIN car c ON c.vehicle_id = v.vehicle_id
    WHERE v.vehicle_id = :id", rate: 100/s}
  trucks: {sql: "SELECT v.plate, t.axles, t.load_kg FROM vehicle v
    JOIN truck t ON t.vehicle_id = v.vehicle_id
    WHERE v.owner = :o", rate: 50/s}
  all: {sql: "SELECT v.plate, v.kind, c.doors, t.axles FROM vehicle v
    LEFT JOIN car c ON c.vehicle_id = v.vehicle_id
    LEFT JOIN truck t ON t.vehicle_id = v.vehicle_id
    WHERE v.owner = :o", rate: 50/s}
"""


@pytest.mark.one_in(4)
def test_a_flip_holds(reading: Reading) -> None:
    """For every decision: before each flip the design for that rate decides as today, and beyond it otherwise."""
    _looked_at(reading)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("text", [ONE_TO_ONE, SUBTYPES], ids=["one to one", "subtypes"])
def test_a_flip_holds_where_queries_cost_more_than_was_computed(text: str, tmp_path: Path) -> None:
    """The query of the design beyond the flip costs far more than the search takes into account: the flip is by its price."""
    (tmp_path / "model.yaml").write_text(text, encoding="utf-8")
    assert _looked_at(inspect(tmp_path / "model.yaml")) > 0


@pytest.mark.soak
def test_a_flip_of_the_shop_holds(shop_folder: Path) -> None:
    """The nearest flip of each decision of the bundled shop."""
    reading = inspect(f"sqlite:///{shop_folder / 'shop.db'}", workload=shop_folder / "workload.sql")
    assert _looked_at(reading, most=1) > 0


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(3))
def test_a_flip_of_a_random_model_holds(seed: int) -> None:
    """The nearest flip of each decision of a generated reading."""
    _looked_at(random_reading(seed), most=1)


def test_a_runner_up_costs_what_its_queries_cost(tmp_path: Path) -> None:
    """The second-best design is priced as the search prices a design that it chooses."""
    (tmp_path / "model.yaml").write_text(ONE_TO_ONE, encoding="utf-8")
    reading = inspect(tmp_path / "model.yaml")
    [decision] = design(reading).decisions
    other = next(each for each in decision.alternatives if each.text.startswith(APART))
    assert other.checked
    found = posed_problem(reading, None, None)
    apart = replace(
        found, problem=problem_with_forced(found.problem, group_named(found.problem, "home of passport"), APART)
    )
    _, solution = least_cost_solution(apart, draft=partial(proposal_of, found), limit_seconds=60.0)
    assert other.cost == pytest.approx(solution.cost)


@pytest.mark.thorough
def test_what_there_was_no_time_for_is_not_called_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where queries of rivals are not compiled, the flip, the runner-up and the texts of both say so."""
    (tmp_path / "model.yaml").write_text(ONE_TO_ONE, encoding="utf-8")
    monkeypatch.setattr(Queries, "beside", lambda *_, **__: lambda *_: ((), False))
    made = design(inspect(tmp_path / "model.yaml"))
    [decision] = made.decisions
    assert decision.flips
    assert not any(flip.checked for flip in decision.flips)
    assert not any(other.checked for other in decision.alternatives if other.cost)
    (tmp_path / "design.yaml").write_text(write_proposal(made), encoding="utf-8")
    assert read_proposal(tmp_path / "design.yaml").decisions == made.decisions
    assert run(["explain", str(tmp_path / "design.yaml")]) == 0
    assert " ".join(capsys.readouterr().out.split()).count(UNCHECKED) >= 2


APART = "passport in a collection of its own"


def _looked_at(reading: Reading, most: int = 2) -> int:
    """How many flips of the design of a reading were looked at, which all hold; of each decision the nearest."""
    made, known = design(reading), dict[tuple[str, float], Proposal]()
    before, count = _state(made), 0
    decided = [(each.relationship, each.flips) for each in made.decisions]
    for name, flips in decided + [(each.structure, each.flips) for each in made.weighed if each.chosen]:
        for flip in [each for each in flips if each.checked][:most]:
            for share, turned in ((BEYOND, True), (-BEYOND, False)):
                rate = flip.at * (1 + (share if flip.at > flip.now else -share))
                key = flip.quantity.removeprefix("rate of "), rate
                if key not in known:
                    known[key] = designed(_at(reading, *key))
                is_other = _state(known[key]).get(name) != before.get(name)
                assert is_other == turned, (name, flip, rate)
            count += 1
    return count


def _state(made: Proposal) -> dict[str, str]:
    return {each.relationship: str(each.choice) for each in made.decisions} | {
        each.structure: "chosen" for each in made.weighed if each.chosen
    }


def _at(reading: Reading, name: str, rate: float) -> Reading:
    """The reading at another rate of a statement."""
    asked = tuple(
        replace(each, rate_per_second=rate) if each.name == name else each for each in reading.workload.statements
    )
    return replace(reading, workload=replace(reading.workload, statements=asked))
