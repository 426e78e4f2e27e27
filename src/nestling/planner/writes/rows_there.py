"""Existing rows that a new row conflicts with: those with the same values of a unique group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from nestling.common.trees import rebuilt
from nestling.ir.constraints.partial_unique import PartialUnique
from nestling.ir.constraints.row_check import truth_of
from nestling.ir.design import Design
from nestling.ir.model import Entity, Model
from nestling.ir.statements.algebra import Scan
from nestling.ir.statements.columns import over
from nestling.ir.statements.expression import NULL, AttributeCast, Column, Expression, Literal
from nestling.ir.statements.operands import bare, conjunction, disjunction
from nestling.ir.statements.write import Conflict
from nestling.planner.writes.constraints import sharing, sharing_some, unique_groups

UniqueGroup: TypeAlias = tuple[str, ...] | PartialUnique
"""Attributes that no two rows share, or no two of some rows."""


def some_groups(entity: Entity, conflict: Conflict) -> tuple[PartialUnique, ...]:
    """The groups of some rows by which a row may be there already."""
    if conflict.among is not None:
        return (conflict.among,)
    return () if conflict.attributes else entity.partial_uniques


def conflict_groups(model: Model, entity: Entity, conflict: Conflict) -> tuple[tuple[str, ...], ...]:
    """The unique groups by which a row may exist already, without groups that contain another one."""
    if conflict.among is not None:
        return ()
    if conflict.attributes:
        return (conflict.attributes,)
    found = {frozenset(group): group for group in reversed(unique_groups(model, entity))}
    return tuple(group for members, group in reversed(found.items()) if not any(other < members for other in found))


def groups_met(model: Model, entity: Entity, conflict: Conflict, row: Mapping[str, Expression]) -> list[UniqueGroup]:
    """The groups by which this row may conflict: not with NULLs, nor if a partial group's condition is false."""
    whole = [group for group in conflict_groups(model, entity, conflict) if _is_whole(group, row)]
    some = [each for each in some_groups(entity, conflict) if _is_whole(each.attributes, row) and _may_be(each, row)]
    return [*whole, *some]


def conflicting(
    design: Design,
    entity: Entity,
    scan: Scan,
    groups: Sequence[UniqueGroup],
    row: Mapping[str, Expression],
) -> Expression | None:
    """Match rows that share the values of any of the groups with the new row; None without groups."""
    whole = [{name: row[name] for name in group} for group in groups if not isinstance(group, PartialUnique)]
    some = [_sharing_some(design, entity, scan, each, row) for each in groups if isinstance(each, PartialUnique)]
    return disjunction(sharing(design, entity, scan, whole), *some)


def with_new_values(expression: Expression, excluded: str, row: Mapping[str, Expression]) -> Expression:
    """Replace mentions of the new row by its values, also in subqueries; numbers are those before SQLite's affinity."""

    def change(inner: object) -> object | None:
        if not isinstance(inner, Column) or inner.alias != excluded:
            return None
        value = row.get(inner.name, NULL)
        return value.operand if isinstance(value, AttributeCast) and value.numeric else value

    return rebuilt(expression, change)


def _is_whole(group: Sequence[str], row: Mapping[str, Expression]) -> bool:
    return all(row.get(name, NULL) != NULL for name in group)


def _may_be(unique: PartialUnique, row: Mapping[str, Expression]) -> bool:
    """Whether the group's condition may be true of the row."""
    given = _given(unique, row)
    return given is None or truth_of(unique.condition, given) is True


def _given(unique: PartialUnique, row: Mapping[str, Expression]) -> dict[str, object] | None:
    """The constants that the condition concerns; None if a value is not constant."""
    known = {name: bare(row.get(name, NULL)) for name in unique.columns}
    given: dict[str, object] = {name: each.value for name, each in known.items() if isinstance(each, Literal)}
    return given if len(given) == len(known) else None


def _sharing_some(
    design: Design, entity: Entity, scan: Scan, unique: PartialUnique, row: Mapping[str, Expression]
) -> Expression | None:
    """Rows that share the group's values, where its condition is true of both."""
    values = {name: row[name] for name in unique.attributes}
    is_known = _given(unique, row) is not None
    of_new = None if is_known else with_new_values(over(unique.condition, entity, "new"), "new", row)
    of_there = over(unique.condition, entity, scan.alias)
    return conjunction(sharing_some(design, entity, scan, unique, values), of_there, of_new)
