"""The conceptual model: entities, relationships, many-to-many links and hierarchies.

A relationship always runs from one *parent* row to its *child* rows; the child holds the foreign key. A junction table is
an entity of its own (statements name it) plus a `ManyToMany` that says which two relationships it joins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from nestling.common.errors import DesignError, InputError, Problem, unknown
from nestling.ir.constraints.allowed import Allowed
from nestling.ir.constraints.check_types import mistake_of
from nestling.ir.constraints.declared_types import type_mistake
from nestling.ir.constraints.defaults import Default
from nestling.ir.constraints.partial_unique import PartialUnique
from nestling.ir.constraints.row_check import RowCheck
from nestling.ir.fraction import Fraction
from nestling.ir.quantity_words import agreeing, counted
from nestling.ir.statements.operators import Collation
from nestling.ir.types import INTEGER, MACHINE_NUMBERS, Type, TypeName

AttributeName = tuple[str, str]
"""An entity and the name of one of its attributes."""


class Cardinality(StrEnum):
    """How many rows of each side one row of the other may have."""

    ONE_TO_ONE = "1:1"
    ONE_TO_MANY = "1:N"
    MANY_TO_MANY = "N:M"


class OnDelete(StrEnum):
    """What the source does with child rows when their parent is deleted."""

    RESTRICT = "restrict"
    CASCADE = "cascade"
    SET_NULL = "set null"
    SET_DEFAULT = "set default"


class OnUpdate(StrEnum):
    """What the source does with child rows when their parent's key changes."""

    RESTRICT = "restrict"
    CASCADE = "cascade"
    SET_NULL = "set null"
    SET_DEFAULT = "set default"


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column: its name, type, whether it may be NULL, and the other types that its values were seen to have.

    `default`: for rows that do not give a value (None: NULL). `collation`: how its texts are compared. `allowed`: which values
    of its type the source accepts (None: all). `fraction`: which fractional digits of a second it stores (None: all).
    """

    name: str
    type: Type
    nullable: bool = True
    also: tuple[Type, ...] = ()
    default: Default | None = None
    collation: Collation = Collation.BINARY
    allowed: Allowed | None = None
    fraction: Fraction | None = None

    @property
    def is_numeric(self) -> bool:
        """Whether it holds floats and integers: a column of SQLite's NUMERIC affinity, in which a whole float is an integer."""
        return self.type.name is TypeName.FLOAT and INTEGER in self.also

    @property
    def is_of_several_types(self) -> bool:
        """Whether its values are of several types, not all of which are integers and floats."""
        return bool(self.also) and not {self.type.name, *(each.name for each in self.also)} <= MACHINE_NUMBERS


def _without_implied(key: tuple[str, ...], uniques: tuple[tuple[str, ...], ...]) -> Iterator[tuple[str, ...]]:
    """The key, and the unique groups none of whose parts is unique already, each set of attributes once."""
    if key:
        yield key
    known = [set(key)] if key else []
    for group in dict.fromkeys(uniques):
        others = (set(other) for other in uniques)
        if not any(one <= set(group) for one in known) and not any(other < set(group) for other in others):
            known.append(set(group))
            yield group


