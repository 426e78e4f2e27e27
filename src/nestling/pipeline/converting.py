"""Converting SQL into queries for MongoDB."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from nestling.ir.programs.compiled import NotCompiled
from nestling.ir.proposal import Proposal
from nestling.ir.quantity_words import cut
from nestling.ir.reading import ConstantKinds, FoundGap, Gap, GapKind, Reading
from nestling.ir.workload import Statement, Workload
from nestling.pipeline.arguments import checks_arguments

if TYPE_CHECKING:
    from nestling.common.sql_constants import ConstantValue
    from nestling.ir.paths.work import Work
    from nestling.ir.programs.client_join import ClientJoin
    from nestling.ir.programs.compiled import CompiledRead
    from nestling.ir.programs.program import CompiledWrite
    from nestling.ir.statements.algebra import Query
    from nestling.ir.statements.write import Write
    from nestling.sources.statements.placeholders import Normalised

Made = TypeVar("Made")
"""What is made of a statement."""


@checks_arguments
def convert(
    proposal: Proposal,
    sql: str,
    *,
    name: str = "",
    dialect: str = "",
    values: Mapping[str, object] | None = None,
    rounds: bool = False,
) -> CompiledRead | CompiledWrite | NotCompiled:
    """Compile one statement for a design, with its parameters replaced by `values` if these are given.

    A parameter that stands where a constant is needed is a gap if it has no value. Parameters without a name (`?`, `%s`, `$1`)
    are called `p1`, `p2` and so on, as in a workload file. `dialect` defaults to the dialect of the design's source. `rounds`:
    round a datetime with microseconds where the design stores dates; without it a write refuses such a value.

    Returns a gap (`NotCompiled`) for what cannot be compiled. Raises `WorkloadError` for unknown names and mistakes in the SQL.
    """
    made, constants = _with_constants(_Asked(proposal, sql, name, dialect, rounds), values or {})
    return made if values is None or isinstance(made, NotCompiled) else _filled(made, _rest(values, constants))


def convert_for(
    proposal: Proposal,
    sql: str,
    values: Mapping[str, object],
    *,
    name: str = "",
    dialect: str = "",
    rounds: bool = False,
) -> tuple[CompiledRead | CompiledWrite | NotCompiled, tuple[str, ...]]:
    """Compile one statement that keeps its parameters, except those that stand where a constant is needed.

    These are replaced by their `values`, and their names are returned.
    """
    return _with_constants(_Asked(proposal, sql, name, dialect, rounds), values)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A statement to compile for a design."""

    proposal: Proposal
    sql: str
    name: str
    dialect: str
    rounds: bool = False


def _with_constants(
    asked: _Asked, values: Mapping[str, object]
) -> tuple[CompiledRead | CompiledWrite | NotCompiled, tuple[str, ...]]:
    """Compile the statement; parameters that must be constants get their values. Return it and the names of these."""
    from nestling.common.errors import NestlingError

    values = values_bound(asked.proposal, values, asked.dialect)
    constants: dict[str, ConstantValue] = dict.fromkeys(
        numbers_asked(values, lambda: numbered_parameters(asked.proposal, asked.sql, values, dialect=asked.dialect))
    )
    try:
        try:
            return _made_with(values, constants, lambda: _compiled(asked, constants)), tuple(constants)
        except FoundGap as error:
            gap = _placed(_gap_of(error, asked.sql), error, asked, constants)
            return NotCompiled(asked.name, asked.sql, gap), tuple(constants)
    except Exception as error:
        if not isinstance(error, NestlingError):  # a fault of nestling's, which nothing hides
            said = asked.name or asked.sql
            error.add_note(f"nestling failed on this statement; the others can be compiled without it: {said}")
        raise


