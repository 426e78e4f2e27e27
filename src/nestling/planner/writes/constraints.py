"""Checks constraints of the source on given rows, if the server does not enforce them itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from nestling.ir.constraints.partial_unique import PartialUnique
from nestling.ir.design import Design
from nestling.ir.model import Cardinality, Entity, Model, Relationship
from nestling.ir.paths.write_path import NEW, Refuse, Violation, WriteStep
from nestling.ir.programs.compiled import ReadPlan
from nestling.ir.statements.algebra import (
    AggregateCall,
    AggregateFunction,
    Filter,
    GroupBy,
    LimitOffset,
    Named,
    NamedAggregate,
    Project,
    Relation,
    Scan,
    filtered,
)
from nestling.ir.statements.clause import ClauseOperator
from nestling.ir.statements.expression import ONE, Call, Column, Compare, Exists, Expression, IsNull, Literal, Not
from nestling.ir.statements.operands import conjunction, disjunction
from nestling.ir.statements.operators import Collation, Comparison, Function, Rules
from nestling.ir.storage.collations import is_collated
from nestling.ir.storage.layout import NodeKind, Role
from nestling.ir.types import INTEGER, TEXT
from nestling.ir.words.write_words import same_words
from nestling.planner.reads.agreeing_keys import keys_agree
from nestling.planner.writes.draft.cells import Cells, column
from nestling.planner.writes.draft.fetch import cell, equal_cells, fetch, plan, rule_of_new, same_row, scan_of
from nestling.planner.writes.draft.phases import WritePhase
from nestling.planner.writes.draft.write_draft import WriteDraft


def unique_groups(model: Model, entity: Entity) -> tuple[tuple[str, ...], ...]:
    """Groups of attributes no two rows share: the key, unique ones, foreign keys of 1:1 relationships."""
    links = model.parents_of(entity.name)
    single = [link.child_attributes for link in links if link.cardinality is Cardinality.ONE_TO_ONE]
    return tuple(dict.fromkeys((*entity.unique_groups, *single)))


def unguarded(design: Design, entity: Entity) -> tuple[tuple[str, ...], ...]:
    """Return the unique groups that no index of the server enforces over all places of the entity.

    An index over only the documents that have the values is enough, because NULLs are never equal.
    """
    return tuple(group for group in unique_groups(design.model, entity) if not _is_guarded(design, entity, group))


def _is_guarded(design: Design, entity: Entity, group: tuple[str, ...]) -> bool:
    places = design.places[entity.name]
    if any(entity.attribute(name).collation is Collation.NOCASE for name in group):
        return False
    if len(places) != 1 or places[0].copy is not None or places[0].node.kind is not NodeKind.ROOT:
        return False
    (place,) = places
    if place.store.role is not Role.HOME:
        return False
    if set(design.id_attributes(place.store, place.node)) == set(group):
        return True
    paths = {place.node.path_of(name) for name in group}
    return any(
        index.collection == place.store.name
        and index.unique
        and {path for path, _ in index.keys} == paths
        and all(each.comparison is ClauseOperator.PRESENT and each.name in paths for each in index.partial)
        for index in design.indexes
    )


def sharing(
    design: Design, entity: Entity, scan: Scan, groups: Sequence[Mapping[str, Expression]]
) -> Expression | None:
    """Match rows with all values of one of these unique groups, compared as the source's indexes compare them.

    If several collations are involved, one of which only the server knows, texts are compared exactly: its unique indexes
    refuse the rest.
    """
    columns = {column.name: column for column in scan.columns}
    rules = compared_by(design, entity, {name for values in groups for name in values})
    parts = [
        conjunction(*(Compare(Comparison.EQUAL, columns[name], value, rules[name]) for name, value in values.items()))
        for values in groups
    ]
    return disjunction(*parts)


def sharing_some(
    design: Design, entity: Entity, scan: Scan, unique: PartialUnique, values: Mapping[str, Expression]
) -> Expression | None:
    """Rows that have all values of a unique group of some rows, compared as its index compares them."""
    columns = {column.name: column for column in scan.columns}
    plain = {name: value for name, value in values.items() if name not in unique.lower}
    lowered = [_alike(columns[name], value, unique) for name, value in values.items() if name in unique.lower]
    return conjunction(sharing(design, entity, scan, [plain] if plain else []), *lowered)


def _alike(text: Expression, value: Expression, unique: PartialUnique) -> Expression:
    """Whether two texts are equal to an index in lower case; for A to Z alone, NOCASE is equivalent."""
    if unique.ascii:
        return Compare(Comparison.EQUAL, text, value, Collation.NOCASE)
    return Compare(Comparison.EQUAL, in_lower_case(text, unique), in_lower_case(value, unique))


def in_lower_case(text: Expression, unique: PartialUnique) -> Expression:
    """The text as a unique index over `lower(text)` has it."""
    return Call(Function.LOWER, (text,), TEXT, Rules.SQLITE if unique.ascii else Rules.POSTGRESQL)


def compared_by(design: Design, entity: Entity, names: Iterable[str]) -> dict[str, Collation]:
    """How each attribute is compared in one read of the entity."""
    attributes = [entity.attribute(name) for name in names]
    if is_collated(attributes) and keys_agree(design, [entity.name]):
        return {each.name: each.collation for each in attributes}
    exact = Collation.BINARY
    return {each.name: each.collation if each.collation is Collation.NOCASE else exact for each in attributes}


def refuse_same(design: Design, row: Cells, groups: Sequence[tuple[str, ...]]) -> Iterator[WriteStep]:
    """Before a row comes: no other may share a unique group with it."""
    for group in groups:
        name = f"{row.entity.name} with the same {', '.join(group)}"
        yield fetch(name, same_rows(design, row, group), [row.column(each) for each in group])
        yield refuse_alike(name, row.entity, group)


def same_rows(design: Design, row: Cells, group: Sequence[str]) -> ReadPlan:
    """Read one row with the given row's values of these attributes, if there is any."""
    scan = scan_of(row.entity, "other")
    same = filtered(scan, sharing(design, row.entity, scan, [_cells(row, group)]))
    return plan(design, LimitOffset(Project(same, "found", (Named("one", ONE),)), ONE))


