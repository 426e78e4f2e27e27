"""SQL in, what the server is asked out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nestling.ir.proposal import Proposal
from nestling.ir.reading import Gap, GapKind, Reading
from nestling.ir.workload import Workload

if TYPE_CHECKING:
    from nestling.common.errors import GapError
    from nestling.ir.algebra import Query
    from nestling.ir.client_join import ClientJoin
    from nestling.ir.compiled import CompiledRead, NotCompiled
    from nestling.ir.program import CompiledWrite
    from nestling.ir.work import Work
    from nestling.ir.write import Write


def convert(
    proposal: Proposal,
    sql: str,
    *,
    name: str = "",
    dialect: str = "",
    values: Mapping[str, object] | None = None,
    rounds: bool = False,
) -> CompiledRead | CompiledWrite | NotCompiled:
    """Compile one statement for a design, with `values` in place of its parameters when they are given.

    Parameters without a name of their own (`?`, `%s`, `$1`) are called `p1`, `p2` and so on, as in a workload file.
    `dialect` is that of the design's source unless it is given. `rounds`: a datetime with microseconds is rounded where the
    design keeps dates; without it a write refuses one. What cannot be compiled comes back as a gap; unknown names and
    mistakes in the SQL raise `WorkloadError`.
    """
    from nestling.common.errors import GapError, NestlingError
    from nestling.emitters.mql.read import compiled_read
    from nestling.ir.algebra import Query
    from nestling.ir.compiled import NotCompiled, bind
    from nestling.ir.tolerance import tolerated
    from nestling.planner.reads import plan_read
    from nestling.planner.text_orders import notes_on_order

    try:
        statement = _translated(sql, proposal, dialect, rounds=rounds)
        told = notes_on_order(statement, proposal.design.model, proposal.statistics)
        if isinstance(statement, Query):
            lag = tolerated(proposal.design.model, proposal.requirements)
            plan = plan_read(
                statement, proposal.design, tolerated=lag, statistics=proposal.statistics, price=default_price
            )
            read = replace(compiled_read(plan, name=name, sql=sql), notes=told)
            return bind(read, values) if values is not None else read
        write = _convert_write(proposal, statement, name=name, sql=sql, values=values)
        return replace(write, notes=told)
    except GapError as error:
        return NotCompiled(name, sql, _gap_of(error))
    except Exception as error:
        if not isinstance(error, NestlingError):  # a fault of nestling's, which nothing hides
            error.add_note(f"nestling failed on this statement; without it the others can be compiled: {name or sql}")
        raise


def default_price(work: Work) -> float:
    """Seconds of work by the default profile."""
    from nestling.cost import default_profile, price

    return price(work, default_profile())


def convert_join(
    proposal: Proposal, sql: str, *, name: str = "", dialect: str = "", values: Mapping[str, object] | None = None
) -> ClientJoin | CompiledRead | CompiledWrite | NotCompiled:
    """The same with the join of a SELECT made by the client; a gap where it cannot be, no change where there is none."""
    from nestling.common.errors import GapError
    from nestling.emitters.mql.client_join import compiled_join
    from nestling.ir.algebra import Query
    from nestling.ir.client_join import bind_join
    from nestling.ir.compiled import NotCompiled
    from nestling.ir.tolerance import tolerated
    from nestling.planner.reads.client_join import has_join, plan_client_join

    plain = convert(proposal, sql, name=name, dialect=dialect, values=values)
    if isinstance(plain, NotCompiled):
        return plain
    statement = _translated(sql, proposal, dialect)
    if not isinstance(statement, Query) or not has_join(statement):
        return plain
    try:
        lag = tolerated(proposal.design.model, proposal.requirements)
        join = compiled_join(plan_client_join(statement, proposal.design, tolerated=lag), name=name, sql=sql)
    except GapError as error:
        return NotCompiled(name, sql, _gap_of(error))
    join = replace(join, notes=plain.notes)
    return bind_join(join, values) if values is not None else join


def convert_all(
    proposal: Proposal, path: Path | str, dialect: str = "", *, bound: bool = False, client_joins: bool = False
) -> Iterator[ClientJoin | CompiledRead | CompiledWrite | NotCompiled]:
    """Every statement of a workload file compiled; a mistake in one is its gap, and never stops the rest."""
    from nestling.common.errors import WorkloadError
    from nestling.ir.compiled import NotCompiled
    from nestling.sources.statements import is_about_weight, is_mistake_in

    workload, gaps = statements_of(proposal, path, dialect)
    compiled = convert_join if client_joins else convert
    told: list[Gap] = []
    for statement in workload.statements:
        values = dict(statement.samples) if bound else None
        try:
            own = dialect or statement.dialect
            found = compiled(proposal, statement.sql, name=statement.name, dialect=own, values=values)
        except WorkloadError as error:
            problem = error.problems[0]
            found = NotCompiled(statement.name, statement.sql, Gap(GapKind.INPUT, problem.what, problem.where))
        mistakes = [gap for gap in gaps if is_mistake_in(gap, statement.name)]
        told += mistakes
        if mistakes and isinstance(found, NotCompiled) and found.gap.kind is GapKind.INPUT:
            found = replace(found, gap=mistakes[-1])  # which knows the names there are, and the line
        yield found
    for gap in gaps:
        if not is_about_weight(gap) and gap not in told:
            yield NotCompiled("", "", gap)


def queries_module(proposal: Proposal, path: Path | str, dialect: str = "") -> tuple[str, tuple[tuple[str, str], ...]]:
    """A Python module on pymongo alone with a function for each statement of a workload file; the others' names, and why."""
    from nestling.emitters.python_code import lacking, module

    statements = tuple(convert_all(proposal, path, dialect))
    return module(statements, title=f"The statements of {Path(path).name}."), lacking(statements)


def _translated(sql: str, proposal: Proposal, dialect: str, *, rounds: bool = False) -> Query | Write:
    from nestling.ir.sql_dialects import NAMES, SQLITE
    from nestling.planner.sql import translate
    from nestling.sources.statements import normalise

    dialect = dialect or proposal.dialect
    return translate(
        normalise(sql, NAMES.get(dialect.lower(), SQLITE)).sql, proposal.design.model, dialect, rounds=rounds
    )


def _gap_of(error: GapError) -> Gap:
    """The gap an error tells of; what only has words is something nestling lacks."""
    problem = error.problems[0]
    return getattr(error, "gap", None) or Gap(GapKind.NOTIMPL, problem.what, problem.where)


def _convert_write(
    proposal: Proposal, statement: Write, *, name: str, sql: str, values: Mapping[str, object] | None
) -> CompiledWrite:
    from nestling.emitters.mql.write import compiled_write
    from nestling.ir.filling import bind_write
    from nestling.planner.writes import plan_write

    plan = plan_write(statement, proposal.design, statistics=proposal.statistics, price=default_price)
    write = compiled_write(plan, name=name, sql=sql)
    return bind_write(write, values) if values is not None else write


def statements_of(proposal: Proposal, path: Path | str, dialect: str = "") -> tuple[Workload, tuple[Gap, ...]]:
    """The statements of a workload file over a design's model, and what of it could not be understood."""
    from nestling.sources.front import with_workload

    read = with_workload(Reading(proposal.design.model, dialect=dialect or proposal.dialect), path)
    return read.workload, read.gaps
