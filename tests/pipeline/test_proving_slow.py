"""Rivals that would take all the time there is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pytest

from nestling.pipeline.proving.contender import TWIN, Contender, in_race
from nestling.pipeline.proving.effort import QUICK
from nestling.pipeline.proving.side_by_side import leave_out_slow

NOTHING = cast(Any, object())


@pytest.mark.parametrize(
    ("seconds", "left"),
    [
        ({"chosen": 0.2, TWIN: 0.2, "tree": 0.3, "embedded": 39.0}, ["chosen", TWIN, "tree"]),
        ({"chosen": 39.0, TWIN: 39.0, "tree": 0.3, "embedded": 39.0}, ["chosen", TWIN, "tree"]),
        ({"chosen": 30.0, TWIN: 30.0, "tree": 25.0, "embedded": 39.0}, ["chosen", TWIN, "tree", "embedded"]),
        ({"chosen": 0.001, TWIN: 0.001, "tree": 0.1, "embedded": 5.0}, ["chosen", TWIN, "tree", "embedded"]),
    ],
    ids=["one is slow", "the chosen one is slow", "all are slow", "all are soon done"],
)
def test_what_takes_too_long_is_left_out(seconds: Mapping[str, float], left: list[str]) -> None:
    """Never the chosen design, nor one that is as slow as all others."""
    contenders = [Contender(name, NOTHING, NOTHING, driven=NOTHING) for name in seconds]
    leave_out_slow(contenders, "top", seconds, QUICK.patience_seconds)
    assert [each.name for each in in_race(contenders)] == left
    assert all(each.left_out.startswith("`top` takes 39 s on it") for each in contenders if each.name not in left)
