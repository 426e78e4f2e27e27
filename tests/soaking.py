"""How much a search tries: a part in `make test`, all of it in `make soak`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

import pytest

SOAKING = os.environ.get("HYPOTHESIS_PROFILE") == "soak"
Case = TypeVar("Case")


def examples(few: int, many: int, variable: str = "") -> int:
    """The number for this run; the environment's variable names any other."""
    return int(os.environ.get(variable, many if SOAKING else few))


def sample(cases: Iterable[Case], *, one_in: int, first: int = 0) -> Iterator[Case]:
    """One of so many cases, from the `first` on; all of them in a soak.

    Neighbours of a table of cases take another `first` each, so that together they try every kind.
    """
    return islice(cases, 0 if SOAKING else first % one_in, None, 1 if SOAKING else one_in)


def one_value_each(cases: Sequence[pytest.Function], parameter: str) -> list[pytest.Function]:
    """Of a function's tests those with one value of a parameter for each combination of the others, each value in its turn."""
    rows: dict[tuple[tuple[str, str], ...], int] = {}
    values: dict[str, int] = {}
    places: list[tuple[int, int]] = []
    for item in cases:
        others = {name: repr(value) for name, value in item.callspec.params.items()}
        value = others.pop(parameter)
        places.append((rows.setdefault((*others.items(),), len(rows)), values.setdefault(value, len(values))))
    return [item for item, (row, value) in zip(cases, places, strict=True) if row % len(values) == value]


def one_in(number: int, cases: Sequence[Case], *, first: int = 0) -> list[Case]:
    """One of each so many neighbours, the next place each time, so that a table by rows and columns has all of both."""
    number = min(number, len(cases))
    return [case for at, case in enumerate(cases) if at % number == (first + at // number) % number]


def crossed(rows: Iterable[Any], columns: Iterable[Any]) -> list[Any]:
    """Every pair, for `parametrize`; each row with one column in its turn is tried always, the others by `make thorough`."""
    width = len(columns := [*columns])
    return [
        pytest.param(row, column, marks=() if at % width == place else pytest.mark.thorough)
        for at, row in enumerate(rows)
        for place, column in enumerate(columns)
    ]
