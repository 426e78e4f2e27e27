"""The condition of a CHECK, bound over the columns of its table as a statement's WHERE is."""

from __future__ import annotations

from sqlglot import exp

from nestling.common.errors import NestlingError
from nestling.ir.constraints.row_check import plain_condition
from nestling.ir.model import Entity, Model
from nestling.ir.statements.expression import Expression
from nestling.planner.sql.dialect import dialect_of
from nestling.planner.sql.expressions import predicate
from nestling.planner.sql.from_clause import bind_scan
from nestling.planner.sql.known_nodes import refuse_unread
from nestling.planner.sql.parse import parse
from nestling.planner.sql.scope import Env, FromSource, Scope, Translation


def read_check(entity: Entity, sql: str, dialect: str) -> Expression | None:
    """The condition in a source's SQL over the entity's rows; None if no `RowCheck` can express it."""
    try:
        return plain_condition(_bound(entity, sql, dialect))
    except NestlingError:
        return None


def _bound(entity: Entity, sql: str, dialect: str) -> Expression:
    translation = Translation(Model(entity.name, (entity,)), dialect_of(dialect))
    parsed = parse(f"SELECT\n{sql}\n", translation.dialect)
    refuse_unread(parsed.tree, translation.dialect)
    found = parsed.tree.expressions if isinstance(parsed.tree, exp.Select) else []
    condition = found[0] if len(found) == 1 else exp.Null()
    scan = bind_scan(entity, entity.name, translation)
    columns = tuple((column.name, column) for column in scan.columns)
    source = FromSource(entity.name.rpartition(".")[2], columns)
    return predicate(condition, Env(translation, Scope((source,))))