@dataclass(frozen=True, slots=True)
class Entity:
    """A table: its attributes, its key (empty if rows have none), further unique attribute groups, and checks of its rows.

    `partial_uniques`: unique groups among some rows only. `constraint_names`: names of its key and UNIQUE constraints, with
    their attributes, if they are not PostgreSQL's default names. `inherited_by`: tables whose rows PostgreSQL reads and changes
    with its own; here they are entities of their own.
    """

    name: str
    attributes: tuple[Attribute, ...]
    key: tuple[str, ...] = ()
    uniques: tuple[tuple[str, ...], ...] = ()
    checks: tuple[RowCheck, ...] = ()
    partial_uniques: tuple[PartialUnique, ...] = ()
    constraint_names: tuple[tuple[str, tuple[str, ...]], ...] = ()
    inherited_by: tuple[str, ...] = ()
    unique_groups: tuple[tuple[str, ...], ...] = field(init=False, repr=False, compare=False)
    """Its key and its unique groups: of no two rows are all values of a group equal, though some may be NULL.

    Without those that contain another one: no rows can break these alone, so nothing has to keep them.
    """
    _by_name: dict[str, Attribute] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_name", {attribute.name: attribute for attribute in self.attributes})
        object.__setattr__(self, "unique_groups", tuple(_without_implied(self.key, self.uniques)))

    @property
    def attribute_names(self) -> tuple[str, ...]:
        """Names in column order."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def identity(self) -> tuple[str, ...]:
        """The attributes that identify a row: its key, or all attributes."""
        return self.key or self.attribute_names

    def __contains__(self, attribute: str) -> bool:
        return attribute in self._by_name

    def attribute(self, name: str) -> Attribute:
        """Return the attribute called `name`. Raises `DesignError` that lists those that exist."""
        try:
            return self._by_name[name]
        except KeyError:
            raise DesignError(self.no_attribute(name)) from None

    def is_superkey(self, attributes: Collection[str]) -> bool:
        """Whether at most one row has certain values of these attributes, none of them NULL: a unique group is among them."""
        known = set(attributes)
        return any(known.issuperset(group) for group in self.unique_groups)

    @property
    def other_uniques(self) -> tuple[tuple[str, ...], ...]:
        """The unique groups that are to be kept besides the key."""
        return tuple(group for group in self.unique_groups if group != self.key)

    @property
    def unique_attributes(self) -> set[str]:
        """The attributes of the key and unique groups, including those in conditions of partial ones."""
        some = (name for each in self.partial_uniques for name in (*each.attributes, *each.columns))
        return {*self.key, *(name for group in self.uniques for name in group), *some}

    def full_names(self, attributes: Iterable[str]) -> tuple[str, ...]:
        """The attributes, each as `entity.attribute`."""
        return tuple(f"{self.name}.{name}" for name in attributes)

    def always_has(self, name: str) -> bool:
        """Whether every row has a value for the attribute: it is NOT NULL, or part of the key."""
        return not self.attribute(name).nullable or name in self.key

    def no_attribute(self, name: str, path: tuple[str | int, ...] = ()) -> Problem:
        """The problem of an unknown attribute, with those that exist."""
        return unknown("attribute", name, self.attribute_names, of=self.name, path=path)


@dataclass(frozen=True, slots=True)
class Relationship:
    """One parent row to its child rows: the child's foreign key `child_attributes` holds `parent_attributes`."""

    name: str
    parent: str
    child: str
    parent_attributes: tuple[str, ...]
    child_attributes: tuple[str, ...]
    cardinality: Cardinality = Cardinality.ONE_TO_MANY
    required: bool = False  # every child row has a parent
    parent_role: str = ""  # what the child calls its parent
    child_role: str = ""  # what the parent calls its children
    on_delete: OnDelete = OnDelete.RESTRICT
    on_update: OnUpdate = OnUpdate.RESTRICT
    enforced: bool = (
        True  # the source refuses writes that break it; SQLite's declared ones count, though its pragma may be off
    )
    on_delete_columns: tuple[str, ...] = ()  # all that SET NULL or SET DEFAULT changes; empty: the whole foreign key

    @property
    def let_go(self) -> tuple[str, ...]:
        """The attributes that SET NULL and SET DEFAULT change when the parent is deleted."""
        return self.on_delete_columns or self.child_attributes

    @property
    def joins(self) -> tuple[str, tuple[str, ...], str, tuple[str, ...]]:
        """What identifies the relationship whatever its name: the child and its foreign key, the parent and the key there."""
        return self.child, self.child_attributes, self.parent, self.parent_attributes

    @property
    def is_self(self) -> bool:
        """Whether it relates an entity to itself (a tree)."""
        return self.parent == self.child


