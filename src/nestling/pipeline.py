"""The spine: one function per stage, in the order data flows. Commands, notebooks and tests call these and nothing deeper.

::

    inspect ──► design ──► load (create, fill, index, verify) ──► verify ──► unload
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nestling.ir.proposal import Proposal
from nestling.ir.reading import Gap, GapKind, Reading
from nestling.ir.values import Policy
from nestling.ir.workload import Workload

if TYPE_CHECKING:
    from pymongo.database import Database

    from nestling.common.server import Server
    from nestling.cost import Profile
    from nestling.executors.load import LoadReport
    from nestling.executors.measure import Probe
    from nestling.executors.progress import RowProgress
    from nestling.executors.unload import UnloadReport
    from nestling.executors.verify import VerifyReport
    from nestling.ir.algebra import Write
    from nestling.ir.candidate import Candidate
    from nestling.ir.client_join import ClientJoin
    from nestling.ir.command import Aggregation
    from nestling.ir.compiled import CompiledRead
    from nestling.ir.design import Design
    from nestling.ir.facts import Facts
    from nestling.ir.finding import Finding
    from nestling.ir.options import Problem
    from nestling.ir.program import CompiledWrite
    from nestling.ir.situation import Situation
    from nestling.ir.work import Measurement
    from nestling.optimizer.pareto import ParetoPoint
    from nestling.strategies import Thresholds

OPTIMAL = "optimal"
"""The strategy that weighs costs."""
WEIGHING_SECONDS = 60.0
"""How long the alternatives of a design may be weighed for its explanation, should the machine be slow."""
NO_BUDGET = 2**62
"""More bytes than any design needs."""
NO_WORKLOAD = (
    "no statement touches the model, so the decision tree decided. With a workload costs decide, and copies, computed values and"
    " indexes are weighed: write each statement under a line such as `-- name: product_page, rate: 900/s` and add --workload FILE"
)

Watch = Callable[[str, int, int | None], None]
"""Hears how far long work is: what is being worked on, rows done, rows in all (None: not known)."""


class Mode(StrEnum):
    """What to do about collections that already hold data."""

    REFUSE = "refuse"
    REPLACE = "replace"  # drop the design's own collections first
    RESUME = "resume"  # go on after the last checkpoint of an interrupted load


@dataclass(frozen=True, slots=True)
class Loaded:
    """A load and, unless it was left out, its verification."""

    report: LoadReport
    verified: VerifyReport | None


def inspect(address: str, *, workload: Path | None = None, dialect: str = "", watch: Watch | None = None) -> Reading:
    """Read a source: its model, statistics and workload. Writes nothing."""
    from nestling.sources.front import read_source, with_workload

    say = (lambda name: watch(f"reading {name}", 0, None)) if watch is not None else None
    reading = _with_usable_views(read_source(address, dialect=dialect, progress=say))
    return with_workload(reading, workload) if workload is not None else reading


def _with_usable_views(reading: Reading) -> Reading:
    """The reading, with a gap for each view no statement can be translated over."""
    from nestling.planner.sql import unusable_views

    if not reading.model.views:
        return reading
    return replace(reading, gaps=(*reading.gaps, *unusable_views(reading.model, reading.dialect)))


def design(
    reading: Reading,
    strategy: str = OPTIMAL,
    thresholds: Thresholds | None = None,
    *,
    profile: Profile | None = None,
    limit_seconds: float = 60.0,
    storage_budget_bytes: int | None = None,
) -> Proposal:
    """Decide where everything lives: at least cost for the workload, or by a strategy that asks for none.

    `storage_budget_bytes` takes the place of what the requirements say; raises `InfeasibleError` when no design keeps it.
    """
    from nestling.strategies import design as decide

    if strategy != OPTIMAL:
        return decide(reading, strategy, thresholds)
    if not any(statement.accesses for statement in reading.workload.statements):
        decided = decide(reading, "tree", thresholds)
        return replace(decided, strategy=OPTIMAL, notes=(*decided.notes, NO_WORKLOAD))
    if storage_budget_bytes is not None:
        reading = _with_budget(reading, storage_budget_bytes)
    return _least_cost(reading, thresholds, profile, limit_seconds)


def _with_budget(reading: Reading, storage_bytes: int) -> Reading:
    requirements = replace(reading.workload.requirements, storage_budget_bytes=storage_bytes)
    return replace(reading, workload=replace(reading.workload, requirements=requirements))


def pareto(
    reading: Reading,
    points: int = 5,
    *,
    thresholds: Thresholds | None = None,
    profile: Profile | None = None,
    limit_seconds: float = 60.0,
) -> tuple[ParetoPoint, ...]:
    """Cost against storage: the least-cost designs from the smallest possible to the cheapest, none beaten by another.

    Each point's `amount` is the bytes of data and indexes before compression, `solution.cost` seconds of work a second.
    """
    from nestling.optimizer.pareto import pareto as trade

    reading = _with_budget(reading, reading.workload.requirements.storage_budget_bytes or NO_BUDGET)
    _, _, _, problem = _problem(reading, thresholds, profile)
    return trade(problem, points=points, limit_seconds=limit_seconds)


def _least_cost(
    reading: Reading, thresholds: Thresholds | None, profile: Profile | None, limit_seconds: float
) -> Proposal:
    """Patterns propose, the planner counts the work of each way, costs price it, the optimizer chooses and weighs."""
    from nestling.ir.proposal import Costs
    from nestling.optimizer import solve
    from nestling.optimizer.weigh import statement_costs, weigh
    from nestling.strategies import assembled

    known, prices, candidates, problem = _problem(reading, thresholds, profile)
    solution = solve(problem, limit_seconds=limit_seconds)
    groups = [group.name for group in problem.groups if len(group.among) > 1 or group.optional]
    weighed = weigh(problem, solution, groups, limit_seconds=WEIGHING_SECONDS)
    names = {statement.name for statement in reading.workload.statements}
    each = tuple((name, cost) for name, cost in statement_costs(problem, solution.chosen) if name in names)
    costs = Costs(solution.cost, solution.bound, prices.name, each, solution.seconds)
    proposal = assembled(known, OPTIMAL, candidates, solution, weighed.weighings, costs)
    return replace(proposal, notes=(*proposal.notes, *weighed.notes))


def _problem(
    reading: Reading, thresholds: Thresholds | None, profile: Profile | None
) -> tuple[Situation, Profile, tuple[Candidate, ...], Problem]:
    """What is known, what work costs, what may be chosen, and what each choice would cost."""
    from nestling.cost import default_profile, price
    from nestling.ir.situation import Thresholds, situation
    from nestling.patterns import propose
    from nestling.planner.options import options

    known, prices = situation(reading, thresholds or Thresholds()), profile or default_profile()
    candidates = propose(known)
    cache_bytes = prices.identity.cache_bytes
    return (
        known,
        prices,
        candidates,
        options(known, candidates, partial(price, profile=prices), cache_bytes=cache_bytes),
    )


def read_proposal(path: Path) -> Proposal:
    """The proposal in a design file; raises `InputError` with every mistake in it."""
    from nestling.common.errors import InputError, Problem
    from nestling.ir.text import read_file

    found = read_file(path)
    if isinstance(found, Reading):
        next_move = f"make a design of it: nestling design {path} -o design.yaml"
        raise InputError(Problem(what="holds a model, not a design", where=str(path), next_move=next_move))
    return found


@contextmanager
def opened(uri: str | None, name: str) -> Iterator[tuple[Server, Database[Any]]]:
    """The MongoDB to work on and the database in it: the URI's, else one called `name`. Starts an embedded one if need be."""
    from nestling.common.connection import connect, database_name, typed_errors
    from nestling.common.server import open_server

    with open_server(uri) as server, connect(server.uri) as client, typed_errors(server.uri):
        yield server, client[database_name(server.uri, _possible(name))]


