"""How many arguments a function takes that sqlglot has no class for."""

from __future__ import annotations

from sqlglot import exp

from nestling.ir.statements.expression import Expression
from nestling.planner.sql.gaps import mistake
from nestling.planner.sql.scope import Bind, Env, Handler


def of_one(handler: Handler) -> Handler:
    """A function of one argument, which sqlglot does not count as it has no class for it."""

    def call(node: exp.Expr, env: Env, bound: Bind) -> Expression:
        if len(node.expressions) != 1:
            raise mistake(f"{node.name.upper()}() takes one argument, not {len(node.expressions)}", node)
        return handler(node, env, bound)

    return call
