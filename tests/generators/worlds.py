"""Hypothesis strategies for small models and data: every shape of key, every cardinality, odd names, dangling references."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

from nestling.ir.model import Attribute, Cardinality, Entity, Model, Relationship
from nestling.ir.rows import RowColumn, RowQuery, RowSource, UndecodableText
from nestling.ir.types import Type
from tests.generators.values import ALL_TYPES, KEY_TYPES, found_values, values

Row = tuple[object, ...]
ENTITY_NAMES = ("order", "line item", "größe", "system.x", "select", "a.b")
ATTRIBUTE_NAMES = (
    "name",
    "a.b",
    "$price",
    "_id",
    "naïve",
    "select",
    "with space",
    "page",
    "kind",
    "count",
    "x",
    "y",
    "k",
    "v",
)

KEYS = ("none", "one", "one", "two")
KEYS_WITH_PARENTS = ("identifying", "identifying", "identifying", "shared", "junction")
PLACE = "place"
"""An attribute with small numbers, for pre-allocated arrays."""
PLACES = st.integers(1, 6)


@dataclass(frozen=True)
class World:
    """A model and its rows. `loose` are relationships some rows of which refer to nothing (though not NULL alone)."""

    model: Model
    rows: dict[str, list[Row]]
    loose: frozenset[str]


@dataclass
class _Draft:
    """An entity on its way: attributes in order, its key, and the foreign keys among them."""

    name: str
    attributes: list[Attribute] = field(default_factory=list)
    key: tuple[str, ...] = ()
    uniques: list[tuple[str, ...]] = field(default_factory=list)
    links: list[Relationship] = field(default_factory=list)

    def add(self, attribute: Attribute) -> str:
        self.attributes.append(attribute)
        return attribute.name

    def entity(self) -> Entity:
        return Entity(self.name, tuple(self.attributes), self.key, tuple(self.uniques))


@st.composite
def worlds(draw: st.DrawFn, *, entities: int = 4, rows: int = 6) -> World:
    """A model of up to so many entities, with up to so many rows each."""
    drafts: list[_Draft] = []
    for number in range(draw(st.sampled_from((1, *range(2, entities + 1), *range(2, entities + 1))))):
        drafts.append(_draft(draw, f"{ENTITY_NAMES[number % len(ENTITY_NAMES)]}", drafts))
    links = [link for draft in drafts for link in draft.links]
    model = Model("world", tuple(draft.entity() for draft in drafts), tuple(links))
    return _filled(draw, model, rows)


def _draft(draw: st.DrawFn, name: str, before: list[_Draft]) -> _Draft:
    draft = _Draft(name)
    names = iter(draw(st.permutations(ATTRIBUTE_NAMES)))
    draft.key = _key(draw, draft, names, _referable(before))
    if draw(st.booleans()):
        draft.add(Attribute(PLACE, Type.parse("integer"), nullable=False))
    for kind in draw(st.lists(st.sampled_from(ALL_TYPES), min_size=0 if draft.attributes else 1, max_size=3)):
        draft.add(Attribute(next(names), kind, nullable=draw(st.booleans())))
    if draw(st.integers(0, 3)) == 0:
        draft.uniques.append((draft.add(Attribute("code", Type.parse("integer"), nullable=False)),))
    for parent in draw(st.lists(st.sampled_from([*before, draft]), max_size=2)):
        if parent.key or parent.uniques:
            _refer(draw, draft, parent, in_key=False, one=draw(st.booleans()) and parent is not draft)
    return draft


def _key(draw: st.DrawFn, draft: _Draft, names: Iterator[str], parents: list[_Draft]) -> tuple[str, ...]:
    """Add the key's attributes: none, one, two, or those of parents, alone or with one more."""

    def own(attribute: str) -> str:
        return draft.add(Attribute(attribute, draw(st.sampled_from(KEY_TYPES)), nullable=False))

    def inherited(*, one: bool = False) -> tuple[str, ...]:
        return _refer(draw, draft, draw(st.sampled_from(parents)), in_key=True, one=one)

    match draw(st.sampled_from((*KEYS_WITH_PARENTS, *KEYS) if parents else KEYS)):
        case "identifying":
            return (*inherited(), own(next(names)))
        case "shared":
            return inherited(one=True)
        case "junction":
            return (*inherited(), *inherited())
        case "none":
            return ()
        case "two":
            return own(next(names)), own(next(names))
        case _:
            return (own("id"),)


def _referable(drafts: list[_Draft]) -> list[_Draft]:
    return [draft for draft in drafts if draft.key or draft.uniques]


def _refer(draw: st.DrawFn, draft: _Draft, parent: _Draft, *, in_key: bool, one: bool = False) -> tuple[str, ...]:
    """Add a foreign key; returns its attributes."""
    referred = draw(st.sampled_from([key for key in (parent.key, *parent.uniques) if key]))
    kinds = {attribute.name: attribute.type for attribute in parent.attributes}
    prefix = f"fk{len(draft.links)}"
    nullable = not in_key and (parent is draft or draw(st.booleans()))
    names = tuple(
        draft.add(Attribute(f"{prefix} {place}", kinds[name], nullable)) for place, name in enumerate(referred)
    )
    cardinality = Cardinality.ONE_TO_ONE if one else Cardinality.ONE_TO_MANY
    if one and not in_key:
        draft.uniques.append(names)
    required = not nullable and draw(st.booleans())
    name = f"{parent.name} {draft.name} {prefix}"
    draft.links.append(Relationship(name, parent.name, draft.name, referred, names, cardinality, required))
    return names


