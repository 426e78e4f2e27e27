"""Lists of values: PostgreSQL's `array_agg`, `json_agg` and `jsonb_agg`."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from nestling.ir.statements.algebra import AggregateCall, SortKey
from nestling.ir.statements.expression import ANY, Expression
from nestling.ir.statements.operands import is_mixed
from nestling.ir.types import COMPOSITE, Type, TypeName
from nestling.planner.sql import conversions as values
from nestling.planner.sql.called import function_name
from nestling.planner.sql.gaps import mistake, statement_gap
from nestling.planner.sql.json_parts import KIND, as_part
from nestling.planner.sql.postgresql.enums import unranked
from nestling.planner.sql.scope import Env


def of_list(found: AggregateCall, node: exp.Expr, env: Env) -> AggregateCall:
    """The aggregate as an array of its values, or of what JSON has for them."""
    name, argument = function_name(node, env.dialect.grammar), found.argument
    assert argument is not None
    if found.distinct:
        found = replace(found, order=_order_of_distinct(found, argument, node, name))
    if not isinstance(node, exp.ArrayAgg):
        return replace(found, argument=as_part(argument, name, node, env), type=KIND)
    value = values.as_shown(argument, env.translation)
    if is_mixed(value) or value.type == ANY or value.type.name in COMPOSITE:
        raise statement_gap(f"{name} of {value.type}" + (" and other values" if is_mixed(value) else ""), node)
    return replace(found, argument=value, type=Type(TypeName.ARRAY, element=value.type))


def _order_of_distinct(found: AggregateCall, value: Expression, node: exp.Expr, name: str) -> tuple[SortKey, ...]:
    if any(unranked(key.expression) != value for key in found.order):
        raise mistake(f"with {name}(DISTINCT), ORDER BY expressions must be the argument", node)
    return found.order or in_order(value)


def in_order(value: Expression) -> tuple[SortKey, ...]:
    """PostgreSQL sorts values to find those that are equal, and gives them in that order."""
    return (SortKey(value, descending=False, nulls_first=False),)
