"""From a source to a design."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from nestling.ir.proposal import OPTIMAL, Proposal
from nestling.ir.reading import Reading
from nestling.ir.watching import Watch
from nestling.pipeline.arguments import checks_arguments

if TYPE_CHECKING:
    from nestling.cost import Profile
    from nestling.emitters.explanation.explanation import Explanation
    from nestling.ir.candidate import Candidate, Refused
    from nestling.ir.design import Design
    from nestling.ir.design_problem import DesignProblem, Solution
    from nestling.ir.situation import Situation
    from nestling.optimizer.pareto import ParetoPoint
    from nestling.pipeline.query_prices import Queries
    from nestling.strategies import Thresholds

WEIGHING_SECONDS = 60.0
"""Default time for comparing the alternatives of a design."""
NO_BUDGET = 2**62
"""More bytes than any design needs."""
NO_WORKLOAD = (
    "no statement of a workload is about the model, so fixed rules decided. With a workload, costs decide, and copies, computed "
    "values and indexes are considered: write each statement below a line such as `-- name: product_page, rate: 900/s` and "
    "add --workload FILE"
)


@dataclass(frozen=True, slots=True)
class PosedProblem:
    """A design problem and what it is made of: the situation, the cost profile, and the candidates.

    `refused`: the candidates that break a bound. `queries`: the prices of compiled queries of its designs, if there are any.
    """

    situation: Situation
    profile: Profile
    candidates: tuple[Candidate, ...]
    problem: DesignProblem
    refused: tuple[Refused, ...] = ()
    queries: Queries | None = field(default=None, compare=False)


@checks_arguments
def inspect(
    address: Path | str,
    *,
    workload: Path | str | None = None,
    dialect: str = "",
    milliseconds: bool = False,
    watch: Watch | None = None,
) -> Reading:
    """Read a source: its model, statistics and workload. Writes nothing.

    `milliseconds`: store timestamps of a SQL source as dates, although these keep only milliseconds.
    """
    from nestling.pipeline.reversing import in_place, is_mongodb
    from nestling.planner.sql.checks import read_check
    from nestling.sources.front import read_source

    if is_mongodb(address):
        return in_place(str(address), workload=workload, watch=watch).reading
    say = (lambda name: watch(f"reading {name}", 0, None)) if watch is not None else None
    found = read_source(
        address, workload=workload, dialect=dialect, milliseconds=milliseconds, progress=say, read_check=read_check
    )
    return with_lacks(found)


def with_lacks(reading: Reading) -> Reading:
    """Add a gap for each computed column that writes cannot maintain, each unusable view, and each construct that is ignored."""
    from nestling.pipeline.computed_columns import with_uncomputed
    from nestling.planner.sql import unusable_views
    from nestling.planner.sql.unconverted import unconverted

    reading = with_uncomputed(reading)
    return replace(
        reading, gaps=(*reading.gaps, *unusable_views(reading.model, reading.dialect), *unconverted(reading))
    )


@checks_arguments
def design(
    reading: Reading | Path | str,
    strategy: str = OPTIMAL,
    thresholds: Thresholds | None = None,
    *,
    profile: Profile | None = None,
    limit_seconds: float = 60.0,
    storage_budget_bytes: int | None = None,
    weighed: bool = True,
) -> Proposal:
    """Decide where everything is stored: at least cost for the workload, or by a strategy that needs no workload.

    `reading` may be an address or a file, which is then read first (`inspect`). For a live MongoDB the result is the proposal
    of `redesign`: today's design is considered too, and warnings become notes.

    `storage_budget_bytes` replaces the budget of the requirements. Raises `InfeasibleError` if no design keeps it. `weighed`:
    list the alternatives of each decision that was made by cost.
    """
    from nestling.pipeline.reversing import redesign
    from nestling.sources.mongo import LiveDatabase
    from nestling.strategies import check_strategy
    from nestling.strategies import design as decide

    check_strategy(strategy)
    if isinstance(reading, Path | str):
        reading = inspect(reading)
    if reading.today is not None:
        made = redesign(
            LiveDatabase(reading, reading.today.in_place, reading.today.watched),
            strategy,
            thresholds,
            profile=profile,
            limit_seconds=limit_seconds,
            storage_budget_bytes=storage_budget_bytes,
        )
        return replace(made.proposal, notes=(*made.proposal.notes, *filter(None, (made.warning,))))
    if strategy != OPTIMAL:
        return _with_sizes(decide(reading, strategy, thresholds), reading, thresholds)
    if not any(statement.accesses for statement in reading.workload.statements):
        decided = decide(reading, "tree", thresholds)
        return _with_sizes(replace(decided, notes=(*decided.notes, NO_WORKLOAD)), reading, thresholds)
    if storage_budget_bytes is not None:
        reading = with_budget(reading, storage_budget_bytes)
    return _with_sizes(_least_cost(reading, thresholds, profile, limit_seconds, weighed=weighed), reading, thresholds)


def _with_sizes(proposal: Proposal, reading: Reading, thresholds: Thresholds | None) -> Proposal:
    """Add a note on each document that will not fit."""
    from nestling.ir.situation import Thresholds, outgrown, situation

    found = outgrown(proposal.design, situation(reading, thresholds or Thresholds()))
    move = "writes to it will fail. Keep its largest array in a collection of its own, as `--strategy tree` does, or bound it"
    return replace(proposal, notes=(*(f"{each}: {move}" for each in found), *proposal.notes))


def with_budget(reading: Reading, storage_bytes: int) -> Reading:
    """Replace the storage budget in the reading's requirements."""
    requirements = replace(reading.workload.requirements, storage_budget_bytes=storage_bytes)
    return replace(reading, workload=replace(reading.workload, requirements=requirements))


