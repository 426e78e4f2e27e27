"""The closed set of structure primitives that a design is built from (Collection, Embedding … Variant).

A `Document` says how one entity's rows are stored at one place: as a collection's documents, as a sub-document or as the
elements of an array. Attributes that are not mentioned keep their own name; those that follow from the document's position (the
foreign key of an embedded child) are not stored at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from nestling.ir.freshness import TRANSACTION, WRITTEN_AT_ONCE, Freshness
from nestling.ir.model import Model
from nestling.ir.rows import AggregateKind, RowPath
from nestling.ir.statements.clause import Clause


class Form(StrEnum):
    """How something related sits in a document."""

    OBJECT = "object"  # a sub-document: at most one row
    ARRAY = "array"  # an array of sub-documents
    SCALARS = "scalars"  # an array of bare values, for rows that store a single attribute
    INLINE = "inline"  # its fields stand beside the document's own: at most one row
    PATH = "path"  # one text, values joined by a separator (materialised path)

    @property
    def to_many(self) -> bool:
        """Whether it can hold more than one row."""
        return self in (Form.ARRAY, Form.SCALARS, Form.PATH)


@dataclass(frozen=True, slots=True)
class Field:
    """An attribute and the dotted path it is stored under, relative to its document."""

    attribute: str
    path: str


@dataclass(frozen=True, slots=True)
class Order:
    """Sort by a stored attribute."""

    attribute: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Pairs:
    """Attribute pattern: these attributes are stored as `[{key: name, value: value}, …]`; NULLs are left out."""

    field: str
    attributes: tuple[str, ...]
    key: str = "k"
    value: str = "v"


@dataclass(frozen=True, slots=True)
class Overflow:
    """At most `bound` elements stay in the array; the rest go into pages of `bound` in `collection`, and `flag` is true."""

    bound: int
    collection: str
    flag: str = "has_overflow"


@dataclass(frozen=True, slots=True)
class Slots:
    """Pre-allocated array of `count` places; the element whose `attribute` is n stands at place n - `first`, others are null."""

    attribute: str
    count: int
    first: int = 1


@dataclass(frozen=True, slots=True)
class Embedding:
    """The home of the child rows of `relationship` is inside the parent's document.

    `orphans` names the collection that is home to child rows without a parent; without it such rows cannot be stored.
    """

    field: str
    relationship: str
    form: Form
    body: Document
    order: tuple[Order, ...] = ()
    overflow: Overflow | None = None
    slots: Slots | None = None
    orphans: str | None = None


class Holder(StrEnum):
    """Which side of a relationship holds the id."""

    PARENT = "child-reference"  # the parent's document holds its children's ids
    CHILD = "parent-reference"  # the child's document holds its parent's id


@dataclass(frozen=True, slots=True)
class Reference:
    """Ids of the other side of a relationship.

    Held by the child: its foreign key attributes. Held by the parent: an array `field` of ids (one id if the relationship is
    1:1), or of `{id, …}` objects if attributes of the child are copied next to the id.
    """

    relationship: str
    holder: Holder
    field: str = ""
    copied: tuple[Field, ...] = ()
    freshness: Freshness = TRANSACTION


@dataclass(frozen=True, slots=True)
class Copy:
    """Attributes of the entity at the end of `path`, stored here too, away from their home.

    `closure`: the path is one self-relationship hop, repeated to its end (ancestors, root first). `home`: the source entity has
    no collection; these copies are its home, and rows that nothing refers to are in the collection `orphans`.
    """

    name: str  # the field, or a label when the form is inline
    path: RowPath
    attributes: tuple[Field, ...]
    form: Form
    freshness: Freshness
    order: tuple[Order, ...] = ()
    limit: int | None = None
    closure: bool = False
    separator: str = "/"
    home: bool = False
    orphans: str | None = None

    @property
    def is_of_parent(self) -> bool:
        """Whether it holds attributes of the row's own parent, as a sub-document or as fields beside the row's own."""
        is_up = len(self.path) == 1 and self.path[0].up and not self.closure
        return is_up and self.form in (Form.OBJECT, Form.INLINE)

    def is_to_one(self, model: Model) -> bool:
        """Whether there is at most one source row."""
        return not self.closure and all(hop.to_one(model) for hop in self.path)

    def has_always_a_source(self, model: Model) -> bool:
        """Whether there is exactly one source row, as soon as the document exists.

        If nobody enforces a foreign key, a row may precede its parent, or outlive it.
        """
        links = [model.relationship(hop.relationship) for hop in self.path]
        is_found = all(hop.up and model.is_total(link) for hop, link in zip(self.path, links, strict=True))
        return is_found and not self.closure and self.freshness.level in WRITTEN_AT_ONCE


@dataclass(frozen=True, slots=True)
class Computed:
    """An aggregate over the rows at the end of `path`.

    `step`: an approximation that changes only every `step` events. `stamp`: a field with the time when it was last computed.
    """

    field: str
    path: RowPath
    function: AggregateKind
    freshness: Freshness
    attribute: str | None = None
    step: int = 1
    stamp: str | None = None


@dataclass(frozen=True, slots=True)
class Before:
    """Rows whose attribute is before a value (ISO text for dates); NULL is never before."""

    attribute: str
    value: str


@dataclass(frozen=True, slots=True)
class Split:
    """Part of an entity is stored elsewhere.

    Either some `attributes` are in `collection` (or a GridFS bucket) under the same `_id`, or whole `rows` are in `collection`.
    """

    collection: str
    attributes: tuple[str, ...] = ()
    rows: Before | None = None
    gridfs: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """How the rows of `entity` are stored at one place."""

    entity: str
    fields: tuple[Field, ...] = ()
    pairs: tuple[Pairs, ...] = ()
    embeddings: tuple[Embedding, ...] = ()
    references: tuple[Reference, ...] = ()
    copies: tuple[Copy, ...] = ()
    computed: tuple[Computed, ...] = ()


class WindowUnit(StrEnum):
    """Calendar units of a bucket's window."""

    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    MONTH = "month"

    @property
    def days(self) -> float:
        """The length of the unit in days; a month counts as 30 days."""
        return {"minute": 1 / 1_440, "hour": 1 / 24, "day": 1.0, "month": 30.0}[self.value]


