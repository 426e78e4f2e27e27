"""References that must lead somewhere: foreign keys the source enforces, and ids that only the parent holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nestling.ir.design import Design
from nestling.ir.drift import Check, ComparedValue, DriftKind
from nestling.ir.model import Model, Relationship
from nestling.ir.paths.access_path import (
    FieldPath,
    FixedValue,
    ProjectDocuments,
    Step,
    Unwind,
)
from nestling.ir.paths.row_steps import Keep, Layout, Slice
from nestling.ir.primitives import CollectionKind, Holder, Reference
from nestling.ir.reading import Gap, GapKind
from nestling.ir.rows import Hop
from nestling.ir.statements.expression import IsNull, Literal, Not
from nestling.ir.statements.operands import conjunction
from nestling.ir.statements.operators import Collation
from nestling.ir.storage.collations import attributes_linked, followed_links, is_collated
from nestling.ir.storage.layout import Node, Place
from nestling.ir.storage.names import join
from nestling.ir.types import INTEGER
from nestling.planner.checks.comparison import FOUND, found_read, unmet, values_of, way_to, without_match
from nestling.planner.checks.required_keys import must_lead, reference_name
from nestling.planner.checks.screens import existence_screen, shared_screen
from nestling.planner.homes.attribute import id_at
from nestling.planner.homes.place import documents_at
from nestling.planner.reads import ReadGap
from nestling.planner.reads.agreeing_keys import keys_agree
from nestling.planner.reads.traverse import used
from nestling.planner.upkeep.copies import looked_up
from nestling.planner.upkeep.holder import holder_rows, locators
from nestling.planner.upkeep.source import HOLDER, along, column, homes_context

_THERE = "there"


def reference_checks(design: Design) -> Iterator[Check | Gap]:
    """A check for every foreign key that must lead to a row, wherever it is stored, and for every array of ids that is a home."""
    for link in design.model.relationships:
        for place in design.places[link.child]:
            if must_lead(design, place, link):
                yield _or_gap(reference_name(place, link), design, place, link)
        if design.only_listed(link):
            yield from _listed_checks(design, link)


def leading(design: Design, place: Place, link: Relationship) -> Check | None:
    """The check of a foreign key at one place, whether or not it is enforced; None if no read is known for it."""
    try:
        return _foreign_key(reference_name(place, link), design, place, link)
    except ReadGap:
        return None


def _or_gap(name: str, design: Design, place: Place, link: Relationship) -> Check | Gap:
    try:
        return _foreign_key(name, design, place, link)
    except ReadGap as error:
        return error.at(name)


def _foreign_key(name: str, design: Design, place: Place, link: Relationship) -> Check:
    model, up = design.model, (Hop(link.name, up=True),)
    keys = [column(model, link.child, HOLDER, attribute) for attribute in link.child_attributes]
    context = homes_context(design, (*keys, *used(along(model, up))))
    rows = holder_rows(place, keys, context).where(conjunction(*(Not(IsNull(key)) for key in keys)), context)

    def inner(step: Step, _: Layout) -> Step:
        return _first(step)

    rows, field = looked_up(rows, along(model, up), Keep.TOGETHER, context, inner)
    told = locators(design, place)
    paths = [path for key in keys if (path := place.node.path_of(key.name)) is not None]
    way, inside = way_to(place, told), tuple(dict.fromkeys(_entities_in(place.node)))
    clears = () if way else tuple(_clearing(model, place, link))
    or_else = "clear the reference" if clears else "change or delete the row that refers to it"
    return Check(
        name,
        DriftKind.DANGLING,
        place.store.name,
        replace(
            found_read(unmet(rows.step, field), place, told, values_of(rows, keys)), collation=_collation(design, link)
        ),
        (ComparedValue(", ".join(paths), "", FOUND),),
        way,
        next_move=f"restore the row of `{link.parent}`, or {or_else}",
        clears=clears,
        inside=inside,
        referring=tuple(
            dict.fromkeys(
                each.child
                for each in model.children_of(link.child)
                if each.enforced and each.child not in (*inside, link.child)
            )
        ),
        screen=shared_screen(design, place, up[0]) or existence_screen(design, place, up[0]),
        is_walked=place.store.options.kind is not CollectionKind.TIME_SERIES,
    )


def _clearing(model: Model, place: Place, link: Relationship) -> Iterator[str]:
    """The optional fields of a foreign key whose removal clears the reference; fields used only by it are preferred."""
    entity = model.entity(link.child)
    shared = {name for each in model.parents_of(link.child) if each != link for name in each.child_attributes}
    optional = [name for name in link.child_attributes if entity.attribute(name).nullable]
    for name in [each for each in optional if each not in shared] or optional:
        path = place.node.path_of(name)
        if path is not None:
            yield join(place.path, path)


def _entities_in(node: Node) -> Iterator[str]:
    """The entities whose rows are in a row's document."""
    for child in node.children:
        yield child.entity
        yield from _entities_in(child)


def _collation(design: Design, link: Relationship) -> Collation:
    """How the foreign key is compared in the end: to the letter where something is kept over it, else as the source does."""
    goes = (
        is_collated(attributes_linked(design.model, link))
        and link.name not in followed_links(design.stores)
        and keys_agree(design, [link.parent])
    )
    return Collation.UNICODE_CI if goes else Collation.BINARY


def _first(step: Step) -> Step:
    """A test whether there is a row."""
    return ProjectDocuments(Slice(step, Literal(1, INTEGER), None), ((_THERE, FixedValue(value=True)),))


# --- ids that only the parent holds ----------------------------------------------------------------------------------


def _listed_checks(design: Design, link: Relationship) -> Iterator[Check | Gap]:
    for place in design.places[link.parent]:
        for reference in place.node.body.references if place.copy is None else ():
            if reference.relationship == link.name and reference.holder is Holder.PARENT:
                yield _listed(design, place, link, reference)


def _listed(design: Design, place: Place, link: Relationship, reference: Reference) -> Check | Gap:
    """Ids of the parent's array, each looked up where children may be."""
    name, path = join(place.store.name, place.path, reference.field), join(place.path, reference.field)
    homes = [home for home in design.places[link.child] if home.copy is None]
    if any(len(home.nodes) > 1 or id_at(design, home, 0).value != FieldPath("_id") for home in homes):
        return Gap(
            GapKind.NOTIMPL, f"whether its ids match rows of `{link.child}`, which are not identified by `_id`", name
        )
    told = locators(design, place)
    step: Step = Unwind(documents_at(place), path)
    identity = join(path, "id" if reference.copied else "")
    for number, home in enumerate(homes):
        field = f"home {number} of {link.name}".replace(".", "_").replace("$", "_")
        step = without_match(step, identity, home.store.name, field)
    return Check(
        name,
        DriftKind.DANGLING,
        place.store.name,
        found_read(step, place, told, FieldPath(identity)),
        (ComparedValue(reference.field, "", FOUND),),
        way_to(place, told),
        next_move=f"restore the row of `{link.child}`, or remove the id from the array",
    )
