"""The workloads of the benchmark: every statement is understood, has values to run with, and designs answer it."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling.ir.programs.compiled import NotCompiled
from nestling.ir.proposal import Proposal
from nestling.ir.text import read_file, write_reading
from nestling.pipeline import convert, design, inspect
from nestling.pipeline.generating import generate, scaled_reading
from nestling.pipeline.parameter_values import bindings
from nestling.sources.front import open_rows

WORKLOADS = sorted(
    path.parent for path in (Path(__file__).parents[2] / "benchmarks" / "workloads").glob("*/model.yaml")
)


@pytest.mark.thorough
@pytest.mark.parametrize("folder", WORKLOADS, ids=lambda folder: folder.name)
def test_a_workload_of_the_benchmark_is_whole(folder: Path, tmp_path: Path):
    """No gap in reading, no parameter without values at a fiftieth of its rows, no statement that embedding leaves unanswered."""
    reading = inspect(str(folder / "model.yaml"), workload=folder / "workload.sql")
    assert reading.gaps == ()
    small = scaled_reading(reading, 0.02)
    address = generate(small, tmp_path / "rows.db")
    values = bindings(small, open_rows(address, small.model), count=20)
    assert list(values) == [each.name for each in reading.workload.statements]
    proposal = design(reading, "embedded")
    for statement in reading.workload.statements:
        made = convert(
            proposal,
            statement.sql,
            name=statement.name,
            dialect=reading.dialect,
            values=values[statement.name].values(0),
        )
        assert not isinstance(made, NotCompiled), made.gap


def test_there_are_as_many_workloads_as_the_exam_asks_for():
    """At least twelve, each with a model that reads back as it was written."""
    assert len(WORKLOADS) >= 12
    for folder in WORKLOADS:
        assert "origin" in write_reading(inspect(str(folder / "model.yaml")))


@pytest.mark.parametrize("folder", WORKLOADS, ids=lambda folder: folder.name)
def test_the_experts_design_is_of_the_same_model(folder: Path):
    """Beside each workload stands a design made by hand, over exactly its entities."""
    expert = read_file(folder / "expert.design.yaml")
    assert isinstance(expert, Proposal)
    assert expert.design.model.entities == inspect(str(folder / "model.yaml")).model.entities
