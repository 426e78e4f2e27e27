"""Prepares the workload for one design: compiles it, and predicts each statement's time by the cost model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nestling.common.errors import NestlingError
from nestling.cost import price
from nestling.cost.profile import Profile
from nestling.executors.drive import AnswerShape
from nestling.ir.once import once
from nestling.ir.programs.compiled import CompiledRead, NotCompiled
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.statements import algebra as a
from nestling.ir.statistics import Statistics
from nestling.ir.workload import Requirements, Statement
from nestling.pipeline.answer_shape import shape_of
from nestling.pipeline.cache import rows_on_disk
from nestling.pipeline.converting import convert, default_price

CompiledByName = Mapping[str, CompiledRead | CompiledWrite | NotCompiled]
Exact = Mapping[str, CompiledRead]


def compiled(proposal: Proposal, reading: Reading) -> tuple[CompiledByName, Exact]:
    """Compile every statement for a design; gaps are included.

    The second result holds those reads that compile differently without copies that may lag or approximate values.
    """
    asked, none = proposal.requirements, Requirements()
    unbehind = replace(proposal, requirements=replace(asked, freshness=none.freshness, tolerance=none.tolerance))
    found: dict[str, CompiledRead | CompiledWrite | NotCompiled] = {}
    exact: dict[str, CompiledRead] = {}
    for each in reading.workload.statements:
        dialect = reading.dialect_of(each)
        made = found[each.name] = convert(proposal, each.sql, name=each.name, dialect=dialect)
        if isinstance(made, CompiledRead) and (asked.freshness or asked.tolerance):
            plain = convert(unbehind, each.sql, name=each.name, dialect=dialect)
            if isinstance(plain, CompiledRead) and (plain.pipeline, plain.filter) != (made.pipeline, made.filter):
                exact[each.name] = plain
    return found, exact


def predicted(proposal: Proposal, reading: Reading, disk_wait: float = 0.0) -> dict[str, float | None]:
    """Predict the seconds per execution of each statement on a design; None where the cost model cannot say.

    `disk_wait`: how long a write or its transaction also waits until the server has it on disk.
    """
    found: dict[str, float | None] = {}
    for each in reading.workload.statements:
        seconds = predicted_seconds(proposal, reading, each)
        found[each.name] = seconds + disk_wait if seconds is not None and each.kind.writes else seconds
    return found


def is_answered(proposal: Proposal, reading: Reading, statement: Statement) -> bool:
    """Whether a design's query is made of the statement."""
    dialect = reading.dialect_of(statement)
    try:
        return not isinstance(convert(proposal, statement.sql, name=statement.name, dialect=dialect), NotCompiled)
    except NestlingError:
        return False


def predicted_seconds(
    proposal: Proposal, reading: Reading, statement: Statement, profile: Profile | None = None
) -> float | None:
    """Predict the seconds per execution of one statement as compiled; None if the cost model cannot say.

    With a profile, data that exceed its cache are read from disk. Without one the cache holds everything.
    """
    from nestling.ir.tolerance import tolerated
    from nestling.planner.reads import plan_read
    from nestling.planner.sql.translated import translated
    from nestling.planner.work import estimate, estimate_write
    from nestling.planner.work.cold_reads import HELD
    from nestling.planner.writes import plan_write

    made, values = proposal.design, statement.known_values
    numbers = _grown(reading)
    cold = rows_on_disk(reading, profile) if profile is not None else HELD
    try:
        asked = translated(statement.sql, made.model, reading.dialect_of(statement))
        if isinstance(asked, a.Query):
            lag = tolerated(made.model, proposal.requirements)
            plan = plan_read(asked, made, tolerated=lag, statistics=proposal.statistics, price=default_price)
            work = estimate(plan, made, numbers, values, cold=cold)
        else:
            steps = plan_write(asked, made, statistics=proposal.statistics, price=default_price)
            work = estimate_write(steps, made, numbers, values, cold=cold)
        return default_price(work) if profile is None else price(work, profile)
    except NestlingError:
        return None


@once
def _grown(reading: Reading) -> Statistics:
    from nestling.ir.situation.growth import with_growth

    return with_growth(reading.statistics, reading.workload.statements)


def shapes(reading: Reading) -> dict[str, AnswerShape]:
    """How far each statement fixes its answer."""
    return {
        each.name: shape_of(each.sql, reading.model, reading.dialect_of(each)) for each in reading.workload.statements
    }
