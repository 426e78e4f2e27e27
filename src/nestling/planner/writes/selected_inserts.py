"""INSERT … SELECT that leaves the rows which are there already: the rows that are not are read, and then written."""

from __future__ import annotations

from nestling.ir.model import Entity
from nestling.ir.paths.write_path import NEW, Fetch
from nestling.ir.statements.algebra import (
    Filter,
    LimitOffset,
    Named,
    NamedWindow,
    Project,
    Relation,
    Sort,
    SortKey,
    Window,
    WindowFunction,
    WindowOnly,
    filtered,
)
from nestling.ir.statements.expression import NULL, Column, Compare, Comparison, Exists, IsNull, Literal, Not, Or
from nestling.ir.statements.write import Conflict, ConflictAction, Insert
from nestling.ir.types import INTEGER
from nestling.planner.writes.constraints import compared_by, refuse_nulls
from nestling.planner.writes.draft.cells import column
from nestling.planner.writes.draft.fetch import plan, scan_of
from nestling.planner.writes.draft.gaps import write_gap
from nestling.planner.writes.draft.phases import WritePhase
from nestling.planner.writes.draft.write_draft import WriteDraft
from nestling.planner.writes.insert import insert_rows
from nestling.planner.writes.numbered_rows import ALL_ROWS
from nestling.planner.writes.proposed_rows import proposed_checks, refuse_proposed
from nestling.planner.writes.rows_there import UniqueGroup, conflicting, groups_met
from nestling.planner.writes.upsert import is_taken


def insert_absent(work: WriteDraft, insert: Insert, conflict: Conflict) -> None:
    """Plan the rows of a SELECT that meet none with the same key, and of those that meet each other one."""
    if conflict.action is not ConflictAction.NOTHING:
        raise write_gap("INSERT … SELECT that changes rows which exist; DO NOTHING is converted")
    entity = work.model.entity(insert.entity)
    given = dict(zip(insert.attributes, insert.source.columns, strict=True))
    met = groups_met(work.model, entity, conflict, given)
    whole = [group for group in met if isinstance(group, tuple)]
    if len(met) > 1 or len(whole) < len(met):
        move = "name the columns of one that is over all rows, as in ON CONFLICT (id) DO NOTHING"
        raise write_gap(
            f"INSERT … SELECT that leaves rows which exist by several unique groups or by one of some rows; {move}"
        )
    if _is_sorted(insert.source):
        raise write_gap("INSERT … SELECT … ORDER BY that leaves rows which exist")
    if not conflict.ignores:
        _refuse_proposed(work, insert, conflict, entity, given, met)
    taken = is_taken(work, insert, conflict, entity, given)
    source = filtered(insert.source, taken)
    for group in whole:
        source = _once(work, entity, source, given, group)
    scan = scan_of(entity, work.name("there"))
    there = conflicting(work.design, entity, scan, met, given)
    absent = None if there is None else Not(Exists(filtered(scan, there)))
    kept = Project(
        filtered(source, absent),
        work.name("absent"),
        tuple(Named(n, c) for n, c in given.items()),
    )
    insert_rows(work, entity, insert.attributes, kept, insert.generated)


def _is_sorted(source: Relation) -> bool:
    while isinstance(source, Project | Filter | LimitOffset):
        source = source.input
    return isinstance(source, Sort)


def _once(
    work: WriteDraft, entity: Entity, source: Relation, given: dict[str, Column], group: tuple[str, ...]
) -> Relation:
    """One of the source's rows that share the group's values; NULLs are never the same."""
    terms, rules = tuple(given[name] for name in group), compared_by(work.design, entity, group)
    order = tuple(SortKey(term, descending=False, nulls_first=True) for term in terms)
    collations = tuple(rules[name] for name in group)
    number = WindowFunction(WindowOnly.ROW_NUMBER, (), INTEGER, terms, order, ALL_ROWS, partition_collations=collations)
    window = Window(source, work.name("once"), (NamedWindow("number", number),))
    is_first = Compare(Comparison.EQUAL, Column(window.alias, "number", INTEGER), Literal(1, INTEGER))
    loose = tuple(IsNull(term) for term in terms if term.nullable)
    return Filter(window, Or((is_first, *loose)) if loose else is_first)


def _refuse_proposed(
    work: WriteDraft,
    insert: Insert,
    conflict: Conflict,
    entity: Entity,
    given: dict[str, Column],
    met: list[UniqueGroup],
) -> None:
    """A row that lacks a NOT NULL attribute or breaks a CHECK is refused, whether another is there or not."""
    made = {item.attribute for item in insert.generated}
    unsure = [
        each.name
        for each in entity.attributes
        if not each.nullable and each.name not in made and (each.name not in given or given[each.name].nullable)
    ]
    checked = proposed_checks(insert, conflict, entity, given, met)
    broken = work.name(f"broken {entity.name}")
    work.add(WritePhase.FETCH, refuse_proposed(work.design, entity, insert.source, checked, broken, work.prices))
    if unsure:
        rows = work.name(f"proposed {entity.name}")
        outputs = tuple(Named(column(NEW, name), given.get(name, NULL)) for name in unsure)
        proposed = Project(insert.source, "proposed", outputs)
        work.add(WritePhase.FETCH, [Fetch(rows, plan(work.design, proposed, work.prices))])
        refuse_nulls(work, entity, unsure, rows)
