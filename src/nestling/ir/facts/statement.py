"""What is known of the statements a live database was seen to answer: shapes and sums, no values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime


@dataclass(frozen=True, slots=True)
class JoinFacts:
    """A `$lookup` (or `$graphLookup`) of a statement: the collection joined, and the fields of both sides; empty: none are equal.

    `also`: other fields of the collection joined that are compared for equality, by which an index could find its documents too.
    """

    collection: str
    local: str = ""
    foreign: str = ""
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldPattern:
    """A regular expression held against a field."""

    field: str
    ignores_case: bool
    anchored: bool


@dataclass(frozen=True, slots=True)
class Projection:
    """What a read takes of a document: these top-level fields, or (`but`) all except these."""

    fields: tuple[str, ...]
    but: bool = False

    def takes(self, field: str) -> bool:
        """Whether it takes a field."""
        return (field in self.fields) is not self.but


@dataclass(frozen=True, slots=True)
class ConditionBranch:
    """A branch of a condition: the fields it compares, equalities first, and how many of them are equalities."""

    filters: tuple[str, ...]
    equalities: int


@dataclass(frozen=True, slots=True)
class LastSeen:
    """A statement's latest execution: when it was (ISO 8601 with its zone), what was examined and returned, and by which plan."""

    time: str
    examined: int
    returned: int
    plan: str = ""

    @property
    def moment(self) -> datetime:
        """The time as one."""
        return datetime.fromisoformat(self.time)


@dataclass(frozen=True, slots=True)
class StatementFacts:
    """A shape of statement: how often it was seen, what it filters and sorts by, and the server's work for it, in sums.

    `operation`: find, aggregate, count, distinct, update, remove or insert. `filters`: fields compared in every document found,
    equalities first; `equalities`: how many of them are. `branches`: the branches of its `$or`, one of which must hold too; empty
    if it has none, or if one of them compares no field. These and `sort` are what an index can serve: fields of the collection,
    not those that a pipeline makes. `collation`: its strength, 0 without one. `followed`: the collections in which the
    application then looked up values of the answers, and after how many of the executions: joins it makes itself. `taken`: what
    reads used of a document, and how many times; empty if unknown. `scripts`: operators of the statement that run JavaScript.
    `gathers`: an answer is made of many documents, such as their count, so that `returned` does not show how many matched.
    `by_client`: a client recorded it, which does not know what the server examined, and whose seconds last until it had the
    answer. `last`: its latest execution, None if times were not recorded. `matched`: for a statement that gathers, the share of
    the collection's documents that its latest condition selects, by a sample; None if that was not measured.
    """

    database: str
    collection: str
    operation: str
    count: int
    filters: tuple[str, ...] = ()
    equalities: int = 0
    sort: tuple[tuple[str, int], ...] = ()
    joins: tuple[JoinFacts, ...] = ()
    patterns: tuple[FieldPattern, ...] = ()
    collation: int = 0
    documents_examined: int = 0
    keys_examined: int = 0
    returned: int = 0
    seconds: float = 0.0
    collection_scans: int = 0
    followed: tuple[tuple[str, int], ...] = ()
    taken: tuple[tuple[Projection, int], ...] = ()
    scripts: tuple[str, ...] = ()
    gathers: bool = False
    by_client: bool = False
    branches: tuple[ConditionBranch, ...] = ()
    last: LastSeen | None = None
    matched: float | None = None

    @property
    def compared(self) -> tuple[str, ...]:
        """All fields it compares, those of its `$or` last."""
        return tuple(dict.fromkeys((*self.filters, *(name for each in self.branches for name in each.filters))))

    @property
    def namespace(self) -> str:
        """The namespace, `database.collection`."""
        return f"{self.database}.{self.collection}"

    def with_work(self, measured: StatementFacts) -> StatementFacts:
        """What a client counted, with the work that the server measured each time; it took no longer than the client waited."""
        factor = self.count / max(measured.count, 1)
        return replace(
            self,
            documents_examined=round(measured.documents_examined * factor),
            keys_examined=round(measured.keys_examined * factor),
            returned=round(measured.returned * factor),
            seconds=min(self.seconds, measured.seconds * factor) if measured.seconds else self.seconds,
            collection_scans=round(measured.collection_scans * factor),
            by_client=False,
            last=measured.last,
        )

    @property
    def pattern(self) -> StatementFacts:
        """The statement with nothing counted: equal for two that differ only in how often they were seen."""
        return replace(
            self,
            count=0,
            documents_examined=0,
            keys_examined=0,
            returned=0,
            seconds=0.0,
            by_client=False,
            collection_scans=0,
            followed=(),
            taken=(),
            last=None,
            matched=None,
        )
