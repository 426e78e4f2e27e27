"""Conditions on one field in the query language; None if only an expression is exact."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from nestling.emitters.mql.sql.boundary import Grain, first_from, grain_of, instant_with
from nestling.emitters.mql.sql.comparison import beside_wide, is_wide, may_be_text, whole
from nestling.emitters.mql.sql.constants import bson_value, is_inline, literal_value
from nestling.emitters.mql.sql.conversion import coerced_parameter
from nestling.emitters.mql.sql.object_ids import id_in
from nestling.emitters.mql.sql.placeholder import EXPECTED, Boundary, ConvertedPlaceholder, Expected
from nestling.emitters.mql.sql.predicates import OPERATORS
from nestling.emitters.mql.sql.truncation import truncation
from nestling.emitters.mql.sql.uuids import is_uuid, stored_uuid
from nestling.ir.statements.expression import (
    Call,
    Cast,
    Coerce,
    Column,
    Compare,
    Expression,
    InList,
    Literal,
    Parameter,
    Raw,
)
from nestling.ir.statements.operands import is_mixed, is_number, of_numbers
from nestling.ir.statements.operators import BELOW, Collation, Comparison
from nestling.ir.types import BSON_DIGITS, TEXTS, TIMES, TypeName

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

Match = dict[str, object]
_RANGE_OPERATORS = tuple(OPERATORS[each] for each in Comparison if each.is_order)


def field_of(expression: Expression, r: Renderer) -> str | None:
    """The path of a plain field."""
    if not isinstance(expression, Column) or not r.environment.is_field(expression):
        return None
    path = r.environment.path(expression)
    return None if path.startswith("$$") else path[1:]


def field_is(column: Column, value: bool, r: Renderer) -> Match | None:
    """A boolean as a condition."""
    field = field_of(column, r)
    return None if field is None else {field: {"$eq": value}}


def null_test(operand: Expression, r: Renderer, *, is_null: bool) -> Match | None:
    """IS [NOT] NULL; one that is certain is for `truth` to say."""
    field = field_of(operand.operand if isinstance(operand, Raw | Coerce) else operand, r)
    if field is None or not r.nullable(operand):
        return None
    return {field: {"$eq": None} if is_null else {"$ne": None}}


def comparison(compare: Compare, r: Renderer) -> Match | None:
    """A comparison of a field with a constant, on either side."""
    for left, right, operator in (
        (compare.left, compare.right, compare.operator),
        (compare.right, compare.left, compare.operator.mirrored),
    ):
        by_date = _boundary_condition(left, right, operator, r) or _id_condition(left, right, operator, r)
        if by_date is not None:
            return by_date
        field, constant = field_of(left, r), constant_of(_at_millisecond(right, left, operator), left, r)
        if field is None or constant is None or is_collated(compare.collation, left, right):
            continue
        value = whole(constant[0], left, operator) if isinstance(right, Parameter) else constant[0]
        found = _field_condition(cast("Column", left), operator, value, r, strict=compare.strict)
        if found is not None:
            return {field: found}
    return None


def _at_millisecond(constant: Expression, beside: Expression, operator: Comparison) -> Expression:
    """A constant that dates to the millisecond are ordered with."""
    if not isinstance(constant, Literal) or constant.type.fraction_digits > BSON_DIGITS:
        return constant
    return replace(constant, value=whole(constant.value, beside, operator))


def is_collated(collation: Collation, left: Expression, right: Expression) -> bool:
    """Whether texts may be compared by a rule the query language does not have."""
    return collation is not Collation.BINARY and may_be_text(left) and may_be_text(right)


def constant_of(expression: Expression, beside: Expression, r: Renderer) -> tuple[object] | None:
    """The BSON value (or placeholder) of a constant, in a tuple; None if it is not constant."""
    match expression:
        case Literal() if not is_wide(expression) and not is_wide(beside):
            value = bson_value(expression)
            if expression.type.name is TypeName.DECIMAL and beside.type.name is TypeName.FLOAT and value is not None:
                value = float(expression.value)  # type: ignore[arg-type]
            return (value,)
        case Parameter():
            return (r.compared(beside_wide(expression, beside)),)
        case Coerce(operand=Parameter() as parameter, affinity=affinity):
            return (coerced_parameter(parameter, affinity, r),)
        case Cast(operand=Literal()) if is_inline(value := r.value(expression)):
            return (literal_value(value),)
        case Call() if (truncated := truncation(expression)) is not None:
            found = constant_of(_at_millisecond(truncated.value, beside, Comparison.GREATER), beside, r)
            return None if found is None else (truncated.of(found[0]),)
        case _:
            return None


def outside(compare: Compare, r: Renderer) -> Match | None:
    """NOT of a strict range: it holds of values of all other types, too."""
    found = comparison(compare, r)
    if found is None:
        return None
    ((field, condition),) = found.items()
    range_of = {name: value for name, value in cast("Match", condition).items() if name in _RANGE_OPERATORS}
    if not range_of or any(isinstance(value, ConvertedPlaceholder) for value in range_of.values()):  # which may be NULL
        return None
    return {field: {"$not": range_of, "$ne": None}}


def _field_condition(
    column: Column, operator: Comparison, value: object, r: Renderer, *, strict: bool = False
) -> Match | None:
    """The operators on a field for a comparison with a constant."""
    if value is None:
        return _null_condition(operator)
    if operator.is_order and not strict:
        expected = _same_class(column, value, operator)
        if expected is None:
            return None
        value = replace(value, expected=expected) if isinstance(value, ConvertedPlaceholder) else value
    if operator in (Comparison.NOT_EQUAL, Comparison.DIFFERENT):
        return _unequal(column, value, operator, r)
    condition: Match = {OPERATORS[operator]: value}
    finds_null = isinstance(value, ConvertedPlaceholder) and operator not in (
        Comparison.SAME, Comparison.LESS, Comparison.GREATER
    )  # fmt: skip
    return condition | _unless_null(nullable=r.nullable(column)) if finds_null else condition


def _unless_null(*, nullable: bool) -> Match:
    """Keep a NULL parameter from matching missing fields; unnecessary for a field that is always present."""
    return {"$ne": None} if nullable else {}


def _null_condition(operator: Comparison) -> Match | None:
    """Comparing with NULL is never TRUE but by IS."""
    match operator:
        case Comparison.SAME:
            return {"$eq": None}
        case Comparison.DIFFERENT:
            return {"$ne": None}
        case _:
            return {"$in": []}


def _unequal(column: Column, value: object, operator: Comparison, r: Renderer) -> Match | None:
    if operator is Comparison.DIFFERENT:
        return {"$ne": value}
    if isinstance(value, ConvertedPlaceholder):  # must be known not to be NULL
        return None
    return {"$nin": [value, None]} if r.nullable(column) else {"$ne": value}


def _same_class(column: Column, value: object, operator: Comparison) -> Expected | None:
    """The class of both sides if a range can only match within it; None if another class could match."""
    low = operator in BELOW
    of_number = of_numbers(column)
    of_text = column.type.name in TEXTS and not column.mixed
    of_time = column.type.name in TIMES and not column.mixed
    if isinstance(value, ConvertedPlaceholder):
        if of_time:
            return EXPECTED[column.type.name]
        return Expected.NUMBER if is_number(column) else Expected.TEXT if of_text else None
    if isinstance(value, str):
        return Expected.TEXT if of_text else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Expected.NUMBER if of_number or low else None
    if type(value).__name__ == "Decimal128":
        return Expected.NUMBER if of_number and column.type.name is not TypeName.FLOAT else None
    return Expected.ANY if of_time and hasattr(value, "year") else None


def _boundary_condition(left: Expression, right: Expression, operator: Comparison, r: Renderer) -> Match | None:
    """A date compared as SQLite's text of it: the same comparison with the instant that is the text's boundary."""
    if not isinstance(left, Raw) or not isinstance(left.operand, Column) or left.operand.mixed:
        return None
    if (truncated := truncation(right)) is not None:
        found = _boundary_condition(left, truncated.value, operator, r)
        return None if found is None else {name: truncated.within(condition) for name, condition in found.items()}
    field, grain, constant = field_of(left.operand, r), grain_of(left.operand.type), constant_of(right, left, r)
    if field is None or grain is None or constant is None:
        return None
    value = constant[0]
    if isinstance(value, ConvertedPlaceholder):
        condition = _open_boundary(operator, value, grain, nullable=r.nullable(left.operand))
        return None if condition is None else {field: condition}
    if not isinstance(value, str):
        return None
    return {field: _bounded(operator, value, grain, nullable=r.nullable(left.operand))}


def _id_condition(left: Expression, right: Expression, operator: Comparison, r: Renderer) -> Match | None:
    """An ObjectId or UUID compared as its text."""
    if not (_is_id(left) or is_uuid(left)) or not isinstance(left, Raw) or not isinstance(left.operand, Column):
        return None
    field, constant = field_of(left.operand, r), constant_of(right, left, r)
    if field is None or constant is None:
        return None
    value = constant[0]
    if isinstance(value, ConvertedPlaceholder):
        stored = _listed_id(left, value)[0]
        if operator is not Comparison.EQUAL:
            return None
        return {field: {"$eq": stored} | _unless_null(nullable=r.nullable(left.operand))}
    found, *_ = *_listed_id(left, value), None
    if found is None:
        return {field: {"$in": []}} if operator is Comparison.EQUAL else None
    if operator.is_order:
        if found is value:
            return None
        return {field: {OPERATORS[operator]: found}}
    condition = _field_condition(left.operand, operator, found, r)
    return None if condition is None else {field: condition}


def _is_id(expression: Expression) -> bool:
    """Whether it is the text of a value that is certainly an ObjectId."""
    operand = expression.operand if isinstance(expression, Raw) else expression
    return operand.type.name is TypeName.OBJECT_ID and isinstance(operand, Column) and not operand.mixed


def _bounded(operator: Comparison, text: str, grain: Grain, *, nullable: bool) -> Match:
    if operator.is_order:
        after = operator in (Comparison.GREATER, Comparison.LESS_OR_EQUAL)
        return {_side(operator): first_from(text, grain, after=after)}
    found = instant_with(text, grain)
    if operator in (Comparison.EQUAL, Comparison.SAME):
        return {"$in": []} if found is None else {"$eq": found}
    if operator is Comparison.DIFFERENT:
        return {"$nin": []} if found is None else {"$ne": found}
    excluded = [found] * (found is not None) + [None] * nullable
    return {"$nin": excluded}


def _side(operator: Comparison) -> str:
    return "$lt" if operator in BELOW else "$gte"


def _open_boundary(operator: Comparison, value: ConvertedPlaceholder, grain: Grain, *, nullable: bool) -> Match | None:
    """The condition that compares a date with a text parameter, which becomes an instant when it is bound.

    None for `<>`: with a NULL parameter it must match nothing, and only the bound value shows that.
    """
    exact = replace(value, boundary=Boundary(grain, exact=True))
    match operator:
        case Comparison.EQUAL:
            return {"$eq": exact} | _unless_null(nullable=nullable)
        case Comparison.SAME:
            return {"$eq": exact}
        case Comparison.DIFFERENT:
            return {"$ne": exact}
        case Comparison.NOT_EQUAL:
            return None
        case _:
            after = operator in (Comparison.GREATER, Comparison.LESS_OR_EQUAL)
            bounded = replace(value, expected=Expected.TEXT, boundary=Boundary(grain, after))
            return {_side(operator): bounded} | _unless_null(nullable=nullable)


def in_list(node: InList, r: Renderer, *, negated: bool) -> Match | None:
    """A field in a list of constants."""
    left = node.operand.operand if isinstance(node.operand, Raw) else node.operand
    field = field_of(left, r)
    if field is None or any(is_collated(node.collation, node.operand, item) for item in node.items):
        return None
    values = [_listed(node.operand, item, r) for item in node.items]
    if any(value is None for value in values):
        return None
    flat = [value for found in values if found is not None for value in found]
    if negated:
        if None in flat or any(isinstance(value, ConvertedPlaceholder) for value in flat):
            return None
        return {field: {"$nin": [*flat, None] if node.items and r.nullable(node.operand) else flat}}
    if node.given is not None:
        return {field: {"$in": flat[0]} | _unless_null(nullable=r.nullable(node.operand))}
    condition: Match = {"$in": [value for value in flat if value is not None]}
    if any(isinstance(value, ConvertedPlaceholder) for value in flat):
        condition |= _unless_null(nullable=r.nullable(node.operand))
    return {field: condition}


def _listed(operand: Expression, item: Expression, r: Renderer) -> tuple[object, ...] | None:
    """The stored values equal to an item: one, or none for a text that no date has. None if this cannot be determined."""
    found = constant_of(item, operand, r)
    if found is None or not isinstance(operand, Raw):
        return found
    if found[0] is None:
        return found
    if _is_id(operand) or is_uuid(operand):
        return _listed_id(operand, found[0])
    grain = grain_of(operand.operand.type)
    mixed = is_mixed(operand.operand)
    if grain is None or mixed:
        return None
    if isinstance(found[0], ConvertedPlaceholder):
        return (replace(found[0], boundary=Boundary(grain, exact=True)),)
    if not isinstance(found[0], str):
        return None
    instant = instant_with(found[0], grain)
    return () if instant is None else (instant,)


def _listed_id(operand: Expression, value: object) -> tuple[object, ...]:
    if is_uuid(operand):
        return (stored_uuid(value),)
    if isinstance(value, ConvertedPlaceholder):
        return (replace(value, object_id=True),)
    found = id_in(value)
    return (found,) if found is not None else ()
