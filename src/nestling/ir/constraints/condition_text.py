"""The condition of a CHECK as SQL: every database reads it, and so does a model file."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from nestling.ir.statements.expression import (
    And,
    Arithmetic,
    Column,
    Compare,
    Expression,
    InList,
    IsNull,
    Literal,
    Not,
    Or,
)
from nestling.ir.statements.operands import is_condition
from nestling.ir.text.sql_quotes import sql_name, sql_text

RESERVED_WORDS = frozenset({"and", "or", "not", "is", "in", "null", "true", "false"})
_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*", re.ASCII)
Quote = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Writing:
    """How a dialect writes the names of columns, and texts."""

    name: Quote
    text: Quote


def quoted_name(name: str) -> str:
    """A name as it is, or in double quotes where it would be read as something else."""
    if _PLAIN_NAME.fullmatch(name) and name not in RESERVED_WORDS:
        return name
    return sql_name(name)


PLAIN = Writing(quoted_name, sql_text)


def condition_text(expression: Expression, writing: Writing = PLAIN) -> str:
    """The condition; `writing` is that of a dialect."""
    match expression:
        case And(operands=parts):
            return " AND ".join(_inside(part, writing, (Or,)) for part in parts)
        case Or(operands=parts):
            return " OR ".join(condition_text(part, writing) for part in parts)
        case Not(operand=IsNull(operand=operand)):
            return f"{_operand(operand, writing)} IS NOT NULL"
        case Not(operand=InList(operand=operand, items=items)):
            return f"{_operand(operand, writing)} NOT IN ({_list(items, writing)})"
        case Not(operand=operand):
            return f"NOT {_inside(operand, writing, (And, Or, Compare, Not, IsNull, InList))}"
        case IsNull(operand=operand):
            return f"{_operand(operand, writing)} IS NULL"
        case InList(operand=operand, items=items):
            return f"{_operand(operand, writing)} IN ({_list(items, writing)})"
        case Compare(operator=operator, left=left, right=right):
            return f"{_side(left, writing)} {operator.value} {_side(right, writing)}"
        case _:
            return _operand(expression, writing)


def _inside(expression: Expression, writing: Writing, kinds: tuple[type, ...]) -> str:
    text = condition_text(expression, writing)
    return f"({text})" if isinstance(expression, kinds) else text


def _side(expression: Expression, writing: Writing) -> str:
    return f"({condition_text(expression, writing)})" if is_condition(expression) else _operand(expression, writing)


def _list(items: tuple[Expression, ...], writing: Writing) -> str:
    return ", ".join(_operand(item, writing) for item in items)


def _operand(expression: Expression, writing: Writing) -> str:
    match expression:
        case Column(name=name):
            return writing.name(name)
        case Arithmetic(operator=operator, left=left, right=right):
            sides = (
                f"({_operand(side, writing)})" if isinstance(side, Arithmetic) else _operand(side, writing)
                for side in (left, right)
            )
            return f" {operator.value} ".join(sides)
        case Literal(value=bool() as value):
            return "TRUE" if value else "FALSE"
        case Literal(value=str() as value):
            return writing.text(value)
        case Literal(value=float() as value):
            text = repr(value)
            return text if "e" in text else f"{text}e0"
        case Literal(value=Decimal() as value):
            text = f"{value:f}"
            return text if "." in text else f"{text}.0"
        case Literal(value=value):
            return str(value)
        case _:
            raise TypeError(f"{type(expression).__name__} is no part of a condition")
