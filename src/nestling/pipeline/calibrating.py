"""Measuring the cost of work on a server."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.watching import Watch
from nestling.pipeline.arguments import checks_arguments
from nestling.pipeline.converting import default_price
from nestling.pipeline.designing import design, inspect
from nestling.pipeline.loading import load, opened

if TYPE_CHECKING:
    from pymongo.database import Database

    from nestling.cost import Profile
    from nestling.executors.measure import TimedCall
    from nestling.ir.paths.work import Measurement
    from nestling.ir.programs.compiled import CompiledRead


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A profile measured on a server, its basis, and how well it fits (q-errors, in the order of the measurements)."""

    profile: Profile
    measurements: tuple[Measurement, ...]
    errors: tuple[float, ...]


@checks_arguments
def calibrate(
    uri: str | None, *, name: str = "calibrated", seconds: float = 75.0, watch: Watch | None = None
) -> Calibrated:
    """Measure the cost of work on a server, in scratch databases that are dropped at the end.

    A small database is designed and loaded as usual, with two designs. Its reads and some writes are timed for about `seconds`,
    and the coefficients are fitted to the work that the planner counts for them.
    """
    from nestling.cost import Identity, default_profile, experiments
    from nestling.cost.fit import errors, fitted
    from nestling.executors.measure import measure
    from nestling.executors.scratch import scratch_databases
    from nestling.executors.server_facts import compression, server_facts
    from nestling.executors.write_probes import write_probes

    with (
        opened(uri, "nestling") as (_, database),
        experiments.source() as (address, workload),
        scratch_databases(database, (*experiments.STRATEGIES, "writes")) as (*designed, scratch),
    ):
        facts = server_facts(database)
        reading = inspect(address, workload=workload)
        probes = list(write_probes(scratch))
        for strategy, target in zip(experiments.STRATEGIES, designed, strict=True):
            proposal = design(reading, strategy)
            load(proposal, address, target, check=False, watch=watch)
            probes += _read_probes(proposal, reading, target, strategy)
        told = (lambda done, total: watch("measuring (ms)", done, total)) if watch is not None else None
        measurements = measure(probes, seconds=seconds, report=told)
        ratio = compression(designed[0])
    known = default_profile()
    identity = Identity(facts.version, facts.engine, facts.cache_bytes, facts.hardware)
    profile = fitted(measurements, known, identity, name=name)
    profile = replace(profile, compression=ratio if ratio is not None else known.compression)
    return Calibrated(profile, measurements, tuple(errors(measurements, profile.seconds)))


def _read_probes(proposal: Proposal, reading: Reading, database: Database[Any], strategy: str) -> list[TimedCall]:
    """A probe for each statement of the workload on a design."""
    from nestling.emitters.mql.read import compiled_read
    from nestling.executors.measure import TimedCall, timed
    from nestling.executors.run import run_read
    from nestling.ir.statements.algebra import Query
    from nestling.planner.reads import plan_read
    from nestling.planner.sql import translate
    from nestling.planner.work import estimate

    def action(read: CompiledRead, values: Mapping[str, object]) -> Callable[[], object]:
        return lambda: deque(run_read(database, read, values), maxlen=0)

    probes = []
    for statement in reading.workload.statements:
        query, values = translate(statement.sql, proposal.design.model, reading.dialect), statement.known_values
        assert isinstance(query, Query), statement.name
        plan = plan_read(query, proposal.design, statistics=proposal.statistics, price=default_price)
        work = estimate(plan, proposal.design, proposal.statistics, values)
        probes.append(TimedCall(f"{strategy}/{statement.name}", work, timed(action(compiled_read(plan), values))))
    return probes