# --- rows ------------------------------------------------------------------------------------------------------------


def _filled(draw: st.DrawFn, model: Model, most: int) -> World:
    rows: dict[str, list[Row]] = {}
    for entity in model.entities:
        rows[entity.name] = []
        seen: set[tuple[object, ...]] = set()
        for _ in range(draw(st.integers(0, most))):
            row = _row(draw, model, entity, rows)
            if row is None:
                break
            taken = {
                (group, *(_comparable(row[name]) for name in group)) for group in (entity.key, *entity.uniques) if group
            }
            nulls = {mark for mark in taken if None in mark[1:]}
            if not (taken - nulls) & seen:
                seen |= taken - nulls
                rows[entity.name].append(tuple(row[name] for name in entity.attribute_names))
    return World(model, rows, frozenset(link.name for link in model.relationships if is_loose(model, link, rows)))


def _row(draw: st.DrawFn, model: Model, entity: Entity, rows: dict[str, list[Row]]) -> dict[str, object] | None:
    """A row by attribute, None when it needs a parent and there is none."""
    links = model.parents_of(entity.name)
    referring = {name for link in links for name in link.child_attributes}
    fixed = {*entity.key, *(name for unique in entity.uniques for name in unique)}
    referred = {name for link in model.children_of(entity.name) for name in link.parent_attributes}
    row: dict[str, object] = {}
    for attribute in entity.attributes:
        if attribute.name in referring:
            continue
        known = attribute.name in fixed | referred
        usual = PLACES if attribute.name == PLACE else values(attribute.type) if known else found_values(attribute.type)
        row[attribute.name] = draw(st.one_of(st.none(), usual, usual) if attribute.nullable else usual)
    for link in links:
        reference = _reference(draw, model, link, rows)
        if reference is None:
            return None
        row.update(zip(link.child_attributes, reference, strict=True))
    return row


def _reference(
    draw: st.DrawFn, model: Model, link: Relationship, rows: dict[str, list[Row]]
) -> tuple[object, ...] | None:
    """A parent's key, or NULL, or a reference to nothing where the model allows that; None when it must refer and cannot."""
    parent, child = model.entity(link.parent), model.entity(link.child)
    places = [parent.attribute_names.index(name) for name in link.parent_attributes]
    there = [tuple(row[place] for place in places) for row in rows[link.parent]]
    there = [key for key in there if None not in key]
    choices = [st.sampled_from(there)] * 4 if there else []
    dangling = st.tuples(*(values(parent.attribute(name).type) for name in link.parent_attributes))
    if all(child.attribute(name).nullable for name in link.child_attributes):
        choices.append(st.just((None,) * len(places)))
        choices.append(
            st.tuples(*(st.one_of(st.none(), values(parent.attribute(n).type)) for n in link.parent_attributes))
        )
    elif not link.required:
        choices.append(dangling)
    return draw(st.one_of(choices)) if choices else None


def is_loose(model: Model, link: Relationship, rows: dict[str, list[Row]]) -> bool:
    parent, child = model.entity(link.parent), model.entity(link.child)
    up = [parent.attribute_names.index(name) for name in link.parent_attributes]
    down = [child.attribute_names.index(name) for name in link.child_attributes]
    there = {tuple(_comparable(row[place]) for place in up) for row in rows[link.parent]}
    held = {tuple(_comparable(row[place]) for place in down) for row in rows[link.child]}
    return any(any(part is not None for part in key) and key not in there for key in held)


def _comparable(value: object) -> object:
    """A value apart from those of other types that Python takes for equal."""
    return None if value is None else (type(value).__name__, repr(value))


# --- types -----------------------------------------------------------------------------------------------------------

_CLASSES = {int: "integer", float: "float", str: "text", bytes: "bytes", UndecodableText: "text"}


def with_seen_types(model: Model, source: RowSource) -> Model:
    """The model as inspecting the source would find it: with the types of values seen beside an attribute's own."""
    return replace(model, entities=tuple(_with_seen_types(entity, source) for entity in model.entities))


def _with_seen_types(entity: Entity, source: RowSource) -> Entity:
    rows = source.rows(RowQuery(entity.name, tuple(map(RowColumn, entity.attribute_names))))
    seen: list[set[str]] = [set() for _ in entity.attributes]
    for row in rows:
        for names, value in zip(seen, row, strict=True):
            if value.__class__ in _CLASSES:
                names.add(_CLASSES[value.__class__])
    pairs = zip(entity.attributes, seen, strict=True)
    attributes = (
        replace(a, also=tuple(Type.parse(name) for name in sorted(names - {a.type.name}))) for a, names in pairs
    )
    return replace(entity, attributes=tuple(attributes))
