"""The open loop: starts executions at the rates in the workload, or at the rate that the server can sustain if that is lower.

A design whose copies may lag runs its background sync meanwhile, as in production. The sync's work is included in the times,
and the age of the copies when they were read is determined afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from time import perf_counter

from nestling.executors.drive import AnswerShape, TimedExecution, latency, run_at_moments, seconds_of_mix
from nestling.ir.proof import ADVISED, OpenLoop
from nestling.ir.quantity_words import counted
from nestling.ir.reading import Reading
from nestling.ir.trace import Block, Tracer, mix
from nestling.ir.watching import Watch
from nestling.pipeline.proving.background_sync import copy_ages, kept_right, may_be_behind
from nestling.pipeline.proving.contender import TWIN, Contender, in_race
from nestling.pipeline.proving.effort import Effort

REACHABLE = 0.5
"""Highest load, as a share of the chosen design's maximum throughput: close to the maximum, queues grow without end."""
HOPELESS = 0.5
"""A rival whose maximum throughput is below this share of the load is skipped: its queue would only grow."""


def open_loop(
    contenders: list[Contender],
    reading: Reading,
    tracer: Tracer,
    shapes: Mapping[str, AnswerShape],
    effort: Effort,
    watch: Watch | None,
) -> list[str]:
    """Run the loop on every rival that has a chance. Return notes."""
    workload = reading.workload
    racing = [each for each in in_race(contenders) if each.rounds and each.name != TWIN]
    rates = {statement.name: statement.rate_per_second for statement in workload.statements}
    ceilings = {each.name: effort.clients / seconds_of_mix(each.rounds, rates, seed=0).seconds for each in racing}
    if not ceilings or effort.open_seconds <= 0:
        return []
    stated = sum(statement.rate_per_second for statement in workload.statements)
    ceiling = ceilings.get(ADVISED, max(ceilings.values()))
    rate = stated if stated <= ceiling else REACHABLE * ceiling
    if (size := round(rate * effort.open_seconds)) < 1:
        return [_too_seldom(stated, effort.open_seconds)]
    counts = mix(workload, size, least_reads=0, least_writes=0)
    block = tracer.block(counts)
    due = tracer.moments(len(block), rate)
    notes = [] if rate == stated else [_unreachable(stated, ceiling, rate, effort.clients)]
    slow = [each for each in racing if ceilings[each.name] < HOPELESS * rate]
    notes += [
        f"{each.name} was left out of the open loop: it reaches at most {ceilings[each.name]:,.0f} a second"
        for each in slow
    ]
    ready = [each for each in racing if each not in slow]
    Random(effort.seed).shuffle(ready)  # noqa: S311 - an order of rivals, not a secret
    for each in ready:
        if watch is not None:
            watch(f"open loop: {each.name}", 0, None)
        elapsed, runs = _followed(each, reading, shapes, block, due, effort)
        whole = latency([run.seconds for run in runs])
        assert whole is not None, "there is at least one execution"
        each.opened = OpenLoop(rate, len(runs) / max(elapsed, due[-1]), whole)
        for run in runs:
            each.opened_seconds.setdefault(run.call.statement, []).append(run.seconds)
        notes += _late(each)
    return notes


def _followed(
    each: Contender,
    reading: Reading,
    shapes: Mapping[str, AnswerShape],
    block: Block,
    due: Sequence[float],
    effort: Effort,
) -> tuple[float, tuple[TimedExecution, ...]]:
    """Run it on one rival, with a background sync where it needs one."""
    if not may_be_behind(each.proposal.design):
        return run_at_moments(each.running, block, due, clients=effort.users)
    with kept_right(each.proposal, each.running) as background:
        began = perf_counter()
        elapsed, runs = run_at_moments(each.running, block, due, clients=effort.users)
    synced = not background.missing
    each.copies = tuple(copy_ages(each.proposal, reading, shapes, each.running, runs, began, synced=synced))
    each.unsynced = background.missing
    return elapsed, runs


def _late(each: Contender) -> Iterator[str]:
    """Yield notes on the age of a rival's copies."""
    if each.unsynced:
        yield f"{each.name} ran without a background sync, so its copies only grew older: {each.unsynced}"
    for copy in each.copies:
        if copy.late:
            yield (
                f"{each.name}: `{copy.copy}` was up to {copy.oldest:.3g} s behind its source, and in {copy.late} "
                f"of {copy.reads} reads by more than the allowed {copy.allowed:g} s"
            )


def _too_seldom(stated: float, seconds: float) -> str:
    return (
        f"no open loop was run: in its {seconds:g} s, the workload runs only {stated * seconds:.2g} statements at the "
        "stated rates; check the rates"
    )


def _unreachable(stated: float, ceiling: float, rate: float, clients: int) -> str:
    return (
        f"the workload asks for {stated:,.0f} statements a second, more than this server "
        f"and {counted(clients, 'Python client')} can reach (the ceiling of the chosen design is {ceiling:,.0f}), so the "
        f"open loop ran at {rate:,.0f}"
    )
