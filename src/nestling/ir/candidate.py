"""Candidates: structures that patterns propose for a design. Each can be chosen or not.

The names of the proposing patterns (`patterns`) are only for people: all later stages work from the part, which is one of a
closed set. `id` is unique and readable in a report (`review in product`, `product.name in purchase_line`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import TypeAlias

from nestling.ir.freshness import Freshness
from nestling.ir.model import Model
from nestling.ir.primitives import Before, BucketWindow, Computed, Copy, Field, Form, Order
from nestling.ir.rows import AggregateKind, Hop, down, up
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.ir.statements.sql_dialects import MYSQL, POSTGRESQL
from nestling.ir.storage.names import stored_name
from nestling.ir.types import EXACT_NUMBERS
from nestling.ir.workload import UNITS, Access

IndexKeys = tuple[tuple[str, int], ...]
"""The fields of an index in order, each with 1 or -1 for its direction."""


@dataclass(frozen=True, slots=True)
class Own:
    """The entity has a collection of its own."""

    entity: str


@dataclass(frozen=True, slots=True)
class Nested:
    """The entity is embedded: `links` are the relationships from it up to the entity whose collection holds it.

    `overflow`: the most rows in one array; the rest goes to pages. `inline`: a subtype's fields are next to those of its
    supertype, and a discriminator says which rows have them. `bare`: whether rows that store a single value are that value, not a
    sub-document; None: only the ids of a many-to-many are.
    """

    entity: str
    links: tuple[str, ...]
    overflow: int | None = None
    inline: bool = False
    bare: bool | None = None


@dataclass(frozen=True, slots=True)
class Bucketed:
    """The entity's rows are grouped into documents by these attributes and a window, or by count alone.

    `summary`: aggregates over a bucket's rows kept in its document; the number of rows is there in any case. `native`: the server
    makes the buckets itself (a time series collection).
    """

    entity: str
    by: tuple[str, ...]
    window: BucketWindow | None
    limit: int
    summary: tuple[tuple[AggregateKind, str], ...] = ()
    native: bool = False

    def keyed_by(self, key: tuple[str, ...]) -> tuple[str, ...]:
        """Return the entity's key in the order of an index over the buckets: the attributes that group them come first."""
        return (*self.by, *(name for name in key if name not in self.by)) if set(self.by) <= set(key) else key

    def is_coarse(self, access: Access) -> bool:
        """Whether an access groups rows, and its grouping and conditions are the same for all rows of a bucket."""
        if access.grouping is None or access.entity != self.entity:
            return False
        by_series = all(each.attribute in self.by for each in access.filters)
        return by_series and all(self._is_of_bucket(name, unit) for name, unit in access.grouping.keys)

    def _is_of_bucket(self, name: str, unit: str | None) -> bool:
        if unit is None:
            return name in self.by
        window = self.window
        return window is not None and window.attribute == name and UNITS.index(unit) >= UNITS.index(window.unit)

    def answers(self, access: Access) -> bool:
        """Whether the buckets' summaries answer it, no event looked at."""
        asked = access.grouping.aggregates if access.grouping is not None else ()
        return self.is_coarse(access) and set(summaries(asked)) <= set(self.summary)


def kept_aggregates(access: Access, model: Model, dialect: str) -> tuple[tuple[AggregateKind, str | None], ...]:
    """Return the aggregates that parents must store to answer an access.

    If averages of exact numbers are exact, these are a sum and a count. A count of values that every row has is the count of
    rows.
    """
    entity, found = model.entity(access.entity), list[tuple[AggregateKind, str | None]]()
    for function, attribute in access.aggregates:
        kind = entity.attribute(attribute).type.name if attribute is not None else None
        if function is AggregateKind.AVG and kind in EXACT_NUMBERS and dialect in (POSTGRESQL, MYSQL):
            found += ((AggregateKind.SUM, attribute), (AggregateKind.COUNT, attribute))
        else:
            found.append((function, attribute))
    counted = {each.name for each in entity.attributes if not each.nullable}
    rows = AggregateKind.COUNT, None
    return tuple(
        dict.fromkeys(
            rows if function is AggregateKind.COUNT and attribute in counted else (function, attribute)
            for function, attribute in found
        )
    )


