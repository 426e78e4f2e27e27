"""What expressions are made of, and what that tells of their values."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from math import isfinite, isnan
from typing import overload

from nestling.ir.statements.expression import (
    And,
    Arithmetic,
    AttributeCast,
    Call,
    Case,
    Cast,
    Coerce,
    Column,
    Compare,
    Exists,
    Expression,
    InList,
    InSubquery,
    IsNull,
    Like,
    Literal,
    Not,
    Or,
    Parameter,
    Raw,
    ScalarSubquery,
)
from nestling.ir.statements.operators import ArithmeticOperator, Comparison, Function, Rules
from nestling.ir.types import NAN, NUMBERS, TIMES, TypeName


def bare(expression: Expression) -> Expression:
    """The expression without the conversions around it."""
    while isinstance(expression, Coerce | Raw | AttributeCast | Cast):
        expression = expression.operand
    return expression


def conjunction(*predicates: Expression | None) -> Expression | None:
    """All the predicates as one, flat; None for none."""
    flat: list[Expression] = []
    for predicate in predicates:
        if isinstance(predicate, And):
            flat.extend(predicate.operands)
        elif predicate is not None:
            flat.append(predicate)
    return None if not flat else flat[0] if len(flat) == 1 else And(tuple(flat))


@overload
def disjunction(first: Expression, /, *others: Expression) -> Expression: ...


@overload
def disjunction(*predicates: Expression | None) -> Expression | None: ...


def disjunction(*predicates: Expression | None) -> Expression | None:
    """Any of the predicates as one, flat; None for none."""
    flat: list[Expression] = []
    for predicate in predicates:
        if isinstance(predicate, Or):
            flat.extend(predicate.operands)
        elif predicate is not None:
            flat.append(predicate)
    return None if not flat else flat[0] if len(flat) == 1 else Or(tuple(flat))


def conjuncts(predicate: Expression | None) -> list[Expression]:
    """What must all be true for the predicate to be: the other way round."""
    if predicate is None:
        return []
    if isinstance(predicate, And):
        return [each for operand in predicate.operands for each in conjuncts(operand)]
    return [predicate]


SUBQUERIES = (ScalarSubquery, Exists, InSubquery)


def has_subquery(expression: Expression) -> bool:
    """Whether there is a subquery in it."""
    return isinstance(expression, SUBQUERIES) or any(map(has_subquery, operands(expression)))


def operands(expression: Expression) -> Iterator[Expression]:
    """The expressions directly inside, those in a subquery's relation not included."""
    match expression:
        case Literal() | Parameter() | Column() | ScalarSubquery() | Exists():
            return
        case Arithmetic(left=left, right=right) | Compare(left=left, right=right):
            yield from (left, right)
        case And(operands=inner) | Or(operands=inner) | InSubquery(operands=inner) | Call(arguments=inner):
            yield from inner
        case InList(operand=operand, items=items):
            yield from (operand, *items)
        case Like(operand=operand, pattern=pattern):
            yield from (operand, pattern)
        case Case(branches=branches, default=default):
            yield from (part for branch in branches for part in branch)
            yield default
        case _:
            yield expression.operand


def may_be_nan(expression: Expression) -> bool:
    """Whether an expression over columns without NaN may be NaN: a constant, a text that is read, or infinities combined."""
    match expression:
        case Literal(value=float() | Decimal() as value):
            return isnan(value)
        case Column():
            return NAN in expression.type.carried.split()
        case Cast(operand=operand):
            return operand.type.name not in NUMBERS or may_be_nan(operand)
        case Arithmetic(operator=operator, left=left, right=right) if is_float(expression):
            is_moved = operator in (ArithmeticOperator.ADD, ArithmeticOperator.SUBTRACT)
            is_sure = any((isinstance(each, Parameter) and is_moved) or _is_factor(each) for each in (left, right))
            return not is_sure or may_be_nan(left) or may_be_nan(right)
        case _:
            return any(map(may_be_nan, operands(expression)))


def _is_factor(expression: Expression) -> bool:
    """Whether it is a constant that infinity may be multiplied by."""
    value = expression.value if isinstance(expression, Literal) else None
    return isinstance(value, int | float | Decimal) and isfinite(value) and value != 0


def is_condition(expression: Expression) -> bool:
    """Whether the expression is a condition on values, rather than a value such as a column of booleans."""
    return isinstance(expression, And | Or | Not | Compare | IsNull | InList)


def columns_of(expression: Expression) -> Iterator[Column]:
    """Every column mentioned, outside subqueries' relations."""
    if isinstance(expression, Column):
        yield expression
    for inner in operands(expression):
        yield from columns_of(inner)


def column_names(expression: Expression) -> tuple[str, ...]:
    """Their names, each once."""
    return tuple(dict.fromkeys(column.name for column in columns_of(expression)))