@dataclass(frozen=True, slots=True)
class ManyToMany:
    """Two entities linked through a junction entity, by the two relationships whose child the junction is."""

    name: str
    through: str
    left: str  # relationship names
    right: str


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A supertype and its subtypes: each relationship is 1:1 on a shared key."""

    name: str
    supertype: str
    subtypes: tuple[str, ...]  # relationship names


@dataclass(frozen=True, slots=True)
class View:
    """A named query that statements use like a table: its SELECT in the source's dialect, and the columns it renames."""

    name: str
    sql: str
    dialect: str = ""
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Model:
    """Everything that an application's data can be. Checked when built; all mistakes are in one `InputError`.

    `strict_types`: attributes of several types are compared as in MongoDB, values of different BSON types are never equal, and
    decimals are not treated as floats, whatever the dialect.
    """

    name: str
    entities: tuple[Entity, ...]
    relationships: tuple[Relationship, ...] = ()
    many_to_many: tuple[ManyToMany, ...] = ()
    hierarchies: tuple[Hierarchy, ...] = ()
    views: tuple[View, ...] = ()
    strict_types: bool = False
    _entities: dict[str, Entity] = field(init=False, repr=False, compare=False)
    _relationships: dict[str, Relationship] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_entities", {entity.name: entity for entity in self.entities})
        object.__setattr__(self, "_relationships", {link.name: link for link in self.relationships})
        if problems := tuple(_mistakes(self)):
            raise InputError(*problems)

    def entity(self, name: str) -> Entity:
        """Return the entity called `name`. Raises `DesignError` that lists those that exist."""
        try:
            return self._entities[name]
        except KeyError:
            raise DesignError(unknown("entity", name, self._entities)) from None

    def relationship(self, name: str) -> Relationship:
        """Return the relationship called `name`. Raises `DesignError` that lists those that exist."""
        try:
            return self._relationships[name]
        except KeyError:
            raise DesignError(unknown("relationship", name, self._relationships)) from None

    def has_entity(self, name: str) -> bool:
        """Whether there is an entity with that name."""
        return name in self._entities

    def has_relationship(self, name: str) -> bool:
        """Whether there is a 1:1 or 1:N relationship with that name."""
        return name in self._relationships

    def parents_of(self, entity: str) -> tuple[Relationship, ...]:
        """Relationships in which `entity` is the child."""
        return tuple(link for link in self.relationships if link.child == entity)

    def children_of(self, entity: str) -> tuple[Relationship, ...]:
        """Relationships in which `entity` is the parent."""
        return tuple(link for link in self.relationships if link.parent == entity)

    def linked_attributes(self, entity: str) -> frozenset[str]:
        """The attributes of `entity` that its own references, or references to it, consist of."""
        own = (name for link in self.parents_of(entity) for name in link.child_attributes)
        referred = (name for link in self.children_of(entity) for name in link.parent_attributes)
        return frozenset((*own, *referred))

    def link_through(self, entity: str) -> ManyToMany | None:
        """Return the many-to-many whose junction is `entity`, if there is one."""
        return next((link for link in self.many_to_many if link.through == entity), None)

    def is_total(self, relationship: Relationship) -> bool:
        """Whether no child row can lack its parent: required, enforced, and every foreign key attribute is NOT NULL."""
        child = self.entity(relationship.child)
        certain = relationship.required and relationship.enforced
        return certain and not any(child.attribute(name).nullable for name in relationship.child_attributes)


def _mistakes(model: Model) -> Iterator[Problem]:
    yield from _twice("entity", ("entities",), (entity.name for entity in model.entities))
    yield from _twice("view", ("views",), (view.name for view in model.views))
    for view in model.views:
        if model.has_entity(view.name):
            yield Problem(
                what=f"`{view.name}` is both a view and an entity", path=("views", view.name), next_move="rename it"
            )
    names = [link.name for link in model.relationships] + [link.name for link in model.many_to_many]
    yield from _twice("relationship", ("relationships",), names)
    for entity in model.entities:
        yield from _entity_mistakes(entity)
    for relationship in model.relationships:
        yield from _relationship_mistakes(model, relationship)
    yield from _alike_relationships(model)
    for link in model.many_to_many:
        yield from _link_mistakes(model, link)
    for hierarchy in model.hierarchies:
        yield from _hierarchy_mistakes(model, hierarchy)