def _made_with(values: Mapping[str, object], constants: dict[str, ConstantValue], make: Callable[[], Made]) -> Made:
    """What `make` returns. The values of parameters that must be constants are added to `constants`, which it uses.

    Raises the gap that remains, and `WorkloadError` for a value that cannot be a constant.
    """
    while True:
        try:
            return make()
        except FoundGap as error:
            wanted = [name for name in error.parameters if name in values]
            if not wanted or constants.keys() & {*wanted}:
                raise
            constants |= {name: _constant(name, values[name], error.kinds) for name in wanted}


def numbered_parameters(
    proposal: Proposal, sql: str, values: Mapping[str, object], *, dialect: str = ""
) -> Mapping[str, bool] | None:
    """Return the parameters of an INSERT that fill auto-numbered attributes, and whether 0 requests the next number as NULL does.

    A request for the next number is compiled as the constant NULL. If the statement cannot be translated with these values, the
    result is None: compiling it will raise the error.
    """
    from nestling.common.errors import NestlingError
    from nestling.ir.statements.algebra import Query
    from nestling.planner.writes.insert import numbered_parameters as numbered

    constants: dict[str, ConstantValue] = {}
    with suppress(NestlingError):
        found = _made_with(values, constants, lambda: _translated(sql, proposal, dialect, constants=constants))
        return {} if isinstance(found, Query) else numbered(found)
    return None


def numbers_asked(values: Mapping[str, object], numbered: Callable[[], Mapping[str, bool] | None]) -> Iterator[str]:
    """Yield the parameters that are replaced by a generated number. `numbered` is called only if a value may request one."""
    from nestling.ir.constraints.defaults import asks_for_number

    asking = [name for name, value in values.items() if asks_for_number(value, zero_asks=True)]
    known = (numbered() if asking else None) or {}
    yield from (name for name in asking if name in known and asks_for_number(values[name], zero_asks=known[name]))


def _constant(name: str, value: object, kinds: ConstantKinds) -> ConstantValue:
    from nestling.common.errors import Problem, WorkloadError

    if kinds.times and isinstance(value, date):
        return value
    if kinds.json and isinstance(value, dict | list):
        with suppress(TypeError, ValueError):  # what is no JSON
            return json.dumps(value, allow_nan=False)
    if isinstance(value, bool) or not isinstance(value, str | int if kinds.numbers else str):
        what = f"parameter `{name}` is used where a constant is needed, but is {type(value).__name__}"
        texts = "a text or a whole number" if kinds.numbers else "a text"
        raise WorkloadError(Problem(what, next_move=f"give {'a date, a timestamp, ' if kinds.times else ''}{texts}"))
    return value


def _compiled(asked: _Asked, constants: Mapping[str, ConstantValue]) -> CompiledRead | CompiledWrite:
    from nestling.emitters.mql.read import compiled_read
    from nestling.emitters.mql.write import compiled_write
    from nestling.ir.statements.algebra import Query
    from nestling.ir.tolerance import tolerated
    from nestling.planner.reads import plan_read
    from nestling.planner.work.scanning_joins import notes_on_joins
    from nestling.planner.writes import plan_write

    proposal = asked.proposal
    statement = _translated(asked.sql, proposal, asked.dialect, rounds=asked.rounds, constants=constants)
    told, nan_is_null = _answer_notes(statement, proposal), _nan_is_null(proposal, asked.dialect)
    if isinstance(statement, Query):
        lag = tolerated(proposal.design.model, proposal.requirements)
        plan = plan_read(statement, proposal.design, tolerated=lag, statistics=proposal.statistics, price=default_price)
        if asked.name not in proposal.priced:
            told = (*told, *notes_on_joins(plan, proposal.design, proposal.statistics))
        read = compiled_read(plan, name=asked.name, sql=asked.sql)
        return replace(read, notes=told, nan_is_null=nan_is_null, unused=_unused(asked, read.parameters))
    writes = plan_write(statement, proposal.design, statistics=proposal.statistics, price=default_price)
    write = compiled_write(writes, name=asked.name, sql=asked.sql)
    return replace(write, notes=told, nan_is_null=nan_is_null, unused=_unused(asked, write.parameters))


