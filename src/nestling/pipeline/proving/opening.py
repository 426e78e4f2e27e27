"""The open loop: executions due at the rates the workload states, or at what the server can reach where that is less."""

from __future__ import annotations

from random import Random

from nestling.executors.drive import latency, mixed, opened
from nestling.ir.proof import ADVISED, OpenLoop
from nestling.ir.trace import Tracer, mix
from nestling.ir.workload import Workload
from nestling.pipeline.proving.contender import TWIN, Contender, in_race
from nestling.pipeline.proving.effort import Effort
from nestling.pipeline.watching import Watch

REACHABLE = 0.5
"""Share of the chosen design's ceiling that is asked for where the stated rates are higher: a queue near its ceiling grows."""
HOPELESS = 0.5
"""A rival whose own ceiling is below this share of what is asked is not asked: it would only queue."""


def open_loop(
    contenders: list[Contender], workload: Workload, tracer: Tracer, effort: Effort, watch: Watch | None
) -> list[str]:
    """Run it on every rival that has a chance; what is to be said of it."""
    racing = [each for each in in_race(contenders) if each.rounds and each.name != TWIN]
    rates = {statement.name: statement.rate_per_second for statement in workload.statements}
    ceilings = {each.name: effort.clients / mixed(each.rounds, rates, seed=0).seconds for each in racing}
    if not ceilings or effort.open_seconds <= 0:
        return []
    stated = sum(statement.rate_per_second for statement in workload.statements)
    ceiling = ceilings.get(ADVISED, max(ceilings.values()))
    rate = min(stated, REACHABLE * ceiling)
    counts = mix(workload, max(round(rate * effort.open_seconds), 1), least_reads=0, least_writes=0)
    block = tracer.block(counts)
    due = tracer.moments(len(block), rate)
    notes = [] if rate == stated else [_unreachable(stated, ceiling, rate)]
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
        elapsed, runs = opened(each.running, block, due, clients=effort.users)
        whole = latency([run.seconds for run in runs])
        assert whole is not None, "there is at least one execution"
        each.opened = OpenLoop(rate, len(runs) / max(elapsed, due[-1]), whole)
        for run in runs:
            each.opened_seconds.setdefault(run.call.statement, []).append(run.seconds)
    return notes


def _unreachable(stated: float, ceiling: float, rate: float) -> str:
    return (
        f"the workload asks for {stated:,.0f} statements a second, more than this server and one Python client reach"
        f" (the ceiling of the chosen design is {ceiling:,.0f}), so the open loop asked for {rate:,.0f}"
    )
