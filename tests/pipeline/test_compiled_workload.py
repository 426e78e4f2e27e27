"""What of a workload the design made for it does not convert is told with the design."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from nestling.emitters.mql import read
from nestling.emitters.proposal_json import proposal_json
from nestling.ir.programs.compiled import CompiledRead, ReadPlan
from nestling.ir.quantity_words import short
from nestling.ir.reading import Reading
from nestling.ir.text import read_file, read_proposal, write_proposal
from nestling.ir.words.proposal_rows import cost_line
from nestling.ir.words.work_words import work_rate
from nestling.pipeline import compiled_workload as converting
from nestling.pipeline import convert_all, design, explain, inspect, queries_module, with_unconverted
from tests.patterns.scenario import scenario

WORKLOAD = """
-- name: before, rate: 5/s
SELECT id, LEAD(a, id) OVER (ORDER BY id) AS x FROM t;
-- name: fine, rate: 5/s
SELECT a FROM t WHERE name = :n;
-- name: gone_0, rate: 5/s
DELETE FROM t WHERE a = :id LIMIT 1;
-- name: gone_1, rate: 5/s
DELETE FROM t WHERE id = :id LIMIT 1;
-- name: gone_2, rate: 5/s
DELETE FROM t WHERE id = :id LIMIT 1;
-- name: gone_3, rate: 5/s
DELETE FROM t WHERE id = :id LIMIT 1;
"""


@pytest.fixture
def reading(tmp_path: Path) -> Reading:
    """One statement no design converts as it stands in four, and one that only compiling tells of."""
    connection = sqlite3.connect(tmp_path / "a.db")
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, name TEXT)")
    connection.close()
    workload = tmp_path / "workload.sql"
    workload.write_text(WORKLOAD)
    return inspect(f"sqlite:///{tmp_path / 'a.db'}", workload=workload)


def test_each_statement_is_told_once(reading: Reading, tmp_path: Path) -> None:
    """By its construct, all names with it; the file and the JSON have them too."""
    found = with_unconverted(design(reading, "normalized"), reading)
    told = [(gap.where, gap.what) for gap in found.gaps]
    assert told == [
        ("statement `before`", "weighed, but not converted: a distance between rows that is not a constant integer"),
        (
            "statements `gone_0`, `gone_1`, `gone_2`, `gone_3`",
            "weighed, but not converted: DELETE with LIMIT",
        ),
    ]
    assert [each["where"] for each in proposal_json(found)["gaps"]] == [where for where, _ in told]  # type: ignore[attr-defined]
    (tmp_path / "design.yaml").write_text(write_proposal(found))
    assert read_file(tmp_path / "design.yaml").gaps == found.gaps


@pytest.mark.parametrize("strategy", ["normalized", "optimal"])
def test_explaining_such_a_statement_says_so(reading: Reading, strategy: str) -> None:
    """Also of one that stands behind many."""
    found = with_unconverted(design(reading, strategy), reading)
    (told,) = explain(found, "gone_3").gaps
    assert told.startswith("statement `gone_3`: weighed, but not converted: DELETE with LIMIT")
    assert any(text.startswith("statements `gone_0`, `gone_1`, `gone_2` and 1 more: ") for text in explain(found).gaps)


def test_of_many_statements_some_are_looked_at(reading: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the time is over it is said how many; what no design converts is told all the same."""
    monkeypatch.setattr(converting, "MANY_STATEMENTS", 3)
    seconds = count(step=6)
    found = with_unconverted(design(reading, "normalized"), reading, clock=lambda: float(next(seconds)))
    assert any(note.startswith("only 1 of 6 statements were tried for conversion") for note in found.notes)
    assert [gap.where for gap in found.gaps] == [
        "statement `before`",
        "statements `gone_0`, `gone_1`, `gone_2`, `gone_3`",
    ]


def test_a_query_far_dearer_than_the_search_for_arithmetic_is_told(reading: Reading) -> None:
    """The proof of least cost is one of the search's prices; where both agree nothing is said."""
    proposal = design(reading)
    assert proposal.costs is not None
    assert not [note for note in with_unconverted(proposal, reading).notes if "not proved" in note]
    cheap = replace(proposal, costs=replace(proposal.costs, statements=(("fine", 1e-6),)))
    looked_at = with_unconverted(cheap, reading)
    assert looked_at.costs is not None
    (dearer,) = looked_at.costs.dearer
    assert dearer.seconds > 1e-6
    really = work_rate(dearer.seconds * dearer.rate_per_second)
    line = cost_line(looked_at.costs, "fine")
    assert (
        f"This does not hold for 1 statement, whose query costs far more: `fine` {short(dearer.seconds * 1e3)} ms"
        in line
    )
    assert f"ms each time, {really} (estimated: 0.001 ms)" in line
    assert f"With this the workload costs {work_rate(looked_at.costs.with_dearer)}." in line
    assert f"`fine` costs {short(dearer.seconds * 1e3)} ms each time; the savings shown for it" in line
    assert read_proposal(write_proposal(looked_at), "design.yaml").costs == looked_at.costs
    told = [note for note in looked_at.notes if "not proved" in note]
    assert len(told) == 1
    assert told[0].startswith("the query for `fine` costs ")
    assert "assumed 0.001 ms" in told[0]


