"""Computed values: an aggregate over the rows at the end of a path, as a value of the holder's row."""

from __future__ import annotations

from collections.abc import Sequence

from nestling.ir.design import Design
from nestling.ir.model import Attribute
from nestling.ir.paths.access_path import FieldPath, FixedValue, IfMissing, NullAsMissing, PathExpression
from nestling.ir.paths.row_steps import Keep
from nestling.ir.primitives import Computed
from nestling.ir.rows import AggregateKind
from nestling.ir.statements.aggregate_functions import FUNCTIONS
from nestling.ir.statements.algebra import AggregateCall, GroupBy, Named, NamedAggregate
from nestling.ir.statements.expression import ANY, Arithmetic, Column, Expression, Literal
from nestling.ir.statements.operators import ArithmeticOperator, Division
from nestling.ir.types import FLOAT, INTEGER, Type, TypeName
from nestling.planner.reads.correlate import correlated
from nestling.planner.reads.lower import lower
from nestling.planner.reads.rows import Lowered, LoweringContext
from nestling.planner.reads.traverse import used
from nestling.planner.upkeep.source import alias_of, alone, along, as_stored, column, columns_at, homes_context

_TOTAL = "total"


def aggregated_columns(design: Design, computed: Computed) -> tuple[Column, ...]:
    """Every column an aggregate is computed from."""
    group = _group(design, computed)
    return (*used(group), *group.columns)


def aggregated(
    rows: Lowered, computed: Computed, design: Design, context: LoweringContext
) -> tuple[Lowered, PathExpression]:
    """The rows with what the computed field must be, rounded down to its step; missing when NULL."""
    group = _group(design, computed)
    total = group.columns[-1]
    rows = correlated(rows, group, Keep.ALL, context, "implied")
    if computed.step != 1:
        rounded = Column(_TOTAL, "rounded", total.type)
        rows = rows.computed({rounded: _rounded_down(total, computed.step)}, context)
        total = rounded
    return rows, _shown(computed, FieldPath(rows.layout.path(total)))


def aggregated_by_link(
    several: Sequence[Computed], design: Design
) -> tuple[Lowered, tuple[Column, ...], tuple[PathExpression, ...]]:
    """Aggregates along one path for all holders together: rows by what links them to sources, its columns, the aggregates."""
    model, path = design.model, several[0].path
    links = columns_at(model, path[:1], path[0].far(model))
    keys = tuple(Named(f"link {number}", link) for number, link in enumerate(links))
    totals = tuple(NamedAggregate(f"value {number}", _aggregate(design, each)) for number, each in enumerate(several))
    group = GroupBy(alone(model, path), _TOTAL, keys, totals)
    rows = lower(group, homes_context(design, (*used(group), *group.columns)))
    values = (FieldPath(rows.layout.path(each)) for each in group.columns[len(keys) :])
    return rows, group.columns[: len(keys)], tuple(map(_shown, several, values))


def _shown(computed: Computed, value: PathExpression) -> PathExpression:
    return IfMissing(value, FixedValue(0)) if computed.function is AggregateKind.COUNT else NullAsMissing(value)


def _group(design: Design, computed: Computed) -> GroupBy:
    """One row, none over nothing."""
    one = (Named("all", Literal(1, INTEGER)),)
    return GroupBy(
        along(design.model, computed.path), _TOTAL, one, (NamedAggregate("value", _aggregate(design, computed)),)
    )


def _aggregate(design: Design, computed: Computed) -> AggregateCall:
    model = design.model
    attribute, argument = None, None
    if computed.attribute is not None:
        entity, alias = computed.path[-1].target(model), alias_of(len(computed.path))
        attribute = model.entity(entity).attribute(computed.attribute)
        is_extreme = (
            computed.function in (AggregateKind.MIN, AggregateKind.MAX) and attribute.type.name is not TypeName.BYTES
        )
        argument = (as_stored if is_extreme else lambda a, n: column(model, entity, a, n))(alias, computed.attribute)
    return AggregateCall(FUNCTIONS[computed.function], argument, _type(computed.function, attribute))


def _type(function: AggregateKind, attribute: Attribute | None) -> Type:
    """Averages of exact numbers are exact, others floats."""
    if function is AggregateKind.COUNT or attribute is None:
        return INTEGER
    if function is AggregateKind.AVG:
        return attribute.type if attribute.type.name is TypeName.DECIMAL else FLOAT
    return attribute.type if function is AggregateKind.SUM else ANY


def _rounded_down(total: Column, step: int) -> Expression:
    """What is over the greatest multiple below goes; the remainder of a negative number is negative first."""
    by = Literal(step, INTEGER)

    def remainder(of: Expression) -> Expression:
        return Arithmetic(ArithmeticOperator.MODULO, of, by, total.type, Division.INTEGER)

    above = remainder(Arithmetic(ArithmeticOperator.ADD, remainder(total), by, total.type))
    return Arithmetic(ArithmeticOperator.SUBTRACT, total, above, total.type)
