"""Reading a live MongoDB: its model, today's schema as a design, and what to change.

Writes nothing to the database.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from nestling.ir.migration import DesignMoves
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Today
from nestling.ir.watching import Watch
from nestling.pipeline.arguments import checks_arguments

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nestling.cost import Profile
    from nestling.ir.candidate import Candidate
    from nestling.ir.capture.coverage import Watched
    from nestling.ir.design import Design
    from nestling.ir.design_problem import Change, DesignProblem, StatementStep
    from nestling.pipeline.measured_today import MeasuredCommand
    from nestling.planner.options.structures.constraints import Constraint
    from nestling.sources.mongo import LiveDatabase
    from nestling.strategies import Thresholds

MONGODB = ("mongodb://", "mongodb+srv://")
LOOKING_SECONDS = 120.0
"""How long a database may be looked at."""


@dataclass(frozen=True, slots=True)
class Redesign:
    """A better design, the price of today's design (None: unknown), and the changes, largest gain first.

    `better`: what the better one costs, without the threshold a change has. `warning`: why nothing of today's was taken away,
    and which documents will not fit; empty where there is nothing to warn of. `moves`: all that a migration would do, also
    what no change names. `outgrown`: the documents of today's that will not fit and that the better one has no more, a sentence
    each. `measured`: the commands whose time is known.
    """

    proposal: Proposal
    today: float | None
    changes: tuple[Change, ...]
    warning: str = ""
    better: float | None = None
    outgrown: tuple[str, ...] = ()
    measured: tuple[MeasuredCommand, ...] = ()
    moves: DesignMoves = DesignMoves()


@checks_arguments
def is_mongodb(address: Path | str) -> bool:
    """Whether an address is a live MongoDB's."""
    return str(address).startswith(MONGODB)


@checks_arguments
def in_place(
    uri: str,
    *,
    workload: Path | str | None = None,
    seconds: float = LOOKING_SECONDS,
    rest: float = 4.0,
    watch: Watch | None = None,
) -> LiveDatabase:
    """Read what a live MongoDB holds, and in which form. `seconds` and `rest` are as in `facts_of`, and are also for
    comparing fields that seem to follow from others with these.

    The workload comes from the file; without one it is what the server has recorded. Raises `ConnectionFailed`,
    `PermissionDenied`, `InputError`, or `SourceError` if the URI names no database.
    """
    from nestling.common.connection import database_name
    from nestling.common.errors import Problem, SourceError
    from nestling.common.redaction import redact
    from nestling.ir.capture import merged
    from nestling.ir.capture.coverage import watched
    from nestling.pipeline.capturing import recorded_captures, with_captured
    from nestling.pipeline.designing import with_lacks
    from nestling.pipeline.diagnosing import facts_of
    from nestling.pipeline.equal_copies import COMPARING_SHARE, read_equal_copies
    from nestling.sources.workload_file import open_workload

    statements = open_workload(workload) if workload is not None else None
    if statements is not None:
        statements.check()
    name = database_name(uri, "")
    if not name:
        move = "give it: mongodb://host/database"
        raise SourceError(Problem("a model needs one database, and the URI names none", redact(uri), next_move=move))
    end = time.monotonic() + seconds
    facts = facts_of(uri, seconds=seconds * (1 - COMPARING_SHARE), structure=True, rest=rest, watch=watch)
    found = read_equal_copies(uri, facts, name, until=end, rest=rest, watch=watch)
    if statements is not None:
        return _known(replace(found, reading=with_lacks(statements.over(found.reading))))
    if watch is not None:
        watch("reading what was captured", 0, 1)
    captures = recorded_captures(uri)
    reading = with_captured(found.reading, merged(captures), found.in_place.design)
    return _known(replace(found, reading=reading, watched=watched(captures)))


def _known(found: LiveDatabase) -> LiveDatabase:
    """Add today's design to the reading."""
    return replace(found, reading=replace(found.reading, today=Today(found.in_place, found.watched)))


@checks_arguments
def redesign(
    found: LiveDatabase,
    strategy: str,
    thresholds: Thresholds | None = None,
    *,
    profile: Profile | None = None,
    limit_seconds: float = 60.0,
    storage_budget_bytes: int | None = None,
) -> Redesign:
    """Find a better design for what a database holds and is asked, and the changes that lead there from today's.

    Without statements, or by a strategy without costs, nothing is priced, and the changes are in the model's order. If captured
    statements do not show what is read, existing structures stay. Structures that will not fit into a document after the
    expected growth are removed, or the warning names them.
    """
    from nestling.ir.proposal import OPTIMAL
    from nestling.pipeline.designing import design, with_budget
    from nestling.planner.options.structures.constraints import constraints

    found = replace(found, reading=replace(found.reading, today=None))
    reading, today = found.reading, found.in_place.design
    warning = "" if found.knows_reads else _warning(found.watched)
    asked = any(statement.accesses for statement in reading.workload.statements)
    if strategy == OPTIMAL and warning and not asked:
        made = Redesign(found.in_place, None, (), warning)
    elif strategy != OPTIMAL or not asked:
        kept = tuple(constraints(today, today.indexes))
        proposal = _constrained(design(reading, strategy, thresholds), kept)
        made = Redesign(proposal, None, _unpriced(today, proposal.design), warning)
    else:
        if storage_budget_bytes is not None:
            found = replace(found, reading=with_budget(reading, storage_budget_bytes))
        made = _least_cost(found, thresholds, profile, limit_seconds, warning)
    return _growing(made, found, thresholds)


