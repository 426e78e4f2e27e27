"""printf and format: the pieces of a constant pattern, concatenated as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sqlglot import exp

from nestling.ir.statements.expression import Arithmetic, Call, Case, Cast, Compare, Expression, Literal
from nestling.ir.statements.operands import conjunction
from nestling.ir.statements.operators import ArithmeticOperator, Comparison, Division, Function, Rules
from nestling.ir.types import FLOAT, INTEGER, TEXT
from nestling.planner.sql import common_type as one_value
from nestling.planner.sql import conversions
from nestling.planner.sql.gaps import no_constant, statement_gap
from nestling.planner.sql.scope import Bind, Env

_PIECE = re.compile(r"%(?:(%)|(-?)(0?)(\d*)(?:\.(\d+))?([dsifuS]))|([^%]+)|(%)", re.DOTALL)
_DIGITS = 15
"""A float's text has no more; beyond them the statement fails rather than show other digits."""
_MOST_DECIMALS = 4
"""Smaller numbers are shown with an exponent."""


def bind_format(pattern: exp.Expr, arguments: list[exp.Expr], node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """SQLite's printf of `%d`, `%s`, `%.2f` with widths; PostgreSQL's format of `%s`. A missing argument is NULL."""
    if not isinstance(pattern, exp.Literal) or not pattern.is_string or env.dialect.rules is Rules.MYSQL:
        raise no_constant("printf with a pattern that is not a constant", node, pattern)
    if not pattern.this:
        return Literal(None if env.dialect.is_sqlite else "", TEXT)
    waiting = iter(arguments)
    parts: list[Expression] = []
    for piece in _PIECE.finditer(pattern.this):
        if piece[8] or (piece[6] and not env.dialect.is_sqlite and piece[0] != "%s"):
            raise statement_gap(f"printf pattern `{pattern.this}`", node)
        if piece[6]:
            parts.append(_converted(piece, _values(next(waiting, exp.Null()), bound), node, env))
        else:
            parts.append(Literal("%" if piece[1] else piece[7], TEXT))
    return Call(Function.CONCAT, (*parts, Literal("", TEXT)), TEXT, env.dialect.rules)


def _values(argument: exp.Expr, bound: Bind) -> Iterator[Expression]:
    """The argument, bound anew each time, as a subquery in it may stand in one place only."""
    while True:
        yield bound(argument)


def _converted(piece: re.Match[str], given: Iterator[Expression], node: exp.Expr, env: Env) -> Expression:
    left, zero, width, decimals, kind = piece[2], piece[3], int(piece[4] or 0), piece[5], piece[6]
    if kind == "s" and not zero and decimals is None:
        return _padded(lambda: _present(next(given), env), width, left, env)
    if kind in "di" and decimals is None and not (zero and left):
        if not zero:
            return _padded(lambda: conversions.text(_integer(next(given), env), env.translation), width, left, env)
        return _with_zeros(given, width, env)
    if kind == "f" and not zero and int(decimals or 6) <= _MOST_DECIMALS:
        return _padded(lambda: _fixed(given, int(decimals), env), width, left, env)
    raise statement_gap(f"printf's `{piece[0]}`", node)


def _present(value: Expression, env: Env) -> Expression:
    return _text(Function.COALESCE, env, conversions.text_as_shown(value, env.translation), Literal("", TEXT))


def _integer(value: Expression, env: Env) -> Expression:
    number = one_value.coalesce([value, Literal(0, INTEGER)], env.translation)
    return Cast(conversions.plain(number, env.translation), INTEGER, Rules.SQLITE)


def _padded(text: Callable[[], Expression], width: int, left: str, env: Env, filling: str = " ") -> Expression:
    """At least so many bytes, as SQLite counts; `left`: the text first."""
    if not width:
        return text()
    size = Call(Function.BYTE_LENGTH, (text(),), INTEGER, env.dialect.rules)
    missing = Arithmetic(ArithmeticOperator.SUBTRACT, _int(width), size, INTEGER)
    blanks = _text(Function.SUBSTRING, env, Literal(filling * width, TEXT), _int(1), missing)
    padded = _text(Function.CONCAT, env, *((text(), blanks) if left else (blanks, text())))
    long = Compare(Comparison.GREATER_OR_EQUAL, size, _int(width))
    return Case(((long, text()),), padded, TEXT)


def _with_zeros(given: Iterator[Expression], width: int, env: Env) -> Expression:
    """Zeros stand behind the sign."""

    def digits() -> Expression:
        return conversions.text(
            Call(Function.ABS, (_integer(next(given), env),), INTEGER, Rules.SQLITE), env.translation
        )

    negative = Compare(Comparison.LESS, _integer(next(given), env), _int(0))
    minus = _text(Function.CONCAT, env, Literal("-", TEXT), _padded(digits, max(width - 1, 1), "", env, "0"))
    return Case(((negative, minus),), _padded(digits, width, "", env, "0"), TEXT)


def _fixed(given: Iterator[Expression], decimals: int, env: Env) -> Expression:
    """The rounded number as text with so many decimals, zeros included."""

    def number() -> Expression:
        return conversions.number(
            one_value.coalesce([next(given), Literal(0.0, FLOAT)], env.translation), env.translation
        )

    def rounded() -> Expression:
        return Call(Function.ROUND, (number(), _int(decimals)), FLOAT, Rules.SQLITE)

    def text() -> Expression:
        return Cast(rounded(), TEXT, Rules.SQLITE)

    point = Call(Function.POSITION, (text(), Literal(".", TEXT)), INTEGER, Rules.SQLITE)
    size = Arithmetic(ArithmeticOperator.ADD, point, _int(decimals if decimals else -1), INTEGER)
    shown = _text(
        Function.SUBSTRING, env, _text(Function.CONCAT, env, text(), Literal("0" * decimals, TEXT)), _int(1), size
    )
    size_of = Call(Function.ABS, (number(),), FLOAT, Rules.SQLITE)
    large = Compare(Comparison.GREATER_OR_EQUAL, size_of, Literal(10.0 ** (_DIGITS - decimals), FLOAT))
    failing = Arithmetic(ArithmeticOperator.MULTIPLY, number(), Literal(0.0, FLOAT), FLOAT)
    failure = Arithmetic(ArithmeticOperator.DIVIDE, Literal(1.0, FLOAT), failing, FLOAT, Division.REAL, zero_fails=True)
    vanishes = conjunction(
        Compare(Comparison.LESS, number(), Literal(0.0, FLOAT)),
        Compare(Comparison.EQUAL, rounded(), Literal(0.0, FLOAT)),
    )
    assert vanishes is not None
    zero = Literal("-0" + ("." + "0" * decimals if decimals else ""), TEXT)
    return Case(((large, Cast(failure, TEXT, Rules.SQLITE)), (vanishes, zero)), shown, TEXT)


def _text(function: Function, env: Env, *arguments: Expression) -> Call:
    return Call(function, arguments, TEXT, env.dialect.rules)


def _int(value: int) -> Literal:
    return Literal(value, INTEGER)
