"""What is proved is the design that `design` gives, or the one in a design file, whatever rows it is measured with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from nestling.cli.prove import show
from nestling.common.server import Server
from nestling.emitters.proof import html, proof_json
from nestling.ir.proof import Proof
from nestling.ir.reading import Reading
from nestling.ir.text import write_proposal
from nestling.ir.words.structure_words import structures
from nestling.pipeline import design, inspect
from nestling.pipeline.generating import scaled_reading
from nestling.pipeline.proving import measured_server, prove_source
from tests.pipeline.test_proving import TINY

MODEL = """nestling: 1
dialect: postgresql
model:
  name: weather
  entities:
    sensor: {key: id, attributes: {id: integer!, place: text!}}
    reading: {key: [sensor, at], attributes: {sensor: integer!, at: timestamp!, celsius: float!}}
  relationships:
    readings: {parent: sensor, child: reading, attributes: sensor, required: true}
statistics:
  entities:
    sensor: {count: 100}
    reading: {count: 100000, attributes: {sensor: {distinct: 100}}}
  relationships: {readings: {mean: 1000, maximum: 1000, grows: 1}}
workload:
  chart: {sql: "SELECT at, celsius FROM reading WHERE sensor = :sensor", rate: 500/s}
"""
SCALE = 0.02


def model_file(folder: Path) -> tuple[Path, Reading]:
    path = folder / "weather.yaml"
    path.write_text(MODEL, encoding="utf-8")
    return path, inspect(path)


def proved(mongod: Server, reading: Reading, address: Path) -> Proof:
    """With few rows made up."""
    with measured_server(mongod.uri) as on:
        return prove_source(reading, address, on, scale=SCALE, variants=False, effort=TINY)


def test_the_chosen_design_is_the_one_design_gives(
    mongod: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not the one that would be best for the rows made up; the screen, the page and JSON say what each design stores."""
    address, reading = model_file(tmp_path)
    given = structures(design(reading).design)
    assert structures(design(scaled_reading(reading, SCALE)).design) != given, "it would matter"
    proof = proved(mongod, reading, address)
    chosen = proof.design("chosen")
    assert chosen is not None
    assert chosen.structures == given
    show(proof)
    shown = capsys.readouterr().out
    assert "What each design stores" in shown
    assert proof_json(proof)["designs"]["chosen"]["structures"] == list(given)
    for each in given:
        assert each.split(" (")[0] in shown
        assert each in html(proof)
    normalized = proof.design("normalized")
    assert normalized is not None
    assert normalized.structures == ("sensor", "reading")


@pytest.mark.thorough
def test_a_design_file_is_proved_as_it_is(mongod: Server, tmp_path: Path) -> None:
    """Nothing is designed anew."""
    _, reading = model_file(tmp_path)
    path = tmp_path / "design.yaml"
    path.write_text(write_proposal(design(reading, "normalized")), encoding="utf-8")
    workload = tmp_path / "w.sql"
    workload.write_text(
        "-- name: chart, rate: 5/s\nSELECT at, celsius FROM reading WHERE sensor = :sensor;", encoding="utf-8"
    )
    proof = proved(mongod, inspect(path, workload=workload), path)
    chosen = proof.design("chosen")
    assert chosen is not None
    assert chosen.structures == ("sensor", "reading")


MEMBERS = """nestling: 1
dialect: sqlite
model:
  name: club
  entities:
    person: {key: id, attributes: {id: integer!, name: text!}}
    team: {key: id, attributes: {id: integer!, name: text!}}
    member: {key: id, uniques: [[person, team]], attributes: {id: integer!, person: integer!, team: integer!}}
  relationships:
    teams: {parent: person, child: member, attributes: person, required: true}
    members: {parent: team, child: member, attributes: team, required: true}
statistics:
  entities: {person: {count: 20}, team: {count: 3}, member: {count: 90}}
workload:
  members: {sql: "SELECT person FROM member WHERE team = :team", rate: 5/s}
"""


@pytest.mark.thorough
def test_fewer_rows_made_up_are_told(mongod: Server, tmp_path: Path) -> None:
    """Where foreign keys are unique together and there are no more pairs."""
    path = tmp_path / "club.yaml"
    path.write_text(MEMBERS, encoding="utf-8")
    with measured_server(mongod.uri) as on:
        proof = prove_source(inspect(path), path, on, variants=False, effort=TINY)
    told = "generated only 60 rows of `member`, not 90: its foreign keys are unique, and there are not enough"
    assert any(note.startswith(told) for note in proof.notes), proof.notes


@pytest.mark.thorough
@pytest.mark.parametrize(("scale", "told"), [(None, ", 0.5 times as many (to save time"), (1.0, "")])
def test_no_more_rows_are_made_up_than_take_their_time(
    scale: float | None, told: str, mongod: Server, tmp_path: Path
) -> None:
    """Where nobody says how many, a part of what the statistics say; that is told."""
    path = tmp_path / "club.yaml"
    path.write_text(MEMBERS.replace("member: {count: 90}", "member: {count: 41}"), encoding="utf-8")
    reading = inspect(path)
    most = round(sum(each.count.value for _, each in reading.statistics.entities if each.count) / 2)
    with measured_server(mongod.uri) as on:
        effort = replace(TINY, made_rows=most)
        proof = prove_source(reading, path, on, variants=False, scale=scale, effort=effort)
    (note,) = [each for each in proof.notes if each.startswith("the rows are generated")]
    assert note.startswith(f"the rows are generated from the statistics of `club`{told}")
    assert bool(told) is note.endswith(")")
