"""PostgreSQL's arrays: conditions on the elements of a column whose values are arrays of one dimension.

Elements are compared with values of their own type. A column that also holds arrays of more dimensions, or that do not begin
at 1, is a gap: both are different arrays to PostgreSQL than a list of their elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

from sqlglot import exp

from nestling.ir.statements.expression import ANY, NULL, Call, Column, Expression, Literal
from nestling.ir.statements.operands import is_mixed
from nestling.ir.statements.operators import Collation, Comparison, Function, Rules
from nestling.ir.types import BOOLEAN, EXACT_NUMBERS, FLOAT, INTEGER, TEXT, TEXTS, Type, TypeName
from nestling.planner.sql import common_type as one_value
from nestling.planner.sql import conversions
from nestling.planner.sql.called import sql_as_written
from nestling.planner.sql.collations import collation, declared
from nestling.planner.sql.gaps import StatementGap, statement_gap
from nestling.planner.sql.postgresql.json_values import contains, is_jsonb
from nestling.planner.sql.scope import Bind, Env

_ELEMENTS = EXACT_NUMBERS | TEXTS | {TypeName.BOOLEAN, TypeName.FLOAT, TypeName.UUID, TypeName.DATE}
"""Types whose equal values are stored alike."""


def any_element(value: exp.Expr, array: exp.Expr, env: Env, bound: Bind) -> Expression:
    """Bind `value = ANY(array)`."""
    column = array_column(array, env, bound)
    return Call(Function.ANY_ELEMENT, (column, _beside(value, column, env, bound)), BOOLEAN, env.dialect.rules)


def array_column(node: exp.Expr, env: Env, bound: Bind) -> Column:
    """The column of arrays of values that can be compared."""
    inner = node.unnest()
    column = bound(inner) if isinstance(inner, exp.Column) else None
    if not isinstance(column, Column) or column.type.element is None or env.dialect.rules is not Rules.POSTGRESQL:
        if isinstance(column, Column) and column.type.carried.endswith("range"):
            raise statement_gap(
                f"an operation on `{column.name}`, a {column.type.carried}, which is stored as text", node
            )
        if isinstance(column, Column) and column.type != ANY:
            raise statement_gap(f"`{column.name}` is {column.type} where an array is needed", node)
        raise statement_gap(f"{sql_as_written(node, env.dialect.grammar)} as an array", node)
    if column.mixed or column.type.element.name not in _ELEMENTS:
        raise statement_gap(
            f"elements of `{column.name}`, whose values are not all {_element(column)} in one dimension", node
        )
    if declared(column, env.translation) is not Collation.BINARY or _element(column).is_char:
        raise statement_gap(f"elements of `{column.name}`, which PostgreSQL does not compare exactly", node)
    return column


def _element(column: Column) -> Type:
    assert column.type.element is not None
    return column.type.element


def _beside(node: exp.Expr, column: Column, env: Env, bound: Bind) -> Expression:
    """A value as elements are compared with it."""
    value = bound(node)
    if collation(env, (node,), (value,)) is not Collation.BINARY:
        raise statement_gap(
            f"elements of `{column.name}` together with a text that PostgreSQL does not compare exactly", node
        )
    return of_elements(value, column, node)


def of_elements(value: Expression, column: Column, node: exp.Expr) -> Expression:
    """A bound value as elements are compared with it."""
    element = _element(column)
    value = conversions.adapt(value, element)
    if element == FLOAT and isinstance(value, Literal) and isinstance(value.value, (int, Decimal)):
        value = Literal(float(value.value), FLOAT)
    names = {value.type.name, element.name}
    if value != NULL and (is_mixed(value) or not (len(names) == 1 or names <= EXACT_NUMBERS or names <= TEXTS)):
        raise statement_gap(f"elements of `{column.name}` ({element}) together with {value.type}", node)
    return value


def _written(node: exp.Expr, column: Column, env: Env, bound: Bind) -> Sequence[Expression] | None:
    """The items of an array that is written down (`ARRAY[…]`, `'{…}'`), or the list that is given for it; None of all else."""
    from nestling.planner.sql.comparisons import cast_one_by_one, is_given_list, written_items
    from nestling.planner.sql.expressions import given_list

    plain = cast_one_by_one(node.unnest())
    if is_given_list(plain):
        return [of_elements(given_list(plain, env, node), column, node)]
    listed = written_items(plain, env)
    return None if listed is None else [_beside(item, column, env, bound) for item in listed]


def _among(function: Function, *, turned: bool = False) -> Callable[..., Expression]:
    """An array beside one that is written down; `turned`: that is on the left."""

    def call(node: exp.Binary, env: Env, bound: Bind) -> Expression:
        array, other = (node.expression, node.this) if turned else (node.this, node.expression)
        if function is Function.CONTAINS and is_jsonb(array, bound):
            return contains(exp.ArrayContainsAll(this=array, expression=other), env, bound)
        if isinstance(array.unnest(), exp.Column):
            column = array_column(array, env, bound)
            if (items := _written(other, column, env, bound)) is not None:
                return Call(function, (column, *items), BOOLEAN, env.dialect.rules)
        raise statement_gap(_SIDES[type(node)], node)

    return call


_LIST = "a constant or parameter array"
_SIDES: dict[type[exp.Expr], str] = {
    exp.ArrayContainsAll: f"`@>` of other than a column and {_LIST}, as in `tags @> ARRAY['a', 'b']`",
    exp.ArrayContainedBy: f"`<@` of other than {_LIST} and a column, as in `ARRAY['a', 'b'] <@ tags`",
    exp.ArrayOverlaps: f"`&&` of other than a column and {_LIST}, as in `tags && ARRAY['a', 'b']`",
}


def _overlap(node: exp.Binary, env: Env, bound: Bind) -> Expression:
    """`&&` means the same both ways."""
    try:
        return _among(Function.OVERLAPS)(node, env, bound)
    except StatementGap:
        if isinstance(node.expression.unnest(), exp.Column):
            return _among(Function.OVERLAPS, turned=True)(node, env, bound)
        raise


def cardinality(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """The number of elements of an array."""
    return Call(Function.CARDINALITY, (array_column(node.expressions[0], env, bound),), INTEGER, env.dialect.rules)


def _joined(node: exp.ArrayToString, env: Env, bound: Bind) -> Expression:
    """`array_to_string(array, ', ')`; a third argument is the text of NULL."""
    column = array_column(node.this, env, bound)
    element, of_null = _element(column), node.args.get("null")
    if element.name not in (TypeName.TEXT, TypeName.INTEGER):
        raise statement_gap(f"ARRAY_TO_STRING() of an array of {element}", node)
    if of_null is not None and not (isinstance(of_null, exp.Literal) and of_null.is_string):
        raise statement_gap("ARRAY_TO_STRING() with a text for NULL that is not a constant", node)
    texts = [conversions.text(bound(each), env.translation) for each in (node.expression, of_null) if each is not None]
    return Call(Function.JOINED, (column, *texts), TEXT, env.dialect.rules)


def _length(node: exp.ArraySize, env: Env, bound: Bind) -> Expression:
    """`array_length(array, 1)`, which an empty array has none of."""
    if node.expression is None or node.expression.name != "1":
        raise statement_gap("ARRAY_LENGTH() of another dimension than the first", node)
    count = Call(Function.CARDINALITY, (array_column(node.this, env, bound),), INTEGER, env.dialect.rules)
    empty = conversions.compare(Comparison.EQUAL, count, Literal(0, INTEGER), env.translation)
    return one_value.case([(empty, NULL)], count, env.translation)


def _element_at(node: exp.Bracket, env: Env, bound: Bind) -> Expression:
    """`array[1]`: sqlglot counts a constant place from 0."""
    place = node.expressions[0] if len(node.expressions) == 1 else None
    if not isinstance(place, exp.Literal) or place.is_string or not place.name.isdecimal():
        raise statement_gap(f"{sql_as_written(node, env.dialect.grammar)}, whose index is not a number from 1", node)
    column = array_column(node.this, env, bound)
    element = element_type(column, node)
    return Call(Function.ELEMENT, (column, Literal(int(place.name) + 1, INTEGER)), element, env.dialect.rules)


def element_type(column: Column, node: exp.Expr) -> Type:
    """The type of the array's elements as values of their own. Days may be texts, such as `infinity`, that sort among no days."""
    element = _element(column)
    if element.name is TypeName.DATE:
        raise statement_gap(f"a day of the array `{column.name}`", node)
    return element


ARRAYS: dict[type[exp.Expr], Callable[..., Expression]] = {
    exp.ArrayContainsAll: _among(Function.CONTAINS),
    exp.ArrayContainedBy: _among(Function.CONTAINS, turned=True),
    exp.ArrayOverlaps: _overlap,
    exp.ArraySize: _length,
    exp.ArrayToString: _joined,
    exp.Bracket: _element_at,
}
