"""What expressions cost: their size as the server parses them, and how much is evaluated for each row.

Whatever a SQL dialect does on its own becomes operators of MongoDB's, some of them by the dozen. The sizes are those of what the
emitter makes of a node of each kind, its operands not counted; what is worked out for a row is less, since branches are left out.
"""

from __future__ import annotations

from collections.abc import Callable

from nestling.ir.bindings import UNKNOWN_LIST
from nestling.ir.statements.expression import (
    Call,
    Cast,
    Coerce,
    Column,
    Compare,
    Expression,
    Function,
    InList,
    Like,
    Literal,
    Parameter,
)
from nestling.ir.statements.operands import columns_of, operands

_CALL_SIZES = {Function.ROUND: 52.0, Function.TIMESTAMP_OF: 180.0, Function.GLOB: 100.0, Function.JSON_VALUE: 20.0}
_MATCHING = frozenset({Function.MATCHES, Function.MATCHES_ANY_CASE, Function.MATCHED, Function.GLOB, Function.REPLACE})
_GIVEN_PATTERN_WEIGHT = 20.0 + 7.0 * 8.0
"""A pattern that is a parameter is made a regular expression for each row anew: by some twenty operators, and seven for each
character, of which there are taken to be eight.
"""
_LIKE_SIZE, _LITERAL_LIKE_SIZE = 130.0, 25.0
_CONVERSION_SIZE, _CONVERSION_WEIGHT = 100.0, 5.0
_COMPARISON_SIZE, _ITEM_SIZE, _OTHER_SIZE = 3.0, 1.0, 3.0
_CALL_WEIGHT = 3.0


def size(expression: Expression) -> float:
    """Operators, fields and constants the server parses. What mentions no column is worked out before it is asked."""
    if next(columns_of(expression), None) is None:
        return _ITEM_SIZE
    return _own_size(expression) + sum(size(inner) for inner in operands(expression))


def _own_size(expression: Expression) -> float:
    match expression:
        case Column() | Literal() | Parameter():
            return _ITEM_SIZE
        case Like(pattern=pattern):
            return _LITERAL_LIKE_SIZE if isinstance(pattern, Literal) else _LIKE_SIZE
        case Cast() | Coerce():
            return _CONVERSION_SIZE
        case Call(function=function):
            return _CALL_SIZES.get(function, _OTHER_SIZE)
        case Compare():
            return _COMPARISON_SIZE
        case _:
            return _OTHER_SIZE


def weight(expression: Expression) -> float:
    """Values the server reads or computes for one row; what mentions no column is there already."""
    if next(columns_of(expression), None) is None:
        return 0.0
    match expression:
        case Cast() | Coerce():
            own = _CONVERSION_WEIGHT
        case Call(function=function):
            own = _CALL_SIZES.get(function, _CALL_WEIGHT)
        case InList():
            own = 1.0 + (len(expression.items) if expression.given is None else UNKNOWN_LIST) / 10
        case Like(pattern=pattern) if not isinstance(pattern, Literal):
            own = _GIVEN_PATTERN_WEIGHT
        case _:
            own = 1.0
    return own + sum(weight(inner) for inner in operands(expression))


def patterns(expression: Expression, bytes_of: Callable[[Column], float]) -> float:
    """Bytes of text held against a pattern for one row."""
    is_held = isinstance(expression, Like) or (isinstance(expression, Call) and expression.function in _MATCHING)
    text = sum(bytes_of(column) for column in columns_of(expression)) if is_held else 0.0
    return text + sum(patterns(inner, bytes_of) for inner in operands(expression))