def with_short_names(reading: Reading) -> Reading:
    """The reading, asking for short field names."""
    requirements = replace(reading.workload.requirements, short_names=True)
    return replace(reading, workload=replace(reading.workload, requirements=requirements))


@checks_arguments
def pareto(
    reading: Reading,
    points: int = 5,
    *,
    thresholds: Thresholds | None = None,
    profile: Profile | None = None,
    limit_seconds: float = 60.0,
) -> tuple[ParetoPoint, ...]:
    """Cost against storage: the least-cost designs from the smallest possible to the cheapest, none beaten by another.

    Each point's `amount` is the number of bytes of data and indexes before compression. Its `solution.cost` is in seconds of
    work per second, by the prices of compiled queries, as in `design`.
    """
    from nestling.optimizer.pareto import pareto as trade
    from nestling.pipeline.correcting import least_cost_solution

    reading = with_budget(reading, reading.workload.requirements.storage_budget_bytes or NO_BUDGET)
    found = posed_problem(reading, thresholds, profile)

    def search(problem: DesignProblem, *, limit_seconds: float) -> Solution:
        asked = replace(found, problem=problem)
        return least_cost_solution(asked, draft=partial(proposal_of, asked), limit_seconds=limit_seconds)[1]

    return trade(found.problem, points=points, limit_seconds=limit_seconds, search=search)


def _least_cost(
    reading: Reading, thresholds: Thresholds | None, profile: Profile | None, limit_seconds: float, *, weighed: bool
) -> Proposal:
    """Patterns propose, the planner counts the work of each way, costs price it, the optimizer chooses and weighs."""
    from nestling.pipeline.correcting import least_cost_solution

    found, began = posed_problem(reading, thresholds, profile), time.perf_counter()
    found, solution = least_cost_solution(found, draft=partial(proposal_of, found), limit_seconds=limit_seconds)
    left = limit_seconds - (time.perf_counter() - began)
    return explained_proposal(found, solution, seconds_left=left, weighed=weighed)


def proposal_of(found: PosedProblem, solution: Solution, today: Design | None = None) -> Proposal:
    """Return the design of a solution, without explanations. `today`: the existing design, whose names are kept."""
    from nestling.strategies import drafted

    return drafted(found.situation, found.candidates, solution.chosen, today)


def explained_proposal(
    found: PosedProblem,
    solution: Solution,
    today: Design | None = None,
    *,
    seconds_left: float = WEIGHING_SECONDS,
    weighed: bool = True,
) -> Proposal:
    """Return the proposal of a solution, with the alternatives of every decision if `weighed`.

    `today`: the existing design, whose names are kept. `seconds_left`: how long comparing alternatives may take; a note names
    what was not compared in that time.
    """
    from nestling.ir.design_problem import CHANGE
    from nestling.ir.proposal import Costs
    from nestling.optimizer.corrections import nothing_to_look_at
    from nestling.optimizer.weigh import statement_costs, weigh
    from nestling.pipeline.cache import cache_note
    from nestling.planner.upkeep import left_to_sync
    from nestling.strategies import assembled, built_anyway

    problem = found.problem
    groups = [group.name for group in problem.groups if weighed and (len(group.among) > 1 or group.optional)]
    names = {statement.name for statement in found.situation.reading.workload.statements}
    each = tuple((name, cost) for name, cost in statement_costs(problem, solution.chosen) if name in names)
    threshold = problem.rates.get(CHANGE, 0.0) * dict(statement_costs(problem, solution.chosen)).get(CHANGE, 0.0)
    costs = Costs(
        solution.cost,
        solution.bound,
        found.profile.name,
        each,
        threshold=threshold,
        seconds=solution.seconds,
        rates=tuple((name, problem.rates[name]) for name, _ in each),
    )
    candidates = with_users(found.candidates, problem, solution)
    plain = assembled(found.situation, candidates, solution, (), costs, today)
    built = built_anyway(candidates, plain.design)
    queries = found.queries
    missed = queries.notes if queries is not None else ()
    look = queries.beside(problem, seconds=seconds_left / 2) if queries is not None else nothing_to_look_at
    found_out = weigh(problem, solution, groups, limit_seconds=seconds_left, built=built, look=look)
    proposal = assembled(
        found.situation,
        candidates,
        solution,
        found_out.weighings,
        costs,
        today,
        refused=found.refused,
        arriving=frozenset(charge.text for charge in problem.charges if charge.statement == CHANGE),
    )
    left = left_to_sync(proposal.design)
    notes = (*left, *proposal.notes, *missed, *found_out.notes, *cache_note(found.situation, found.profile))
    return replace(proposal, notes=notes)


