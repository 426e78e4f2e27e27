"""What expressions cost: their size as the server parses them, and how much is evaluated for each row.

Whatever a SQL dialect does on its own becomes operators of MongoDB's, some of them by the dozen. The sizes are those of what the
emitter makes of a node of each kind, its operands not counted; what is worked out for a row is less, since branches are left out.
"""

from __future__ import annotations

from collections.abc import Callable

from nestling.ir.bindings import UNKNOWN_LIST
from nestling.ir.statements.expression import (
    SPELLED,
    Call,
    Cast,
    Coerce,
    Column,
    Compare,
    Expression,
    InList,
    Like,
    Literal,
    Parameter,
)
from nestling.ir.statements.operands import bare, columns_of, of_numbers, operands
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.types import NUMBERS, TypeName

_CALL_SIZES = {Function.ROUND: 52.0, Function.TIMESTAMP_OF: 180.0, Function.GLOB: 100.0, Function.JSON_VALUE: 20.0}
_MATCHING = frozenset({Function.MATCHES, Function.MATCHES_ANY_CASE, Function.MATCHED, Function.GLOB, Function.REPLACE})
_COMPUTED_PATTERN_WEIGHT = 20.0 + 7.0 * 8.0
"""A pattern that is computed is made a regular expression for each row anew: by some twenty operators, and seven for each
character, of which there are taken to be eight.
"""
_COMPUTED_LIKE_SIZE, _LIKE_SIZE, _SPELLED_SIZE = 130.0, 25.0, 2.0
_CONVERSION_WEIGHT = 5.0
_NUMERIC = NUMBERS | {TypeName.ANY}
_PARSED_SIZE, _WRITTEN_SIZE, _ROUNDED_SIZE, _TRUTH_SIZE = 60.0, 195.0, 36.0, 50.0
"""Conversions: of a text to a number by SQLite's rules, of a number to SQLite's text, to a decimal's digits, of a text to a truth
value. All others are an operator or a few.
"""
_COMPARISON_SIZE, _ITEM_SIZE, _OTHER_SIZE = 3.0, 1.0, 3.0
_CALL_WEIGHT = 3.0
_ELEMENT_WEIGHT = 0.1
_SCANS = {Function.ANY_ELEMENT: 2.0, Function.CONTAINS: 1.0}


def size(expression: Expression) -> float:
    """Operators, fields and constants the server parses. What mentions no column is worked out before it is asked."""
    if next(columns_of(expression), None) is None:
        return _ITEM_SIZE
    return _own_size(expression) + sum(size(inner) for inner in operands(expression))


def _own_size(expression: Expression) -> float:
    match expression:
        case Column() | Literal() | Parameter():
            return _ITEM_SIZE
        case Like(case=case) if case in SPELLED:
            return _SPELLED_SIZE
        case Like():
            return _LIKE_SIZE if _is_known_before(expression) else _COMPUTED_LIKE_SIZE
        case Cast() | Coerce():
            return _conversion_size(expression)
        case Call(function=function):
            return _CALL_SIZES.get(function, _OTHER_SIZE)
        case Compare():
            return _COMPARISON_SIZE
        case _:
            return _OTHER_SIZE


def weight(expression: Expression) -> float:
    """The number of values that the server reads or computes for one row; an expression without columns counts nothing."""
    if next(columns_of(expression), None) is None:
        return 0.0
    match expression:
        case Cast() | Coerce():
            own = _CONVERSION_WEIGHT
        case Call(function=function):
            own = _CALL_SIZES.get(function, _CALL_WEIGHT)
        case InList():
            own = 1.0 + (len(expression.items) if expression.given is None else UNKNOWN_LIST) / 10
        case Like() if not _is_known_before(expression):
            own = _COMPUTED_PATTERN_WEIGHT
        case _:
            own = 1.0
    return own + sum(weight(inner) for inner in operands(expression))


def elements_weight(expression: Expression, length: Callable[[Column], float]) -> float:
    """The weight of scanning arrays: each element is compared with a value, and with NULL where that makes a difference.

    Measured with lists of 700 and of 1,000 numbers (6.0.5): 12 ns an element.
    """
    own = 0.0
    if isinstance(expression, Call) and expression.function in _SCANS:
        arrays = (each for each in expression.arguments[:1] if isinstance(each, Column))
        own = sum(map(length, arrays)) * _SCANS[expression.function] * _ELEMENT_WEIGHT
    return own + sum(elements_weight(inner, length) for inner in operands(expression))


def listed_weight(elements: float) -> float:
    """Values the server compares for one row that looks for a value in a list of so many."""
    return elements * _SCANS[Function.CONTAINS] * _ELEMENT_WEIGHT


def _conversion_size(conversion: Cast | Coerce) -> float:
    """Operators that convert one value; SQLite converts whatever it finds, servers what a column is declared to be."""
    target = conversion.type.name
    by_sqlite = isinstance(conversion, Coerce) or conversion.rules is Rules.SQLITE
    match conversion.operand.type.name:
        case TypeName.TEXT if target is TypeName.BOOLEAN:
            return _TRUTH_SIZE
        case TypeName.DECIMAL | TypeName.FLOAT if by_sqlite and target is TypeName.TEXT:
            return _WRITTEN_SIZE
        case origin if by_sqlite and target in _NUMERIC and not of_numbers(conversion.operand):
            return _OTHER_SIZE if origin is TypeName.BOOLEAN else _PARSED_SIZE
        case _ if not by_sqlite and target is TypeName.DECIMAL and conversion.type.numbers:
            return _ROUNDED_SIZE
        case _:
            return _OTHER_SIZE


def _is_known_before(like: Like) -> bool:
    """Whether the regular expression is made once: of a constant, or of one parameter that may stand between constants."""
    pattern = bare(like.pattern)
    if isinstance(pattern, Call) and pattern.function in (Function.LOWER, Function.UPPER):
        pattern = bare(pattern.arguments[0])
    is_joined = isinstance(pattern, Call) and pattern.function is Function.CONCAT
    parts = [bare(each) for each in pattern.arguments] if is_joined and isinstance(pattern, Call) else [pattern]
    given = sum(isinstance(each, Parameter) for each in parts)
    return given <= 1 and all(isinstance(each, Literal | Parameter) for each in parts)


def patterns(expression: Expression, bytes_of: Callable[[Column], float]) -> float:
    """Bytes of text held against a pattern for one row."""
    is_held = (isinstance(expression, Like) and expression.case not in SPELLED) or (
        isinstance(expression, Call) and expression.function in _MATCHING
    )
    text = sum(bytes_of(column) for column in columns_of(expression)) if is_held else 0.0
    return text + sum(patterns(inner, bytes_of) for inner in operands(expression))
