"""What is known of a server, its collections and how they refer to each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from nestling.ir.facts.path import PathFacts, Quantiles
from nestling.ir.facts.statement import JoinFacts, StatementFacts
from nestling.ir.facts.steps import ELEMENT
from nestling.ir.facts.structure import Counted, StructureFacts


class NamespaceKind(StrEnum):
    """What a namespace is."""

    COLLECTION = "collection"
    CAPPED = "capped"
    CLUSTERED = "clustered"
    TIME_SERIES = "time series"
    GRIDFS = "GridFS"
    VIEW = "view"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """The server: version, uptime in seconds (None when it may not be asked), data-bearing members, whether sharded, and its
    storage engine (empty when it may not be asked).
    """

    version: str
    uptime_seconds: float | None = None
    members: int = 1
    sharded: bool = False
    engine: str = ""


@dataclass(frozen=True, slots=True)
class Storage:
    """Documents, their bytes uncompressed, bytes on disk, and bytes of all indexes on disk."""

    documents: int
    data_bytes: int
    disk_bytes: int
    index_bytes: int

    @property
    def mean_bytes(self) -> float:
        """Bytes of a document on average."""
        return self.data_bytes / self.documents if self.documents else 0.0


@dataclass(frozen=True, slots=True)
class IndexFacts:
    """An index: its keys (field and 1, -1, "text", "2dsphere", …), its options, its size and its use.

    `uses` since `since_seconds` before the facts were taken, over `nodes` nodes; None if the user may not ask. `present`: the
    keys that documents in it must have, if there is no other condition on them. `text`: the command that creates it again.
    `outdated_texts`: for a TTL index, the texts that as dates are older than it allows, and `dates`, whether any document has a
    date there; None if they were not searched.
    """

    name: str
    keys: tuple[tuple[str, int | str], ...]
    unique: bool = False
    sparse: bool = False
    partial: bool = False
    hidden: bool = False
    ttl_seconds: float | None = None
    collation: str = ""
    strength: int = 0
    size_bytes: int = 0
    uses: int | None = None
    since_seconds: float = 0.0
    nodes: int = 1
    shard_key: bool = False
    present: tuple[str, ...] = ()
    text: str = ""
    outdated_texts: int | None = None
    dates: bool | None = None

    @property
    def expires_by(self) -> str:
        """The field by whose date the server deletes documents; empty where it deletes none."""
        return self.keys[0][0] if self.ttl_seconds is not None and len(self.keys) == 1 else ""

    @property
    def is_id(self) -> bool:
        """Whether it is the index every collection has."""
        return self.keys == (("_id", 1),)

    @property
    def is_special(self) -> bool:
        """Whether it does more than find documents, or must not be dropped for another reason."""
        special = (self.unique, self.sparse, self.partial, self.hidden, self.shard_key, self.ttl_seconds is not None)
        return self.is_id or any(special)


@dataclass(frozen=True, slots=True)
class Validator:
    """A validator as JSON text, its level and action; of `checked` documents it would refuse `refused` (None: not known).

    `is_fence`: it is a migration's, which refuses every write while collections change names.
    """

    text: str
    level: str
    action: str
    checked: int = 0
    refused: int | None = None
    is_fence: bool = False


@dataclass(frozen=True, slots=True)
class Sample:
    """Which documents were read: all, a `seeded` sample (by a hash of `_id`), a `random` one of the server's, or the `first`."""

    documents: int
    method: str = "all"
    seed: int = 0

    @property
    def exact(self) -> bool:
        """Whether it is the whole collection."""
        return self.method == "all"


@dataclass(frozen=True, slots=True)
class CollectionFacts:
    """A namespace. What could not be found out is None or empty, and `Facts.skipped` says why.

    `expires`: the collection's own option lets the server delete what is old, without an index.
    """

    database: str
    name: str
    kind: NamespaceKind
    storage: Storage | None = None
    indexes: tuple[IndexFacts, ...] = ()
    validator: Validator | None = None
    sample: Sample | None = None
    sizes: Quantiles | None = None
    depth: int = 0
    fields: Quantiles | None = None
    paths: tuple[PathFacts, ...] = ()
    joins: tuple[JoinFacts, ...] = ()
    expires: bool = False
    options: tuple[str, ...] = ()

    @property
    def namespace(self) -> str:
        """The namespace, `database.collection`."""
        return f"{self.database}.{self.name}"

    @property
    def collation(self) -> str:
        """The default collation (JSON), which the index on `_id` uses; empty: exact comparison."""
        return next((each.collation for each in self.indexes if each.is_id), "")

    @property
    def holds_documents(self) -> bool:
        """Whether it is a collection of documents people design."""
        return self.kind in (NamespaceKind.COLLECTION, NamespaceKind.CLUSTERED, NamespaceKind.CAPPED)

    def path(self, *steps: str) -> PathFacts | None:
        """The path of these steps."""
        return next((path for path in self.paths if path.steps == steps), None)

    def top_level(self) -> tuple[PathFacts, ...]:
        """The fields of the document itself."""
        return tuple(path for path in self.paths if len(path.steps) == 1)

    def spatial(self, path: PathFacts) -> bool:
        """Whether the path lies in the coordinates of a GeoJSON object, or is what a geospatial index is on."""
        names = [step for step in path.steps if step != ELEMENT]
        if any(field in _prefixes(path.field) for index in self.indexes for field, kind in index.keys if _is_geo(kind)):
            return True
        if not names or names[-1] != "coordinates":
            return False
        beside = (*path.steps[: path.steps.index("coordinates")], "type")
        return self.path(*beside) is not None


