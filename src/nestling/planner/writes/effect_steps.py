"""The steps of everything that one statement does, entity by entity: referring rows before the rows they refer to."""

from __future__ import annotations

from nestling.ir.paths.write_path import Fetch, Refuse
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import Scan, filtered
from nestling.ir.statements.expression import ONE, Column, Expression
from nestling.planner.writes.delete import delete_from_entity
from nestling.planner.writes.draft.fetch import plan
from nestling.planner.writes.draft.gaps import write_gap
from nestling.planner.writes.draft.phases import WritePhase
from nestling.planner.writes.draft.write_draft import WriteDraft
from nestling.planner.writes.foreign_keys.effects import Assignments, Effect, ForbiddenRows, RowDelete, RowUpdate
from nestling.planner.writes.foreign_keys.reachable_entities import entities_parents_first
from nestling.planner.writes.foreign_keys.referential_actions import add_referential_actions
from nestling.planner.writes.single_command.plain_conditions import plain_conditions
from nestling.planner.writes.update import update_entity


def delete_with_effects(work: WriteDraft, scan: Scan, predicate: Expression | None, *, counted: bool = False) -> None:
    """Plan the deletion of the scan's rows for which the predicate is true, and its consequences."""
    order = entities_parents_first(work.design, scan.entity, deleted=True)
    _planned(work, Effect(scan, deletes=[RowDelete(predicate)]), order, counted=counted)


def update_with_effects(work: WriteDraft, scan: Scan, assignments: Assignments, predicate: Expression | None) -> None:
    """Plan new values for the scan's rows for which the predicate is true, and the consequences."""
    values = {name: value for name, value in assignments.items() if not _is_same(scan, name, value)}
    order = entities_parents_first(work.design, scan.entity, deleted=False, attributes=values)
    _planned(work, Effect(scan, updates=[RowUpdate(predicate, values)]), order, counted=True)


def _is_same(scan: Scan, attribute: str, value: Expression) -> bool:
    return isinstance(value, Column) and (value.alias, value.name) == (scan.alias, attribute)


def _planned(work: WriteDraft, own: Effect, order: list[str], *, counted: bool) -> None:
    entity, asked = own.scan.entity, own.updates[0] if own.updates else None
    predicates = [*(each.predicate for each in own.deletes), *(each.predicate for each in own.updates)]
    work.is_of_one_row = all(_tells_one(work, own.scan, each) for each in predicates)
    effects = {entity: own}
    for name in order:
        if name in effects:
            add_referential_actions(work, effects, name, order)
    for each in effects.values():
        for forbidden in each.forbidden:
            _refuse(work, each, forbidden)
    updates_alone = asked is not None and len(own.updates) == 1
    if counted and asked is not None and not updates_alone:
        _count(work, own, asked)
    for name in reversed(order):
        effect = effects.get(name)
        if effect is None:
            continue
        delete_from_entity(work, effect, own=counted and effect is own)
        if (update := effect.as_one_update(work)) is not None:
            update_entity(work, effect.scan, update, own=counted and updates_alone and effect is own)


def _tells_one(work: WriteDraft, scan: Scan, predicate: Expression | None) -> bool:
    """Whether a condition says the whole key, or what is unique."""
    conditions = plain_conditions(scan, predicate)
    if conditions is None:
        return False
    return work.model.entity(scan.entity).is_superkey({each.attribute for each in conditions if each.is_equality})


def _count(work: WriteDraft, effect: Effect, asked: RowUpdate) -> None:
    """The rows the statement itself asks for, where more of them change."""
    if work.returning is not None:
        raise write_gap("RETURNING if foreign keys change more rows of the same entity")
    name = work.name(f"{effect.scan.entity} that are asked for")
    there = filtered(effect.scan, asked.predicate)
    found = a.Project(there, "found", (a.Named("one", ONE),))
    work.add(WritePhase.FETCH, [Fetch(name, plan(work.design, found, work.prices))])
    work.counted.append(name)


def _refuse(work: WriteDraft, effect: Effect, forbidden: ForbiddenRows) -> None:
    """Rows that go by another way do not count."""
    link = forbidden.link
    there = filtered(effect.scan, effect.not_deleted(work, forbidden.predicate))
    found = a.LimitOffset(a.Project(there, "found", (a.Named("one", ONE),)), ONE)
    name = work.name(f"{link.child} that refer by {link.name}")
    work.add(WritePhase.FETCH, [Fetch(name, plan(work.design, found, work.prices))])
    text = f"`{link.child}` refers to this `{link.parent}` ({link.name})"
    about = work.design.model.entity(link.child).full_names(link.child_attributes)
    work.add(WritePhase.REFUSE, [Refuse(name, forbidden.violation, text, attributes=about)])