@dataclass(frozen=True, slots=True)
class BucketWindow:
    """Events of one calendar unit of `attribute` share a bucket."""

    attribute: str
    unit: WindowUnit


@dataclass(frozen=True, slots=True)
class Summary:
    """An aggregate over the events of one bucket, stored under `field`."""

    field: str
    function: AggregateKind
    attribute: str | None = None


BUCKET_START, BUCKET_END, PAGE = "bucket_start", "bucket_end", "page"
"""The fields for the beginning of a bucket's window, the first instant after it, and the number of a bucket or page."""
OF_BUCKETS = (BUCKET_START, BUCKET_END, PAGE, "count")
"""The fields that every bucket document has; attributes that group buckets may not have these names."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """Documents hold up to `limit` events each, grouped `by` attributes and a window, in the array `field`.

    A bucket document is `{_id, <by…>, bucket_start, bucket_end, page, count, <summary…>, <field>: [events]}`; its `_id`
    consists of the grouping values, the window's start and the page.
    """

    by: tuple[str, ...]
    field: str
    limit: int
    window: BucketWindow | None = None
    summary: tuple[Summary, ...] = ()


@dataclass(frozen=True, slots=True)
class Member:
    """One entity of a variant collection and the discriminator value its documents carry."""

    value: str
    body: Document


@dataclass(frozen=True, slots=True)
class Variant:
    """Several kinds of rows in one collection, distinguished by `discriminator`.

    `value`: the value in the root entity's documents. `members`: further root entities (`_id` then starts with the
    discriminator). `subtypes`: relationships embedded inline in the root; a document has the value of each subtype row that it
    holds (one value, or an array of several).
    """

    discriminator: str
    value: str | None = None
    members: tuple[Member, ...] = ()
    subtypes: tuple[tuple[str, str], ...] = ()  # relationship -> value


class CollectionKind(StrEnum):
    """The server's kind of collection."""

    PLAIN = "plain"
    TIME_SERIES = "time-series"
    CLUSTERED = "clustered"
    CAPPED = "capped"


@dataclass(frozen=True, slots=True)
class Options:
    """A collection's kind and its options: the time and meta attributes, or the size in bytes."""

    kind: CollectionKind = CollectionKind.PLAIN
    time: str | None = None
    meta: str | None = None
    granularity: str | None = None
    size_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Collection:
    """A root entity's home.

    `id` are the attributes stored in `_id` (one: its value; several: a sub-document; none: an ObjectId). `constants` are fields
    of every document, such as a schema version.
    """

    name: str
    body: Document
    id: tuple[str, ...] = ()
    options: Options = Options()
    bucket: Bucket | None = None
    variant: Variant | None = None
    splits: tuple[Split, ...] = ()
    constants: tuple[tuple[str, str | int], ...] = ()

    @property
    def root(self) -> str:
        """The root entity of the collection."""
        return self.body.entity


@dataclass(frozen=True, slots=True)
class Index:
    """Keys as (dotted path, 1 or -1); `serves` names statements.

    `partial`: conditions on the documents in it; empty means all documents. `any_case`: it finds texts regardless of case.
    """

    collection: str
    keys: tuple[tuple[str, int], ...]
    unique: bool = False
    partial: tuple[Clause, ...] = ()
    expire_after_seconds: int | None = None
    serves: tuple[str, ...] = ()
    any_case: bool = False

    @property
    def name(self) -> str:
        """The name the server shows, as the shell would make it."""
        return "_".join(f"{path}_{direction}" for path, direction in self.keys) + ("_ci" if self.any_case else "")

    @property
    def of(self) -> tuple[object, ...]:
        """What two indexes must share for one to replace the other: the documents, and how texts are compared."""
        return self.collection, self.partial, self.any_case

    def begins_with(self, other: Index) -> bool:
        """Whether it covers the same documents and begins with the other's keys."""
        return self.of == other.of and self.keys[: len(other.keys)] == other.keys

    def extends(self, other: Index) -> bool:
        """Whether it begins with the other's keys and has more: it can replace the other."""
        return self.begins_with(other) and len(self.keys) > len(other.keys)
