"""Counting statements as they come, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nestling.ir.capture.application_joins import Follower
from nestling.ir.capture.capture import Capture, CaptureKind, ShapeTotals
from nestling.ir.capture.clauses import LOGICAL
from nestling.ir.capture.shape import CommandShape
from nestling.ir.facts.collection import Skipped
from nestling.ir.facts.statement import LastSeen
from nestling.ir.quantity_words import counted

MOST_SHAPES = 1_000
"""Shapes that are counted separately; all others are counted together."""


@dataclass(slots=True)
class Sums:
    """What one statement came to: see `ShapeTotals`."""

    seconds: float = 0.0
    documents_examined: int = 0
    keys_examined: int = 0
    returned: int = 0
    written: int = 0
    listed: int = 0
    collection_scans: int = 0


@dataclass(slots=True)
class _Row:
    count: float = 0.0
    sums: Sums = field(default_factory=Sums)
    samples: tuple[tuple[str, object], ...] = ()
    last: LastSeen | None = None
    most_written: int = 0


@dataclass(slots=True)
class Tally:
    """Counts by shape."""

    kind: CaptureKind
    follower: Follower = field(default_factory=Follower)
    rows: dict[CommandShape, _Row] = field(default_factory=dict)
    beyond: float = 0.0
    left_out: dict[str, Skipped] = field(default_factory=dict)

    def add(self, shape: CommandShape, sums: Sums, count: float = 1.0) -> bool:
        """Count a statement; False when there are too many shapes to count this one by itself."""
        row = self.rows.get(shape)
        if row is None:
            if len(self.rows) >= MOST_SHAPES:
                self.beyond += count
                return False
            row = self.rows[shape] = _Row()
        row.count += count
        total = row.sums
        total.seconds += sums.seconds
        total.documents_examined += sums.documents_examined
        total.keys_examined += sums.keys_examined
        total.returned += sums.returned
        total.written += sums.written
        row.most_written = max(row.most_written, sums.written)
        total.listed += sums.listed
        total.collection_scans += sums.collection_scans
        return True

    def sample(self, shape: CommandShape, values: Iterable[tuple[str, object]]) -> None:
        """Keep these values for a shape that has none."""
        row = self.rows.get(shape)
        if row is not None and not row.samples:
            row.samples = tuple(values)

    def see(self, shape: CommandShape, last: LastSeen) -> None:
        """Note the latest execution of a shape that is counted."""
        if (row := self.rows.get(shape)) is not None:
            row.last = last

    def skip(self, what: str, why: str) -> None:
        """Note something that is left out."""
        self.left_out.setdefault(what, Skipped(what, why))

    def capture(self, window_seconds: float) -> Capture:
        """The counted shapes, most frequent first."""
        notes = list(self.left_out.values())
        if self.beyond:
            why = f"more than {MOST_SHAPES:,} different shapes"
            notes.append(Skipped(counted(self.beyond, "statement"), why))
        rows = sorted(self.rows.items(), key=lambda item: -item[1].count)
        seen = tuple(
            ShapeTotals(
                shape,
                row.count,
                *_values(row.sums),
                samples=row.samples,
                times=row.count,
                last=row.last,
                most_written=row.most_written,
            )
            for shape, row in rows
        )
        return Capture(self.kind, window_seconds, seen, self.follower.follows(), tuple(notes))


def _values(sums: Sums) -> tuple[float, int, int, int, int, int, int]:
    return (
        sums.seconds,
        sums.documents_examined,
        sums.keys_examined,
        sums.returned,
        sums.written,
        sums.listed,
        sums.collection_scans,
    )


def list_values(command: Mapping[str, Any], place: int = 0) -> int:
    """Values in the `$in`, `$nin` and `$all` lists of a command's filters, without nulls, which are no parameters.

    `place`: of which of the command's several statements.
    """
    several = command.get("updates", command.get("deletes"))
    is_one = isinstance(several, list | tuple) and place < len(several) and isinstance(several[place], Mapping)
    return sum(sum(value is not None for value in each) for each in lists_of(several[place] if is_one else command))


def lists_of(command: Mapping[str, Any]) -> Iterator[Sequence[Any]]:
    """The `$in`, `$nin` and `$all` lists of a command's filter, its array filters and its `$pull`."""
    yield from _lists(command.get("filter") or command.get("query") or command.get("q") or _first_match(command))
    several, change = command.get("arrayFilters"), command.get("u", command.get("update"))
    for each in several if isinstance(several, list | tuple) else ():
        yield from _lists(each)
    yield from _lists(change.get("$pull") if isinstance(change, Mapping) else None)


def _lists(found: object) -> Iterator[Sequence[Any]]:
    for name, each in found.items() if isinstance(found, Mapping) else ():
        if name in ("$in", "$nin", "$all"):
            yield from [each] if isinstance(each, list | tuple) else []
        elif name in LOGICAL:
            for alternative in each if isinstance(each, list | tuple) else ():
                yield from _lists(alternative)
        elif not str(name).startswith("$") or name in ("$not", "$elemMatch"):
            yield from _lists(each)


def _first_match(command: Mapping[str, Any]) -> object:
    pipeline = command.get("pipeline")
    first = pipeline[0] if isinstance(pipeline, list) and pipeline else None
    return first.get("$match") if isinstance(first, Mapping) else None
