"""SQL functions to the closed set: each sqlglot class, or name it has no class for, and the function it is."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import reduce
from itertools import pairwise

from sqlglot import exp

from nestling.ir.statements.expression import ANY, NULL, Call, Expression, Literal, Parameter
from nestling.ir.statements.operands import is_mixed, is_text, of_numbers
from nestling.ir.statements.operators import Collation, Function, Rules
from nestling.ir.types import TEXT, TIMES, TypeName
from nestling.planner.sql import common_type as one_value
from nestling.planner.sql import conversions
from nestling.planner.sql.arguments import of_one
from nestling.planner.sql.collations import collation
from nestling.planner.sql.gaps import mistake, statement_gap
from nestling.planner.sql.json_changes import set_under
from nestling.planner.sql.json_parts import JSON_BUILDERS
from nestling.planner.sql.mysql.calendar import CALENDAR_FUNCTIONS, CALENDAR_NAMES
from nestling.planner.sql.mysql.given_moments import among_times
from nestling.planner.sql.mysql.json_values import JSON_NAMES
from nestling.planner.sql.mysql.times_as_text import SHOWN_AS_TEXT, are_texts_of_times
from nestling.planner.sql.number_functions import NUMBER_FUNCTIONS, NUMBER_NAMES
from nestling.planner.sql.postgresql import char_n as chars
from nestling.planner.sql.postgresql.arrays import cardinality
from nestling.planner.sql.postgresql.enums import ranked
from nestling.planner.sql.postgresql.infinite_moments import refuse_infinite
from nestling.planner.sql.postgresql.json_values import array_length
from nestling.planner.sql.scope import Bind, Env, Handler
from nestling.planner.sql.supported_types import refuse_nan, refuse_order, refuse_stored_otherwise
from nestling.planner.sql.text_functions import TEXT_FUNCTIONS, TEXT_NAMES
from nestling.planner.sql.times import TIME_FUNCTIONS, TIME_NAMES


def _extreme(function: Function) -> Handler:
    def call(node: exp.Expr, env: Env, bound: Bind) -> Expression:
        nodes = (node.this, *node.expressions)
        parts = [bound(part) for part in nodes]
        chars.refuse_casts(nodes, *parts)
        if env.dialect.rules is Rules.SQLITE:  # compared as they are, by class
            parts = [conversions.plain(part, env.translation) for part in parts]
        if env.dialect.rules is Rules.MYSQL:
            parts = list(among_times(parts))
        if env.dialect.rules is Rules.MYSQL and are_texts_of_times(parts, env.translation):
            return Call(function, tuple(parts), TEXT, Rules.MYSQL)
        rule = collation(env, nodes, parts) if not all(map(of_numbers, parts)) else Collation.BINARY
        if rule is not Collation.BINARY or (env.dialect.rules is Rules.MYSQL and any(map(is_text, parts))):
            raise statement_gap(f"the least or greatest of texts under a collation{_instead(parts)}", node)
        refuse_infinite("the least or greatest", node, env.translation, *parts)
        refuse_order("the least or greatest", node, *parts)
        if any(part.type.carried for part in parts):
            refuse_stored_otherwise("the least or greatest", node, *parts)
        if env.dialect.rules is Rules.POSTGRESQL and any(ranked(part, part.type.values) != part for part in parts):
            raise statement_gap(
                "the least or greatest of an enum whose labels are not listed in alphabetical order", node
            )
        if env.dialect.rules is Rules.MYSQL:
            _refuse_beside_times(parts, node)
        alike, kind = one_value.common(parts, env.translation)
        refuse_nan("the least or greatest", node, *alike)
        return Call(function, alike, kind, env.dialect.rules)

    return call


def _refuse_beside_times(parts: Sequence[Expression], node: exp.Expr) -> None:
    """MySQL makes texts of times and numbers where one of them is chosen, but compares them as times."""
    names = {part.type.name for part in parts if part != NULL and part.type != ANY}
    if names & SHOWN_AS_TEXT and names - SHOWN_AS_TEXT:
        raise statement_gap(f"the least or greatest of {' and '.join(sorted(names))}", node)


def _instead(parts: Sequence[Expression]) -> str:
    """What to write instead of constants beside times, which MySQL compares as texts and MariaDB as times, and of other texts."""
    if not any(part.type.name in TIMES for part in parts):
        return "; write `CASE WHEN a < b THEN a ELSE b END`"
    return "; write `CAST('…' AS DATE)` or `CAST('…' AS DATETIME)` around a constant that is compared with times"


def _type_of(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    if not env.dialect.is_sqlite:
        raise statement_gap("TYPEOF()", node)
    return Call(Function.TYPE_OF, (conversions.plain(bound(node.this), env.translation),), TEXT, env.dialect.rules)


def _anonymous(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """A function sqlglot has no class for, by its name."""
    name = node.name.casefold()
    handler = NAMES.get(name)
    if handler is None:
        raise statement_gap(f"{node.name.upper()}() function", node)
    if not node.expressions and name not in _MAY_BE_EMPTY:
        raise mistake(f"{node.name.upper()}() needs an argument", node)
    return handler(node, env, bound)


def _likelihood(node: exp.Expr, env: Env, bound: Bind) -> Expression:  # noqa: ARG001 - a hint to SQLite's planner
    return bound(node.expressions[0])


def _field(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """MySQL's place of a value in a list, from 1; 0 where it is not there."""
    if env.dialect.rules is not Rules.MYSQL:
        raise statement_gap("FIELD() function", node)
    values = [value for value in map(bound, node.expressions) if not isinstance(value, Parameter)]
    are_texts = all(is_text(value) or (value.type.name is TypeName.ENUM and not is_mixed(value)) for value in values)
    if not values or not (are_texts or all(map(of_numbers, values))):
        raise statement_gap("FIELD() of other than only texts or only numbers", node)
    places = enumerate(node.expressions[1:], start=1)
    ifs = [exp.If(this=item, true=exp.Literal.number(place)) for place, item in places]
    return bound(exp.Case(this=node.expressions[0], ifs=ifs, default=exp.Literal.number(0)))


