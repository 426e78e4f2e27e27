"""MySQL's bits: numbers to it, kept here as the text of their digits, all of a column equally long."""

from __future__ import annotations

from sqlglot import exp

from nestling.ir.statements.expression import ANY, NULL, Case, Compare, Expression, Literal, Not, Parameter
from nestling.ir.statements.operands import is_mixed
from nestling.ir.statements.operators import Comparison, Rules
from nestling.ir.types import INTEGER, Type, TypeName, bit_count
from nestling.planner.sql.called import sql_as_written
from nestling.planner.sql.gaps import statement_gap
from nestling.planner.sql.scope import Env


def is_bits(value: Expression) -> bool:
    """Whether it is bits, and nothing else."""
    return value.type.name is TypeName.BITS and not is_mixed(value)


def bit_literal(node: exp.Expr, env: Env) -> Literal:
    """A literal such as `b'0101'`."""
    digits = node.this
    if env.dialect.rules is not Rules.MYSQL or not digits:
        raise statement_gap(sql_as_written(node, env.dialect.grammar), node)
    return Literal(digits, Type(TypeName.BITS, (len(digits),)))


def beside_bits(value: Expression, other: Expression) -> Expression:
    """One side of a comparison of which at least one is of bits: a number as the text of its digits."""
    if value == NULL or other == NULL or (is_bits(value) and is_bits(other) and value.type == other.type):
        return value
    number = number_of(value)
    if number is not None and is_bits(other):
        if number.bit_length() > bit_count(other.type) or number < 0:
            raise statement_gap(f"a comparison of {other.type} with {number}, which is out of their range")
        return digits_literal(number, other.type)
    if isinstance(value, Parameter) and value.type == ANY and is_bits(other):
        return Parameter(value.name, other.type, value.listed, rules=value.rules)
    if is_bits(value) and (number_of(other) is not None or isinstance(other, Parameter)):
        return value
    raise statement_gap(
        f"a comparison of {value.type} with {other.type}; bits can be compared with whole numbers and with equally many bits"
    )


def truth_of_bits(value: Expression) -> Expression:
    """Whether one of them is 1."""
    return Compare(Comparison.NOT_EQUAL, value, digits_literal(0, value.type))


def stored_bits(value: Expression, kind: Type) -> Expression:
    """The value as a column of bits stores it: bits of this length, a converted constant or parameter, or a boolean."""
    if value.type == kind and not is_mixed(value):
        return value
    if isinstance(value, Parameter) or value == NULL:
        return value
    if (number := number_of(value)) is not None:
        return Literal(number, INTEGER)
    if value.type.name is TypeName.BOOLEAN and not is_mixed(value):
        one, none = (digits_literal(number, kind) for number in (1, 0))
        return Case(((value, one), (Not(value), none)), NULL, kind)
    raise statement_gap(
        f"storing {value.type} in {kind}, which takes a constant whole number, a parameter or a boolean"
    )


def number_of(value: Expression) -> int | None:
    """The number of a constant that is one, also of bits."""
    if not isinstance(value, Literal):
        return None
    if value.type.name is TypeName.BITS and isinstance(value.value, str):
        return int(value.value, 2)
    return int(value.value) if isinstance(value.value, int) else None


def digits_literal(number: int, kind: Type) -> Literal:
    """A number as bits of the type."""
    return Literal(f"{number:0{bit_count(kind)}b}", kind)