def _twice(kind: str, path: tuple[str, ...], names: Iterable[str]) -> Iterator[Problem]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            yield Problem(what=f"{kind} `{name}` appears twice", path=(*path, name), next_move="rename one of them")
        seen.add(name)


def named_twice(attributes: Iterable[str], path: tuple[str | int, ...]) -> Iterator[Problem]:
    """Yield a problem for each attribute that occurs twice in a list without duplicates."""
    for name, times in Counter(attributes).items():
        if times > 1:
            yield Problem(
                what=f"`{name}` is named {counted(times, 'time')}", path=path, next_move="name each attribute once"
            )


def _entity_mistakes(entity: Entity) -> Iterator[Problem]:
    path = ("entities", entity.name)
    yield from _twice("attribute", (*path, "attributes"), entity.attribute_names)
    if not entity.attributes:
        yield Problem(what=f"entity `{entity.name}` has no attributes", path=path)
    for each in entity.attributes:
        yield from _type_mistakes(each, (*path, "attributes", each.name))
        if each.allowed is not None and not all(map(each.allowed.is_of, (each.type, *each.also))):
            kinds = " or ".join(map(str, (each.type, *each.also)))
            what = f"`{entity.name}.{each.name}` is {kinds}, which its `allowed` does not fit ({each.allowed})"
            move = "use a minimum and maximum for numbers, values or lengths for texts"
            yield Problem(what=what, path=(*path, "attributes", each.name, "allowed"), next_move=move)
    named = [("constraint_names", attributes) for _, attributes in entity.constraint_names]
    for section, names in (("key", entity.key), *(("uniques", unique) for unique in entity.uniques), *named):
        for name in names:
            if name not in entity:
                yield entity.no_attribute(name, (*path, section))
    yield from _twice_in_keys(entity, path)
    for check in entity.checks:
        yield from _check_mistakes(check, entity, (*path, "checks"), check.columns)
    for unique in entity.partial_uniques:
        yield from _check_mistakes(unique, entity, (*path, "partial_uniques"), (*unique.attributes, *unique.columns))


def _type_mistakes(attribute: Attribute, path: tuple[str, ...]) -> Iterator[Problem]:
    for section, kind in (("type", attribute.type), *(("also", other) for other in attribute.also)):
        if why := type_mistake(kind):
            yield Problem(what=f"type `{kind}`: {why}", path=(*path, section), next_move="write it as in the source")


def _twice_in_keys(entity: Entity, path: tuple[str, ...]) -> Iterator[Problem]:
    yield from named_twice(entity.key, (*path, "key"))
    for number, unique in enumerate(entity.uniques):
        yield from named_twice(unique, (*path, "uniques", number))
    for number, some in enumerate(entity.partial_uniques):
        yield from named_twice(some.attributes, (*path, "partial_uniques", number, "attributes"))


def _check_mistakes(
    check: RowCheck | PartialUnique, entity: Entity, path: tuple[str, ...], names: tuple[str, ...]
) -> Iterator[Problem]:
    unknown_names = [name for name in names if name not in entity]
    yield from (entity.no_attribute(name, path) for name in unknown_names)
    if not unknown_names and (mistake := mistake_of(check.condition, entity)):
        move = "compare attributes of the same type, or leave the check to the application"
        yield Problem(what=f"{check} of `{entity.name}`: {mistake}", path=path, next_move=move)