def _possible(name: str) -> str:
    """`name` as MongoDB lets databases be called, and never one that is the server's own."""
    possible = "".join("_" if character in '/\\. "$*<>:|?\0' else character for character in name) or "nestling"
    if possible.lower() in ("admin", "config", "local"):
        return f"{possible}_data"
    return possible.encode()[:63].decode(errors="ignore")  # the server counts bytes


def home_queries(of: Design) -> Mapping[str, Aggregation]:
    """The query of every entity's home view: how its rows are read back from wherever they live."""
    from nestling.emitters.mql import aggregation
    from nestling.planner.home import home_views

    return {entity: aggregation(path) for entity, path in home_views(of).items()}


def reach_rows(proposal: Proposal, address: str) -> None:
    """Raise a typed error when `address` has no rows to read, before a server is started for them."""
    from nestling.sources.front import open_rows

    open_rows(address, proposal.design.model)


def load(
    proposal: Proposal,
    address: str,
    database: Database[Any],
    *,
    mode: Mode = Mode.REFUSE,
    policy: Policy | None = None,
    check: bool = True,
    watch: Watch | None = None,
) -> Loaded:
    """Create the collections, fill them from the source, build the indexes, and verify that nothing was lost."""
    from nestling.emitters.commands import collection_commands, index_commands
    from nestling.executors.create import create
    from nestling.executors.load import load as fill
    from nestling.executors.load import written_collections
    from nestling.sources.front import open_rows

    made, chosen = proposal.design, policy or Policy()
    source = open_rows(address, made.model)
    replace, resume = mode is Mode.REPLACE, mode is Mode.RESUME
    commands = collection_commands(made, policy=chosen)
    create(commands, database, written_collections(made), replace=replace, resume=resume)
    told = (lambda p: watch(f"loading {p.store}", p.rows, p.total_rows)) if watch is not None else None
    report = fill(made, source, database, indexes=index_commands(made), resume=resume, policy=chosen, progress=told)
    return Loaded(report, verify(proposal, address, database, policy=chosen, watch=watch) if check else None)


