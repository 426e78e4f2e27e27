"""Verifies a load by an independent read-back: the homes must yield exactly the source's rows.

Both sides are read once and fingerprinted. Only if the fingerprints differ are the rows of the differing partitions read again
and compared value by value; a mere difference in storage (a 64-bit 5 for a 32-bit one) does not count. Only reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, NamedTuple

from pymongo.database import Database

from nestling.common.connection import address, typed_errors
from nestling.executors.difference import Kind, RowComparison, RowDifference, Side
from nestling.executors.fingerprint import RawRow, fingerprint, partition
from nestling.executors.progress import ReportProgress, RowCounter
from nestling.executors.read import decode_raw, read_raw, row_decoder
from nestling.ir.model import Entity, Model
from nestling.ir.programs.command import Aggregation
from nestling.ir.quantity_words import counted, cut
from nestling.ir.rows import Row, RowColumn, RowQuery, RowSource
from nestling.ir.value_forms.canonical import RowEncoder, row_encoder
from nestling.ir.values import Policy

SHOWN_DIFFERENCES = 100


class EntityVerdict(NamedTuple):
    """Rows the source has of an entity, how many of them are changed or missing, and how many MongoDB has beyond them."""

    rows: int
    differing: int = 0
    extra: int = 0

    @property
    def equal(self) -> bool:
        """Whether both sides have the same rows."""
        return not (self.differing or self.extra)


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """Whether both sides are equal, the verdict on each entity, and the first differences (`EntityVerdict` counts them all).

    `left_out`: tables and columns of the source that the design does not hold and that were therefore not compared.
    """

    equal: bool
    entities: Mapping[str, EntityVerdict]
    differences: tuple[RowDifference, ...]
    seconds: float
    left_out: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        from nestling.ir.words.notebook import block, list_of, paragraph, table

        rows = counted(sum(each.rows for each in self.entities.values()), "row")
        columns = ("entity", "rows", "differing or missing", "not in the source")
        told = ((name, f"{v.rows:,}", f"{v.differing:,}", f"{v.extra:,}") for name, v in self.entities.items())
        return block(
            table("Verified" if self.equal else "NOT equal", columns, told),
            table("First differences", ("entity", "what", "key", "attribute", "expected", "found"), self._told()),
            list_of("Left out", self.left_out),
            paragraph(f"{rows} {'read back equal' if self.equal else 'compared'} in {self.seconds:.1f} s."),
        )

    def _told(self) -> Iterator[tuple[str, ...]]:
        """The differences as cells; values are written as in Python, so that texts and numbers look different."""
        for each in self.differences:
            key, *sides = ("NULL" if value is None else repr(value) for value in (each.key, each.expected, each.found))
            yield each.entity, str(each.kind), key, each.attribute or "", *map(cut, sides)


def verify(
    model: Model,
    homes: Mapping[str, Aggregation],
    source: RowSource,
    database: Database[Any],
    *,
    policy: Policy | None = None,
    report: ReportProgress | None = None,
    shown: int = SHOWN_DIFFERENCES,
) -> VerifyReport:
    """Compare every entity's rows in `source` with those that its home view yields from `database`.

    `homes`: the queries of the home views by entity. `policy`: that of the load. `shown`: most differences listed, apart from
    the first of each entity. Memory does not grow with the data; differing rows are sorted on disk. Raises `RebuildError` if
    rows cannot be read back, and `LoadError` if the source holds a value that no load could have stored.
    """
    verdicts, differences = dict[str, EntityVerdict](), list[RowDifference]()
    with typed_errors(address(database)), source.snapshot():
        counter = RowCounter(report, 2 * sum(source.count(entity.name) for entity in model.entities))
        for entity in model.entities:
            sides = _Sides(entity, homes[entity.name], source, database, policy or Policy(), counter)
            verdict, found = _compare(sides, max(1, shown - len(differences)))
            verdicts[entity.name] = verdict
            differences += found
    equal = all(verdict.equal for verdict in verdicts.values())
    return VerifyReport(equal, verdicts, tuple(differences), counter.seconds())


class _Sides:
    """One entity's rows, from the source and from its homes."""

    def __init__(
        self,
        entity: Entity,
        home: Aggregation,
        source: RowSource,
        database: Database[Any],
        policy: Policy,
        counter: RowCounter,
    ) -> None:
        self.entity, self.policy = entity, policy
        self._home, self._source, self._database, self._counter = home, source, database, counter
        self._encode: RowEncoder = row_encoder(entity.attribute_names, entity, policy)
        self._decode = row_decoder(entity.attribute_names, entity)

    def expected(self) -> Iterator[tuple[Row, RawRow]]:
        """Rows of the source, with the bytes the home view should yield."""
        columns = tuple(RowColumn(name) for name in self.entity.attribute_names)
        rows = self._source.rows(RowQuery(self.entity.name, columns))
        return ((row, self._encode(row)) for row in self._counter.counted(self.entity.name, rows))

    def found(self) -> Iterator[RawRow]:
        """Rows of the home view."""
        return self._counter.counted(self.entity.name, read_raw(self._database, self._home))

    def read_again(self, rows: int) -> None:
        """Expect so many more rows, because both sides are read a second time."""
        self._counter.expect(rows)

    def decode(self, raw: RawRow) -> Row:
        """A row of the home view as conceptual values."""
        return self._decode(decode_raw(raw, self._home))


def _compare(sides: _Sides, shown: int) -> tuple[EntityVerdict, list[RowDifference]]:
    expected = fingerprint(raw for _, raw in sides.expected())
    found = fingerprint(sides.found())
    differing = expected.differing(found)
    if not differing:
        return EntityVerdict(expected.rows), []
    sides.read_again(expected.rows + found.rows)
    verdict, first = EntityVerdict(expected.rows), list[RowDifference]()
    for row in _again(sides, differing):
        is_extra = row[0].kind in (Kind.EXTRA, Kind.DUPLICATE)
        verdict = EntityVerdict(verdict.rows, verdict.differing + (not is_extra), verdict.extra + is_extra)
        first += row[: max(0, shown - len(first))]
    return verdict, first


def _again(sides: _Sides, differing: frozenset[int]) -> Iterator[tuple[RowDifference, ...]]:
    """Read the rows of the differing partitions again, and say how they differ."""
    with closing(RowComparison(sides.entity, sides.policy)) as comparison:
        comparison.add(Side.EXPECTED, (row for row, raw in sides.expected() if partition(raw) in differing))
        raw_rows = (raw for raw in sides.found() if partition(raw) in differing)
        comparison.add(Side.FOUND, (sides.decode(raw) for raw in raw_rows))
        yield from comparison.differences()
