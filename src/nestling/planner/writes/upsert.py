"""INSERT where a row may be there already: leave it, change it, or delete it first – row by row, each seeing those before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nestling.common.errors import name_list
from nestling.ir.constraints.partial_unique import PartialUnique
from nestling.ir.constraints.row_check import truth_of
from nestling.ir.design import Design
from nestling.ir.model import Entity
from nestling.ir.paths.write_path import NEW, Give
from nestling.ir.statements.algebra import Scan, Values, filtered
from nestling.ir.statements.columns import over
from nestling.ir.statements.expression import (
    NULL,
    AttributeCast,
    Column,
    Compare,
    Comparison,
    Exists,
    Expression,
    IsNull,
    Literal,
    Not,
    Or,
)
from nestling.ir.statements.operands import bare, conjunction, nullable
from nestling.ir.statements.write import Conflict, ConflictAction, Insert
from nestling.planner.reads.traverse import rewritten
from nestling.planner.writes.constraints import refuse_nulls, sharing, sharing_some, unique_groups
from nestling.planner.writes.draft.cells import column
from nestling.planner.writes.draft.fetch import scan_of
from nestling.planner.writes.draft.gaps import write_gap
from nestling.planner.writes.draft.phases import WritePhase
from nestling.planner.writes.draft.scanned_entities import scanned
from nestling.planner.writes.draft.write_draft import WriteDraft
from nestling.planner.writes.effect_steps import delete_with_effects, update_with_effects
from nestling.planner.writes.insert import RowExpressions, insert_rows, written_rows
from nestling.planner.writes.single_command.plain_conditions import is_given


def upsert_rows(work: WriteDraft, insert: Insert, conflict: Conflict) -> None:
    """Plan the rows that stand in the statement, one after the other."""
    rows = written_rows(insert.source, insert.attributes)
    assert rows is not None, "rows of a SELECT are planned in another way"
    entity = work.model.entity(insert.entity)
    _refuse_changing(work, entity, rows)
    for row in rows:
        _upsert(work, insert, conflict, entity, row)
        work.end_part()


def some_groups(entity: Entity, conflict: Conflict) -> tuple[PartialUnique, ...]:
    """The groups of some rows by which a row may be there already."""
    if conflict.among is not None:
        return (conflict.among,)
    return () if conflict.attributes else entity.partial_uniques


def conflict_groups(design: Design, entity: Entity, conflict: Conflict) -> tuple[tuple[str, ...], ...]:
    """The groups of attributes by which a row may be there already."""
    if conflict.among is not None:
        return ()
    return (conflict.attributes,) if conflict.attributes else unique_groups(design, entity)


def _refuse_changing(work: WriteDraft, entity: Entity, rows: Sequence[RowExpressions]) -> None:
    """Raise the gap of values that are asked for again once rows they are read from may have changed."""
    changed, found = set[str](), {entity.name}
    while found - changed:
        changed |= found
        found = {link.child for link in work.model.relationships if link.parent in changed}
    read = changed & {name for row in rows for value in row.values() for name in scanned(value)}
    if read:
        names = name_list(sorted(read))
        raise write_gap(
            f"what to do about rows that exist beside values read from {names}, which the statement may change"
        )


def _upsert(work: WriteDraft, insert: Insert, conflict: Conflict, entity: Entity, row: RowExpressions) -> None:
    scan = scan_of(entity, work.name("there"))
    there = conflicting(work.design, entity, scan, conflict, row)
    match conflict.action:
        case ConflictAction.REPLACE:
            if there is not None:
                delete_with_effects(work, scan, there)
                work.end_part()
            insert_row(work, insert, entity, row)
        case ConflictAction.NOTHING:
            _refuse_proposed(work, conflict, entity, insert, row)
            parents = with_parents(work, entity, row) if conflict.needs_parents else None
            insert_row(work, insert, entity, row, conjunction(_absent(scan, there), parents))
        case ConflictAction.UPDATE:
            _refuse_proposed(work, conflict, entity, insert, row)
            _update(work, conflict, insert, entity, row)
            insert_row(work, insert, entity, row, _absent(scan, there))


def _refuse_proposed(work: WriteDraft, conflict: Conflict, entity: Entity, insert: Insert, row: RowExpressions) -> None:
    """A row that lacks a NOT NULL attribute is refused, whether another is there or not."""
    made = {item.attribute for item in insert.generated}
    unsure = [name for name in entity.attribute_names if name not in made and nullable(row.get(name, NULL))]
    given = {name: value for name in unsure if is_given(value := row.get(name, NULL))}
    if conflict.ignores or all(entity.attribute(name).nullable for name in given):
        return
    rows = work.name(f"proposed {entity.name}")
    work.add(WritePhase.FETCH, [Give(rows, (tuple((column(NEW, name), value) for name, value in given.items()),))])
    refuse_nulls(work, entity, list(given), rows)


def _update(work: WriteDraft, conflict: Conflict, insert: Insert, entity: Entity, row: RowExpressions) -> None:
    scan = scan_of(entity, insert.alias)
    there = conflicting(work.design, entity, scan, conflict, row)
    if there is None:
        return
    assignments = {item.attribute: said(item.expression, conflict.excluded, row) for item in conflict.assignments}
    wanted = None if conflict.predicate is None else said(conflict.predicate, conflict.excluded, row)
    update_with_effects(work, scan, assignments, conjunction(there, wanted), counted=True)


def insert_row(
    work: WriteDraft, insert: Insert, entity: Entity, row: RowExpressions, condition: Expression | None = None
) -> None:
    """Plan one row of the statement; only where the condition holds."""
    attributes = tuple(row)
    columns = tuple(Column("given row", name, entity.attribute(name).type) for name in attributes)
    source = Values("given row", columns, (tuple(row.values()),))
    insert_rows(work, entity, attributes, source, insert.generated, condition)


def conflicting(
    design: Design, entity: Entity, scan: Scan, conflict: Conflict, row: Mapping[str, Expression]
) -> Expression | None:
    """Rows that share a group's values with the new one."""
    found = [{name: row.get(name, NULL) for name in group} for group in conflict_groups(design, entity, conflict)]
    parts = [sharing(design, entity, scan, [values for values in found if NULL not in values.values()])]
    parts += [_sharing_some(design, entity, scan, unique, row) for unique in some_groups(entity, conflict)]
    known = tuple(part for part in parts if part is not None)
    return None if not known else known[0] if len(known) == 1 else Or(known)


