"""Retries of conflicting transactions: the pauses between attempts, for both of pymongo's clients.

The driver retries such a transaction, in older versions at once. If many want the same document, one succeeds in each round, so
the number of attempts would grow quadratically. So each waits for a random time, longer each time, and those of this program
that have failed once run one after another.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from pymongo import AsyncMongoClient, MongoClient
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.client_session import ClientSession

from nestling.executors.calls import ONE_MOMENT, TO_LAST

FIRST_PAUSE_SECONDS = 0.005
LONGEST_PAUSE_SECONDS = 0.5
LONGEST_TURN_SECONDS = 2.0
"""How long an attempt waits for those before it. They may be about other documents, or one may wait for this one."""
LIMIT_SECONDS = 120.0
"""How long the driver retries; no pause extends beyond it."""

Done = TypeVar("Done")
_AsyncTurns: TypeAlias = WeakKeyDictionary[AsyncMongoClient[Any], asyncio.Lock]

_turns: WeakKeyDictionary[MongoClient[Any], Lock] = WeakKeyDictionary()
_async_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, _AsyncTurns] = WeakKeyDictionary()


class Pauses:
    """The pauses between the attempts of one transaction: each at random, up to twice as long as the one before could be."""

    def __init__(self) -> None:
        self._since = time.monotonic()
        self._longest = FIRST_PAUSE_SECONDS / 2
        self._begun = False

    def is_first(self) -> bool:
        """Whether there was no attempt before this one."""
        first, self._begun = not self._begun, True
        return first

    def next_seconds(self) -> float:
        """How long to wait before the next attempt."""
        self._longest = min(2 * self._longest, LONGEST_PAUSE_SECONDS)
        return self._in_time(random.uniform(0, self._longest))  # noqa: S311 - others must not wait for as long

    def turn_seconds(self) -> float:
        """How long to wait for a turn."""
        return self._in_time(LONGEST_TURN_SECONDS)

    def _in_time(self, seconds: float) -> float:
        return max(0.0, min(seconds, self._since + LIMIT_SECONDS - time.monotonic()))


class HeldTurn:
    """Whether it is this transaction's turn; the turn is held until the transaction ends or an attempt fails."""

    def __init__(self, lock: Lock | asyncio.Lock) -> None:
        self._lock = lock
        self.is_held = False

    @contextmanager
    def left_if_failed(self) -> Iterator[None]:
        """Give up the turn if the operation inside fails."""
        try:
            yield
        except BaseException:
            self.leave()
            raise

    def leave(self) -> None:
        """Let others go on."""
        if self.is_held:
            self.is_held = False
            self._lock.release()


def in_transaction(session: ClientSession, work: Callable[[ClientSession], Done]) -> Done:
    """Run the work in a transaction, and retry it after conflicts until the driver gives up."""
    lock = _turns.setdefault(session.client, Lock())
    pauses, turn = Pauses(), HeldTurn(lock)

    def attempt(inner: ClientSession) -> Done:  # the server hears of a transaction by its first command
        if not pauses.is_first():
            time.sleep(pauses.next_seconds())
            turn.is_held = turn.is_held or lock.acquire(timeout=pauses.turn_seconds())
        with turn.left_if_failed():
            return work(inner)

    try:
        return session.with_transaction(attempt, ONE_MOMENT, TO_LAST)
    finally:
        turn.leave()


async def in_transaction_async(
    session: AsyncClientSession, work: Callable[[AsyncClientSession], Awaitable[Done]]
) -> Done:
    """Run the work in a transaction on asyncio, and retry it after conflicts until the driver gives up."""
    locks = _async_turns.setdefault(asyncio.get_running_loop(), WeakKeyDictionary())
    lock = locks.setdefault(session.client, asyncio.Lock())
    pauses, turn = Pauses(), HeldTurn(lock)

    async def attempt(inner: AsyncClientSession) -> Done:
        if not pauses.is_first():
            await asyncio.sleep(pauses.next_seconds())
            turn.is_held = turn.is_held or await _acquired(lock, pauses.turn_seconds())
        with turn.left_if_failed():
            return await work(inner)

    try:
        return await session.with_transaction(attempt, ONE_MOMENT, TO_LAST)
    finally:
        turn.leave()


async def _acquired(lock: asyncio.Lock, seconds: float) -> bool:
    """Whether the lock is free within that time."""
    try:
        async with asyncio.timeout(seconds):
            return await lock.acquire()
    except TimeoutError:
        return False