OPTIONAL_DETAIL = """
CREATE TABLE event (id INTEGER PRIMARY KEY NOT NULL, kind TEXT NOT NULL);
CREATE TABLE detail (event_id INTEGER PRIMARY KEY NOT NULL REFERENCES event (id), before TEXT NOT NULL, after TEXT);
"""
ONE_INSERT = """
-- name: event, rate: 60/s
SELECT e.kind, d.before, d.after FROM event e LEFT JOIN detail d ON d.event_id = e.id WHERE e.id = :id;
-- name: add, rate: 60/s
INSERT INTO event (id, kind) VALUES (:id, :kind);
-- name: add_detail, rate: 60/s
-- asked: with add
INSERT INTO detail (event_id, before, after) VALUES (:id, :before, :after);
"""


def test_a_sub_document_costs_no_command_of_its_own(tmp_path: Path) -> None:
    """What an application inserts with its parent is a part of that command, in the search and wherever costs are told."""
    rows: dict[str, list[tuple[object, ...]]] = {
        "event": [(n, "k") for n in range(3000)],
        "detail": [(n, "open", "closed") for n in range(0, 3000, 3)],
    }
    reading = scenario(tmp_path, OPTIONAL_DETAIL, rows, ONE_INSERT).reading
    made = with_unconverted(design(reading), reading)
    assert [len(each.body.embeddings) for each in made.design.collections] == [1]
    assert made.costs is not None
    assert made.costs.dearer == ()
    alone, with_it = (dict(made.costs.statements)[name] for name in ("add", "add_detail"))
    assert with_it < alone / 100
    assert sum(each.work for each in made.costs.by_statement) <= made.costs.cost * 1.001


@pytest.mark.parametrize("way", ["design", "file", "module"])
def test_a_fault_of_nestlings_names_the_statement(
    way: str, reading: Reading, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not taken for a gap, and whoever meets it learns which of many statements it is."""
    compiled = read.compiled_read

    def failing(plan: ReadPlan, *, name: str = "", sql: str = "") -> CompiledRead:
        if name == "fine":
            raise KeyError("a fault")
        return compiled(plan, name=name, sql=sql)

    proposal = design(reading, "normalized")
    monkeypatch.setattr(read, "compiled_read", failing)
    ways: dict[str, Callable[[], object]] = {
        "design": lambda: with_unconverted(proposal, reading),
        "file": lambda: list(convert_all(proposal, tmp_path / "workload.sql")),
        "module": lambda: queries_module(proposal, tmp_path / "workload.sql"),
    }
    with pytest.raises(KeyError) as found:
        ways[way]()
    (note,) = found.value.__notes__
    assert note.endswith(": fine")


def test_sample_values_that_a_statement_cannot_take_are_told(tmp_path: Path) -> None:
    """Each once, with what it must be; those that fit, and dates written as texts, are not."""
    (tmp_path / "schema.sql").write_text("CREATE TABLE t (id INTEGER PRIMARY KEY, at TIMESTAMP, price NUMERIC(8,2))")
    workload = tmp_path / "workload.sql"
    workload.write_text(
        "-- name: wrong, rate: 1/s\n"
        '-- params: {"id": "abc", "at": "2026-01-02", "price": 1.5}\n'
        "SELECT id FROM t WHERE id = :id AND at > :at AND price < :price AND id <> :id;\n"
        "-- name: fine, rate: 1/s\n"
        '-- params: {"id": 7}\n'
        "SELECT at FROM t WHERE id = :id;\n"
    )
    reading = inspect(str(tmp_path / "schema.sql"), workload=workload, dialect="postgresql")
    found = with_unconverted(design(reading, "normalized"), reading)
    told = "statement `wrong`: its params do not fit: parameter `id` must be a number, not str"
    assert [gap.what for gap in found.gaps if "params" in gap.what] == [told]
