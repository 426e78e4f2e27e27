"""Foreign keys that only the parent tells, in its array of ids: an id goes in and out as its row changes parents."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.design import Design
from nestling.ir.model import Cardinality, Relationship
from nestling.ir.paths.write_path import (
    OLD,
    Constant,
    Each,
    FieldMatch,
    Pull,
    Push,
    Refuse,
    Set,
    SubDocument,
    UpdateDocuments,
    Violation,
    WriteStep,
    WrittenValue,
)
from nestling.ir.primitives import Holder, Reference
from nestling.ir.statements.algebra import filtered
from nestling.ir.statements.expression import IsNull, Not
from nestling.ir.statements.operands import conjunction
from nestling.ir.storage.layout import NodeKind, Place, Role
from nestling.ir.storage.names import join, stored_name
from nestling.planner.upkeep.listed_ids import ids_order
from nestling.planner.writes.constraints import refuse_alike
from nestling.planner.writes.draft.cells import GIVEN_NULL, Cells
from nestling.planner.writes.draft.fetch import equal_cells, fetch, plan, same_row, scan_of
from nestling.planner.writes.draft.gaps import write_gap
from nestling.planner.writes.draft.phases import WritePhase
from nestling.planner.writes.draft.write_draft import WriteDraft
from nestling.planner.writes.places.address import never_null, present
from nestling.planner.writes.places.new_document import id_value


def listed_links(design: Design, entity: str) -> tuple[Relationship, ...]:
    """The relationships of a child whose parents' arrays alone tell its foreign key; other arrays are derived, like copies."""
    names = (name for place in design.places[entity] if place.copy is None for name in place.node.listed)
    links = map(design.model.relationship, dict.fromkeys(names))
    return tuple(link for link in links if design.only_listed(link))


def _touched(design: Design, row: Cells, attributes: frozenset[str]) -> list[Relationship]:
    links = listed_links(design, row.entity.name)
    return [link for link in links if attributes & {*link.child_attributes, *row.entity.key}]


def enter(work: WriteDraft, row: Cells, rows: str, attributes: frozenset[str]) -> None:
    """The ids of rows go into their parents' arrays, when one of the attributes that matter has come or changed."""
    for link in _touched(work.design, row, attributes):
        work.add(WritePhase.SETTLE, [Each(rows, _entered(work.design, row, link))])


def leave(work: WriteDraft, entity_row: Cells, rows: str, attributes: frozenset[str]) -> None:
    """The ids of rows leave their parents' arrays: of parents that may be such rows once these are back with what they carry."""
    assert entity_row.prefix == OLD
    for link in _touched(work.design, entity_row, attributes):
        work.changed_entities.add(entity_row.entity.name)
        steps = [Each(rows, tuple(_left(work.design, entity_row, link)))]
        if link.is_self:
            work.add_first(WritePhase.SETTLE, steps)
        else:
            work.add(WritePhase.REMOVE, steps)


def holders(design: Design, link: Relationship) -> Iterator[tuple[Place, Reference]]:
    """The places of parents that hold ids."""
    for place in design.places[link.parent]:
        if place.copy is None and len(place.nodes) == 1:
            for reference in place.node.body.references:
                if reference.relationship == link.name and reference.holder is Holder.PARENT:
                    yield place, reference


def reference_value(design: Design, row: Cells) -> WrittenValue:
    """The id others hold of a row."""
    key = row.entity.key
    for place in design.places[row.entity.name]:
        if place.store.role is Role.HOME and place.node.kind is NodeKind.ROOT and place.copy is None:
            if set(design.id_attributes(place.store, place.node)) == set(key):
                found = id_value(design, place.store, place.node, row)
                assert found is not None
                return found
            break
    if len(key) == 1:
        return row[key[0]]
    return SubDocument(tuple((stored_name(name), row[name]) for name in key))


def _left(design: Design, row: Cells, link: Relationship) -> Iterator[WriteStep]:
    for place, reference in holders(design, link):
        inner = "id" if reference.copied else ""
        where = (FieldMatch(join(reference.field, inner), reference_value(design, row)),)
        if link.cardinality is Cardinality.ONE_TO_ONE:
            yield UpdateDocuments(place.store.name, where, (Set(reference.field, GIVEN_NULL),))
        else:
            pull = Pull(reference.field, (FieldMatch(inner, reference_value(design, row)),))
            yield UpdateDocuments(place.store.name, where, (pull,))


def _entered(design: Design, row: Cells, link: Relationship) -> tuple[WriteStep, ...]:
    one = link.cardinality is Cardinality.ONE_TO_ONE
    steps = (*(_of_another(design, row, link) if one else ()), *_no_parent(design, row, link))
    for place, reference in reversed(list(holders(design, link))):
        where: list[FieldMatch] = [*present(place)]
        for parent, child in zip(link.parent_attributes, link.child_attributes, strict=True):
            path = place.node.path_of(parent)
            if path is None:
                raise write_gap(f"writes to `{link.name}`, whose parents store `{parent}` elsewhere")
            where += [FieldMatch(path, row[child]), *never_null(path, row[child])]
        identity = reference_value(design, row)
        value: WrittenValue = identity
        if reference.copied:
            copied = ((field.path, row[field.attribute]) for field in reference.copied)
            value = SubDocument((("id", identity), *copied))
        order = ids_order(design, reference)
        if one:
            where.append(FieldMatch(reference.field, Constant(None)))
        change = Set(reference.field, value) if one else Push(reference.field, value, order)
        steps = (UpdateDocuments(place.store.name, tuple(where), (change,), otherwise=steps),)
    return steps


def _of_another(design: Design, row: Cells, link: Relationship) -> tuple[WriteStep, ...]:
    """A parent that is there has the id of another row already."""
    scan = scan_of(design.model.entity(link.parent), "parent")
    held = zip(link.parent_attributes, link.child_attributes, strict=True)
    there = filtered(scan, equal_cells(scan, {parent: row.column(child) for parent, child in held}))
    name = f"{link.parent} that lists another {row.entity.name} ({link.name})"
    found = fetch(name, plan(design, there), [row.column(child) for child in link.child_attributes])
    return found, refuse_alike(name, row.entity, link.child_attributes)


def _no_parent(design: Design, row: Cells, link: Relationship) -> tuple[WriteStep, ...]:
    """A foreign key without a parent has no place; one that is NULL needs none."""
    types = {row.column(name): row.entity.attribute(name).type for name in link.child_attributes}
    at_hand = same_row(types)
    refers = filtered(at_hand, conjunction(*(Not(IsNull(column)) for column in at_hand.columns)))
    name = f"{row.entity.name} that no {link.parent} lists ({link.name})"
    kind = Violation.PARENT if link.enforced else Violation.PLACE
    text = f"`{row.entity.name}` refers by {', '.join(link.child_attributes)} to no `{link.parent}`, which alone keeps that"
    about = row.entity.full_names(link.child_attributes)
    return fetch(name, plan(design, refers), tuple(types)), Refuse(name, kind, text, attributes=about)
