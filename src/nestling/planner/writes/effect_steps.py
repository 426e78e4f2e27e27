"""The steps of all that one statement does, entity by entity: those that refer to others before these."""

from __future__ import annotations

from nestling.ir import algebra as a
from nestling.ir.algebra import Scan, filtered
from nestling.ir.expression import Column, Expression, Literal
from nestling.ir.types import INTEGER
from nestling.ir.write_path import Fetch, Refuse
from nestling.planner.writes.delete import remove_rows
from nestling.planner.writes.draft import Phase, WriteDraft
from nestling.planner.writes.effects import Assignments, Effect, ForbiddenRows, Gone, RowUpdate
from nestling.planner.writes.fetch import plan
from nestling.planner.writes.foreign_keys import spread
from nestling.planner.writes.gaps import write_gap
from nestling.planner.writes.reachable_entities import in_order
from nestling.planner.writes.update import alter_rows

_ONE = Literal(1, INTEGER)


def delete_rows(work: WriteDraft, scan: Scan, predicate: Expression | None, *, counted: bool = False) -> None:
    """Plan that the rows of the scan go for which the predicate is true, and what follows."""
    order = in_order(work.design, scan.entity, deleted=True)
    _planned(work, Effect(scan, gone=[Gone(predicate)]), order, counted=counted)


def update_rows(
    work: WriteDraft, scan: Scan, assignments: Assignments, predicate: Expression | None, *, counted: bool = False
) -> None:
    """Plan new values for the rows of the scan for which the predicate is true, and what follows."""
    values = {name: value for name, value in assignments.items() if not _is_same(scan, name, value)}
    order = in_order(work.design, scan.entity, deleted=False, attributes=values)
    _planned(work, Effect(scan, altered=[RowUpdate(predicate, values)]), order, counted=counted)


def _is_same(scan: Scan, attribute: str, value: Expression) -> bool:
    return isinstance(value, Column) and (value.alias, value.name) == (scan.alias, attribute)


def _planned(work: WriteDraft, own: Effect, order: list[str], *, counted: bool) -> None:
    entity, asked = own.scan.entity, own.altered[0] if own.altered else None
    effects = {entity: own}
    for name in order:
        if name in effects:
            spread(work, effects, name)
    for each in effects.values():
        for refused in each.refused:
            _refuse(work, each, refused)
    altered_alone = asked is not None and len(own.altered) == 1
    if counted and asked is not None and not altered_alone:
        _count(work, own, asked)
    for name in reversed(order):
        effect = effects.get(name)
        if effect is None:
            continue
        remove_rows(work, effect, own=counted and effect is own)
        if (altered := effect.put_together(work)) is not None:
            alter_rows(work, effect.scan, altered, own=counted and altered_alone and effect is own)


def _count(work: WriteDraft, effect: Effect, asked: RowUpdate) -> None:
    """The rows the statement itself asks for, where more of them change."""
    if work.returning is not None:
        raise write_gap("RETURNING where foreign keys change more rows of the same entity")
    name = work.name(f"{effect.scan.entity} that are asked for")
    there = filtered(effect.scan, asked.predicate)
    found = a.Project(there, "found", (a.Named("one", _ONE),))
    work.add(Phase.FETCH, [Fetch(name, plan(work.design, found, work.prices))])
    work.counted.append(name)


def _refuse(work: WriteDraft, effect: Effect, refused: ForbiddenRows) -> None:
    """Rows that go by another way do not count."""
    link = refused.link
    there = filtered(effect.scan, effect.staying(work, refused.predicate))
    found = a.Limit(a.Project(there, "found", (a.Named("one", _ONE),)), _ONE)
    name = work.name(f"{link.child} that refer by {link.name}")
    work.add(Phase.FETCH, [Fetch(name, plan(work.design, found, work.prices))])
    text = f"`{link.child}` refers to this `{link.parent}` ({link.name})"
    work.add(Phase.REFUSE, [Refuse(name, refused.violation, text)])
