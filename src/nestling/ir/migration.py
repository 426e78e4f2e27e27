"""The nouns for moving a live database from one design to another over the same model.

When rows of the old design change, the affected documents of the new design are derived again. A `Reach` says which rows a root
document depends on, a `HomePlace` how the rows of one place are read, a `Move` what becomes of each collection.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from nestling.ir.found_field import FoundField
from nestling.ir.literals import shell
from nestling.ir.primitives import Form
from nestling.ir.programs.command import Aggregation
from nestling.ir.quantity_words import counted, cut
from nestling.ir.rows import RowPath

REFUSES_ALL: Mapping[str, object] = {"_nestling_migrated": "to another design"}
"""The validator that old collections have while a cutover compares them for the last time."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Rows that a root document depends on: those at the end of `path` from its root row, with `attributes` (None: all).

    `again`: the path's last hop is repeated to its end (a tree's ancestors).
    """

    path: RowPath
    attributes: frozenset[str] | None = None
    again: bool = False

    def is_touched_by(self, changed: frozenset[str] | None) -> bool:
        """Whether a change of these attributes (None: the row was inserted or deleted) affects the document."""
        return self.attributes is None or changed is None or bool(self.attributes & changed)


Reaches = Mapping[tuple[str, str], tuple[Reach, ...]]
"""By collection and root entity."""


@dataclass(frozen=True, slots=True)
class HomePlace:
    """One place of an entity's home: the query for its rows, and the dotted path of each attribute that is a field there.

    `at_root`: the place is the document's root, one row for a document. `parts`: collections with split-off attributes of these
    rows, under the same `_id`. `is_copy`: copies are the home, so a row may occur many times.
    """

    entity: str
    query: Aggregation
    paths: Mapping[str, str]
    at_root: bool = False
    parts: tuple[str, ...] = ()
    is_copy: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether rows are documents of a collection, every attribute a field of them."""
        is_whole = len(self.paths) == len(self.query.columns) and not self.query.files
        return self.at_root and len(self.query.stages) == 1 and is_whole


@dataclass(frozen=True, slots=True)
class HeldIds:
    """An array of ids in documents of an old collection that alone determines its children's foreign key."""

    collection: str
    relationship: str
    path: str
    id_field: str  # of its elements; "": these are the ids


@dataclass(frozen=True, slots=True)
class Assembly:
    """Documents made from rows of one entity by one aggregation.

    `id`: (stored name, attribute) pairs; one without a name is the `_id` itself, and with none the server generates it.
    `fields`: (stored name, attribute) pairs. `parts`: rows of other entities inside. `without`: only rows that have none of
    these. `rows`: where the entity's rows are gathered before they are joined; None: they are read from where they are.
    `never_null`: attributes whose null is a missing field.
    """

    entity: str
    id: tuple[tuple[str, str], ...]
    constants: tuple[tuple[str, str | int], ...]
    fields: tuple[tuple[str, str], ...]
    parts: tuple[AssembledPart, ...] = ()
    without: AssembledPart | None = None
    rows: HomePlace | None = None
    never_null: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class AssembledPart:
    """Children inside: those whose `child` attributes equal the `parent` ones, in `order` (attribute, 1 or -1).

    `home` is the single place of all of them, where the first of the `child` attributes is indexed. `is_gathered`: the place is
    created for this, and is still empty.
    """

    field: str
    form: Form
    child: tuple[str, ...]
    parent: tuple[str, ...]
    order: tuple[tuple[str, int], ...]
    body: Assembly
    home: HomePlace
    is_gathered: bool = False


class Loss(StrEnum):
    """Things that a migration may lose only if the user allows it."""

    INDEXES = "indexes"
    """Indexes of the database that the new design cannot have."""

    OPTIONS = "options"
    """Collations, bounds and validators of collections that are rebuilt."""

    VIEWS = "views"
    """Results of the server's views over collections that are rebuilt or dropped."""

    UNKNOWN = "unknown"
    """Fields of documents that the designs do not know."""

    NULLS = "nulls"
    """Nulls that the new design has no field for."""

    EMPTY = "empty"
    """Empty sub-documents that are not rows."""

    ORDER = "order"
    """The order of arrays if it does not follow from the values of their elements."""

    ID_ORDER = "id_order"
    """Orders of the fields of an `_id`."""

    COPIES = "copies"
    """Copies and computed values that differ from their source."""

    @property
    def flag(self) -> str:
        """The option of the command that lets it go."""
        return f"--drop-{self.replace('_', '-')}"


