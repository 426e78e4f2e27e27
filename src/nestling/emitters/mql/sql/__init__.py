"""Typed SQL scalar expressions as MongoDB aggregation expressions, exact under SQL's three-valued logic.

SQL's NULL is null or a missing field, in the input and the output. An expression without an exact form in MongoDB 6.0 raises a
`RenderingGap`; there are no approximate answers.
"""

from __future__ import annotations

from nestling.emitters.mql.sql.aggregates import Accumulation, accumulate
from nestling.emitters.mql.sql.constants import MqlValue, as_literal
from nestling.emitters.mql.sql.environment import Environment
from nestling.emitters.mql.sql.gaps import RenderingGap
from nestling.emitters.mql.sql.match import match
from nestling.emitters.mql.sql.placeholder import ConvertedPlaceholder
from nestling.emitters.mql.sql.renderer import Renderer
from nestling.emitters.mql.sql.windows import window_stages
from nestling.ir.statements.algebra import AggregateCall, WindowFunction
from nestling.ir.statements.expression import Expression

__all__ = [
    "ConvertedPlaceholder",
    "RenderingGap",
    "accumulator_mql",
    "kept_mql",
    "match_mql",
    "needs_expression",
    "truth_mql",
    "value_mql",
    "window_mql",
]


def value_mql(expression: Expression, environment: Environment) -> MqlValue:
    """An aggregation expression for the SQL value; a constant is a `$literal`, so that `$project` cannot misread it."""
    return as_literal(Renderer(environment).value(expression))


def kept_mql(expression: Expression, environment: Environment) -> MqlValue:
    """The value as a field for later steps or for storing: NULL is a missing field, because a null may be JSON's own."""
    return as_literal(Renderer(environment).kept(expression))


def truth_mql(predicate: Expression, environment: Environment) -> MqlValue:
    """An aggregation expression for whether the predicate is TRUE: true or false, never null."""
    return Renderer(environment).truth(predicate)


def match_mql(predicate: Expression, environment: Environment) -> dict[str, object]:
    """A `$match` document for the predicate being TRUE: in the query language where that says the same, else by `$expr`."""
    return match(predicate, Renderer(environment))


def needs_expression(match: object) -> bool:
    """Whether a `$match` document asks by `$expr`, which the query of an array's element cannot."""
    if isinstance(match, dict):
        return "$expr" in match or any(map(needs_expression, match.values()))
    return isinstance(match, list | tuple) and any(map(needs_expression, match))


def accumulator_mql(aggregate: AggregateCall, name: str, environment: Environment) -> Accumulation:
    """The accumulators of an aggregate in a `$group`, the `$set` that finishes it under `name`, and its value without rows."""
    return accumulate(aggregate, name, Renderer(environment))


def window_mql(function: WindowFunction, name: str, environment: Environment) -> tuple[dict[str, MqlValue], ...]:
    """Stages that add a window function's value as the field `name`."""
    return window_stages(function, name, Renderer(environment))
