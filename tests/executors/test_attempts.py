"""The pauses between the attempts of one transaction, and the turns of those that have failed once."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest
from pymongo import AsyncMongoClient, MongoClient
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.client_session import ClientSession
from pymongo.errors import OperationFailure

from nestling.common.server import Server
from nestling.common.server_codes import TRANSIENT_TRANSACTION
from nestling.executors import attempts
from nestling.executors.attempts import (
    FIRST_PAUSE_SECONDS,
    LIMIT_SECONDS,
    LONGEST_PAUSE_SECONDS,
    Pauses,
    in_transaction,
    in_transaction_async,
)
from tests.hand_clock import HandClock

IN_THE_WAY = OperationFailure("WriteConflict", 112, {"errorLabels": [TRANSIENT_TRANSACTION]})


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> HandClock:
    """Time that goes only when somebody sleeps."""
    made = HandClock()
    monkeypatch.setattr(attempts, "time", made)
    return made


def test_pauses_double_and_are_at_random(clock: HandClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """From nothing to the longest that it may be, which grows up to a bound."""
    asked: list[tuple[float, float]] = []

    def drawn(least: float, most: float) -> float:
        asked.append((least, most))
        return most

    monkeypatch.setattr(random, "uniform", drawn)
    pauses = Pauses()
    assert [pauses.next_seconds() for _ in range(9)] == [most for _, most in asked]
    assert {least for least, _ in asked} == {0}
    assert [most for _, most in asked[:4]] == [FIRST_PAUSE_SECONDS * each for each in (1, 2, 4, 8)]
    assert asked[-1] == (0, LONGEST_PAUSE_SECONDS)


def test_no_pause_goes_past_the_time_of_all_attempts(clock: HandClock) -> None:
    pauses = Pauses()
    clock.sleep(LIMIT_SECONDS - 1)
    assert pauses.turn_seconds() == pytest.approx(1)
    clock.sleep(2)
    assert pauses.turn_seconds() == pauses.next_seconds() == 0


def test_one_inside_of_another_does_not_wait_for_it_forever(mongod: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The outer one has the turn and ends after the inner one, which goes on without."""
    monkeypatch.setattr(attempts, "LONGEST_TURN_SECONDS", 0.05)
    tries: list[str] = []

    def inner(session: ClientSession) -> str:
        return _second_time("inner", tries)

    def outer(session: ClientSession) -> str:
        _second_time("outer", tries)
        with session.client.start_session() as own:
            return in_transaction(own, inner)

    with MongoClient[dict[str, Any]](mongod.uri) as client, client.start_session() as session:
        assert in_transaction(session, outer) == "inner"
        assert in_transaction(session, inner) == "inner"  # and both have given it back
    assert tries == ["outer", "outer", "inner", "inner", "inner"]


def test_one_inside_of_another_with_asyncio(mongod: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "LONGEST_TURN_SECONDS", 0.05)
    tries: list[str] = []

    async def inner(session: AsyncClientSession) -> str:
        return _second_time("inner", tries)

    async def outer(session: AsyncClientSession) -> str:
        _second_time("outer", tries)
        async with session.client.start_session() as own:
            return await in_transaction_async(own, inner)

    async def run() -> str:
        async with AsyncMongoClient[dict[str, Any]](mongod.uri) as client, client.start_session() as session:
            return await in_transaction_async(session, outer)

    assert asyncio.run(run()) == "inner"
    assert tries == ["outer", "outer", "inner", "inner"]


def _second_time(name: str, tries: list[str]) -> str:
    """The name, where it has been tried before."""
    tries.append(name)
    if tries.count(name) == 1:
        raise IN_THE_WAY
    return name
