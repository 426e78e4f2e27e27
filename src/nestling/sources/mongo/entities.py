"""Entities: the attributes of each node's rows, those of its own and those that follow from where its rows lie."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from nestling.ir.facts.nodes import NodeColumn, NodeForm
from nestling.ir.facts.structure import Columns, FieldPlace, Steps
from nestling.ir.model import Attribute
from nestling.sources.mongo.declared import required
from nestling.sources.mongo.entity_names import column_name, entity_names, free, reference_name
from nestling.sources.mongo.our_forms import BUCKET_FIELDS
from nestling.sources.mongo.seen import NodeRole, ObservedNode
from nestling.sources.mongo.survey import Survey, counts, flat_copies
from nestling.sources.mongo.types import JSON, type_of

FLAG = "has_overflow"


@dataclass(frozen=True, slots=True)
class StoredAttribute:
    """An attribute that is stored: its field, relative to its node, and what is known of it (None: nothing)."""

    name: str
    path: str
    column: NodeColumn
    attribute: Attribute


@dataclass(slots=True)
class EntityOf:
    """An entity and the node its rows are. `implied`: attributes that are the key of the rows around, by their steps."""

    name: str
    seen: ObservedNode
    above: EntityOf | None
    stored: tuple[StoredAttribute, ...]
    implied: Mapping[Steps, str]
    listed: dict[tuple[FieldPlace, Steps], str] = field(
        default_factory=dict
    )  # by a list of its ids, and a part of that row's key
    nullable: bool = False  # rows may lack the row around: there are orphans

    @property
    def by_steps(self) -> dict[Steps, str]:
        """Attribute names by the steps of their fields."""
        return dict(self.implied) | {each.column.steps: each.name for each in self.stored}

    def names(self, columns: Columns) -> tuple[str, ...] | None:
        """The attributes of these columns; None if a column is not an attribute of the entity."""
        known = self.by_steps
        return tuple(known[steps] for steps in columns) if all(steps in known for steps in columns) else None

    @property
    def key(self) -> tuple[str, ...]:
        """The attributes that tell its rows apart; empty when nothing does."""
        return self.names(self.seen.key) or () if self.seen.key else ()

    def attributes(self) -> Iterator[Attribute]:
        """All of them: implied first, then its own, then those only others tell."""
        kinds = dict(_attributes(self.above)) if self.above is not None else {}
        for steps, name in self.implied.items():
            found = kinds.get(steps)
            kind, others = (found.type, found.also) if found is not None else (JSON, ())
            outside = self.seen.foreign.get(steps)
            more = type_of(outside.path) if outside is not None and outside.path.documents else (kind, ())
            also = tuple(dict.fromkeys(each for each in (*others, more[0], *more[1]) if each != kind))
            yield Attribute(name, kind, nullable=self.nullable, also=also)
        yield from (each.attribute for each in self.stored)


def _attributes(entity: EntityOf) -> Iterator[tuple[Steps, Attribute]]:
    by_name = {attribute.name: attribute for attribute in entity.attributes()}
    return ((steps, by_name[name]) for steps, name in entity.by_steps.items())


def entities(survey: Survey) -> dict[FieldPlace, EntityOf]:
    """Every entity by its node's place, those whose documents hold others before these."""
    names = entity_names(survey.seen.values())
    left_out = _told_otherwise(survey)
    with_orphans = {
        each.of.place for each in survey.seen.values() if each.role is NodeRole.ORPHANS and each.of is not None
    }
    found: dict[FieldPlace, EntityOf] = {}
    for place, seen in survey.seen.items():
        if seen.role is NodeRole.ENTITY:
            found[place] = _entity(names[place], seen, found, left_out, survey)
            found[place].nullable = place in with_orphans
    return found


def _told_otherwise(survey: Survey) -> frozenset[tuple[str, Steps]]:
    """Columns that are no attributes: copies beside a link that are named after it, counts, and flags of overflow pages."""
    copies = {(each.collection, each.column) for each in flat_copies(survey)}
    counted = {(each.collection, each.column) for each in counts(survey)}
    overflowing = {
        (each.of.collection.name, (*each.of.above.node.steps, flag(each.of, survey)))
        for each in survey.seen.values()
        if each.role is NodeRole.PAGES and each.of is not None and each.of.above is not None
    }
    return frozenset(copies | counted | overflowing)