def _unused(asked: _Asked, parameters: Sequence[str]) -> tuple[str, ...]:
    """The parameters that the SQL has and the statement compiled from it does not."""
    return tuple(
        name for name in _normalised(asked.sql, asked.proposal, asked.dialect)[0].parameters if name not in parameters
    )


def values_bound(proposal: Proposal, values: Mapping[str, object], dialect: str = "") -> Mapping[str, object]:
    """The values of parameters as drivers of the statement's database bind them: NaN is NULL in SQLite."""
    from nestling.ir.value_forms.nans import nan_as_null

    is_other = not _nan_is_null(proposal, dialect)
    return values if is_other else {name: nan_as_null(value) for name, value in values.items()}


def _nan_is_null(proposal: Proposal, dialect: str) -> bool:
    """Whether the statement is SQLite's, which has no NaN; a model that says that its types are MongoDB's has it."""
    from nestling.ir.statements.sql_dialects import NAMES, SQLITE

    is_sqlite = NAMES.get((dialect or proposal.dialect).lower(), SQLITE) == SQLITE
    return is_sqlite and not proposal.design.model.strict_types


def _answer_notes(statement: Query | Write, proposal: Proposal) -> tuple[str, ...]:
    """Return notes on where the answer may differ from the source's, whoever makes the join."""
    from nestling.ir.statements.algebra import Query
    from nestling.planner.statements.text_orders import notes_on_order

    locks = statement.locks if isinstance(statement, Query) else None
    told = notes_on_order(statement, proposal.design.model, proposal.statistics)
    return (*told, locks.note) if locks else told


def _filled(
    made: CompiledRead | CompiledWrite, values: Mapping[str, object]
) -> CompiledRead | CompiledWrite | NotCompiled:
    from nestling.ir.programs.compiled import CompiledRead, bind
    from nestling.ir.programs.filling import bind_write

    try:
        return bind(made, values) if isinstance(made, CompiledRead) else bind_write(made, values)
    except FoundGap as error:
        return NotCompiled(made.name, made.sql, _gap_of(error, made.sql))


def _rest(values: Mapping[str, object], constants: Sequence[str]) -> dict[str, object]:
    return {name: value for name, value in values.items() if name not in constants}


def default_price(work: Work) -> float:
    """Seconds of work by the default profile."""
    from nestling.cost import default_profile, price

    return price(work, default_profile())


@checks_arguments
def convert_join(
    proposal: Proposal, sql: str, *, name: str = "", dialect: str = "", values: Mapping[str, object] | None = None
) -> ClientJoin | CompiledRead | CompiledWrite | NotCompiled:
    """Compile a statement as `convert` does, but let the client make the join of a SELECT.

    Returns a gap if the client cannot make it, and the usual result if there is no join.
    """
    from nestling.emitters.mql.client_join import compiled_join
    from nestling.ir.programs.client_join import bind_join
    from nestling.ir.statements.algebra import Query
    from nestling.ir.tolerance import tolerated
    from nestling.planner.reads.client_join import has_join, plan_client_join

    plain, named = _with_constants(_Asked(proposal, sql, name, dialect), values or {})
    if isinstance(plain, NotCompiled):
        return plain
    constants = {each: _constant(each, (values or {})[each], ConstantKinds(json=True, times=True)) for each in named}
    given = None if values is None else _rest(values, named)
    statement = _translated(sql, proposal, dialect, constants=constants)
    if not isinstance(statement, Query) or not has_join(statement):
        return plain if given is None else _filled(plain, given)
    try:
        lag = tolerated(proposal.design.model, proposal.requirements)
        join = compiled_join(plan_client_join(statement, proposal.design, tolerated=lag), name=name, sql=sql)
    except FoundGap as error:
        return NotCompiled(name, sql, _gap_of(error, sql))
    join = replace(join, notes=_answer_notes(statement, proposal), nan_is_null=plain.nan_is_null, unused=plain.unused)
    return bind_join(join, given) if given is not None else join


