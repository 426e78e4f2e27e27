"""INSERT with rows that may exist already: keep, change or replace them, row by row, each seeing the earlier ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nestling.common.errors import name_list
from nestling.ir.model import Entity
from nestling.ir.paths.write_path import NEW, Fetch, Give, Refuse, Violation
from nestling.ir.statements.algebra import Scan, Values, filtered
from nestling.ir.statements.expression import NULL, Column, Compare, Exists, Expression, IsNull, Not
from nestling.ir.statements.operands import conjunction, disjunction, nullable
from nestling.ir.statements.operators import Comparison
from nestling.ir.statements.write import Conflict, ConflictAction, Insert
from nestling.planner.writes.constraints import more_than, refuse_nulls, sharing
from nestling.planner.writes.draft.cells import column
from nestling.planner.writes.draft.fetch import plan, scan_of
from nestling.planner.writes.draft.gaps import write_gap
from nestling.planner.writes.draft.phases import WritePhase
from nestling.planner.writes.draft.scanned_entities import scanned
from nestling.planner.writes.draft.write_draft import WriteDraft
from nestling.planner.writes.effect_steps import delete_with_effects, update_with_effects
from nestling.planner.writes.fitting_rows import fits
from nestling.planner.writes.insert import RowExpressions, insert_rows, written_rows
from nestling.planner.writes.proposed_rows import WRITTEN, proposed_checks, refuse_proposed
from nestling.planner.writes.rows_met_twice import refuse_twice
from nestling.planner.writes.rows_seen import refuse_asked_again
from nestling.planner.writes.rows_there import UniqueGroup, conflicting, groups_met, with_new_values
from nestling.planner.writes.single_command.plain_conditions import is_given


def upsert_rows(work: WriteDraft, insert: Insert, conflict: Conflict) -> None:
    """Plan the rows of the statement, one after the other."""
    rows = written_rows(insert.source, insert.attributes)
    assert rows is not None, "rows of a SELECT are planned in another way"
    entity = work.model.entity(insert.entity)
    _refuse_changing(work, entity, rows)
    refuse_asked_again(work.design, insert, conflict, len(rows))
    if refused := refuse_twice(work.design, entity, conflict, rows):
        work.add(WritePhase.FETCH, refused)
        work.end_part()
    for row in rows:
        _upsert(work, insert, conflict, entity, row)
        work.end_part()


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
            f"handling of existing rows together with values read from {names}, which the statement may change"
        )


def _upsert(work: WriteDraft, insert: Insert, conflict: Conflict, entity: Entity, row: RowExpressions) -> None:
    scan, groups = scan_of(entity, work.name("there")), groups_met(work.model, entity, conflict, row)
    there = conflicting(work.design, entity, scan, groups, row)
    match conflict.action:
        case ConflictAction.REPLACE:
            if there is not None:
                delete_with_effects(work, scan, there)
                work.end_part()
            insert_row(work, insert, entity, row)
        case ConflictAction.NOTHING:
            _refuse_proposed(work, conflict, entity, insert, row, groups)
            taken = is_taken(work, insert, conflict, entity, row)
            insert_row(work, insert, entity, row, conjunction(_absent(scan, there), taken))
        case ConflictAction.UPDATE:
            _refuse_proposed(work, conflict, entity, insert, row, groups)
            _update(work, conflict, insert, entity, row, groups)
            insert_row(work, insert, entity, row, _absent(scan, there))


def _refuse_proposed(
    work: WriteDraft,
    conflict: Conflict,
    entity: Entity,
    insert: Insert,
    row: RowExpressions,
    groups: Sequence[UniqueGroup],
) -> None:
    """A row that lacks a NOT NULL attribute or breaks a CHECK is refused, whether another is there or not."""
    asked = proposed_checks(insert, conflict, entity, row, groups)
    broken = refuse_proposed(work.design, entity, WRITTEN, asked, work.name(f"broken {entity.name}"), work.prices)
    work.add(WritePhase.FETCH, broken)
    made = {item.attribute for item in insert.generated}
    unsure = [name for name in entity.attribute_names if name not in made and nullable(row.get(name, NULL))]
    given = {name: value for name in unsure if is_given(value := row.get(name, NULL))}
    if conflict.ignores or all(entity.attribute(name).nullable for name in given):
        return
    rows = work.name(f"proposed {entity.name}")
    work.add(WritePhase.FETCH, [Give(rows, (tuple((column(NEW, name), value) for name, value in given.items()),))])
    refuse_nulls(work, entity, list(given), rows)


def _update(
    work: WriteDraft,
    conflict: Conflict,
    insert: Insert,
    entity: Entity,
    row: RowExpressions,
    groups: Sequence[UniqueGroup],
) -> None:
    scan = scan_of(entity, insert.alias)
    there = _one_met(work, conflict, scan, entity, row, groups)
    if there is None:
        return
    assignments = {
        item.attribute: with_new_values(item.expression, conflict.excluded, row) for item in conflict.assignments
    }
    wanted = None if conflict.predicate is None else with_new_values(conflict.predicate, conflict.excluded, row)
    update_with_effects(work, scan, assignments, conjunction(there, wanted))


def _one_met(
    work: WriteDraft, conflict: Conflict, scan: Scan, entity: Entity, row: RowExpressions, groups: Sequence[UniqueGroup]
) -> Expression | None:
    """The one row that the new one meets: MySQL looks for its key first, and no source says in which order for the rest."""
    first = [group for group in groups if conflict.key_first and group == entity.key]
    others = [group for group in groups if group not in first]
    by_key = conflicting(work.design, entity, scan, first, row)
    by_others = conflicting(work.design, entity, scan, others, row)
    if by_key is not None and by_others is not None:
        own = scan_of(entity, work.name("own"))
        by_others = conjunction(by_others, _absent(own, conflicting(work.design, entity, own, first, row)))
    if len(others) > 1:
        _refuse_several(work, scan, entity, others, by_others)
    return disjunction(by_key, by_others)


def _refuse_several(
    work: WriteDraft, scan: Scan, entity: Entity, groups: Sequence[UniqueGroup], there: Expression | None
) -> None:
    """Refuse a new row that conflicts with two rows by these groups: the model does not say which one would change."""
    name = work.name(f"{entity.name} met by several groups")
    work.add(WritePhase.FETCH, [Fetch(name, plan(work.design, more_than(1, filtered(scan, there)), work.prices))])
    by = name_list((", ".join(each if isinstance(each, tuple) else each.attributes) for each in groups), " or ")
    which = "and the order of the source's indexes decides which of them changes"
    text = f"the new `{entity.name}` conflicts with two rows, by {by}, {which}: change the one you mean by its key"
    about = dict.fromkeys(a for each in groups for a in (each if isinstance(each, tuple) else each.attributes))
    work.add(WritePhase.REFUSE, [Refuse(name, Violation.UNIQUE, text, attributes=entity.full_names(about))])


def insert_row(
    work: WriteDraft, insert: Insert, entity: Entity, row: RowExpressions, condition: Expression | None = None
) -> None:
    """Plan one row of the statement; only where the condition holds."""
    attributes = tuple(row)
    columns = tuple(Column("given row", name, entity.attribute(name).type) for name in attributes)
    source = Values("given row", columns, (tuple(row.values()),))
    insert_rows(work, entity, attributes, source, insert.generated, condition)


def is_taken(
    work: WriteDraft, insert: Insert, conflict: Conflict, entity: Entity, row: Mapping[str, Expression]
) -> Expression | None:
    """Whether the row is not skipped by IGNORE for its own values; None if it never is."""
    parents = _with_parents(work, entity, row) if conflict.needs_parents else None
    made = [item.attribute for item in insert.generated]
    return conjunction(parents, fits(entity, row, made) if conflict.needs_fit else None)


def _with_parents(work: WriteDraft, entity: Entity, row: Mapping[str, Expression]) -> Expression | None:
    """Whether each parent that an enforced foreign key names exists, or is the row itself."""
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
        asked.append(disjunction(*ways))
    return conjunction(*asked)


def _absent(scan: Scan, there: Expression | None) -> Expression | None:
    return None if there is None else Not(Exists(filtered(scan, there)))