def _place_among(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """MySQL's INTERVAL(n, 1, 5, 9): how many of the numbers, which grow, are not above the first; -1 of NULL."""
    value, *ends = node.expressions
    known = [end.value if isinstance(end, Literal) else None for end in map(bound, ends)]
    numbers = [Decimal(str(end)) for end in known if isinstance(end, int | float | Decimal)]
    is_growing = len(numbers) == len(ends) and all(one <= other for one, other in pairwise(numbers))
    if env.dialect.rules is not Rules.MYSQL or not is_growing or not of_numbers(bound(value)):
        raise statement_gap(
            "INTERVAL() of other than a number and constant numbers, each at least the one before", node
        )
    unknown = exp.If(this=exp.Is(this=value, expression=exp.null()), true=exp.Literal.number(-1))
    below = [
        exp.If(this=exp.LT(this=value, expression=end), true=exp.Literal.number(place))
        for place, end in enumerate(ends)
    ]
    return bound(exp.Case(ifs=[unknown, *below], default=exp.Literal.number(len(ends))))


def _nulls(counted: str) -> Handler:
    """PostgreSQL's number of arguments that are NULL, or that are not; an array that stands for them (VARIADIC) is a gap."""
    values = {"num_nulls": (1, 0), "num_nonnulls": (0, 1)}[counted]

    def call(node: exp.Expr, env: Env, bound: Bind) -> Expression:
        if env.dialect.rules is not Rules.POSTGRESQL:
            raise statement_gap(f"{counted.upper()}() function", node)
        null, present = (exp.Literal.number(value) for value in values)
        ones: list[exp.Expr] = [
            exp.Case(
                ifs=[exp.If(this=exp.Is(this=part.copy(), expression=exp.null()), true=null.copy())],
                default=present.copy(),
            )
            for part in node.expressions
        ]
        return bound(reduce(lambda sum_, one: exp.Add(this=sum_, expression=one), ones))

    return call


_MAY_BE_EMPTY = frozenset((*JSON_BUILDERS, *TIME_NAMES, *CALENDAR_NAMES))
"""Names of which each handler says itself how many arguments it takes."""
NAMES: dict[str, Handler] = {
    **JSON_BUILDERS,
    **JSON_NAMES,
    **TIME_NAMES,
    **CALENDAR_NAMES,
    **NUMBER_NAMES,
    **TEXT_NAMES,
    "jsonb_set": set_under,
    "cardinality": of_one(cardinality),
    "json_array_length": of_one(array_length),
    "jsonb_array_length": of_one(array_length),
    "field": _field,
    "interval": _place_among,
    "num_nonnulls": _nulls("num_nonnulls"),
    "num_nulls": _nulls("num_nulls"),
    "likely": of_one(_likelihood),
    "unlikely": of_one(_likelihood),
}

FUNCTIONS: dict[type[exp.Expr], Handler] = {
    exp.Greatest: _extreme(Function.GREATEST),
    exp.Least: _extreme(Function.LEAST),
    exp.Typeof: _type_of,
    exp.Anonymous: _anonymous,
    **NUMBER_FUNCTIONS,
    **TEXT_FUNCTIONS,
    **TIME_FUNCTIONS,
    **CALENDAR_FUNCTIONS,
}