def refuse_several(design: Design, row: Cells, groups: Sequence[tuple[str, ...]]) -> Iterator[WriteStep]:
    """Check after a change that no row shares a unique group with another one."""
    for group in groups:
        scan = scan_of(row.entity, "all")
        same = filtered(scan, sharing(design, row.entity, scan, [_cells(row, group)]))
        name = f"{row.entity.name} sharing {', '.join(group)}"
        yield fetch(name, plan(design, more_than(1, same)), [row.column(each) for each in group])
        yield refuse_alike(name, row.entity, group)


def more_than(
    most: int, rows: Relation, keys: tuple[Named, ...] = (), collations: tuple[Collation, ...] = ()
) -> Relation:
    """One row for each group of more rows than so many; without keys all rows are one."""
    count = NamedAggregate("times", AggregateCall(AggregateFunction.COUNT, None, INTEGER))
    times = Column("counted", "times", INTEGER, nullable=False)
    several = Compare(Comparison.GREATER, times, Literal(most, INTEGER))
    return Filter(GroupBy(rows, "counted", keys, (count,), collations), several)


def _cells(row: Cells, group: Sequence[str]) -> dict[str, Expression]:
    return {name: cell(row.column(name), row.entity.attribute(name).type) for name in group}


def refuse_alike(rows: str, entity: Entity, group: tuple[str, ...], text: str = "") -> Refuse:
    """Refuse rows that share a unique group with another."""
    kind = Violation.KEY if group == entity.key else Violation.UNIQUE
    about = entity.full_names(group)
    return Refuse(rows, kind, text or same_words(about), attributes=about)


def refuse_no_parent(design: Design, row: Cells, link: Relationship) -> Iterator[WriteStep]:
    """After rows have come: the parent each refers to, if any, must be there."""
    types = {row.column(name): row.entity.attribute(name).type for name in link.child_attributes}
    at_hand = same_row(types)
    there = [Not(IsNull(column)) for column in at_hand.columns]
    scan = scan_of(design.model.entity(link.parent), "parent")
    held = zip(link.parent_attributes, link.child_attributes, strict=True)
    equal = equal_cells(scan, {parent: row.column(child) for parent, child in held}, rule_of_new(design, link))
    alone = filtered(at_hand, conjunction(*there, Not(Exists(filtered(scan, equal)))))
    yield from refused_without_parent(row, link, plan(design, _shown(alone)))


def refused_without_parent(row: Cells, link: Relationship, found: ReadPlan) -> Iterator[WriteStep]:
    """Refuse the row, because of a foreign key without its parent, if a read about it finds something."""
    name = f"{row.entity.name} without {link.parent} ({link.name})"
    yield fetch(name, found, [row.column(each) for each in link.child_attributes])
    text = f"`{row.entity.name}` refers by {', '.join(link.child_attributes)} to no `{link.parent}`"
    yield Refuse(name, Violation.PARENT, text, attributes=row.entity.full_names(link.child_attributes))


def _shown(relation: Relation) -> Relation:
    return Project(relation, "found", (Named("one", ONE),))


def refuse_nulls(work: WriteDraft, entity: Entity, unsure: Sequence[str], rows: str) -> None:
    """No row may lack a NOT NULL attribute that may have come out NULL."""
    needed = [name for name in unsure if not entity.attribute(name).nullable]
    if needed:
        text = f"`{entity.name}` does not allow NULL"
        columns = tuple(column(NEW, name) for name in needed)
        work.add(WritePhase.REFUSE, [Refuse(rows, Violation.NOT_NULL, text, columns, entity.full_names(needed))])