def with_parents(work: WriteDraft, entity: Entity, row: Mapping[str, Expression]) -> Expression | None:
    """Whether each parent that a foreign key enforces is there, or the row itself, or none is named."""
    asked = list[Expression]()
    for link in work.model.parents_of(entity.name):
        values = [row.get(name, NULL) for name in link.child_attributes]
        if not link.enforced or NULL in values:
            continue
        parent = work.model.entity(link.parent)
        scan = scan_of(parent, work.name("parent"))
        same = sharing(work.design, parent, scan, [dict(zip(link.parent_attributes, values, strict=True))])
        own = [row.get(name, NULL) for name in link.parent_attributes]
        ways: list[Expression] = [IsNull(value) for value in values if nullable(value)]
        ways.append(Exists(filtered(scan, same)))
        if link.parent == entity.name and NULL not in own:
            equal = (Compare(Comparison.EQUAL, one, other) for one, other in zip(own, values, strict=True))
            ways += [each for each in (conjunction(*equal),) if each is not None]
        asked.append(Or(tuple(ways)) if len(ways) > 1 else ways[0])
    return conjunction(*asked)


def _sharing_some(
    design: Design, entity: Entity, scan: Scan, unique: PartialUnique, row: Mapping[str, Expression]
) -> Expression | None:
    """Rows that share the group's values, where its condition is true of both."""
    values = {name: row.get(name, NULL) for name in unique.attributes}
    known = {name: bare(row.get(name, NULL)) for name in unique.columns}
    given = {name: value.value for name, value in known.items() if isinstance(value, Literal)}
    if NULL in values.values() or (len(given) == len(known) and not truth_of(unique.condition, given)):
        return None
    of_new = said(over(unique.condition, entity, "new"), "new", row) if len(given) < len(known) else None
    of_there = over(unique.condition, entity, scan.alias)
    return conjunction(sharing_some(design, entity, scan, unique, values), of_there, of_new)


def _absent(scan: Scan, there: Expression | None) -> Expression | None:
    return None if there is None else Not(Exists(filtered(scan, there)))


def said(expression: Expression, excluded: str, row: Mapping[str, Expression]) -> Expression:
    """The same, with the new row's values where it is mentioned: numbers as they are given, before SQLite's affinity."""

    def change(inner: Expression) -> Expression | None:
        if not isinstance(inner, Column) or inner.alias != excluded:
            return None
        value = row.get(inner.name, NULL)
        return value.operand if isinstance(value, AttributeCast) and value.numeric else value

    return rewritten(expression, change)
