"""How alike two designs are that may call things differently: everything is told by where it is stored.

An entity is the place its rows live at, a relationship the places of its two sides and of its foreign key. What no documents tell
is left out: names, freshness, the order and limit of copies, bounds of overflows, and what enforces what.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from nestling.ir.design import Design
from nestling.ir.model import Relationship
from nestling.ir.primitives import Copy, Form, Holder
from nestling.ir.rows import RowPath
from nestling.ir.storage.layout import Place, Role
from nestling.ir.storage.names import join

Related = tuple[str, str, tuple[str, ...]]
"""The places of a child, its parent, and of the foreign key."""


@dataclass(frozen=True, slots=True)
class Told:
    """A design as sets of what documents tell."""

    entities: frozenset[str]
    relationships: frozenset[Related]
    structures: frozenset[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Likeness:
    """How much of what was expected was found, and what was found besides. `silent`: the entities (by their places) and
    relationships that no document tells of, each with the reason. `namesakes`: relationships nobody declares between
    columns that are called alike, one of them a key.
    """

    expected: Told
    found: Told
    silent: Mapping[str, str] = field(default_factory=dict)
    namesakes: frozenset[Related] = frozenset()

    @property
    def told(self) -> int:
        """Entities and relationships to find that some document tells of."""
        return self.asked - len(self._untold)

    @property
    def told_and_missed(self) -> list[str]:
        """Those of these that were not found."""
        return [each for each in self.missed if each not in self._untold]

    @property
    def not_in_the_data(self) -> dict[str, str]:
        """Entities and relationships not found of which no document tells, each with the reason."""
        return {each: why for each, why in sorted(self._untold.items()) if each in self.missed}

    @property
    def _untold(self) -> dict[str, str]:
        every: dict[str, tuple[str, ...]] = {each: (each,) for each in self.expected.entities}
        every |= {str(each): (*each[:2], str(each)) for each in self.expected.relationships}
        whys = {each: [self.silent[part] for part in parts if part in self.silent] for each, parts in every.items()}
        return {each: why[0] for each, why in whys.items() if why}

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
        more = (self.found.entities - self.expected.entities, self._more - self.namesakes)
        return sorted(map(str, (*more[0], *more[1])))

    @property
    def undeclared(self) -> list[str]:
        """Relationships found that nobody declares, though one of the columns is called as the key that is the other."""
        return sorted(map(str, self._more & self.namesakes))

    @property
    def _more(self) -> frozenset[Related]:
        return self.found.relationships - self.expected.relationships

    @property
    def differences(self) -> list[str]:
        """Structures of one design that the other lacks, but for those of relationships missed or invented, and what lies at
        places no document tells of.
        """
        relations = {str(each) for each in self.expected.relationships ^ self.found.relationships}
        mine = (("-", each) for each in self.expected.structures - self.found.structures)
        more = self.found.structures - self.expected.structures
        theirs = (("+", each) for each in more if each[0] != "index")  # loading makes some for the upkeep of copies
        every = (each for each in (*mine, *theirs) if each[1][1] not in relations and not self._is_silent(each[1]))
        return sorted(f"{sign} {each}" for sign, each in every)

    def _is_silent(self, structure: tuple[str, ...]) -> bool:
        place = join(structure[1], structure[2].split(" ")[0]) if structure[0] == "index" else structure[1]
        return any(f"{place}.".startswith(f"{each}.") for each in self.silent)


def likeness(
    loaded: Design,
    read_back: Design,
    silent_entities: Mapping[str, str] | None = None,
    silent_relationships: Mapping[str, str] | None = None,
) -> Likeness:
    """Compare the design that was loaded with the one read back.

    Of its entities and relationships there may be some that no document tells of, each with the reason.
    """
    mine = Telling(loaded)
    silent = {mine.place(name): why for name, why in (silent_entities or {}).items()}
    for name, why in (silent_relationships or {}).items():
        silent[str(mine.relationship(loaded.model.relationship(name)))] = why
    return Likeness(mine.told(), Telling(read_back).told(), silent, frozenset(mine.namesakes()))


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

    def namesakes(self) -> Iterator[Related]:
        """What would be relationships of columns called as the key they would refer to."""
        for parent in self.design.model.entities:
            for child in self.design.model.entities if len(parent.key) == 1 else ():
                if child is not parent and parent.key[0] in child.attribute_names:
                    columns = (self.location(child.name, parent.key[0]),)
                    yield self.place(child.name), self.place(parent.name), columns

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
            yield from (("copy", place, *each) for each in self._copy(copy))
        for computed in home.node.body.computed:
            yield "computed", place, computed.field, str(computed.function), self._path(computed.path)

    def _copy(self, copy: Copy) -> Iterator[tuple[str, ...]]:
        """Copies of one parent are told field by field: no document tells which of them are kept together."""
        source, path = copy.path[-1].target(self.design.model), self._path(copy.path)
        # a sub-document of one field is a field with a dotted name
        around = copy.name if copy.form is Form.OBJECT else ""
        pairs = ((join(around, field.path), self.location(source, field.attribute)) for field in copy.attributes)
        fields = sorted(f"{stored}={attribute}" for stored, attribute in pairs)
        if copy.form in (Form.OBJECT, Form.INLINE):
            yield from (("one", path, field) for field in fields)
        else:
            yield f"{copy.form} {copy.name}", path, *fields

    def _path(self, path: RowPath) -> str:
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
