"""A server that others use is left to them for as long as each look took."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from pymongo.database import Database

from nestling.executors import pacing
from nestling.executors.facts import Amount, Budget, gather
from nestling.executors.facts.catalogue import counters
from nestling.executors.facts.permitted import Asking
from nestling.executors.pacing import RestingPace, is_in_use
from tests.hand_clock import HandClock


def test_a_rest_is_as_long_as_the_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches and questions are rested for once, however they lie in each other."""
    pace, clock = RestingPace(rest=2.0), HandClock()
    monkeypatch.setattr(pacing, "time", clock)

    def read() -> int:
        for _ in pace.between(range(3)):
            clock.sleep(0.02)
        return 7

    assert pace.timed(read) == 7
    assert pace.accounted == pytest.approx(0.18)
    assert clock.now == pytest.approx(0.18)


def test_late_in_a_run_rests_are_short() -> None:
    """Once the moment has come a rest is as long as the look at most."""
    late, never = RestingPace(rest=4.0, until=time.monotonic()), RestingPace(rest=0.5, until=time.monotonic())
    late.after(0.02)
    never.after(0.02)
    assert (round(late.accounted, 3), round(never.accounted, 3)) == (0.04, 0.03)


def test_without_a_rest_nothing_waits() -> None:
    """No rest is the default of a pace, and costs nothing."""
    pace = RestingPace()
    pace.timed(lambda: list(pace.between(range(1_000))))
    assert pace.accounted == 0


@pytest.mark.thorough
@pytest.mark.beside
def test_use_is_told_by_what_others_ask(database: Database[dict[str, Any]]) -> None:
    """A server that somebody asks is in use; of one whose counters may not be seen nobody knows."""
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            database.things.find_one()

    other = threading.Thread(target=ask)
    other.start()
    try:
        assert is_in_use(lambda: counters(database.client, Asking(time.monotonic() + 30)))
    finally:
        done.set()
        other.join()
    assert is_in_use(dict) is None
    looks = iter(({"query": 5.0}, {"query": 6.0, "command": 1.0}))
    assert is_in_use(lambda: next(looks)) is False


def test_facts_do_not_depend_on_the_rest(database: Database[dict[str, Any]]) -> None:
    """The same is found, later."""
    database.things.insert_many([{"n": n, "tags": ["a"] * (n % 3)} for n in range(2_000)])
    budgets = [Budget(30.0, Amount(500), rest=rest) for rest in (0, 0.5)]
    found = [gather(database.client, [database.name], budget).collections for budget in budgets]
    assert [each.paths for each in found[0]] == [each.paths for each in found[1]]
