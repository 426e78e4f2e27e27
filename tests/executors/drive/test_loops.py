"""Loops over a real server: what waits for what, and from when time counts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from pymongo.database import Database

from nestling.executors.drive import (
    LoadedDesign,
    TimedExecution,
    latency,
    loops,
    run_at_moments,
    run_in_order,
    seconds_of_mix,
)
from nestling.executors.drive.answers import StatementAnswer
from nestling.ir.programs.replayed_values import StandIns
from nestling.ir.proof import Interval
from nestling.ir.trace import Execution
from tests.hand_clock import HandClock

SLOW = 0.05
NOTHING_NEW = StandIns(datetime(2026, 6, 1, tzinfo=UTC), "")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> HandClock:
    """The clock of the loops."""
    made = HandClock()
    monkeypatch.setattr(loops, "perf_counter", made.monotonic)
    monkeypatch.setattr(loops, "sleep", made.sleep)
    return made


@pytest.fixture
def server(clock: HandClock, database: Database[Any], monkeypatch: pytest.MonkeyPatch) -> LoadedDesign:
    """A server whose statements are commands: `insert` of a document, `sleep`."""

    def execute(on: LoadedDesign, call: Execution, *, session: Any = None) -> tuple[float, StatementAnswer]:
        del session
        if call.statement == "sleep":
            clock.sleep(SLOW)
        else:
            number = on.database["log"].count_documents({})
            on.database["log"].insert_one({"_id": call.values["id"], "seen": number})
        return SLOW, StatementAnswer(affected=1)

    monkeypatch.setattr(loops, "execute", execute)
    return LoadedDesign("one", database, {}, {}, {})


def test_clients_keep_the_order_that_counts(server: LoadedDesign, database: Database[Any]) -> None:
    """With several clients an execution starts only when those it comes after are done; every one is done once."""
    block = tuple(Execution("insert", {"id": place}, NOTHING_NEW, (place - 1,) if place else ()) for place in range(40))
    runs = run_in_order(server, block, clients=4)
    assert [run.call for run in runs] == list(block)
    assert all(found["seen"] == found["_id"] for found in database["log"].find())


def test_time_counts_from_when_an_execution_was_due(server: LoadedDesign) -> None:
    """One user and a server of 50 ms, asked every 10 ms: each execution waits longer than the one before it."""
    block = tuple(Execution("sleep", {}, NOTHING_NEW) for _ in range(5))
    elapsed, runs = run_at_moments(server, block, [0.0, 0.01, 0.02, 0.03, 0.04], clients=1)
    assert elapsed == pytest.approx(5 * SLOW)
    assert [run.seconds for run in runs] == pytest.approx([0.05, 0.09, 0.13, 0.17, 0.21])


def test_nothing_is_asked_before_it_is_due(server: LoadedDesign) -> None:
    """A server that is faster than it is asked waits, and no execution is charged for that."""
    elapsed, runs = run_at_moments(
        server, tuple(Execution("sleep", {}, NOTHING_NEW) for _ in range(3)), [0.0, 0.1, 0.3], clients=1
    )
    assert elapsed == pytest.approx(0.3 + SLOW)
    assert [run.seconds for run in runs] == pytest.approx([SLOW] * 3)


def test_an_error_ends_all_clients(server: LoadedDesign) -> None:
    """What one client meets, the caller hears, and none of the others waits for ever."""
    block = (
        Execution("insert", {"id": 1}, NOTHING_NEW),
        Execution("insert", {}, NOTHING_NEW, (0,)),
        Execution("insert", {"id": 3}, NOTHING_NEW, (1,)),
    )
    with pytest.raises(KeyError):
        run_in_order(server, block, clients=3)


def test_intervals_of_a_mix() -> None:
    """The mix weighs statements by their rates; a design beside itself takes 1.0 times as long, beside a slower one less."""
    rounds = [{"a": [1.0 + number / 100] * 10, "b": [3.0]} for number in range(10)]
    slower = [{name: [2 * each for each in seconds] for name, seconds in one.items()} for one in rounds]
    rates = {"a": 9.0, "b": 1.0}
    one, other = seconds_of_mix(rounds, rates, seed=1), seconds_of_mix(slower, rates, seed=1)
    assert one.seconds == pytest.approx((9 * 1.045 + 3) / 10, rel=0.01)
    assert one.throughput(2)[0] == pytest.approx(2 / one.seconds)
    assert one.throughput(1)[1].low < one.throughput(1)[0] < one.throughput(1)[1].high
    assert one.times(one) == (1.0, Interval(1.0, 1.0))
    assert other.times(one)[0] == pytest.approx(2.0)
    assert seconds_of_mix(rounds, rates, seed=1) == one


def test_a_pause_of_the_machine_decides_nothing() -> None:
    """The slowest twentieth of a statement's executions is not in the mix's mean; the quantiles tell it."""
    rounds = [{"a": [1.0] * 19 + [100.0]} for _ in range(5)]
    assert seconds_of_mix(rounds, {"a": 1.0}, seed=0).seconds == 1.0
    found = latency([float(number) for number in range(101)])
    assert found is not None
    assert (found.p50, found.p95, found.p99, found.runs) == (50.0, 95.0, 99.0, 101)
    assert latency([]) is None


def test_runs_keep_their_answers_digest(server: LoadedDesign) -> None:
    """With shapes the answers are digested, without they are not."""
    from nestling.executors.drive import AnswerShape

    block = (Execution("sleep", {}, NOTHING_NEW),)
    assert run_in_order(server, block)[0].digest is None
    assert isinstance(run_in_order(server, block, shapes={"sleep": AnswerShape()})[0].digest, int)
    assert isinstance(run_in_order(server, block)[0], TimedExecution)