def _least_cost(
    found: LiveDatabase, thresholds: Thresholds | None, profile: Profile | None, limit_seconds: float, warning: str
) -> Redesign:
    """The design that costs least, today's being in place."""
    from nestling.cost import price
    from nestling.ir.paths import work_of
    from nestling.optimizer.changes import changes
    from nestling.optimizer.evaluate import evaluate
    from nestling.optimizer.weigh import statement_costs
    from nestling.pipeline.correcting import least_cost_solution
    from nestling.pipeline.designing import explained_proposal, posed_problem, priced_problem, proposal_of
    from nestling.pipeline.measured_today import measured_commands
    from nestling.planner.options.structures.constraints import constraints
    from nestling.planner.options.structures.in_place import with_in_place
    from nestling.planner.sql.unconverted import gap_of, weighed

    today = found.in_place.design
    kept = tuple(constraints(today, today.indexes))
    posing = posed_problem(found.reading, thresholds, profile, today=today)
    candidates, problem = posing.candidates, posing.problem
    there = with_in_place(today, candidates).chosen
    fixed = _indexes(candidates, there)
    problem = _with_indexes(_constraining(problem, kept, candidates, there), fixed)
    odd = [each.name for each in weighed(found.reading) if gap_of(each, found.reading) is not None]
    problem = _answered_as_today(problem, there, odd)
    every = replace(priced_problem(posing.situation, posing.profile, candidates), limits=())
    if warning and (evaluate(every, there) is None or evaluate(problem, there) is None):
        return Redesign(found.in_place, None, (), warning)
    posing = replace(posing, problem=_keeping(problem, there) if warning else problem)

    def with_todays(made: Proposal) -> Proposal:
        return _with_other_indexes(_constrained(made, kept), today)

    began = time.perf_counter()
    corrected, solution = least_cost_solution(
        posing, draft=lambda each: with_todays(proposal_of(posing, each, today)), limit_seconds=limit_seconds
    )
    left = limit_seconds - (time.perf_counter() - began)
    proposal = with_todays(_without_fixed(explained_proposal(corrected, solution, today, seconds_left=left), fixed))
    proposal = replace(proposal, notes=(*proposal.notes, *_deciding_nothing(odd)))
    stay = there & with_in_place(proposal.design, candidates).chosen  # what every design has, such as unique indexes
    more = tuple(each for each in corrected.problem.steps if each not in posing.problem.steps)
    every = replace(every, steps=(*every.steps, *more))
    steps = changes(every, there, solution.chosen | stay)
    now, then = (evaluate(every, each) for each in (there, solution.chosen | stay))
    cost, better = (each.cost if each is not None else None for each in (now, then))
    costs = dict(statement_costs(every, there)) if now is not None else {}
    request = price(work_of.request(), posing.profile)
    measured = tuple(measured_commands(found.reading.workload.statements, costs, request))
    return Redesign(proposal, cost, steps, warning, better, measured=measured)


def _growing(made: Redesign, found: LiveDatabase, thresholds: Thresholds | None) -> Redesign:
    """Add a warning about documents that will not fit, and a note on those of today that would not."""
    from nestling.ir.situation import Thresholds, outgrown, situation
    from nestling.pipeline.design_moves import design_moves

    known = situation(found.reading, thresholds or Thresholds())
    now, then = (tuple(outgrown(each, known)) for each in (found.in_place.design, made.proposal.design))
    gone = tuple(f"today's design will not last: {each}" for each in now if each not in then)
    warnings = [f"{each}. Move its largest array to its own collection, or bound it" for each in then]
    proposal = replace(made.proposal, notes=(*gone, *made.proposal.notes))
    warning = ". ".join(filter(None, (made.warning, *warnings)))
    moves = design_moves(found.in_place, proposal)
    return replace(made, proposal=proposal, outgrown=gone, warning=warning, moves=moves)


def _keeping(problem: DesignProblem, there: frozenset[str]) -> DesignProblem:
    """Restrict the problem to additions: existing structures stay, decision by decision."""
    from nestling.ir.design_problem import Limit

    decided = [group for group in problem.groups if there & set(group.among)]
    others = tuple(((each,), 1.0) for group in decided for each in group.among if each not in there)
    groups = tuple(replace(group, optional=False) if group in decided else group for group in problem.groups)
    return replace(problem, groups=groups, limits=(*problem.limits, Limit("what is there stays", others, 0.0)))


