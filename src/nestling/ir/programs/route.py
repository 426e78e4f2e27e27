"""Routes: the way from a changed document to the documents with values derived from it.

Whoever wrote, a change is a collection, an `_id` and the paths that were touched. A route says whether these matter to one
upkeep, and leads to its holders in up to three hops: the *link values* of the changed rows (often known from the `_id` alone),
the *anchors* they lead to if holders are further away, and the documents of the upkeep's place that hold these anchors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nestling.ir.drift import CompiledCheck
from nestling.ir.freshness import Freshness
from nestling.ir.paths.write_path import UpdateDocuments
from nestling.ir.programs.compiled import CompiledRead, ReadPlan
from nestling.ir.programs.program import WriteCommand


@dataclass(frozen=True, slots=True)
class RouteWalk:
    """The anchors some link values lead to: a read whose `parameters` take them in order, and its columns."""

    read: ReadPlan
    parameters: tuple[str, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Route:
    """What a change of documents of `collection` means for an upkeep.

    `paths`: stored paths (without array places) whose change matters, and that of what is in them. `nodes`: those of arrays and
    sub-documents that hold the rows, whose change as a whole matters. `moving`: those of `paths` whose change takes rows from one
    holder to another. Exactly one of these says who the holders are:

    - `own`: the changed document itself;
    - `by_id`: link values are these parts of its `_id` ("": the whole);
    - `links`: they are read from the document, as the columns `link 0`, `link 1` …; `images`: also from one as it was;
    - none of them: every holder.

    `walk`: link values lead to anchors; None: they are anchors.
    """

    upkeep: str
    collection: str
    paths: frozenset[str]
    nodes: frozenset[str] = frozenset()
    moving: frozenset[str] = frozenset()
    own: bool = False
    by_id: tuple[str, ...] = ()
    links: ReadPlan | None = None
    images: bool = False
    walk: RouteWalk | None = None

    @property
    def needs_image(self) -> bool:
        """Whether a delete or a move cannot be followed precisely without the document as it was."""
        return self.links is not None and self.images


@dataclass(frozen=True, slots=True)
class IdSearch:
    """The `_id`s (column `id`) of the documents with one of several anchors: a read, and for each anchor its parameters."""

    upkeep: str
    read: ReadPlan
    parameters: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Shared:
    """A value that all holders of one anchor share: a read of all rows' anchors and values (columns `anchor`, `value`), each
    a document of its own with the anchor at `path`, and the change of all holders of such a row.
    """

    read: ReadPlan
    path: str
    change: UpdateDocuments


@dataclass(frozen=True, slots=True)
class CompiledWalk:
    """A walk as what the server is asked."""

    read: CompiledRead
    parameters: tuple[str, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CompiledRoute:
    """A route with its reads compiled."""

    route: Route
    links: CompiledRead | None = None
    walk: CompiledWalk | None = None


@dataclass(frozen=True, slots=True)
class CompiledSearch:
    """A search as what the server is asked."""

    read: CompiledRead
    parameters: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class CompiledShared:
    """A shared value as what the server is asked, and the command for a row of it."""

    read: CompiledRead
    path: str
    command: WriteCommand


@dataclass(frozen=True, slots=True)
class BackgroundUpkeep:
    """One upkeep as the background maintains it: what differs and how it is repaired (`check`), and how its holders are found.

    `path`: the plain field of its documents that holds the anchor; None if there is none, and then `searches` find holders, from
    few anchors at once to many. `shared`: a shorter way for the holders of some anchors, if there is one. `homes`: for a copy,
    the collections that are home to what it is copied along.
    """

    check: CompiledCheck
    freshness: Freshness
    path: str | None = None
    searches: tuple[CompiledSearch, ...] = ()
    shared: CompiledShared | None = None
    homes: frozenset[str] = frozenset()

    @property
    def id(self) -> str:
        """The id of the upkeep."""
        return self.check.check.id

    @property
    def collection(self) -> str:
        """The collection whose documents hold the copy or computed value."""
        return self.check.check.collection


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """Everything the background keeps right for a design. `name` and `fingerprint` tell it from other designs."""

    name: str
    fingerprint: str
    kept: tuple[BackgroundUpkeep, ...]
    routes: tuple[CompiledRoute, ...]

    @property
    def collections(self) -> tuple[str, ...]:
        """The collections whose changes matter."""
        return tuple(sorted({each.route.collection for each in self.routes}))

    @property
    def touching(self) -> Mapping[str, frozenset[str]]:
        """For each collection, the stored paths whose change matters to some route."""
        found: dict[str, frozenset[str]] = {}
        for each in self.routes:
            name = each.route.collection
            found[name] = found.get(name, frozenset()) | each.route.paths | each.route.nodes
        return found

    @property
    def imaged(self) -> tuple[str, ...]:
        """The collections that can be followed precisely only with the documents from before their changes."""
        return tuple(sorted({each.route.collection for each in self.routes if each.route.needs_image}))