def flag(array: ObservedNode, survey: Survey) -> str:
    """The field that tells whether an array's pages hold more: named after the array, or that of the first with no such field."""
    assert array.above is not None
    known = {column.steps[-1] for column in array.above.node.columns}
    with_pages = [each.of for each in survey.seen.values() if each.role is NodeRole.PAGES and each.of is not None]
    beside = [each for each in with_pages if each.above is array.above and _own_flag(each) not in known]
    return FLAG if FLAG in known and beside[:1] == [array] else _own_flag(array)


def _own_flag(array: ObservedNode) -> str:
    return f"{array.node.steps[-2]}_overflow"


def _entity(
    name: str,
    seen: ObservedNode,
    found: Mapping[FieldPlace, EntityOf],
    left_out: frozenset[tuple[str, Steps]],
    survey: Survey,
) -> EntityOf:
    above = found.get(seen.above.place) if seen.above is not None else None
    taken: set[str] = set()
    inside = (each for each in survey.seen.values() if each.role is NodeRole.MERGED and each.around is seen)
    merged = [column for each in inside for column in each.node.columns]
    own = [*seen.node.columns, *merged]
    columns = [*_header(seen), *(c for c in own if (seen.collection.name, c.steps) not in left_out)]
    columns += [_whole(each) for each in _kept_whole(seen, survey)]
    columns.sort(key=_place_in(seen))
    implied: dict[Steps, str] = {}
    if above is not None:
        names = above.by_steps
        outside = {steps: column.steps[-1] for steps, column in seen.foreign.items()}
        called = {steps: outside.get(steps) or reference_name(above.name, names[steps]) for steps in above.seen.key}
        implied = {steps: free(name, taken) for steps, name in called.items()}
    needed = required(seen.collection)
    stored = tuple(_stored(seen, column, taken, needed) for column in columns)
    return EntityOf(name, seen, above, stored, implied)


def _place_in(seen: ObservedNode) -> Callable[[NodeColumn], tuple[object, ...]]:
    """Where documents have a column: `_id` first, what is above the rows before them, and each field at its place."""
    places = {path.steps: path.place for path in seen.collection.paths}

    def place(column: NodeColumn) -> tuple[object, ...]:
        steps = column.steps
        is_above = len(steps) < len(seen.node.steps)
        return steps[0] != "_id", not is_above, [places.get(steps[:count], 0) for count in range(1, len(steps) + 1)]

    return place


def _header(seen: ObservedNode) -> Iterator[NodeColumn]:
    """What a bucket's header tells of its events."""
    if seen.above is not None and seen.above.role is NodeRole.BUCKET:
        for column in seen.above.node.columns:
            if column.steps[0] != "_id" and column.steps[-1] not in BUCKET_FIELDS:
                yield column


def _kept_whole(seen: ObservedNode, survey: Survey) -> Iterator[ObservedNode]:
    return (each for each in survey.seen.values() if each.role is NodeRole.WHOLE and each.around is seen)


def _whole(seen: ObservedNode) -> NodeColumn:
    steps = seen.node.steps[:-1] if seen.node.form is not NodeForm.OBJECT else seen.node.steps
    path = seen.collection.path(*steps)
    assert path is not None
    return NodeColumn(steps, path, seen.why)


def _stored(seen: ObservedNode, column: NodeColumn, taken: set[str], needed: frozenset[Steps]) -> StoredAttribute:
    name = free(column_name(seen, column.steps), taken)
    kind, also = (JSON, ()) if column.why else type_of(column.path)
    path = ".".join(column.steps[len(seen.node.steps) :]) if seen.node.form is not NodeForm.VALUES else ""
    if seen.above is not None and seen.above.role is NodeRole.BUCKET and len(column.steps) < len(seen.node.steps):
        path = ".".join(column.steps)
    attribute = Attribute(name, kind, nullable=_may_lack(seen, column, needed), also=also)
    return StoredAttribute(name, path, column, attribute)


def _may_lack(seen: ObservedNode, column: NodeColumn, needed: frozenset[Steps]) -> bool:
    """Whether rows may have no value: they were seen without, an index leaves out those without, or not all were looked
    at and no validator asks for it.
    """
    path = column.path
    if column.steps in seen.key:
        return False
    if any(".".join(column.steps) in index.present for index in seen.collection.indexes) and column.steps not in needed:
        return True
    around = [column.steps[:count] for count in range(len(seen.node.steps) + 1, len(column.steps))]
    between = [each for each in (seen.collection.path(*steps) for steps in around) if each is not None]
    if path.count("null", "undefined") or any(
        each.missing or each.count("null", "undefined") for each in (path, *between)
    ):
        return True
    return not (path.exact or path.documents == 0 or column.steps in needed)