def summaries(aggregates: Iterable[tuple[AggregateKind, str | None]]) -> Iterator[tuple[AggregateKind, str]]:
    """Yield the aggregates that a bucket must store: an average needs a sum and a count; rows are counted anyway."""
    for function, attribute in aggregates:
        if attribute is not None and function is AggregateKind.AVG:
            yield from ((AggregateKind.SUM, attribute), (AggregateKind.COUNT, attribute))
        elif attribute is not None:
            yield function, attribute


@dataclass(frozen=True, slots=True)
class Absorbed:
    """The entity has no collection: its children by a relationship hold all its attributes, and are its home."""

    entity: str
    relationship: str


@dataclass(frozen=True, slots=True)
class Mirror:
    """A many-to-many whose junction is embedded in one side: the other side (the parent of `side`) stores ids too."""

    link: str
    side: str


@dataclass(frozen=True, slots=True)
class CopiedAttribute:
    """An attribute of the row at the end of `path` (many-to-one hops), kept in the rows of `holder`."""

    holder: str
    path: tuple[Hop, ...]
    attribute: str
    freshness: Freshness

    def copy(self, name: str) -> Copy:
        """Return the primitive. Attributes of the same parent are later combined."""
        return Copy(name, self.path, (_field(self.attribute),), Form.OBJECT, self.freshness)


@dataclass(frozen=True, slots=True)
class FirstChildren:
    """The first `limit` child rows by `order` (None: all), with these attributes, stored in the parent's document too."""

    relationship: str
    attributes: tuple[str, ...]
    order: tuple[Order, ...]
    limit: int | None
    freshness: Freshness

    def is_bare(self, model: Model) -> bool:
        """Whether only the ids of all children are stored, as bare values."""
        key = model.entity(model.relationship(self.relationship).child).key
        return self.limit is None and not self.order and self.attributes == key and len(key) == 1

    def kept(self, children: float) -> float:
        """How many rows a parent with this many children stores."""
        return children if self.limit is None else min(float(self.limit), children)

    def copy(self, model: Model, name: str) -> Copy:
        """Return the primitive: an array of bare values if it has only ids."""
        path = (down(model.relationship(self.relationship)),)
        form = Form.SCALARS if self.is_bare(model) else Form.ARRAY
        fields = tuple(map(_field, self.attributes))
        return Copy(name, path, fields, form, self.freshness, order=self.order, limit=self.limit)


@dataclass(frozen=True, slots=True)
class Lineage:
    """The rows above each row of a tree, root first, kept in its document: these attributes of them, the key first.

    `indexed`: an index on their keys finds the rows below one.
    """

    relationship: str
    attributes: tuple[str, ...]
    freshness: Freshness
    indexed: bool = False

    def copy(self, model: Model, name: str) -> Copy:
        """Return the primitive: an array of keys, or of sub-documents if there is more of each row."""
        path = (up(model.relationship(self.relationship)),)
        form = Form.SCALARS if len(self.attributes) == 1 else Form.ARRAY
        return Copy(name, path, tuple(map(_field, self.attributes)), form, self.freshness, closure=True)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregate over a parent's child rows, kept in the parent's document."""

    relationship: str
    function: AggregateKind
    attribute: str | None
    freshness: Freshness
    step: int = 1

    def computed(self, model: Model, name: str) -> Computed:
        """The primitive for the aggregate."""
        path = (down(model.relationship(self.relationship)),)
        return Computed(name, path, self.function, self.freshness, attribute=self.attribute, step=self.step)


@dataclass(frozen=True, slots=True)
class Cold:
    """Attributes of the entity stored in a second collection, because frequent reads do not need them."""

    entity: str
    attributes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Archived:
    """The entity's rows before a value are documents of a second collection."""

    entity: str
    rows: Before

    @property
    def decision(self) -> str:
        """The decision whose alternatives are the possible archives of an entity."""
        return f"archive of {self.entity}"


@dataclass(frozen=True, slots=True)
class Paired:
    """Attributes of the entity kept as one list of names and values; one index over both finds rows by any of them."""

    entity: str
    attributes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Indexed:
    """An index over the entity's rows, wherever they are stored: attributes and directions.

    `rows`: cover only rows that satisfy these conditions.
    """

    entity: str
    keys: IndexKeys
    rows: tuple[Clause, ...] = ()

    @property
    def works_inside(self) -> bool:
        """Whether it may be over rows inside other documents: it covers all of them, or leaves out those without indexed values.

        Other conditions would be asked of the documents, not of the rows in them.
        """
        names = {name for name, _ in self.keys}
        return all(each.comparison is ClauseOperator.PRESENT and each.name in names for each in self.rows)


