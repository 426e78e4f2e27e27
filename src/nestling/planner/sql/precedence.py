"""Which operator comes first, where a database reads a statement without brackets otherwise than sqlglot."""

from __future__ import annotations

from sqlglot import exp

from nestling.ir.statements.operators import Rules
from nestling.planner.sql.called import sql_as_written
from nestling.planner.sql.dialect import Dialect
from nestling.planner.sql.gaps import statement_gap

_EQUALITIES = (exp.EQ, exp.NEQ)
_ORDERS = (exp.LT, exp.LTE, exp.GT, exp.GTE)
_PATTERNS = (exp.Like, exp.Glob, exp.RegexpLike, exp.Match)
_ARITHMETIC = (
    exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.DPipe, exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseLeftShift,
    exp.BitwiseRightShift,
)  # fmt: skip
_RANGES = (*_PATTERNS, exp.In, exp.Between)


def refuse_other_order(tree: exp.Expr, dialect: Dialect) -> None:
    """Raise the gap of the first operators that the database takes in another order."""
    if dialect.rules is Rules.POSTGRESQL:
        return
    differs = _differs_in_sqlite if dialect.is_sqlite else _differs_in_mysql
    for node in tree.walk():
        if differs(node):
            written = sql_as_written(node, dialect.grammar)
            said = f"{written}, whose operators {dialect.rules} evaluates differently; add parentheses"
            raise statement_gap(said, node)


def _differs_in_sqlite(node: exp.Expr) -> bool:
    """Whether SQLite evaluates the node in another order.

    `=`, LIKE, GLOB, IN and BETWEEN have one precedence there, from left to right; `<` and arithmetic bind more tightly.
    """
    if isinstance(node, _ARITHMETIC):
        return isinstance(_inner(node.this), (*_EQUALITIES, *_ORDERS, *_RANGES, exp.Is)) or isinstance(
            node.this, exp.Not
        )
    if isinstance(node, _EQUALITIES) and not _assigns(node):
        return isinstance(_inner(node.expression), _RANGES)
    if isinstance(node, _ORDERS):
        ends_open = isinstance(_inner(node.this), (*_PATTERNS, exp.Between))
        return ends_open or isinstance(_inner(node.expression), _RANGES)
    return False


def _assigns(node: exp.Expr) -> bool:
    """Whether it is the `=` of SET."""
    return isinstance(node.parent, exp.Update | exp.OnConflict) and node.arg_key == "expressions"


def _differs_in_mysql(node: exp.Expr) -> bool:
    """What stands behind BETWEEN's AND may be a LIKE or IN of its own there."""
    return isinstance(node, (*_PATTERNS, exp.In)) and isinstance(_inner(node.this), exp.Between)


def _inner(node: exp.Expr) -> exp.Expr:
    """The operator that NOT or ESCAPE, written with it, is part of."""
    while isinstance(node, exp.Not | exp.Escape):
        node = node.this
    return node
