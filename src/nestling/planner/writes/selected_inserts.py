"""INSERT … SELECT with rows that may exist already: new ones are written, the others are kept or changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from nestling.common.trees import rebuilt
from nestling.ir.model import Entity
from nestling.ir.paths.write_path import NEW, Fetch
from nestling.ir.statements.algebra import (
    WHOLE_PARTITION,
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
from nestling.ir.statements.expression import (
    NULL,
    AttributeCast,
    Column,
    Compare,
    Exists,
    Expression,
    IsNull,
    Literal,
    Not,
    ScalarSubquery,
)
from nestling.ir.statements.operands import conjunction, disjunction
from nestling.ir.statements.operators import Comparison
from nestling.ir.statements.write import Conflict, ConflictAction, Insert
from nestling.ir.types import INTEGER
from nestling.planner.reads.traverse import made_by, renamed
from nestling.planner.writes.constraints import compared_by, refuse_nulls
from nestling.planner.writes.draft.cells import column
from nestling.planner.writes.draft.fetch import plan, scan_of
from nestling.planner.writes.draft.gaps import write_gap
from nestling.planner.writes.draft.phases import WritePhase
from nestling.planner.writes.draft.write_draft import WriteDraft
from nestling.planner.writes.effect_steps import update_with_effects
from nestling.planner.writes.insert import insert_rows
from nestling.planner.writes.proposed_rows import proposed_checks, refuse_proposed
from nestling.planner.writes.rows_met_twice import refuse_changed_group, refuse_twice_selected
from nestling.planner.writes.rows_seen import refuse_asked_again
from nestling.planner.writes.rows_there import UniqueGroup, conflicting, groups_met, with_new_values
from nestling.planner.writes.upsert import is_taken


def insert_selected(work: WriteDraft, insert: Insert, conflict: Conflict) -> None:
    """Plan the insertion of the SELECT's rows without a conflict, and what happens to the others.

    If two rows of the SELECT conflict with each other, one is stored; with DO UPDATE both are refused, because one would change
    the other.
    """
    entity = work.model.entity(insert.entity)
    given = dict(zip(insert.attributes, insert.source.columns, strict=True))
    met = groups_met(work.model, entity, conflict, given)
    changes = conflict.action is ConflictAction.UPDATE
    _refuse_unlike(insert, conflict, met)
    refuse_asked_again(work.design, insert, conflict, None)
    if not conflict.ignores:
        _refuse_proposed(work, insert, conflict, entity, given, met)
    source = filtered(insert.source, is_taken(work, insert, conflict, entity, given))
    for group in _over_all_rows(met):
        if changes:
            work.add(WritePhase.FETCH, refuse_twice_selected(work, entity, source, given, group))
            _change_met(work, insert, conflict, entity, group)
        else:
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


def _over_all_rows(met: Sequence[UniqueGroup]) -> list[tuple[str, ...]]:
    return [group for group in met if isinstance(group, tuple)]


def _refuse_unlike(insert: Insert, conflict: Conflict, met: Sequence[UniqueGroup]) -> None:
    """Raise a gap if it is unknown whether rows conflict, with which row, or what happens then."""
    if conflict.action is ConflictAction.REPLACE:
        raise write_gap("INSERT … SELECT that replaces existing rows; DO UPDATE and DO NOTHING are converted")
    changes = conflict.action is ConflictAction.UPDATE
    does = "changes" if changes else "leaves"
    if len(met) > 1 or len(_over_all_rows(met)) < len(met):
        move = (
            "read the rows first, and insert each with INSERT … VALUES and the same clause; or name the one UNIQUE over all rows"
            " that they may conflict with, as in ON CONFLICT (id): rows that conflict with another then fail"
        )
        raise write_gap(f"INSERT … SELECT that {does} existing rows by several unique keys or by a partial one; {move}")
    if _is_sorted(insert.source) and (insert.generated or not changes):
        raise write_gap(f"INSERT … SELECT … ORDER BY that {does} existing rows")


def _change_met(work: WriteDraft, insert: Insert, conflict: Conflict, entity: Entity, group: tuple[str, ...]) -> None:
    """The rows that are there change, each by the one new row it meets."""
    refuse_changed_group(conflict, group)
    scan = scan_of(entity, insert.alias)

    def new_row(wanted: Expression | None = None) -> tuple[Relation, dict[str, Expression]]:
        """The row of the SELECT that meets the row at hand, and its values by attribute."""
        rows = renamed(insert.source, {name: work.name(name) for name in made_by(insert.source)})
        kept = dict(zip(insert.attributes, rows.columns, strict=True))
        rows, row = _with_given(rows, kept)
        same = conflicting(work.design, entity, scan, [group], kept)
        condition = None if wanted is None else with_new_values(wanted, conflict.excluded, row)
        return filtered(rows, conjunction(same, condition)), row

    def change(inner: object) -> object | None:
        if not isinstance(inner, Column) or inner.alias != conflict.excluded:
            return None
        rows, row = new_row()
        value = Project(rows, work.name("new value"), (Named("value", row.get(inner.name, NULL)),))
        return ScalarSubquery(value, inner.type)

    assignments = {item.attribute: rebuilt(item.expression, change) for item in conflict.assignments}
    met = Exists(new_row(conflict.predicate)[0])
    update_with_effects(work, scan, assignments, met)


def _with_given(rows: Relation, kept: Mapping[str, Column]) -> tuple[Relation, dict[str, Expression]]:
    """Add to the rows each value as given, where SQLite's affinity stores another one: `excluded` has the given value."""
    row: dict[str, Expression] = {**kept}
    if not isinstance(rows, Project):
        return rows, row
    outputs = [*rows.outputs]
    for (name, kept_as), output in zip(kept.items(), rows.outputs, strict=True):
        cast = output.expression
        if isinstance(cast, AttributeCast) and cast.numeric:
            outputs.append(Named(f"given {output.name}", cast.operand))
            row[name] = Column(kept_as.alias, outputs[-1].name, cast.operand.type)
    return replace(rows, outputs=tuple(outputs)), row


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
    number = WindowFunction(
        WindowOnly.ROW_NUMBER, (), INTEGER, terms, order, WHOLE_PARTITION, partition_collations=collations
    )
    window = Window(source, work.name("once"), (NamedWindow("number", number),))
    is_first = Compare(Comparison.EQUAL, Column(window.alias, "number", INTEGER), Literal(1, INTEGER))
    loose = tuple(IsNull(term) for term in terms if term.nullable)
    return Filter(window, disjunction(is_first, *loose))


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