def compared_columns(expression: Expression) -> Iterator[Column]:
    """Every column whose value counts, and not only whether it is NULL."""
    match expression:
        case Column():
            yield expression
        case IsNull():
            return
        case _:
            for inner in operands(expression):
                yield from compared_columns(inner)


def constants_of(expression: Expression) -> Iterator[object]:
    """Every constant mentioned, outside subqueries' relations."""
    if isinstance(expression, Literal):
        yield expression.value
    for inner in operands(expression):
        yield from constants_of(inner)


_NEVER_NULL = frozenset(
    {
        Function.CONCAT_PRESENT,
        Function.NOW,
        Function.RANDOM,
        Function.TYPE_OF,
        Function.JSON_OBJECT,
        Function.JSON_ARRAY,
        Function.ARRAY_OF,
    }
)
_OF_ITS_VALUES = (Function.COALESCE, Function.GREATEST, Function.LEAST, Function.DATE_OF)
_NULL_IF_ALL = frozenset({Function.COALESCE, Function.ARRAY_CONCAT})
_MAY_FAIL_TO_NULL = frozenset(
    {
        Function.TIMESTAMP_OF, Function.SQRT, Function.LN, Function.LOG10, Function.LOG2, Function.POWER, Function.NUMBER_OF,
        Function.FLOAT_MOD, Function.CODE_POINT, Function.MATCHED,
    }
)  # fmt: skip
_OF_PARTS = frozenset(
    {
        Function.ANY_ELEMENT, Function.ELEMENT, Function.JSON_VALUE, Function.JSON_LENGTH, Function.JSON_CONTAINS,
        Function.JSON_HAS,
    }
)  # fmt: skip


def nullable(expression: Expression) -> bool:  # noqa: C901 - one case for each node
    """Whether it can be NULL: False is certain, True is a possibility."""
    match expression:
        case Literal(value=value):
            return value is None
        case Column():
            return expression.nullable
        case Parameter() | ScalarSubquery() | InSubquery():
            return True
        case IsNull() | Exists() | Compare(operator=Comparison.SAME | Comparison.DIFFERENT):
            return False
        case Case(branches=branches, default=default):
            return nullable(default) or any(nullable(value) for _, value in branches)
        case Call(function=function, arguments=arguments, rules=rules):
            if function in _NEVER_NULL or (function is Function.ROW and rules is Rules.POSTGRESQL):
                return False
            if function in _NULL_IF_ALL:
                return all(map(nullable, arguments))
            if function is Function.ARRAY_REMOVE:
                return nullable(arguments[0])
            return function in _MAY_FAIL_TO_NULL | _OF_PARTS or any(map(nullable, arguments))
        case Cast(type=kind, rules=Rules.MYSQL) if kind.name in TIMES:  # of a text that is no time
            return True
        case Arithmetic(division=division) if division is not None:
            return True
        case _:
            return any(map(nullable, operands(expression)))


def is_mixed(expression: Expression) -> bool:
    """Whether it is a column some of whose values may be of other types than its own."""
    return isinstance(expression, Column) and expression.mixed


def is_number(expression: Expression) -> bool:
    """Whether its values are certainly numbers (or NULL)."""
    return expression.type.name in NUMBERS and not is_mixed(expression)


def of_numbers(expression: Expression) -> bool:
    """Whether its values are certainly numbers (or NULL), though maybe not all of its type: some integers, some floats."""
    some = isinstance(expression, Column) and expression.numbers and expression.type.name in NUMBERS
    return some or is_number(expression)


def is_integer(expression: Expression) -> bool:
    """Whether its values are certainly integers (or NULL)."""
    return expression.type.name is TypeName.INTEGER and is_number(expression)


def is_float(expression: Expression) -> bool:
    """Whether its values are certainly floats (or NULL)."""
    return expression.type.name is TypeName.FLOAT and is_number(expression)


def is_text(expression: Expression) -> bool:
    """Whether its values are certainly texts (or NULL)."""
    return expression.type.name is TypeName.TEXT and not is_mixed(expression)


def is_mixed_time(expression: Expression) -> bool:
    """Whether it is a date or timestamp some of whose values may be texts, such as zero dates and infinite ones."""
    match expression:
        case Literal(value=str()):
            return expression.type.name in TIMES
        case Column():
            return expression.mixed and expression.type.name in TIMES
        case Call(function=function, arguments=arguments):
            return function in _OF_ITS_VALUES and any(map(is_mixed_time, arguments))
        case Case(branches=branches, default=default):
            return is_mixed_time(default) or any(is_mixed_time(value) for _, value in branches)
        case ScalarSubquery(relation=relation):
            return is_mixed_time(relation.columns[0])
        case _:
            return False
