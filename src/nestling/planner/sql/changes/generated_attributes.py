"""Attributes that the source fills by itself: no statement may give them a value, and every write computes them."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from nestling.common.errors import WorkloadError
from nestling.ir.constraints.defaults import ComputedAttribute, Generated
from nestling.ir.model import Attribute
from nestling.ir.statements.expression import Expression
from nestling.planner.sql.expressions import bind
from nestling.planner.sql.gaps import StatementGap, mistake, statement_gap
from nestling.planner.sql.known_nodes import refuse_unread
from nestling.planner.sql.parse import parse
from nestling.planner.sql.scope import Env


def refuse_given(attribute: Attribute, node: exp.Expr) -> None:
    """Raise what the source does where a statement gives a value of its own."""
    if isinstance(attribute.default, ComputedAttribute):
        what = f"`{attribute.name}` is computed by the database and cannot be given a value"
        raise mistake(what, node, "omit it, or write DEFAULT")
    if attribute.default is Generated.IDENTITY:
        what = f"`{attribute.name}` is numbered by the database (GENERATED ALWAYS) and cannot be given a value"
        raise mistake(what, node, "omit it, or write DEFAULT or, in an INSERT, OVERRIDING SYSTEM VALUE")


def computed(attribute: Attribute, env: Env) -> Expression:
    """The expression over the row's new values in `env`; errors name the attribute."""
    assert isinstance(attribute.default, ComputedAttribute)
    sql = attribute.default.sql
    try:
        tree = parse(f"SELECT {sql}", env.dialect).tree
        refuse_unread(tree, env.dialect)
        return bind(tree.expressions[0], env)
    except StatementGap as error:
        raise StatementGap(replace(error.gap, what=f"{write_of(attribute)}: {error.gap.what}", where="")) from None
    except WorkloadError as error:
        raise statement_gap(f"{write_of(attribute)}: {error.problems[0].what}") from None


def write_of(attribute: Attribute) -> str:
    """The description of a write that cannot be converted because the expression cannot."""
    assert isinstance(attribute.default, ComputedAttribute)
    return f"a write that changes `{attribute.name}`, which the database computes as `{attribute.default.sql}`"