@dataclass(frozen=True, slots=True)
class RepeatedKey:
    """A key that several rows of an entity share: its values by path in a collection's documents, and the `_id`s of a few.

    `is_unique`: it is not the primary key but another UNIQUE.
    """

    entity: str
    collection: str
    key: Mapping[str, object]
    times: int
    documents: tuple[object, ...]
    is_unique: bool = False

    def text(self) -> str:
        """`{_id: 7, "lines.line": 2}`, the key of `lines`, is there 2 times, in the document with _id 7."""
        ids = ", ".join(cut(shell(each)) for each in self.documents)
        held = f", in {'the document' if len(self.documents) == 1 else 'documents'} with _id {ids}" if ids else ""
        of = f"UNIQUE in `{self.entity}`" if self.is_unique else f"the key of `{self.entity}`"
        return f"`{shell(self.key)}`, {of}, occurs {counted(self.times, 'time')}{held}"

    def allowing(self) -> str:
        """What to do if a UNIQUE may be violated."""
        return (
            f"if it may repeat, remove it from `uniques` of `{self.entity}` in the model and in both designs, with the"
            " relationships that refer to it and its unique indexes, then plan again"
        )


@dataclass(frozen=True, slots=True)
class DifferingRow:
    """A row that is not the same in both designs: its key (or the whole row if it has none), and how often each design has it.

    `attributes`: those that differ if both have it once. `has_texts`: its references include texts, which may be spelled in
    another case than in the rows they refer to.
    """

    entity: str
    key: Mapping[str, object]
    old: int
    new: int
    attributes: tuple[str, ...] = ()
    has_texts: bool = False

    def text(self) -> str:
        """`lines` with order_id 7, line 2: 2 times in the old design, 1 time in the new one."""
        which = ", ".join(f"{name} {cut(str(value))}" for name, value in self.key.items())
        what = f"{counted(self.old, 'time')} in the old design, {counted(self.new, 'time')} in the new one"
        if self.attributes:
            what = f"different {', '.join(self.attributes)}"
        elif not self.new:
            what = "missing in the new design"
        elif not self.old:
            what = "only in the new design"
        return f"`{self.entity}` with {which}: {what}"


class CollectionOrigin(StrEnum):
    """How a collection of the new design comes to be."""

    KEPT = "kept"  # its stored form is the same in both designs
    SERVER = "server"  # one aggregation on the server
    STREAM = "stream"  # rows through the client


@dataclass(frozen=True, slots=True)
class Move:
    """What becomes of a collection of the new design; `staged` is its name until the cutover."""

    collection: str
    staged: str
    way: CollectionOrigin
    of: tuple[str, ...]  # entities
    documents: int | None = None
    size_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class DesignMoves:
    """What a migration would do, derived from its two designs alone.

    `anew`: collections that are built, for the first time or instead of the one of that name. `left`: old collections that are
    set aside. `built`: indexes that the new design names, `besides`: those that keys, references and upkeep need. `dropped`:
    indexes that the new design does not have. Each index is given as its collection and its description in words.
    """

    anew: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    built: tuple[tuple[str, str], ...] = ()
    besides: tuple[tuple[str, str], ...] = ()
    dropped: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        """Whether there is anything to do."""
        return any((self.anew, self.left, self.built, self.besides, self.dropped))


@dataclass(frozen=True, slots=True)
class MigrationPlan:
    """What a migration would do, before anything is written.

    - `left`: old collections that the new design does not use; `untouched`: collections that neither design names.
    - `unknown`: fields that would be lost. `refused`: the risks because of which `migrate` would stop; the
      first of them are about what would be `lost`, which `migrate` goes on with if it gets the options of these.
    - `seconds`: estimated time of the backfill; `refused_seconds`: of the comparison at the cutover, while writes are refused.
    - `phase`: the phase of this very migration, if it has begun.
    - `changes_per_second`: how many changes can be applied while applications write, for `slowest`, the old or new collection
      where a change is most work; None if all collections stay.
    """

    moves: tuple[Move, ...]
    left: tuple[str, ...]
    changes: tuple[str, ...]
    indexes_built: tuple[str, ...]
    indexes_dropped: tuple[str, ...]
    risks: tuple[str, ...]
    rows: Mapping[str, int]
    untouched: tuple[str, ...]
    unknown: tuple[FoundField, ...]
    seconds: float | None = None
    refused_seconds: float | None = None
    phase: Phase | None = None
    refused: tuple[str, ...] = ()
    changes_per_second: float | None = None
    slowest: str = ""
    lost: tuple[Loss, ...] = ()


class Phase(StrEnum):
    """How far a migration is; each is entered once, in this order."""

    BACKFILL = "backfill"
    FOLLOWING = "following"  # changes are carried over
    READY = "ready"  # verified equal since
    FENCED = "fenced"  # the old collections take no writes
    SWITCHING = "switching"  # collections get their names
    DONE = "done"