@dataclass(frozen=True, slots=True)
class ReferenceFacts:
    """Values of `path` in one collection that are `target_field` in another (`target` is empty when they are found in none).

    `checked` different values were looked up, `resolved` of them found; `converted` more are found as `converts` (a type of the
    target's: texts of ObjectIds or numbers, or the other way round). `named`: the field's name says the target. `collation`: how
    the target's index on the field compares texts whatever their case, which is how they were looked up (JSON; else empty).

    `held`: references followed (0: none were), each as often as a document holds it, of which `dangling` lead to nothing;
    `whole`: of all documents, not of some that were drawn. `others`: further collections in which its values are keys: a
    reference to any of several, of whose values `resolved` are found in one of these or in the target. `archives`: collections to
    which documents of the target seem to have been moved, with how many of up to 300 different missing values each has.
    """

    database: str
    collection: str
    steps: tuple[str, ...]
    target: str
    target_field: str
    checked: int
    resolved: int
    named: bool = False
    converted: int = 0
    converts: str = ""
    collation: str = ""
    held: int = 0
    dangling: int = 0
    whole: bool = False
    others: tuple[str, ...] = ()
    archives: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class TwoWay:
    """Two references that are each other's other side: of `checked` links, `one_sided` are held by one side only."""

    database: str
    collection: str
    steps: tuple[str, ...]
    target: str
    target_steps: tuple[str, ...]
    checked: int
    one_sided: int


@dataclass(frozen=True, slots=True)
class Copied:
    """A field that repeats a field of the document referred to: of `checked` pairs, `equal` are; `whole`: of all documents.

    `reference` holds values of `target_key`. Not `named`: its values alone say that it is a copy.
    """

    database: str
    collection: str
    steps: tuple[str, ...]
    reference: tuple[str, ...]
    target: str
    target_field: str
    checked: int
    equal: int
    target_key: str = "_id"
    whole: bool = False
    named: bool = True


BUILT = "built by a migration: `nestling migrate … --cutover` puts what it built into use, `--abort` drops it"
SET_ASIDE_SO_FAR = (
    "set aside by a migration's cutover: `nestling migrate … --cutover` continues, `--abort` restores the name"
)
SET_ASIDE = "set aside by a migration: `nestling migrate … --drop-old` drops what it set aside"
"""Why collections are nobody's data."""
NO_RIGHT = "the user may not do this"
"""Why something was not looked at for lack of a right."""
OUT_OF_TIME = "its share of the time limit was used up"
"""Why something was not looked at, or only in part, for lack of time."""
USE_UNSEEN = (
    "this user cannot see it, so nestling pauses after each step and may stop early: --rest 0 turns the pauses off"
)
"""Why it is not known whether others use the server, and what follows."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was not looked at, and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything found, and when (`taken`: ISO 8601, UTC). `structure` is empty unless it was asked for."""

    taken: str
    server: ServerFacts
    databases: tuple[str, ...]
    collections: tuple[CollectionFacts, ...] = ()
    references: tuple[ReferenceFacts, ...] = ()
    two_ways: tuple[TwoWay, ...] = ()
    copies: tuple[Copied, ...] = ()
    statements: tuple[StatementFacts, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    structure: StructureFacts = StructureFacts()
    counters: tuple[Counted, ...] = ()

    def collection(self, database: str, name: str) -> CollectionFacts | None:
        """The collection of that name."""
        return next((each for each in self.collections if (each.database, each.name) == (database, name)), None)

    def of_documents(self) -> Iterator[CollectionFacts]:
        """The collections of documents people design."""
        return (each for each in self.collections if each.holds_documents)

    def _repr_html_(self) -> str:
        from nestling.ir.words.notebook import facts_html

        return facts_html(self)


def _is_geo(kind: int | str) -> bool:
    return kind in ("2d", "2dsphere", "geoHaystack")


def _prefixes(field: str) -> set[str]:
    names = field.split(".")
    return {".".join(names[:count]) for count in range(1, len(names) + 1)}
