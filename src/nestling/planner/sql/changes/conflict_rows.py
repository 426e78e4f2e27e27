"""ON CONFLICT (…) WHERE …: which partial unique index is meant."""

from __future__ import annotations

from sqlglot import exp

from nestling.ir.constraints.partial_unique import PartialUnique
from nestling.ir.constraints.row_check import plain_condition
from nestling.ir.model import Entity
from nestling.ir.statements.operands import conjuncts
from nestling.planner.sql.changes.assignments import source_of
from nestling.planner.sql.expressions import predicate
from nestling.planner.sql.from_clause import bind_scan
from nestling.planner.sql.gaps import statement_gap
from nestling.planner.sql.scope import Env, Scope, Translation


def among_rows(
    clause: exp.OnConflict, entity: Entity, keys: tuple[str, ...], translation: Translation
) -> PartialUnique | None:
    """The group of some rows; None where the index is over all rows."""
    if (where := clause.args.get("index_predicate")) is None or _is_of_all(entity, keys):
        return None
    scan = bind_scan(entity, entity.name, translation)
    env = Env(translation, Scope((source_of(entity.name, scan),)))
    said = {*conjuncts(plain_condition(predicate(where.this, env)))}
    for unique in entity.partial_uniques:
        if not unique.lower and {*unique.attributes} == {*keys} and said >= {*conjuncts(unique.condition)}:
            return unique
    raise statement_gap("ON CONFLICT with a WHERE that is not the condition of a unique index", clause)


def _is_of_all(entity: Entity, keys: tuple[str, ...]) -> bool:
    return any({*group} == {*keys} for group in (entity.key, *entity.uniques) if group)
