"""SQL over the conceptual model to the algebra: the statement compiler's front end.

`parse` reads text as sqlglot's tree. `select` and `changes` translate a statement, with `from_clause`, `grouping` and `windows`
for its clauses and `expressions`, `functions` and `times` for its scalars. `conversions` decides what is converted to what.
`scope` knows the names. `postgresql` and `mysql` hold what one dialect alone does. The result has every name resolved and every
habit of the dialect written down; what it cannot express is a `StatementGap`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType

from sqlglot import exp

from nestling.common.sql_constants import ConstantValue
from nestling.ir.model import Model
from nestling.ir.reading import Gap, GapKind
from nestling.ir.statements.algebra import Query
from nestling.ir.statements.expression import Cast, Expression
from nestling.ir.statements.sql_dialects import SQLITE
from nestling.ir.statements.write import Write
from nestling.planner.sql.called import sql_as_written
from nestling.planner.sql.changes.inserts import bind_insert
from nestling.planner.sql.changes.updates_and_deletes import bind_delete, bind_update
from nestling.planner.sql.dialect import dialect_of, for_writes
from nestling.planner.sql.gaps import StatementGap, position
from nestling.planner.sql.known_nodes import unread
from nestling.planner.sql.names_alike import refuse_alike
from nestling.planner.sql.outputs import result_names
from nestling.planner.sql.parse import Parsed, parse
from nestling.planner.sql.postgresql.char_n import refuse_lengths
from nestling.planner.sql.queries import bind_query
from nestling.planner.sql.scope import Env, Translation
from nestling.planner.sql.views import unusable_views

__all__ = ["StatementGap", "gap_with_place", "translate", "unusable_views"]


def translate(
    sql: str,
    model: Model,
    dialect: str = SQLITE,
    *,
    rounds: bool = False,
    constants: Mapping[str, ConstantValue] = MappingProxyType({}),
    watch: Callable[[Expression, exp.Expr], None] | None = None,
) -> Query | Write:
    """One SQL statement as algebra; `rounds`: datetimes stored as dates are rounded to the millisecond.

    `constants` replace the parameters of these names, which `StatementGap.parameters` may have asked for.
    Raises WorkloadError (a mistake: syntax, unknown or ambiguous names, several statements, over 100 KB), or a `StatementGap`
    (a construct that is not supported yet), each with line and column. `watch` is called with the meaning of every part.
    """
    rules = dialect_of(dialect)
    parsed = parse(sql, rules, constants)
    rules = for_writes(rules) if _changes_rows(parsed.tree) else rules
    translation = Translation(model, rules, rounds, watch=watch)
    refuse_alike(parsed.tree, model)
    try:
        if found := [*unread(parsed.tree, rules)]:
            if all(isinstance(node, exp.Func) for node, _ in found):  # clauses may make names of their own
                with suppress(StatementGap):  # a name that does not exist comes first
                    _statement(parsed, translation)
            raise found[0][1]
        return _statement(parsed, translation)
    except StatementGap as gap:
        raise gap.placed(parsed.tree, rules.grammar) from None
    except RecursionError:
        raise StatementGap(Gap(GapKind.NOTIMPL, "a statement that is nested this deeply", "1:1")) from None


def _changes_rows(tree: exp.Expr) -> bool:
    """Whether a statement gives rows new values, and is refused where one has none: not INSERT IGNORE."""
    return isinstance(tree, exp.Insert | exp.Update) and not tree.args.get("ignore")


def gap_with_place(
    gap: Gap,
    about: Expression,
    sql: str,
    model: Model,
    dialect: str = SQLITE,
    *,
    constants: Mapping[str, ConstantValue] = MappingProxyType({}),
) -> Gap:
    """The gap of an expression of this statement, with its place and text; as it is where no piece of the text means that."""
    found: list[tuple[Expression, exp.Expr]] = []
    translate(sql, model, dialect, constants=constants, watch=lambda *each: found.append(each))
    for expression, node in found:
        if expression == about:
            text = sql_as_written(node, dialect_of(dialect).grammar).strip("`")
            return replace(gap, where=position(node), text=text)
    if isinstance(about, Cast):  # which a comparison made
        return gap_with_place(gap, about.operand, sql, model, dialect, constants=constants)
    return gap


def _statement(parsed: Parsed, translation: Translation) -> Query | Write:
    match parsed.tree:
        case exp.Insert():
            return bind_insert(parsed.tree, parsed, translation)
        case exp.Update():
            return bind_update(parsed.tree, parsed, translation)
        case exp.Delete():
            return bind_delete(parsed.tree, parsed, translation)
        case _:
            bound = bind_query(parsed.tree, Env(translation), "result")
            refuse_lengths(*bound.relation.columns, node=parsed.tree)
            names = result_names(bound, parsed, translation.dialect)
            return Query(bound.relation, names, not translation.dialect.is_sqlite, translation.locks)