@dataclass(frozen=True, slots=True)
class AcrossKey:
    """An attribute of an index over rows and their parents.

    `along`: the relationship to the parent that has it; empty for an attribute of the row itself.
    """

    attribute: str
    direction: int
    along: str = ""


@dataclass(frozen=True, slots=True)
class IndexedAcross:
    """An index over the entity's rows by their own attributes and those of their parents, if one document holds all of them.

    The parents' attributes are those of the document that contains the row, or copies in the row.
    """

    entity: str
    keys: tuple[AcrossKey, ...]

    @property
    def links(self) -> tuple[str, ...]:
        """The relationships to the parents."""
        return tuple(dict.fromkeys(each.along for each in self.keys if each.along))

    @property
    def beginning(self) -> Indexed | None:
        """Return the index on the rows alone with which it begins; None if it begins with a parent's attribute."""
        own = tuple((each.attribute, each.direction) for each in takewhile(lambda key: not key.along, self.keys))
        return Indexed(self.entity, own) if own else None

    def text(self, model: Model) -> str:
        """The indexed attributes, for people: a parent by the relationship's name where the rows have several of one entity."""
        parents = {name: f"{self._parent(name, model)}." for name in self.links}
        names = (
            f"{'' if each.direction > 0 else '-'}{parents.get(each.along, '')}{each.attribute}" for each in self.keys
        )
        return f"index of {self.entity} on {', '.join(names)}"

    def _parent(self, relationship: str, model: Model) -> str:
        parent = model.relationship(relationship).parent
        alike = [each for each in model.relationships if (each.child, each.parent) == (self.entity, parent)]
        return parent if len(alike) == 1 else relationship


@dataclass(frozen=True, slots=True)
class IndexedAnyCase:
    """An index over the entity's rows, if they are documents of their own, that finds texts regardless of case.

    It finds rows by its first attribute, which is a text; the others narrow the search.
    """

    entity: str
    attributes: tuple[str, ...]

    @property
    def plain(self) -> Indexed:
        """The index with as many entries and bytes that compares texts exactly."""
        return Indexed(self.entity, tuple((name, 1) for name in self.attributes))

    @property
    def text(self) -> str:
        """The indexed attributes, for people."""
        return f"index of {self.entity} on {', '.join(self.attributes)} ignoring case"


Part: TypeAlias = (
    Own
    | Nested
    | Bucketed
    | Absorbed
    | Mirror
    | CopiedAttribute
    | FirstChildren
    | Lineage
    | Aggregate
    | Cold
    | Archived
    | Paired
    | Indexed
    | IndexedAcross
    | IndexedAnyCase
)
HOMES = (Own, Nested, Bucketed, Absorbed)
INDEXES = (Indexed, IndexedAcross, IndexedAnyCase)


def along(part: Part, model: Model) -> tuple[str, ...]:
    """The relationships along which a structure puts rows together."""
    match part:
        case Nested(links=links):
            return links
        case Mirror(link=name):
            both = next(each for each in model.many_to_many if each.name == name)
            return both.left, both.right
        case CopiedAttribute(path=path):
            return tuple(hop.relationship for hop in path)
        case Absorbed() | FirstChildren() | Lineage() | Aggregate():
            return (part.relationship,)
        case IndexedAcross():
            return part.links
        case Own() | Bucketed() | Cold() | Archived() | Paired() | Indexed() | IndexedAnyCase():
            return ()


def _field(attribute: str) -> Field:
    return Field(attribute, stored_name(attribute))


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A pattern's proposal: a part of a design with its id, and the statements that motivate it."""

    id: str
    part: Part
    motives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """One structure a design may have: the patterns that propose it, and the statements that motivate it."""

    id: str
    patterns: tuple[str, ...]
    part: Part
    motives: tuple[str, ...] = ()

    @property
    def pattern(self) -> str:
        """The patterns, for people."""
        return ", ".join(self.patterns)


@dataclass(frozen=True, slots=True)
class Refused:
    """A candidate that no design may have, and why: the bound that it would break, with the numbers."""

    candidate: Candidate
    why: str
