"""SQL over the conceptual model to the algebra: the statement compiler's front end.

`parse` (text to sqlglot's tree) → `select`, `writes` (a statement) → `tables` (FROM) and `grouping`, `windows` → `expressions`,
`functions`, `times` (scalars), which decide with `values` what converts to what. `scope` knows the names. What leaves here
has every name resolved and every habit of the dialect written down; what cannot be said so is a `StatementGap`.
"""

from __future__ import annotations

from sqlglot import exp

from nestling.ir.algebra import Query, Write
from nestling.ir.model import Model
from nestling.planner.sql.dialect import Dialect, dialect_of
from nestling.planner.sql.gaps import StatementGap, gap
from nestling.planner.sql.parse import Parsed, parse
from nestling.planner.sql.queries import bind_query
from nestling.planner.sql.read import refuse_unread
from nestling.planner.sql.scope import Env, Translation
from nestling.planner.sql.writes import bind_delete, bind_insert, bind_update

__all__ = ["StatementGap", "translate"]


def translate(sql: str, model: Model, dialect: str = "sqlite") -> Query | Write:
    """One SQL statement as algebra.

    Raises WorkloadError (a mistake: syntax, unknown or ambiguous names, several statements, over 100 KB), or a `StatementGap`
    (a construct nothing is made of yet), each with line and column.
    """
    rules = dialect_of(dialect)
    parsed = parse(sql, rules)
    translation = Translation(model, rules)
    try:
        refuse_unread(parsed.tree)
        return _statement(parsed, translation)
    except RecursionError:
        raise gap("a statement nested so deeply", parsed.tree) from None


def _statement(parsed: Parsed, translation: Translation) -> Query | Write:
    match parsed.tree:
        case exp.Insert():
            return bind_insert(parsed.tree, translation, replaces=parsed.replaces)
        case exp.Update():
            return bind_update(parsed.tree, translation)
        case exp.Delete():
            return bind_delete(parsed.tree, translation)
        case _:
            bound = bind_query(parsed.tree, Env(translation), "result")
            return Query(bound.relation, _names(bound.names, bound.trees, parsed, translation.dialect))


def _names(
    names: tuple[str, ...], trees: tuple[exp.Expr | None, ...], parsed: Parsed, dialect: Dialect
) -> tuple[str, ...]:
    """The outputs' names; SQLite and MySQL call an expression by its text, to the letter."""
    selected = _selected(parsed.tree)
    if not dialect.lenient or len(parsed.items) != len(selected) or len(trees) != len(names):
        return names
    texts = dict(zip(map(id, selected), parsed.items, strict=True))
    return tuple(
        texts.get(id(tree), name) if tree is not None and _is_spelled(tree, dialect) else name
        for name, tree in zip(names, trees, strict=True)
    )


def _is_spelled(tree: exp.Expr, dialect: Dialect) -> bool:
    if isinstance(tree, exp.Alias):
        return False
    return not isinstance(tree.unnest(), exp.Column) if dialect.is_sqlite else not isinstance(tree, exp.Column)


def _selected(tree: exp.Expr) -> list[exp.Expr]:
    """The select list that names the result's columns: the first SELECT's."""
    while not isinstance(tree, exp.Select):
        if not isinstance(tree.this, exp.Expr):
            return []
        tree = tree.this
    return tree.expressions
