"""Two rows of one INSERT that meet each other: PostgreSQL's ON CONFLICT DO UPDATE changes or adds no row a second time.

Nor does that of an INSERT … SELECT in any dialect here, whose rows are written all at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nestling.ir.design import Design
from nestling.ir.model import Entity
from nestling.ir.paths.write_path import Fetch, WriteStep
from nestling.ir.programs.compiled import ReadPlan
from nestling.ir.statements.algebra import (
    Named,
    Relation,
    Values,
    filtered,
)
from nestling.ir.statements.columns import column_of, over
from nestling.ir.statements.expression import NULL, Column, IsNull, Not
from nestling.ir.statements.operands import bare, conjunction
from nestling.ir.statements.write import Conflict
from nestling.planner.writes.constraints import compared_by, in_lower_case, more_than, refuse_alike
from nestling.planner.writes.draft.fetch import plan
from nestling.planner.writes.draft.gaps import write_gap
from nestling.planner.writes.draft.write_draft import WriteDraft
from nestling.planner.writes.insert import RowExpressions

_ROWS = "given"


def refuse_twice(
    design: Design, entity: Entity, conflict: Conflict, rows: Sequence[RowExpressions]
) -> tuple[WriteStep, ...]:
    """Refuse rows of which two share the values by which they meet those that are there."""
    group = conflict.attributes
    if not conflict.once or len(rows) < 2 or not all(any(row.get(a, NULL) != NULL for row in rows) for a in group):
        return ()
    refuse_changed_group(conflict, group)
    return _refused(entity, group, plan(design, _shared(design, entity, conflict, rows)))


def refuse_twice_selected(
    work: WriteDraft, entity: Entity, source: Relation, given: Mapping[str, Column], group: tuple[str, ...]
) -> tuple[WriteStep, ...]:
    """Refuse rows of a SELECT of which two share the values of the group by which they meet those that are there."""
    met = filtered(source, conjunction(*(Not(IsNull(given[name])) for name in group if given[name].nullable)))
    rules = compared_by(work.design, entity, group)
    keys = tuple(Named(name, given[name]) for name in group)
    shared = more_than(1, met, keys, tuple(rules[name] for name in group))
    return _refused(entity, group, plan(work.design, shared, work.prices))


def refuse_changed_group(conflict: Conflict, group: Sequence[str]) -> None:
    """Raise the gap of several rows by which what they meet would meet others afterwards."""
    for each in conflict.assignments:
        value = bare(each.expression)
        own = isinstance(value, Column) and (value.alias, value.name) == (conflict.excluded, each.attribute)
        if each.attribute in group and not own:
            raise write_gap(
                f"several rows with ON CONFLICT ({', '.join(group)}) DO UPDATE that changes `{each.attribute}`"
            )


def _refused(entity: Entity, group: tuple[str, ...], shared: ReadPlan) -> tuple[WriteStep, ...]:
    name = f"{entity.name} given twice"
    same = f"two rows of the INSERT have the same {', '.join(group)}"
    text = f"{same}: ON CONFLICT DO UPDATE cannot change a row of `{entity.name}` twice"
    return Fetch(name, shared), refuse_alike(name, entity, group, text)


def _shared(design: Design, entity: Entity, conflict: Conflict, rows: Sequence[RowExpressions]) -> Relation:
    """The values that several of the rows have."""
    group, among = conflict.attributes, conflict.among
    used = tuple(dict.fromkeys((*group, *(among.columns if among is not None else ()))))
    columns = {name: column_of(entity.attribute(name), _ROWS) for name in used}
    given = Values(_ROWS, tuple(columns.values()), tuple(tuple(row.get(a, NULL) for a in used) for row in rows))
    condition = over(among.condition, entity, _ROWS) if among is not None else None
    met = filtered(given, conjunction(*(Not(IsNull(columns[name])) for name in group), condition))
    rules = compared_by(design, entity, group)
    keys = tuple(
        Named(name, in_lower_case(columns[name], among) if among and name in among.lower else columns[name])
        for name in group
    )
    return more_than(1, met, keys, tuple(rules[name] for name in group))
