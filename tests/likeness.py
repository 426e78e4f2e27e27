"""How alike two designs are that may call things differently: everything is told by where it is stored.

An entity is the place its rows live at, a relationship the places of its two sides and of its foreign key. What no documents tell
is left out: names, freshness, the order and limit of copies, bounds of overflows, and what enforces what.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from nestling.ir.design import Design
from nestling.ir.layout import Place, Role
from nestling.ir.model import Relationship
from nestling.ir.names import join
from nestling.ir.primitives import Copy, Form, Holder
from nestling.ir.rows import Path


@dataclass(frozen=True, slots=True)
class Told:
    """A design as sets of what documents tell."""

    entities: frozenset[str]
    relationships: frozenset[tuple[str, str, tuple[str, ...]]]
    structures: frozenset[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Likeness:
    """How much of what was expected was found, and what was found besides. `silent`: entities without a row and foreign keys
    without a value, which no document tells of, nor of the relationships of such entities.
    """

    expected: Told
    found: Told
    silent: frozenset[str] = frozenset()

    @property
    def told(self) -> int:
        """Entities and relationships to find that some document tells of."""
        return self.asked - len(self._untold(self.expected))

    @property
    def told_and_missed(self) -> int:
        """How many of these were not found."""
        return len(self.missed) - len(self._untold(self.expected) & set(self.missed))

    def _untold(self, told: Told) -> frozenset[str]:
        entities = {each for each in told.entities if each in self.silent}
        links = {str(each) for each in told.relationships if self.silent & {*each[:2], str(each)}}
        return frozenset(entities | links)

    @property
    def asked(self) -> int:
        """Entities and relationships there are to find."""
        return len(self.expected.entities) + len(self.expected.relationships)

    @property
    def missed(self) -> list[str]:
        """Entities and relationships not found."""
        lacking = (self.expected.entities - self.found.entities, self.expected.relationships - self.found.relationships)
        return sorted(map(str, (*lacking[0], *lacking[1])))

    @property
    def invented(self) -> list[str]:
        """Entities and relationships found that are not there."""
        more = (self.found.entities - self.expected.entities, self.found.relationships - self.expected.relationships)
        return sorted(map(str, (*more[0], *more[1])))

    @property
    def differences(self) -> list[str]:
        """Structures of one design that the other lacks, but for those of relationships missed or invented."""
        relations = {str(each) for each in self.expected.relationships ^ self.found.relationships}
        mine = (("-", each) for each in self.expected.structures - self.found.structures)
        more = self.found.structures - self.expected.structures
        theirs = (("+", each) for each in more if each[0] != "index")  # loading makes some for the upkeep of copies
        return sorted(f"{sign} {each}" for sign, each in (*mine, *theirs) if each[1] not in relations)


def likeness(
    loaded: Design, read_back: Design, without_rows: Iterable[str] = (), without_values: Iterable[str] = ()
) -> Likeness:
    """Compare the design that was loaded with the one read back.

    Of its entities some may be without any row, and of its relationships some be NULL in every row.
    """
    mine = Telling(loaded)
    links = (loaded.model.relationship(name) for name in without_values)
    silent = {*map(mine.place, without_rows), *(str(mine.relationship(link)) for link in links)}
    return Likeness(mine.told(), Telling(read_back).told(), frozenset(silent))


class Telling:
    """A design told by where it stores things."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.homes = {
            name: next(p for p in places if p.store.role is Role.HOME) for name, places in design.places.items()
        }

    def told(self) -> Told:
        model = self.design.model
        entities = frozenset(self.place(entity.name) for entity in model.entities)
        relationships = frozenset(self.relationship(link) for link in model.relationships)
        return Told(entities, relationships, frozenset(self.structures()))

    def place(self, entity: str) -> str:
        home = self.homes[entity]
        presence = home.node.presence
        return join(home.store.name, home.path) + (f"?{presence.value}" if presence is not None else "")

    def relationship(self, link: Relationship) -> tuple[str, str, tuple[str, ...]]:
        columns = tuple(sorted(self.location(link.child, name) for name in link.child_attributes))
        return self.place(link.child), self.place(link.parent), columns

    def location(self, entity: str, attribute: str) -> str:
        """Where an attribute is stored: its own field, or the field of the row around that tells it."""
        home = self.homes[entity]
        return _location(home, len(home.nodes) - 1, attribute) or self._listed(entity, attribute)

    def _listed(self, entity: str, attribute: str) -> str:
        for link in self.design.model.parents_of(entity):
            for reference in self.homes[link.parent].node.body.references:
                is_told = reference.relationship == link.name and attribute in link.child_attributes
                if is_told and reference.holder is Holder.PARENT:
                    return f"{self.place(link.parent)}[{reference.field}]"
        return f"?{attribute}"

    def structures(self) -> Iterator[tuple[str, ...]]:
        for collection in self.design.collections:
            yield "collection", collection.name, str(collection.options.kind)
            if collection.bucket is not None:
                yield "bucket", collection.name, collection.bucket.field, *sorted(collection.bucket.by)
            for split in collection.splits:
                yield "split", collection.name, split.collection, *sorted(split.attributes)
        for index in self.design.indexes:
            keys = ",".join(f"{path} {direction}" for path, direction in index.keys)
            if not self._is_outside(index.collection):
                yield "index", index.collection, keys, str(index.unique)
        for entity in self.homes:
            yield from self._of_entity(entity)

    def _is_outside(self, collection: str) -> bool:
        """Whether a collection is no home, but holds what found no place in one."""
        return self.design.store(collection).role is not Role.HOME

    def _of_entity(self, entity: str) -> Iterator[tuple[str, ...]]:
        home, place = self.homes[entity], self.place(entity)
        embedding = home.node.embedding
        if embedding is not None:
            overflow = embedding.overflow
            more = (overflow.collection, overflow.flag) if overflow is not None else ()
            yield "embedding", place, str(embedding.form), embedding.orphans or "", *more
        for name in ("_id",) if len(home.nodes) == 1 else ():
            yield (
                "id",
                place,
                *sorted(f.path for f in home.node.stored if f.path.split(".")[0] == name and "." in f.path),
            )
        for reference in home.node.body.references:
            link = self.design.model.relationship(reference.relationship)
            yield "reference", str(self.relationship(link)), str(reference.holder), reference.field
        for copy in home.node.body.copies:
            yield "copy", place, *self._copy(copy)
        for computed in home.node.body.computed:
            yield "computed", place, computed.field, str(computed.function), self._path(computed.path)

    def _copy(self, copy: Copy) -> Iterator[str]:
        source = copy.path[-1].target(self.design.model)
        around = (
            copy.name if copy.form is Form.OBJECT else ""
        )  # a sub-document of one field is a field with a dotted name
        yield "one" if copy.form in (Form.OBJECT, Form.INLINE) else f"{copy.form} {copy.name}"
        yield self._path(copy.path)
        paths = ((join(around, field.path), self.location(source, field.attribute)) for field in copy.attributes)
        yield from sorted(f"{path}={attribute}" for path, attribute in paths)

    def _path(self, path: Path) -> str:
        model = self.design.model
        return " ".join(f"{self.relationship(model.relationship(hop.relationship))}{hop.up}" for hop in path)


def _location(home: Place, level: int, attribute: str) -> str:
    node = home.nodes[level]
    path = node.path_of(attribute)
    if path is not None:
        return join(home.store.name, *(each.field for each in home.nodes[: level + 1]), path)
    for implied in node.implied:
        if implied.attribute == attribute and level >= implied.levels:
            return _location(home, level - implied.levels, implied.source)
    return ""