def with_users(candidates: tuple[Candidate, ...], problem: DesignProblem, solution: Solution) -> tuple[Candidate, ...]:
    """Record on the chosen indexes and copies which statements use them, to read or to find what changes."""
    from nestling.ir.candidate import INDEXES, Aggregate, CopiedAttribute, FirstChildren, Lineage
    from nestling.optimizer.uses import users

    kept_for_reads = (Aggregate, CopiedAttribute, FirstChildren, Lineage)
    by = users(problem, solution)
    return tuple(
        replace(each, motives=by.get(each.id, () if isinstance(each.part, kept_for_reads) else each.motives))
        if each.id in solution.chosen and isinstance(each.part, (*kept_for_reads, *INDEXES))
        else each
        for each in candidates
    )


def posed_problem(
    reading: Reading, thresholds: Thresholds | None, profile: Profile | None, *, today: Design | None = None
) -> PosedProblem:
    """Return the design problem of a reading.

    All structures of `today`'s design may stay, even if no pattern proposes them. A change that saves next to nothing is not
    made.
    """
    from nestling.cost import default_profile
    from nestling.ir.situation import Thresholds, situation
    from nestling.patterns import propose
    from nestling.planner.options.statements.foreign_keys import by_foreign_keys
    from nestling.planner.options.structures.in_place import with_in_place
    from nestling.planner.options.writes.transaction_documents import within_transactions

    known, prices = situation(by_foreign_keys(reading), thresholds or Thresholds()), profile or default_profile()
    candidates, refused = within_transactions(known, propose(known))
    if today is None:
        return PosedProblem(known, prices, candidates, priced_problem(known, prices, candidates), refused)
    there = with_in_place(today, candidates)
    kept = {each.id for each in there.candidates}
    refused = tuple(each for each in refused if each.candidate.id not in kept)
    problem = priced_problem(known, prices, there.candidates, there.chosen)
    return PosedProblem(known, prices, there.candidates, problem, refused)


def priced_problem(
    known: Situation, prices: Profile, candidates: tuple[Candidate, ...], today: frozenset[str] | None = None
) -> DesignProblem:
    """Return everything there is to choose among the candidates, with prices. `today`: the candidates that exist already."""
    from nestling.cost import price
    from nestling.planner.options import design_problem

    counted = partial(price, profile=prices)
    return design_problem(known, candidates, counted, cache_bytes=prices.identity.cache_bytes, today=today)


@checks_arguments
def explain(proposal: Proposal, about: str | None = None) -> Explanation:
    """Explain a whole proposal, or only what concerns one relationship, entity or statement.

    Raises `InputError` if there is none of that name.
    """
    from nestling.emitters.explanation.explanation import explanation

    return explanation(proposal, about)


def finished_design(address: Path | str) -> Proposal | None:
    """Return the design in a design file, or None if `address` is something else."""
    from nestling.ir.text import read_file

    path = Path(address)
    if path.suffix not in (".yaml", ".yml") or not path.is_file():
        return None
    found = read_file(path)
    return None if isinstance(found, Reading) else found


@checks_arguments
def read_proposal(path: Path | str) -> Proposal:
    """The proposal in a design file; raises `InputError` with every mistake in it."""
    from nestling.common.errors import InputError, Problem
    from nestling.ir.text import read_file

    found = read_file(path)
    if isinstance(found, Reading):
        next_move = f"make a design from it: nestling design {path} -o design.yaml"
        raise InputError(Problem(what="holds a model, not a design", where=str(path), next_move=next_move))
    return found
