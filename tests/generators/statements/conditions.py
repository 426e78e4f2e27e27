"""Conditions under three-valued logic, mostly ones the rows at hand can meet."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing

from tests.generators.statements.expressions import PARAMETERS, column, literal, value
from tests.generators.statements.ground import Kind, Known
from tests.generators.statements.hand import Hand, Scope

PATTERNS = ("'a%'", "'%a%'", "'_'", "'%'", "''", "'A%'", "'%1%'", "'t_%'", "'%ä%'", "NULL")


def condition(hand: Hand, scope: Scope, depth: int = 2) -> str:
    """A predicate; deeper ones join others."""
    if not scope:
        return f"{literal(hand, Kind.NUMBER)} > {literal(hand, Kind.NUMBER)}"
    if depth > 0 and hand.chance(3):
        return hand.one_of((_both, _either, _negated))(hand, scope, depth)
    makers = MAKERS if hand.may_nest else MAKERS[:-4]
    return hand.one_of(makers)(hand, scope)


def _both(hand: Hand, scope: Scope, depth: int) -> str:
    hand.uses("AND")
    return f"({condition(hand, scope, depth - 1)} AND {condition(hand, scope, depth - 1)})"


def _either(hand: Hand, scope: Scope, depth: int) -> str:
    hand.uses("OR")
    return f"({condition(hand, scope, depth - 1)} OR {condition(hand, scope, depth - 1)})"


def _negated(hand: Hand, scope: Scope, depth: int) -> str:
    hand.uses("NOT")
    return f"NOT ({condition(hand, scope, depth - 1)})"


def _column(hand: Hand, scope: Scope) -> Known:
    return hand.one_of(scope)


def _hit(hand: Hand, scope: Scope) -> str:
    """A column beside one of its values."""
    known = _column(hand, scope)
    operator = hand.one_of(("=", "=", "=", "<>", "<", "<=", ">", ">="))
    return f"{known.sql} {operator} {literal(hand, known.kind, known.literals)}"


def _compared(hand: Hand, scope: Scope) -> str:
    one, kind = value(hand, scope, 1)
    other, _ = value(hand, scope, 1, kind)
    operator = hand.one_of(("=", "<>", "<", "<=", ">", ">=", "IS", "IS NOT"))
    return f"{one} {operator} {other}"


def _is_null(hand: Hand, scope: Scope) -> str:
    hand.uses("IS NULL")
    return f"{column(hand, scope)[0]} IS {hand.one_of(('', 'NOT '))}NULL"


def _in_list(hand: Hand, scope: Scope) -> str:
    known = _column(hand, scope)
    if hand.chance(3):
        return _in_given_list(hand, known)
    hand.uses("IN")
    items = ", ".join(hand.some(lambda: literal(hand, known.kind, known.literals), 1, 3))
    return f"{known.sql} {hand.one_of(('', 'NOT '))}IN ({items})"


def _in_given_list(hand: Hand, known: Known) -> str:
    """A list that is one parameter: values of the column, others of its kind, NULL; sometimes none, and NULL instead of it."""
    hand.uses("IN of a parameter")
    said = [each for each in known.literals[:10] if each not in ("Inf", "-Inf")]
    with closing(sqlite3.connect(":memory:")) as connection:
        there = [connection.execute(f"SELECT {each}").fetchone()[0] for each in said]
    others = [*PARAMETERS[known.kind], None]
    given = hand.some(lambda: hand.one_of(others if hand.chance(4) or not there else there), 0, 4)
    listed = hand.parameter(None if hand.chance(12) else given)
    return f"{known.sql} {hand.one_of(('IN {}', 'NOT IN {}', '= ANY({})', '<> ALL({})')).format(listed)}"


def _between(hand: Hand, scope: Scope) -> str:
    hand.uses("BETWEEN")
    known = _column(hand, scope)
    least, most = (literal(hand, known.kind, known.literals) for _ in range(2))
    return f"{known.sql} {hand.one_of(('', 'NOT '))}BETWEEN {least} AND {most}"


def _rows(hand: Hand, scope: Scope) -> str:
    """Two columns beside two values, in the order of the first that differ."""
    hand.uses("row comparison")
    known = [_column(hand, scope) for _ in range(2)]
    operator = hand.one_of(("=", "<>", "<", "<=", ">", ">="))
    values = ", ".join(literal(hand, each.kind, each.literals) for each in known)
    return f"({known[0].sql}, {known[1].sql}) {operator} ({values})"


def _like(hand: Hand, scope: Scope) -> str:
    hand.uses("LIKE")
    escape = hand.one_of(("", "", " ESCAPE '!'"))
    pattern = hand.one_of(("'%!_%'", "'a!%%'")) if escape else hand.one_of(PATTERNS)
    return f"{column(hand, scope, Kind.TEXT)[0]} {hand.one_of(('', 'NOT '))}LIKE {pattern}{escape}"


def _truth(hand: Hand, scope: Scope) -> str:
    return value(hand, scope, 1, hand.one_of((Kind.TRUTH, Kind.NUMBER)))[0]


def _exists(hand: Hand, scope: Scope) -> str:
    from tests.generators.statements.selects import correlated

    hand.uses("EXISTS")
    return f"{hand.one_of(('', 'NOT '))}EXISTS (SELECT 1 FROM {correlated(hand, scope)[0]})"


def _in_subquery(hand: Hand, scope: Scope) -> str:
    from tests.generators.statements.selects import correlated

    hand.uses("IN (SELECT)")
    known = _column(hand, scope)
    source, inner = correlated(hand, scope)
    wanted = column(hand, inner, known.kind)[0]
    return f"{known.sql} {hand.one_of(('', 'NOT '))}IN (SELECT {wanted} FROM {source})"


def _with_scalar(hand: Hand, scope: Scope) -> str:
    from tests.generators.statements.selects import scalar_subquery

    operator = hand.one_of(("=", "<", ">", "<>"))
    return f"{column(hand, scope)[0]} {operator} {scalar_subquery(hand, scope)}"


Maker = Callable[[Hand, Scope], str]
MAKERS: tuple[Maker, ...] = (
    *(_hit, _hit, _hit, _hit, _compared, _is_null, _in_list, _between, _rows, _like, _truth),
    *(_exists, _in_subquery, _with_scalar, _exists),
)
