"""RETURNING: what a write answers of the rows it has made, changed or removed."""

from __future__ import annotations

from nestling.ir.statements.algebra import Named, Scan
from nestling.ir.statements.expression import Expression
from nestling.ir.statements.write import Returning
from nestling.planner.sql import conversions
from nestling.planner.sql.changes.assignments import source_of
from nestling.planner.sql.expressions import bind
from nestling.planner.sql.outputs import OutputItem, named_as_written, select_items
from nestling.planner.sql.parse import Parsed
from nestling.planner.sql.postgresql.char_n import refuse_lengths
from nestling.planner.sql.scope import Env, Scope, Translation


def bind_returning(parsed: Parsed, name: str, scan: Scan, translation: Translation) -> Returning | None:
    """The outputs of the clause over the target's columns; `name` is what the statement calls the target."""
    clause = parsed.tree.args.get("returning")
    if clause is None:
        return None
    env = Env(translation, Scope((source_of(name, scan),)))
    items = select_items(clause.expressions, env.scope, env)
    outputs = []
    for number, item in enumerate(items):
        expression = _output(item, env)
        refuse_lengths(expression, node=clause)
        outputs.append(Named(f"answer_{number}", expression))
    names = named_as_written([(item.name, item.tree) for item in items], parsed, translation.dialect)
    return Returning(tuple(outputs), names, not translation.dialect.is_sqlite)


def _output(item: OutputItem, env: Env) -> Expression:
    if item.tree is not None:
        return conversions.as_shown(bind(item.tree.unalias(), env), env.translation)
    assert item.column is not None, "what a star stands for is a column"
    return item.column