@checks_arguments
def convert_all(
    proposal: Proposal, path: Path | str, dialect: str = "", *, bound: bool = False, client_joins: bool = False
) -> Iterator[ClientJoin | CompiledRead | CompiledWrite | NotCompiled]:
    """Every statement of a workload file compiled; a mistake in one is its gap, and never stops the rest."""
    from nestling.common.errors import WorkloadError
    from nestling.sources.statements import is_about_weight, is_mistake_in

    workload, gaps = statements_of(proposal, path, dialect)
    compiled = convert_join if client_joins else convert
    told: list[Gap] = []
    for statement in workload.statements:
        own = dialect or statement.dialect
        values = samples_of(statement, proposal, own) if bound else None
        try:
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


def samples_of(statement: Statement, proposal: Proposal, dialect: str = "") -> dict[str, object]:
    """Return a statement's sample values, each converted to the type that its place in the statement takes."""
    from nestling.common.errors import GapError, WorkloadError
    from nestling.planner.statements.parameters import parameter_uses

    try:
        translated = _translated(statement.sql, proposal, dialect or statement.dialect, constants={})
    except (GapError, WorkloadError):  # which converting it says, too
        return dict(statement.samples)
    model = proposal.design.model
    return parameter_uses(translated, model).samples(statement.samples, model)


@checks_arguments
def queries_module(proposal: Proposal, path: Path | str, dialect: str = "") -> tuple[str, tuple[tuple[str, str], ...]]:
    """A Python module on pymongo alone with a function for each statement of a workload file; the others' names, and why."""
    from nestling.emitters.python_code import lacking, module

    statements = tuple(convert_all(proposal, path, dialect))
    return module(statements, title=f"The statements of {Path(path).name}."), lacking(statements)


def _placed(gap: Gap, error: FoundGap, asked: _Asked, constants: Mapping[str, ConstantValue]) -> Gap:
    """Add to a gap the position of the expression that it is about, if that is known."""
    from nestling.planner.sql import gap_with_place

    if error.about is None:
        return gap
    written, dialect = _normalised(asked.sql, asked.proposal, asked.dialect)
    return gap_with_place(gap, error.about, written.sql, asked.proposal.design.model, dialect, constants=constants)


def _translated(
    sql: str, proposal: Proposal, dialect: str, *, rounds: bool = False, constants: Mapping[str, ConstantValue]
) -> Query | Write:
    from nestling.planner.sql import translate

    written, dialect = _normalised(sql, proposal, dialect)
    return translate(written.sql, proposal.design.model, dialect, rounds=rounds, constants=constants)


def _normalised(sql: str, proposal: Proposal, dialect: str) -> tuple[Normalised, str]:
    """Return the statement with parameters as `:name`, and its dialect, which defaults to the source's."""
    from nestling.ir.statements.sql_dialects import NAMES, SQLITE
    from nestling.sources.statements import normalise

    dialect = dialect or proposal.dialect
    return normalise(sql, NAMES.get(dialect.lower(), SQLITE)), dialect


def _gap_of(error: FoundGap, sql: str) -> Gap:
    """The gap that an error carries. Without a position it is a gap of the whole statement."""
    gap = error.gap
    return replace(gap, where=gap.where or "1:1", text=gap.text or cut(" ".join(sql.split())))


@checks_arguments
def statements_of(proposal: Proposal, path: Path | str, dialect: str = "") -> tuple[Workload, tuple[Gap, ...]]:
    """Read a workload file over a design's model. Return its statements, and gaps for what could not be understood."""
    from nestling.sources.front import with_workload

    read = with_workload(Reading(proposal.design.model, dialect=dialect or proposal.dialect), path)
    return read.workload, read.gaps