def _relationship_mistakes(model: Model, link: Relationship) -> Iterator[Problem]:
    path = ("relationships", link.name)
    known = True
    for side, name, attributes in (
        ("parent", link.parent, link.parent_attributes),
        ("child", link.child, link.child_attributes),
    ):
        if not model.has_entity(name):
            known = False
            yield unknown("entity", name, (entity.name for entity in model.entities), path=(*path, side))
            continue
        entity = model.entity(name)
        for attribute in attributes:
            if attribute not in entity:
                known = False
                section = "attributes" if side == "child" else "references"
                yield entity.no_attribute(attribute, (*path, section))
    yield from _reference_mistakes(model, link, path, known=known)
    if link.cardinality is Cardinality.MANY_TO_MANY:
        form = f"{link.name}: {{through: JUNCTION, between: [ONE, OTHER]}}"
        move = f"write `{form}`, where ONE and OTHER are relationships whose child is the junction"
        yield Problem(what=f"`{link.name}`: N:M needs `through`", path=path, next_move=move)


def _reference_mistakes(model: Model, link: Relationship, path: tuple[str, ...], *, known: bool) -> Iterator[Problem]:
    """Yield what is wrong with the key that a relationship refers to. `known`: its entities and attributes exist."""
    if link.child_attributes and not link.parent_attributes:  # nothing is named, and there is no key to take
        if model.has_entity(link.parent) and not model.entity(link.parent).key:
            move = f"give it one (`key: NAME`), or name the columns it `references` in `{link.name}`"
            yield Problem(f"entity `{link.parent}` has no key", path=("entities", link.parent), next_move=move)
    elif len(link.parent_attributes) != len(link.child_attributes) or not link.child_attributes:
        what = (
            f"`{link.name}`: {counted(len(link.child_attributes), 'attribute')}"
            f" {agreeing(len(link.child_attributes), 'refers', 'refer')} to {len(link.parent_attributes)}"
        )
        yield Problem(what=what, path=(*path, "attributes"), next_move="name as many attributes as the key has columns")
    elif known:
        yield from named_twice(link.child_attributes, (*path, "attributes"))
        yield from named_twice(link.parent_attributes, (*path, "references"))
        parent = model.entity(link.parent)
        keys = [set(parent.key), *map(set, parent.uniques)]
        if set(link.parent_attributes) not in keys:
            what = (
                f"`{link.name}` refers to {', '.join(link.parent_attributes)} of `{parent.name}`, which is not unique"
            )
            yield Problem(what=what, path=path, next_move=f"refer to a key of `{parent.name}` or declare it unique")


def _alike_relationships(model: Model) -> Iterator[Problem]:
    """Foreign keys that are there twice, under two names."""
    first: dict[tuple[str, str, frozenset[tuple[str, str]]], str] = {}
    for link in model.relationships:
        pairs = frozenset(zip(link.child_attributes, link.parent_attributes, strict=False))
        other = first.setdefault((link.parent, link.child, pairs), link.name)
        if other != link.name and pairs:
            what = f"`{link.name}` is the same foreign key as `{other}`"
            yield Problem(what=what, path=("relationships", link.name), next_move="keep one of them")


def _link_mistakes(model: Model, link: ManyToMany) -> Iterator[Problem]:
    path = ("relationships", link.name)
    if link.left == link.right:
        what = f"`{link.name}` names `{link.left}` twice"
        move = "name the two relationships whose child is the junction"
        yield Problem(what=what, path=(*path, "between"), next_move=move)
    for side, name in (("left", link.left), ("right", link.right)):
        if not model.has_relationship(name):
            known = (relationship.name for relationship in model.relationships)
            yield unknown("relationship", name, known, path=(*path, side))
        elif model.relationship(name).child != link.through:
            yield Problem(what=f"`{name}` does not end in the junction `{link.through}`", path=(*path, side))


def _hierarchy_mistakes(model: Model, hierarchy: Hierarchy) -> Iterator[Problem]:
    path = ("hierarchies", hierarchy.name)
    for name in hierarchy.subtypes:
        if not model.has_relationship(name):
            known = (relationship.name for relationship in model.relationships)
            yield unknown("relationship", name, known, path=(*path, "subtypes"))
        elif model.relationship(name).parent != hierarchy.supertype:
            yield Problem(what=f"`{name}` does not start at `{hierarchy.supertype}`", path=(*path, "subtypes"))
