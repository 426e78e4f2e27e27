"""PostgreSQL's unnest as a table: a row for each element of a column of arrays, which may be of a table on its left."""

from __future__ import annotations

from sqlglot import exp

from nestling.common.element_titles import element_titles
from nestling.ir.quantity_words import counted
from nestling.ir.statements.algebra import Unnest
from nestling.ir.statements.expression import Column
from nestling.ir.statements.operators import Rules
from nestling.ir.types import INTEGER
from nestling.planner.sql.expressions import bind
from nestling.planner.sql.gaps import mistake, statement_gap
from nestling.planner.sql.postgresql.arrays import array_column, element_type
from nestling.planner.sql.scope import Env


def bind_elements(node: exp.Unnest, alias: exp.TableAlias | None, env: Env) -> tuple[Unnest, str]:
    """The rows, and the name of the table; `env` is what the array may be a column of."""
    if len(node.expressions) != 1 or env.dialect.rules is not Rules.POSTGRESQL:
        raise statement_gap("UNNEST of several arrays" if node.expressions[1:] else "UNNEST in FROM", node)
    array = array_column(node.expressions[0], env, lambda tree: bind(tree, env))
    name = alias.name if alias is not None and alias.name else "unnest"
    titles = element_titles(node, alias)
    width = 2 if node.args.get("offset") else 1
    if len(titles) > width:
        raise mistake(f"`{name}` has {counted(width, 'column')}, not {len(titles)}", node)
    own = env.translation.alias(name)
    element = Column(own, titles[0], element_type(array, node))
    places = [Column(own, title, INTEGER, nullable=False) for title in titles[1:]]
    return Unnest(own, (element, *places), array), name