def verify(
    proposal: Proposal,
    address: str,
    database: Database[Any],
    *,
    policy: Policy | None = None,
    watch: Watch | None = None,
) -> VerifyReport:
    """Compare every row of the source with what reading its home back yields. Writes nothing."""
    from nestling.executors.verify import verify as compare
    from nestling.sources.front import open_rows

    model = proposal.design.model
    source = open_rows(address, model)

    def told(progress: RowProgress) -> None:
        total = progress.total_rows // 2 if progress.total_rows is not None else None  # each row is read on both sides
        if watch is not None:
            watch(f"verifying {progress.entity}", progress.rows // 2, total)

    return compare(model, home_queries(proposal.design), source, database, policy=policy, report=told)


def unload(proposal: Proposal, database: Database[Any], address: str, *, watch: Watch | None = None) -> UnloadReport:
    """Rebuild the conceptual data from the homes and write it to a SQL database."""
    from nestling.executors.unload import unload as rebuild
    from nestling.sources.front import open_target

    told = (lambda p: watch(f"unloading {p.entity}", p.rows, p.total_rows)) if watch is not None else None
    homes = home_queries(proposal.design)
    return rebuild(proposal.design.model, homes, database, open_target(address), report=told)


def convert(
    proposal: Proposal,
    sql: str,
    *,
    name: str = "",
    dialect: str = "",
    values: Mapping[str, object] | None = None,
) -> CompiledRead | CompiledWrite:
    """Compile one statement for a design, with `values` in place of its parameters when they are given.

    What cannot be compiled comes back with its `gap` set; unknown names and mistakes in the SQL raise `WorkloadError`.
    """
    from nestling.common.errors import GapError
    from nestling.emitters.mql.read import compiled_read
    from nestling.ir.algebra import Query
    from nestling.ir.compiled import CompiledRead, bind
    from nestling.ir.tolerance import tolerated
    from nestling.planner.reads import plan_read
    from nestling.planner.sql import translate

    try:
        statement = translate(sql, proposal.design.model, dialect)
        if isinstance(statement, Query):
            lag = tolerated(proposal.design.model, proposal.requirements)
            read = compiled_read(
                plan_read(statement, proposal.design, tolerated=lag, statistics=proposal.statistics), name=name, sql=sql
            )
            return bind(read, values) if values is not None else read
        return _convert_write(proposal, statement, name=name, sql=sql, values=values)
    except GapError as error:
        found = getattr(error, "gap", None) or Gap(GapKind.NOTIMPL, error.problems[0].what, error.problems[0].where)
        return CompiledRead(name, sql, gap=found)


def convert_join(
    proposal: Proposal, sql: str, *, name: str = "", dialect: str = "", values: Mapping[str, object] | None = None
) -> ClientJoin | CompiledRead | CompiledWrite:
    """The same with the join of a SELECT made by the client; a gap where it cannot be, no change where there is none."""
    from nestling.common.errors import GapError
    from nestling.emitters.mql.client_join import compiled_join
    from nestling.ir.algebra import Query
    from nestling.ir.client_join import bind_join
    from nestling.ir.compiled import CompiledRead
    from nestling.ir.tolerance import tolerated
    from nestling.planner.reads.client_join import has_join, plan_client_join
    from nestling.planner.sql import translate

    plain = convert(proposal, sql, name=name, dialect=dialect, values=values)
    statement = translate(sql, proposal.design.model, dialect) if plain.gap is None else None
    if not isinstance(statement, Query) or not has_join(statement):
        return plain
    try:
        lag = tolerated(proposal.design.model, proposal.requirements)
        join = compiled_join(plan_client_join(statement, proposal.design, tolerated=lag), name=name, sql=sql)
    except GapError as error:
        found = getattr(error, "gap", None) or Gap(GapKind.NOTIMPL, error.problems[0].what, error.problems[0].where)
        return CompiledRead(name, sql, gap=found)
    return bind_join(join, values) if values is not None else join


def convert_all(
    proposal: Proposal, path: Path, dialect: str, *, bound: bool = False, client_joins: bool = False
) -> Iterator[ClientJoin | CompiledRead | CompiledWrite]:
    """Every statement of a workload file compiled; a mistake in one is its gap, and never stops the rest."""
    from nestling.common.errors import WorkloadError
    from nestling.ir.compiled import CompiledRead

    workload, gaps = statements_of(proposal, path, dialect)
    compiled = convert_join if client_joins else convert
    for statement in workload.statements:
        values = dict(statement.samples) if bound else None
        try:
            yield compiled(proposal, statement.sql, name=statement.name, dialect=dialect, values=values)
        except WorkloadError as error:
            problem = error.problems[0]
            yield CompiledRead(statement.name, statement.sql, gap=Gap(GapKind.NOTIMPL, problem.what, problem.where))
    known = {statement.name for statement in workload.statements}
    for gap in gaps:
        if not any(name in gap.where for name in known):
            yield CompiledRead("", "", gap=gap)


def queries_module(proposal: Proposal, path: Path, dialect: str) -> str:
    """A Python module on pymongo alone with a function for each statement of a workload file."""
    from nestling.emitters.python_code import module

    return module(tuple(convert_all(proposal, path, dialect)), title=f"The statements of {path.name}.")


def _convert_write(
    proposal: Proposal, statement: Write, *, name: str, sql: str, values: Mapping[str, object] | None
) -> CompiledWrite:
    from nestling.emitters.mql.write import compiled_write
    from nestling.ir.filling import bind_write
    from nestling.planner.writes import plan_write

    write = compiled_write(plan_write(statement, proposal.design), name=name, sql=sql)
    return bind_write(write, values) if values is not None else write


def statements_of(proposal: Proposal, path: Path, dialect: str) -> tuple[Workload, tuple[Gap, ...]]:
    """The statements of a workload file over a design's model, and what of it could not be understood."""
    from nestling.sources.front import with_workload

    read = with_workload(Reading(proposal.design.model, dialect=dialect), path)
    return read.workload, read.gaps


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A profile measured on a server, what it rests on, and how well it explains it (q-errors, in the measurements' order)."""

    profile: Profile
    measurements: tuple[Measurement, ...]
    errors: tuple[float, ...]


def calibrate(
    uri: str | None, *, name: str = "calibrated", seconds: float = 75.0, watch: Watch | None = None
) -> Calibrated:
    """Measure what work costs on a server, in scratch databases that are dropped in the end.

    A small database goes the way of any other, on two designs; its reads and some writes are timed for about `seconds`, and the
    coefficients fitted to the work the planner counts for them.
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


def _read_probes(proposal: Proposal, reading: Reading, database: Database[Any], strategy: str) -> list[Probe]:
    """A probe for each statement of the workload on a design."""
    from nestling.emitters.mql.read import compiled_read
    from nestling.executors.measure import Probe, timed
    from nestling.executors.run import run_read
    from nestling.ir.algebra import Query
    from nestling.planner.reads import plan_read
    from nestling.planner.sql import translate
    from nestling.planner.work import estimate

    def action(read: CompiledRead, values: Mapping[str, object]) -> Callable[[], object]:
        return lambda: deque(run_read(database, read, values), maxlen=0)

    probes = []
    for statement in reading.workload.statements:
        query, values = translate(statement.sql, proposal.design.model, reading.dialect), dict(statement.samples)
        assert isinstance(query, Query), statement.name
        plan = plan_read(query, proposal.design, statistics=proposal.statistics)
        work = estimate(plan, proposal.design, proposal.statistics, values)
        probes.append(Probe(f"{strategy}/{statement.name}", work, timed(action(compiled_read(plan), values))))
    return probes


def facts_of(
    uri: str, *, seconds: float = 60.0, documents: int = 10_000, whole: bool = False, watch: Watch | None = None
) -> Facts:
    """What a live MongoDB is: of the URI's database, else of all that are not the server's own. Writes nothing.

    Raises ConnectionFailed, PermissionDenied or, when there is nothing to look at, SourceError.
    """
    from nestling.common.connection import connect, database_name, typed_errors
    from nestling.common.errors import Problem, SourceError
    from nestling.executors.facts import READING, Amount, Budget, gather

    told = (lambda name, done, total: watch(f"looking at {name}", done, total)) if watch is not None else None
    budget = Budget(seconds, Amount(documents), whole)
    with connect(uri, **READING) as client, typed_errors(uri):
        named = database_name(uri, "")
        databases = [named] if named else sorted(set(client.list_database_names()) - {"admin", "config", "local"})
        if not databases:
            move = "name one: mongodb://host/database"
            raise SourceError(Problem("there are no databases the user may read", where="the server", next_move=move))
        return gather(client, databases, budget, told)


def diagnose(
    facts: Facts,
    *,
    earlier: Facts | None = None,
    rules: Sequence[str] = (),
    thresholds: Mapping[str, float] | None = None,
    office: str = "",
    profile: Profile | None = None,
) -> tuple[Finding, ...]:
    """What the doctor's rules find in facts, with what it costs by a profile; `office`: whose thresholds."""
    from nestling.cost import default_profile, price
    from nestling.doctor import diagnose as findings_in
    from nestling.doctor import limits

    prices = profile or default_profile()
    found = findings_in(facts, earlier=earlier, chosen=rules, in_force=limits(thresholds, office))
    return tuple(replace(each, cost_seconds=price(each.work, prices)) if each.work else each for each in found)
