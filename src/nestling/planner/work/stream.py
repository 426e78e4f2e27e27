"""What one step of a plan gives to the next: how many rows, what they hold, and the work done so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from nestling.ir.paths.work import NO_WORK, Work
from nestling.ir.statements.clause import Clause
from nestling.ir.statements.expression import Expression
from nestling.ir.statements.operators import Collation
from nestling.ir.storage.bounds import FRAMING_BYTES
from nestling.planner.known.ranges import Span
from nestling.planner.known.values import PathStatistics
from nestling.planner.work.average_documents import AverageDocuments

AHEAD_BYTES = 4 * 1024 * 1024
"""What the server reads of a collection before it hands the first document to a stage that it does not plan with the reading."""
HELD_BYTES = 110
"""What a document takes there beside the values of its fields (6.0.5: 118 bytes with a number, 429 with 300 bytes of text)."""


class Use(Enum):
    """What an index can do for a condition."""

    EQUAL = auto()
    RANGE = auto()
    NONE = auto()


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition on a collection's documents: the path it is about, the share it keeps, and what it costs.

    With an index on the path it takes so many seeks, and meets so many entries per document of the collection; testing it on one
    document has a `weight` and `patterns`. `span`: for a range the part of the values it lets through, if known. `either`: for an
    OR the conditions of each side, for which an index may serve. `clause`: the condition without parameters. `same`: conditions
    that one and the same of a document's `elements` must meet, as shares of elements. `among`: it requires an element of the
    array at the path, so that two of them require two. `varies`: it compares with a value of an outer row, by which no range of
    compound `_id`s is used.
    """

    path: str
    use: Use
    share: float
    seeks: float = 1.0
    entries: float = 0.0
    weight: float = 1.0
    patterns: float = 0.0
    span: Span | None = None
    either: tuple[tuple[Condition, ...], ...] = ()
    clause: Clause | None = None
    same: tuple[Condition, ...] = ()
    elements: float = 1.0
    among: bool = False
    varies: bool = False


@dataclass(frozen=True, slots=True)
class Leading:
    """A collection about to be read: conditions may still join in, and the server then chooses how.

    `collation`: by which the read compares texts.
    """

    collection: str
    documents: AverageDocuments
    conditions: tuple[Condition, ...] = ()
    identity: tuple[str, ...] = ()
    mentioned: frozenset[str] = frozenset()
    collation: Collation = Collation.BINARY


@dataclass(frozen=True, slots=True)
class ReadAhead:
    """What the server reads of a collection at once, for rows that are looked at one by one behind it.

    `work`: of reading all that is asked for. Of it the server reads no less than the share `one`, a whole document; with a
    lookup behind it no less than the share `batch`.
    """

    work: Work
    batch: float
    one: float


@dataclass(frozen=True, slots=True)
class Stream:
    """Rows on their way. `fixed` is done before the first row leaves, `flow` as far as rows are asked for.

    `bytes` of one row; `known` and `arrays` as in `AverageDocuments`; `asked`: the share kept already by a condition
    that is asked again, or by an equality on a path. `ahead`: what of `flow` a limit ends only behind a whole document, or behind
    a whole batch once a lookup stands `between` both.
    """

    rows: float
    bytes: float
    known: Mapping[str, PathStatistics]
    arrays: Mapping[str, float]
    fixed: Work = NO_WORK
    flow: Work = NO_WORK
    leading: Leading | None = None
    asked: Mapping[Expression | str, float] = field(default_factory=dict)
    ahead: ReadAhead | None = None
    between: bool = False

    @property
    def work(self) -> Work:
        """All of it, when every row is taken."""
        return self.fixed + self.flow

    def then(self, work: Work, *, rows: float | None = None) -> Stream:
        """With more work done as rows flow, and as many rows as that leaves."""
        return replace(self, flow=self.flow + work, rows=self.rows if rows is None else rows)

    def read(self, rows: float, work: Work) -> Stream:
        """The stream after its collection is read: so many of the possible rows exist."""
        share = min(rows / self.rows, 1.0) if self.rows > 0 else 1.0
        known = {path: each.of_share(share) for path, each in self.known.items()}
        one = 1 / max(rows, 1.0)
        ahead = ReadAhead(work, self._read_at_once(rows), one) if self.leading is not None else None
        return replace(self, leading=None, rows=rows, flow=work, known=known, ahead=ahead)

    def _read_at_once(self, rows: float) -> float:
        """The share of so many rows of the collection that is in one batch: of a document what the plan mentions is held."""
        assert self.leading is not None
        mentioned = [each for path, each in self.leading.documents.known.items() if path in self.leading.mentioned]
        held = HELD_BYTES + sum(each.each * (each.bytes + FRAMING_BYTES) for each in mentioned)
        return min(AHEAD_BYTES / held / rows, 1.0) if rows > 0 else 1.0

    def parsing(self, nodes: float) -> Stream:
        """With expressions of that size taken in."""
        return replace(self, fixed=self.fixed + Work(nodes=nodes))

    def blocked(self, work: Work) -> Stream:
        """With work that needs all rows before it yields the first."""
        return replace(self, fixed=self.fixed + self.flow + work, flow=NO_WORK, ahead=None)

    def looked_up(self) -> Stream:
        """With a lookup behind what is read in batches."""
        return replace(self, between=self.ahead is not None)

    def at_once(self) -> Stream:
        """With what was done to the rows so far done to a whole batch, too."""
        return replace(self, ahead=replace(self.ahead, work=self.flow)) if self.ahead is not None else self

    def taken(self, wanted: float) -> Stream:
        """Only the first `wanted` rows, so that what flows stops early."""
        share = min(1.0, wanted / self.rows) if self.rows > 0 else 1.0
        flow = self.flow * share
        if self.ahead is not None:
            least = self.ahead.batch if self.between else self.ahead.one
            flow += self.ahead.work * max(least - share, 0.0)
        return replace(self, rows=min(self.rows, wanted), flow=flow, ahead=None)


def under(prefix: str, paths: Mapping[str, PathStatistics]) -> dict[str, PathStatistics]:
    """The paths as they are inside a field."""
    return {f"{prefix}.{path}" if path else prefix: known for path, known in paths.items()}
