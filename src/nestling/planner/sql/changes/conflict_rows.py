"""ON CONFLICT (…) WHERE …: which unique index is meant, where it is one of some rows or of texts in lower case."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from nestling.ir.constraints.partial_unique import PartialUnique
from nestling.ir.constraints.row_check import plain_condition
from nestling.ir.model import Entity
from nestling.ir.statements.expression import Column, Expression, IsNull, Not
from nestling.ir.statements.operands import conjuncts
from nestling.ir.statements.operators import Rules
from nestling.planner.sql.called import sql_as_written
from nestling.planner.sql.changes.assignments import attribute_named, source_of
from nestling.planner.sql.expressions import predicate
from nestling.planner.sql.from_clause import bind_scan
from nestling.planner.sql.gaps import StatementGap, statement_gap
from nestling.planner.sql.scope import Env, Scope, Translation

_TEXTS = (exp.DType.TEXT, exp.DType.VARCHAR)


@dataclass(frozen=True, slots=True)
class ConflictKeys:
    """The attributes that ON CONFLICT names, and those of them that are asked for as `lower(name)`."""

    attributes: tuple[str, ...] = ()
    lower: frozenset[str] = frozenset()


def conflict_keys(clause: exp.OnConflict, entity: Entity, translation: Translation) -> ConflictKeys:
    """What the clause names; raises a gap of an expression that no unique index of the model is over."""
    attributes, lower = list[str](), set[str]()
    for key in _keys(clause):
        folded = isinstance(key, exp.Lower) and translation.dialect.rules is not Rules.MYSQL
        column = _without_cast(key.this) if folded else key
        if not isinstance(column, exp.Column | exp.Identifier):
            raise _no_index_over(clause, entity, translation)
        attributes.append(attribute_named(entity, column).name)
        lower |= {attributes[-1]} if folded else set()
    return ConflictKeys(tuple(attributes), frozenset(lower))


def _keys(clause: exp.OnConflict) -> Iterator[exp.Expr]:
    for key in clause.args.get("conflict_keys") or ():
        yield (key.this if isinstance(key, exp.Ordered) else key).unnest()


def _without_cast(node: exp.Expr) -> exp.Expr:
    """`email` of `email::text`, as PostgreSQL shows such an index."""
    inner = node.unnest()
    return inner.this.unnest() if isinstance(inner, exp.Cast) and inner.to.this in _TEXTS else inner


def _no_index_over(clause: exp.OnConflict, entity: Entity, translation: Translation) -> StatementGap:
    grammar = translation.dialect.grammar
    shown = ", ".join(sql_as_written(key, grammar).strip("`") for key in _keys(clause))
    what = f"ON CONFLICT ({shown}), for which the model of `{entity.name}` has no unique index"
    return statement_gap(f"{what}; name the columns of one", clause)


def among_rows(
    clause: exp.OnConflict, entity: Entity, keys: ConflictKeys, translation: Translation
) -> PartialUnique | None:
    """The unique group over some rows, or over texts in lower case; None if the index compares all rows exactly."""
    where = clause.args.get("index_predicate")
    if not keys.lower and (where is None or _is_of_all(entity, keys.attributes)):
        return None
    scan = bind_scan(entity, entity.name, translation)
    env = Env(translation, Scope((source_of(entity.name, scan),)))
    said = {*conjuncts(plain_condition(predicate(where.this, env)))} if where is not None else set()
    alike = [u for u in entity.partial_uniques if {*u.attributes} == {*keys.attributes} and {*u.lower} == keys.lower]
    for unique in alike:
        if said >= {part for part in conjuncts(unique.condition) if not _is_presence(part, unique)}:
            return unique
    if keys.lower and (where is None or not alike):
        raise _no_index_over(clause, entity, translation)
    raise statement_gap("ON CONFLICT with a WHERE that is not the condition of a unique index", clause)


def _is_presence(condition: Expression, unique: PartialUnique) -> bool:
    """Whether it says only that a text in lower case is there: of others no index knows that they are the same."""
    match condition:
        case Not(operand=IsNull(operand=Column(name=name))):
            return name in unique.lower
        case _:
            return False


def _is_of_all(entity: Entity, keys: tuple[str, ...]) -> bool:
    return any({*group} == {*keys} for group in (entity.key, *entity.uniques) if group)
