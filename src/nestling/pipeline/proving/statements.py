"""The workload made ready for one design: compiled, and what the cost model says of each statement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nestling.common.errors import NestlingError
from nestling.executors.drive import Shape
from nestling.ir import algebra as a
from nestling.ir.compiled import CompiledRead, NotCompiled
from nestling.ir.expression import Column
from nestling.ir.program import CompiledWrite
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.workload import Requirements, Statement
from nestling.pipeline.converting import convert, default_price

Compiled = Mapping[str, CompiledRead | CompiledWrite | NotCompiled]
Exact = Mapping[str, CompiledRead]


def compiled(proposal: Proposal, reading: Reading) -> tuple[Compiled, Exact]:
    """Every statement for a design, gaps included; and the reads again, without what may be behind or rough, where it differs."""
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


def predicted(proposal: Proposal, reading: Reading) -> dict[str, float | None]:
    """Seconds an execution of each statement takes on a design by the cost model; None where it cannot say."""
    return {each.name: predicted_seconds(proposal, reading, each) for each in reading.workload.statements}


def predicted_seconds(proposal: Proposal, reading: Reading, statement: Statement) -> float | None:
    """Seconds an execution of one statement takes, as what it is compiled to; None where the cost model cannot say."""
    from nestling.ir.tolerance import tolerated
    from nestling.planner.reads import plan_read
    from nestling.planner.sql import translate
    from nestling.planner.work import estimate, estimate_write
    from nestling.planner.writes import plan_write

    made, numbers, values = proposal.design, reading.statistics, statement.known_values
    try:
        asked = translate(statement.sql, made.model, reading.dialect_of(statement))
        if isinstance(asked, a.Query):
            lag = tolerated(made.model, proposal.requirements)
            plan = plan_read(asked, made, tolerated=lag, statistics=proposal.statistics, price=default_price)
            work = estimate(plan, made, numbers, values)
        else:
            steps = plan_write(asked, made, statistics=proposal.statistics, price=default_price)
            work = estimate_write(steps, made, numbers, values)
        return default_price(work)
    except NestlingError:
        return None


def shapes(reading: Reading) -> dict[str, Shape]:
    """How far each statement fixes its answer."""
    from nestling.planner.sql import translate

    found = {}
    for each in reading.workload.statements:
        asked = translate(each.sql, reading.model, reading.dialect_of(each))
        found[each.name] = _shape(asked.relation) if isinstance(asked, a.Query) else Shape()
    return found


def _shape(relation: a.Relation) -> Shape:
    """What of the topmost steps sorts, limits and shows; a limit further down leaves only the number of rows."""
    from nestling.planner.reads.traverse import everything

    shown: a.Project | None = None
    keys: tuple[a.SortKey, ...] = ()
    limited, node = False, relation
    while isinstance(node, a.Project | a.Limit | a.Sort):
        match node:
            case a.Project():
                shown = shown or node
            case a.Limit():
                limited = True
            case a.Sort():
                keys = keys or node.keys
        node = node.input
    if any(isinstance(below, a.Limit | a.Window) for below in everything(node)):
        return Shape(limited=True)
    places = [_place(key.expression, shown) for key in keys]
    known = tuple(place for place in places if place is not None)
    return Shape(known, whole=len(known) == len(places), limited=limited)


def _place(expression: object, shown: a.Project | None) -> int | None:
    """The column of the answer that shows an expression."""
    if shown is None:
        return None
    for place, output in enumerate(shown.outputs):
        named = isinstance(expression, Column) and (expression.alias, expression.name) == (shown.alias, output.name)
        if named or output.expression == expression:
            return place
    return None
