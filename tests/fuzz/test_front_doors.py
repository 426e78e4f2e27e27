"""Whatever comes in at a front door: an answer or an error in words, never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tests.cli.commands import Ran, nestling
from tests.fuzz.doors import DOORS, Door, Input

FEW, MANY = 6, 1000
SLOW = (HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large)


def _in_words(ran: Ran) -> None:
    """An answer, or one error: never both silence and failure."""
    assert ran.code in (0, 1, 2)
    assert ran.code != 2 or ran.err.strip()


def enter(door: Door, given_input: Input, folder: Path, small: dict[str, bytes]) -> None:
    """Bring one input to a door, in a folder with the sound files beside it."""
    for name, whole in small.items():  # a command may have written over one
        (folder / name).write_bytes(whole)
    if isinstance(given_input, bytes):
        (folder / door.file).write_bytes(given_input)
    for command in door.commands or (given_input,):
        _in_words(nestling(*command, cwd=folder))


def _try(name: str, examples: int, folder: Path, small: dict[str, bytes]) -> None:
    @settings(max_examples=examples, suppress_health_check=SLOW)
    @given(given_input=DOORS[name].inputs(small))
    def check(given_input: Input) -> None:
        enter(DOORS[name], given_input, folder, small)

    check()


@pytest.mark.parametrize("name", DOORS)
def test_a_few_odd_inputs(name: str, tmp_path: Path, small: dict[str, bytes]) -> None:
    """A file or an argument with parts lost, changed or moved is read, or refused in words."""
    _try(name, FEW, tmp_path, small)


@pytest.mark.soak
@pytest.mark.parametrize("name", DOORS)
def test_a_thousand_odd_inputs(name: str, tmp_path: Path, small: dict[str, bytes]) -> None:
    """The same a thousand times for each door."""
    _try(name, MANY, tmp_path, small)