def _answered_as_today(problem: DesignProblem, there: frozenset[str], statements: Sequence[str]) -> DesignProblem:
    """Fix the answers of statements whose prices nothing confirms to today's structures, so that these stay."""

    def of_today(step: StatementStep) -> StatementStep:
        modes = tuple(each for each in step.modes if there.issuperset(each.needs) and there.isdisjoint(each.without))
        return replace(step, modes=modes) if modes and step.statement in statements else step

    return replace(problem, steps=tuple(map(of_today, problem.steps)))


def _deciding_nothing(statements: Sequence[str]) -> Iterator[str]:
    """A note of statements that are not converted."""
    from nestling.ir.quantity_words import agreeing, first_of

    if statements:
        named = first_of([f"`{name}`" for name in statements], 3)
        are, their = agreeing(len(statements)), agreeing(len(statements), "its price is", "their prices are")
        yield f"{named} {are} not converted, so {their} a guess, which changes nothing: what is read of today's design stays"


def _indexes(candidates: Sequence[Candidate], there: frozenset[str]) -> frozenset[str]:
    """Today's indexes of one entity's rows, over all of them or some."""
    from nestling.ir.candidate import Indexed, IndexedAnyCase

    indexes = (each for each in candidates if isinstance(each.part, Indexed | IndexedAnyCase))
    return frozenset(each.id for each in indexes) & there


def _with_indexes(problem: DesignProblem, fixed: frozenset[str]) -> DesignProblem:
    """Fix these structures: something that the statements do not show, such as a monthly report, may need them."""
    groups = tuple(replace(group, optional=False) if set(group.among) <= fixed else group for group in problem.groups)
    return replace(problem, groups=groups)


def _without_fixed(proposal: Proposal, fixed: frozenset[str]) -> Proposal:
    """Remove alternatives from the decisions where nothing was compared, and add a note."""
    if not fixed:
        return proposal
    weighed = tuple(each for each in proposal.weighed if each.structure not in fixed or each.gain is not None)
    note = "today's indexes stay, whether or not these statements use them: `nestling doctor` lists unused ones"
    return replace(proposal, weighed=weighed, notes=(*proposal.notes, note))


def _constraining(
    problem: DesignProblem, kept: tuple[Constraint, ...], candidates: Sequence[Candidate], there: frozenset[str]
) -> DesignProblem:
    """Remove structures under which the server could not enforce what today's indexes enforce."""
    from nestling.ir.design_problem import Limit
    from nestling.planner.options.structures.constraints import spoiling

    spoilt = tuple(((each,), 1.0) for each in spoiling(kept, candidates) if each not in there)
    limit = Limit("what is unique or expires stays so", spoilt, 0.0)
    return replace(problem, limits=(*problem.limits, limit)) if spoilt else problem


def _constrained(proposal: Proposal, kept: tuple[Constraint, ...]) -> Proposal:
    """Add today's unique and expiring indexes. A note names those that no index of the proposal can represent."""
    from nestling.planner.options.structures.constraints import with_constraints

    made, lost = with_constraints(proposal.design, kept)
    notes = tuple(f"no index keeps {each}, as one does today: the application must do so instead" for each in lost)
    return replace(proposal, design=made, notes=(*proposal.notes, *notes))


def _with_other_indexes(proposal: Proposal, today: Design) -> Proposal:
    """Add today's indexes that no structure represents, and that were therefore not considered."""
    from nestling.planner.options.structures.in_place import with_other_indexes

    made, lost = with_other_indexes(proposal.design, today)
    named = (f"`{each.collection}` on {', '.join(path for path, _ in each.keys)}" for each in lost)
    notes = tuple(f"today's index of {each} is not kept: its fields move elsewhere" for each in named)
    return replace(proposal, design=made, notes=(*proposal.notes, *notes))


def _warning(watched: Watched | None) -> str:
    """Say how little is known about what is read, and what follows from that."""
    from nestling.ir.quantity_words import counted

    assert watched is not None
    slow = ", slow ones only" if watched.slow_only else ""
    return (
        f"the workload is what the server has recorded: {counted(watched.statements, 'statement')} "
        f"within {watched.seconds:,.0f} s, including {counted(watched.reads, 'read')}{slow}. That does not show everything "
        "that is read, so all of today's indexes, embeddings and copies stay: those not seen in use may be what makes "
        "reads fast. Give --workload FILE, or have the profiler record all statements for an hour or more"
    )


def _unpriced(today: Design, other: Design) -> tuple[Change, ...]:
    """Return the differences, structure by structure."""
    from nestling.ir.design_problem import Change
    from nestling.planner.options.structures.in_place import with_in_place

    now = with_in_place(today, ())
    then = with_in_place(other, now.candidates)
    gone, come = sorted(now.chosen - then.chosen), sorted(then.chosen - now.chosen)
    return tuple(Change((name,), ()) for name in gone) + tuple(Change((), (name,)) for name in come)
