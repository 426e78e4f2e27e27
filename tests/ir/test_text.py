"""The text forms round-trip, whatever they hold."""

from __future__ import annotations

import subprocess
import sys

from hypothesis import HealthCheck, given, settings

from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.rows import AggregateKind
from nestling.ir.text import read_proposal, read_reading, write_proposal, write_reading
from nestling.ir.types import INTEGER
from nestling.ir.workload import Access, Grouping, Statement, StatementKind, Workload
from tests.generators.nouns import proposals, readings
from tests.soaking import examples

_slow_to_draw = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], max_examples=examples(25, 5000)
)


@_slow_to_draw
@given(readings())
def test_reading_round_trips(reading: Reading) -> None:
    """Reading what was written gives an equal reading, and writing that gives the same text."""
    text = write_reading(reading)
    again = read_reading(text, "model.yaml")
    assert again == reading
    assert write_reading(again) == text


@_slow_to_draw
@given(proposals())
def test_proposal_round_trips(proposal: Proposal) -> None:
    """Reading what was written gives an equal proposal, and writing that gives the same text."""
    text = write_proposal(proposal)
    again = read_proposal(text, "design.yaml")
    assert again == proposal
    assert write_proposal(again) == text


def test_an_aggregate_keeps_blanks_in_its_attribute() -> None:
    """An attribute's name may begin and end with what counts as a blank, or be empty."""
    names = ("\x85", " sum ", "of", "")
    model = Model("m", (Entity("t", tuple(Attribute(name, INTEGER) for name in names)),))
    aggregates = ((AggregateKind.COUNT, None), *((AggregateKind.SUM, name) for name in names))
    access = Access("t", StatementKind.SELECT, aggregates=aggregates, grouping=Grouping((("of", None),), aggregates))
    statement = Statement("s", "SELECT 1", StatementKind.SELECT, accesses=(access,))
    reading = Reading(model, workload=Workload((statement,)))
    assert read_reading(write_reading(reading), "model.yaml") == reading


def test_import_is_light() -> None:
    """Who imports the text forms does not pay for pydantic and the YAML parser until a file is read or written."""
    code = "import sys, nestling.ir.text; print([m for m in ('pydantic', 'yaml') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
