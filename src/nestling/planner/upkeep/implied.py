"""What each holder's derived thing must be: read from the homes alone, in the form loading gives it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nestling.ir.design import Design
from nestling.ir.paths.access_path import FieldPath, PathExpression, ProjectDocuments
from nestling.ir.primitives import Computed, Copy, Form, Reference
from nestling.ir.programs.compiled import OutputColumn, ReadPlan
from nestling.ir.statements.expression import ANY, Call, Column, Compare, Parameter
from nestling.ir.statements.operands import conjunction
from nestling.ir.statements.operators import Comparison, Function, Rules
from nestling.ir.storage.names import join
from nestling.ir.types import Type, TypeName
from nestling.ir.upkeep import Upkeep
from nestling.planner.reads.rows import Lowered, LoweringContext
from nestling.planner.upkeep.closure import ancestors, closure_columns
from nestling.planner.upkeep.computed import aggregated, aggregated_columns
from nestling.planner.upkeep.copies import copied, copied_columns
from nestling.planner.upkeep.holder import Locator, holder_rows, locating, locators, reasons
from nestling.planner.upkeep.source import HOLDER, as_stored, column, homes_context
from nestling.planner.upkeep.triggers import path_of

_Values = tuple[tuple[str, PathExpression, Type], ...]
"""(Path relative to the holder's document or column, what must be there, its type); missing: nothing."""
NOW = "now"


@dataclass(frozen=True, slots=True)
class ExpectedRead:
    """The read of what an upkeep's holders must hold: a row for each, of `locators`, the `_id` and the values.

    `values` are (path relative to the holder's document, column): a row without the column means that nothing is there.
    `found`: the columns of what is there now, `reasons` what they follow from. `parameters`: (attribute of the holder, parameter)
    that restrict the holders.
    """

    upkeep: Upkeep
    plan: ReadPlan
    values: tuple[tuple[str, str], ...]
    locators: tuple[Locator, ...]
    found: tuple[str, ...] = ()
    parameters: tuple[tuple[str, str], ...] = ()
    reasons: tuple[Locator, ...] = ()


def implied_read(
    upkeep: Upkeep, design: Design, given: Sequence[str] = (), *, is_identity: bool = False, with_found: bool = False
) -> ExpectedRead:
    """The read of all holders, or of those with given values of some attributes of their rows.

    `is_identity`: these tell the row, NULLs included; else a NULL finds nobody, as no row is linked by it. `with_found`: beside
    it what is stored there, to compare. Raises `ReadGap` for what no steps are known for.
    """
    model, place = design.model, upkeep.place
    path = path_of(model, upkeep.what)
    anchors = [column(model, upkeep.holder, HOLDER, name) for name in dict.fromkeys((*path[0].near(model), *given))]
    context = homes_context(design, (*anchors, *_source_columns(design, upkeep)))
    operator = Comparison.SAME if is_identity and not model.entity(upkeep.holder).key else Comparison.EQUAL
    same = (Compare(operator, as_stored(HOLDER, name), Parameter(parameter(name))) for name in given)
    rows = holder_rows(place, anchors, context).where(conjunction(*same), context)
    rows, values = _values(rows, upkeep, design, context)
    rows, stamp = _stamped(rows, upkeep, context)
    told = locators(design, place)
    by = reasons(design, place, path[0].near(model)) if with_found else ()
    fields = [*locating(place, (*told, *by)), *stamp]
    fields += [(f"value {number}", value, kind) for number, (_, value, kind) in enumerate(values)]
    if with_found:
        there = (FieldPath(join(place.path, at)) for at, _, _ in values)
        fields += [(f"found {number}", value, ANY) for number, value in enumerate(there)]
    step = ProjectDocuments(rows.step, tuple((name, value) for name, value, _ in fields))
    plan = ReadPlan(step, tuple(OutputColumn(name, name, kind) for name, _, kind in fields))
    parameters = tuple((name, parameter(name)) for name in given)
    named = tuple((at, f"value {number}") for number, (at, _, _) in enumerate(values))
    found = tuple(f"found {number}" for number in range(len(values))) if with_found else ()
    return ExpectedRead(upkeep, plan, named, told, found, parameters, by)


def parameter(attribute: str) -> str:
    """The parameter for a holder's attribute."""
    return f"given {attribute}"


def _source_columns(design: Design, upkeep: Upkeep) -> tuple[Column, ...]:
    match upkeep.what:
        case Copy(closure=True) as copy:
            return closure_columns(design, upkeep.holder, copy)
        case Copy() | Reference() as what:
            return copied_columns(design, what)
        case Computed() as computed:
            return aggregated_columns(design, computed)


def _values(rows: Lowered, upkeep: Upkeep, design: Design, context: LoweringContext) -> tuple[Lowered, _Values]:
    what = upkeep.what
    match what:
        case Copy(closure=True):
            rows, value = ancestors(rows, what, design, upkeep.holder, context)
            return rows, ((what.name, value, ANY),)
        case Copy():
            rows, values = copied(rows, what, design, context)
            if what.form is not Form.INLINE:
                return rows, ((what.name, values[0], ANY),)
            source = design.model.entity(what.path[-1].target(design.model))
            pairs = zip(what.attributes, values, strict=True)
            return rows, tuple((field.path, each, source.attribute(field.attribute).type) for field, each in pairs)
        case Reference():
            rows, values = copied(rows, what, design, context)
            return rows, ((what.field, values[0], ANY),)
        case Computed():
            rows, value = aggregated(rows, what, design, context)
            return rows, ((what.field, value, ANY),)


def _stamped(rows: Lowered, upkeep: Upkeep, context: LoweringContext) -> tuple[Lowered, _Values]:
    """When it was computed, where that is kept."""
    if not isinstance(upkeep.what, Computed) or upkeep.what.stamp is None:
        return rows, ()
    stamp = Column("", NOW, Type(TypeName.TIMESTAMP))
    rows = rows.computed({stamp: Call(Function.NOW, (), stamp.type, Rules.SQLITE)}, context)
    return rows, ((NOW, FieldPath(rows.layout.path(stamp)), stamp.type),)
