"""The text forms round-trip, whatever they hold."""

from __future__ import annotations

import subprocess
import sys

from hypothesis import HealthCheck, given, settings

from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.text import read_proposal, read_reading, write_proposal, write_reading
from tests.generators.nouns import proposals, readings

_slow_to_draw = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], max_examples=60)


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


def test_import_is_light() -> None:
    """Who imports the text forms does not pay for pydantic and the YAML parser until a file is read or written."""
    code = "import sys, nestling.ir.text; print([m for m in ('pydantic', 'ruamel') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
