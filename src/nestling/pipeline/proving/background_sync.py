"""Handles copies that may lag: runs a background sync meanwhile, and measures how old they were when read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from threading import Event
from time import sleep

from nestling.common.errors import ConnectionFailed, DiskFull, NestlingError
from nestling.common.trees import rebuilt
from nestling.executors.drive import AnswerShape, CopyRead, LoadedDesign, TimedExecution, ages, latency
from nestling.executors.sync import Metrics
from nestling.ir.design import Design
from nestling.ir.freshness import Freshness, Level
from nestling.ir.primitives import Computed
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.proof import CopyAges
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.upkeep import Derived, Upkeep
from nestling.pipeline.converting import convert
from nestling.pipeline.syncing import sync
from nestling.planner.upkeep import upkeeps_of

NEVER_RIGHT = Freshness(Level.SCHEDULED, 1e12)
"""A lag that no read tolerates."""
POLL_SECONDS = 0.01


def may_be_behind(design: Design) -> tuple[Upkeep, ...]:
    """Return the copies and computed values that a background sync keeps right, except deliberately approximate ones."""
    return tuple(
        each
        for each in upkeeps_of(design)
        if each.freshness.seconds is not None and not (isinstance(each.what, Computed) and each.what.step != 1)
    )


class Background:
    """Whether a sync runs; `missing` says why it does not, or no longer."""

    missing: str = ""


@contextmanager
def kept_right(proposal: Proposal, on: LoadedDesign) -> Iterator[Background]:
    """Repair what lags, then run the background sync of a design until the block ends.

    Copies of deleted rows are removed: the data is the proof's own, and all designs must give the same answers. If the server
    cannot be followed, or the sync gives up, the rival records that. A lost server or a full disk is an error.
    """
    told = Background()
    with _losses_told(told):
        sync(proposal, on.database, once=True, remove=True)
    if told.missing:
        yield told
        return
    stop, metrics = Event(), Metrics()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(sync, proposal, on.database, remove=True, stop=stop, metrics=metrics)
        while metrics.snapshot()["state"] != "following" and not running.done():
            sleep(POLL_SECONDS)
        try:
            yield told
        finally:
            stop.set()
        with _losses_told(told):
            running.result()


@contextmanager
def _losses_told(told: Background) -> Iterator[None]:
    try:
        yield
    except (ConnectionFailed, DiskFull):
        raise
    except NestlingError as error:
        told.missing = error.problems[0].text()


def copy_ages(
    proposal: Proposal,
    reading: Reading,
    shapes: Mapping[str, AnswerShape],
    on: LoadedDesign,
    runs: Sequence[TimedExecution],
    began: float,
    *,
    synced: bool,
) -> Iterator[CopyAges]:
    """How old each copy was in the reads of these runs."""
    writing = frozenset(each.name for each in reading.workload.statements if each.kind.writes)
    for upkeep in may_be_behind(proposal.design):
        copied = _copied(proposal, reading, shapes, on, upkeep)
        found = ages(on.database, copied, runs, writing, began)
        allowed = upkeep.freshness.seconds or 0.0
        known = CopyAges(upkeep.id, allowed, synced)
        if (quantiles := latency(found)) is not None:
            known = replace(
                known,
                reads=len(found),
                behind=sum(age > 0 for age in found),
                late=sum(age > allowed for age in found),
                p50=quantiles.p50,
                p95=quantiles.p95,
                oldest=max(found),
            )
        yield known


def _copied(
    proposal: Proposal, reading: Reading, shapes: Mapping[str, AnswerShape], on: LoadedDesign, upkeep: Upkeep
) -> Mapping[str, CopyRead]:
    """Return the statements that answer from a copy: those that compile differently without it."""
    distrusted = replace(proposal, design=_without(proposal.design, upkeep.what))
    found = {}
    for each in reading.workload.statements:
        read = on.statements.get(each.name)
        if isinstance(read, CompiledRead):
            other = convert(distrusted, each.sql, name=each.name, dialect=reading.dialect_of(each))
            if isinstance(other, CompiledRead) and _asks(read) != _asks(other):
                found[each.name] = CopyRead(read, other, shapes[each.name])
    return found


def _asks(read: CompiledRead) -> tuple[object, ...]:
    return read.collection, read.pipeline, read.filter, read.projection


def _without(design: Design, what: Derived) -> Design:
    """Return the design with one copy that reads may not use. It is stored as before."""
    unread = replace(what, freshness=NEVER_RIGHT)
    return replace(design, collections=rebuilt(design.collections, lambda part: unread if part == what else None))
