"""A column the database computes, as an expression over the columns of its own rows."""

from __future__ import annotations

from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.statements.algebra import Scan
from nestling.ir.statements.expression import Expression
from nestling.planner.sql.changes.assignments import source_of, stored
from nestling.planner.sql.changes.generated_attributes import computed
from nestling.planner.sql.dialect import dialect_of
from nestling.planner.sql.from_clause import bind_scan
from nestling.planner.sql.scope import Env, Scope, Translation


def computed_column(attribute: Attribute, entity: Entity, model: Model, dialect: str) -> tuple[Scan, Expression]:
    """The rows, and what each has there; raises a gap for what is not converted."""
    translation = Translation(model, dialect_of(dialect))
    scan = bind_scan(entity, entity.name, translation)
    env = Env(translation, Scope((source_of(entity.name, scan),)))
    return scan, stored(computed(attribute, env), attribute, translation)
