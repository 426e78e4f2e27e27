"""The streams of one merge, and what its parts share while documents are built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nestling.common.errors import LoadError, Problem
from nestling.executors.load.document_code import AnyRow, BuildGroups, NewDocument, RowKey
from nestling.executors.load.level import RowLayout, StreamLevel
from nestling.executors.load.stored_value import UnstorableError, ValueEncoders
from nestling.ir.design import Design
from nestling.ir.model import Entity
from nestling.ir.rows import RowColumn, RowPath, RowQuery, RowSource
from nestling.ir.storage.stored_forms import STORED_FORMS

SIDE = list[tuple[str, NewDocument]]
"""Documents for other collections that come up while a root document is built."""

LOAD_AGAIN = "load again with `--replace` while nothing writes to the source"


@dataclass(frozen=True, slots=True)
class Stray:
    """A row that does not belong where its stream brought it: its document for another collection."""

    store: str
    document: NewDocument


NO_GROUP: tuple[Any, list[Any]] = (object(), [])
"""What comes after the last group: no key equals its key."""


class RowStream:
    """Rows in the order of the merge, one ahead: `row` is the next one, None at the end.

    With `group`: results for the rows of one parent at a time; `key` and `found` are the next group.
    """

    __slots__ = ("_grouping", "_open", "found", "groups", "key", "row", "rows")

    def __init__(self, start: Callable[[], Iterator[AnyRow]]) -> None:
        self._open = start
        self._grouping: BuildGroups | None = None
        self.rows: Iterator[AnyRow] = iter(())
        self.row: AnyRow | None = None
        self.groups: Iterator[tuple[Any, list[Any]]] = iter(())
        self.key, self.found = NO_GROUP

    def group(self, grouping: BuildGroups) -> None:
        """Read the rows grouped by parents."""
        self._grouping = grouping

    def start(self) -> None:
        """Begin to read."""
        self.rows = self._open()
        if self._grouping is None:
            self.row = next(self.rows, None)
        else:
            self.groups = self._grouping(self.rows)
            self.key, self.found = next(self.groups, NO_GROUP)

    @property
    def is_at_end(self) -> bool:
        """Whether every row has been taken."""
        return self.row is None and self.key is NO_GROUP[0]


class Merge:
    """One root stream and all streams below it.

    - `loaded` counts rows by entity whose home is in the documents built. `side` collects documents for other collections,
      `strays` counts pending ones of elements.
    - `after`: the root key to continue after; the first `key_width` columns of a root row are that key.
    - `moment` is stored as the date of computation. `tells_forms`: the source has a column with the stored forms of values.
    - `again`: what helps where the source has changed in the meantime.
    """

    def __init__(
        self,
        design: Design,
        source: RowSource,
        values: ValueEncoders,
        moment: datetime,
        after: RowKey | None,
        loaded: Counter[str],
        *,
        tells_forms: bool = False,
        again: str = LOAD_AGAIN,
    ) -> None:
        self.design, self.model, self.source, self.values = design, design.model, source, values
        self.moment, self.after = moment, after
        self.loaded, self._tells_forms, self._again = loaded, tells_forms, again
        self.side: SIDE = []
        self.strays = 0
        self.key_width = 0
        self._streams: list[tuple[RowStream, str]] = []

    def stream(self, query: RowQuery, absent: int | None = None) -> RowStream:
        """A stream below the root; rows whose column `absent` is not NULL belong to another merge."""

        def start() -> Iterator[AnyRow]:
            rows = self.source.rows(query)
            return rows if absent is None else (row for row in rows if row[absent] is None)

        stream = RowStream(start)
        self._streams.append((stream, query.entity))
        return stream

    def read(self, level: StreamLevel, columns: tuple[RowColumn, ...]) -> tuple[RowStream, RowLayout]:
        """A stream of a level's rows with these columns (after the identifying ones), and where each column is."""
        absent = () if level.absent is None else (level.absent,)
        layout = RowLayout((*level.identity, *columns, *absent))
        query = RowQuery(level.entity, layout.columns, level.identity, level.inner, self.after)
        return self.stream(query, None if level.absent is None else layout[level.absent]), layout

    def columns(self, of: Iterable[RowColumn]) -> tuple[RowColumn, ...]:
        """The columns with values for documents, and for each row's path the column with stored forms, if there is one."""
        columns = tuple(of)
        stored = (RowColumn(STORED_FORMS.name, path) for path in dict.fromkeys(each.path for each in columns))
        return (*columns, *stored) if self._tells_forms else columns

    @property
    def has_streams(self) -> bool:
        """Whether root rows hold anything from other streams."""
        return bool(self._streams)

    def settle(self, elements: list[Any]) -> list[Any]:
        """The elements without the strays among them, which go to their collections."""
        kept = []
        for element in elements:
            if element.__class__ is Stray:
                self.strays -= 1
                self.side.append((element.store, element.document))
            else:
                kept.append(element)
        return kept

    def start(self) -> None:
        """Start reading every stream, when there is a first root row."""
        for stream, _ in self._streams:
            stream.start()

    def check_exhausted(self) -> None:
        """Every row of every stream must have found its place; raises `LoadError` otherwise."""
        for stream, entity in self._streams:
            if not stream.is_at_end:
                what = f"rows of `{entity}` belong to no row that was read: the source changed in the meantime"
                raise LoadError(Problem(what, next_move=self._again))


def located_error(
    error: UnstorableError, entity: Entity, layout: RowLayout, row: AnyRow, path: RowPath = ()
) -> LoadError:
    """The error of a value that cannot be stored, naming the row and the attribute."""
    where = f"{row_name(entity, layout, row, path)}, attribute `{error.attribute}`"
    return LoadError(Problem(error.problem.what, where=where, next_move=error.problem.next_move))


def row_name(entity: Entity, layout: RowLayout, row: AnyRow, path: RowPath = ()) -> str:
    """A readable name of a row: `movie (id 12)`; its columns are at `path`."""
    names = [name for name in entity.key or entity.attribute_names[:3] if RowColumn(name, path) in layout]
    return f"{entity.name} ({', '.join(f'{name} {row[layout[RowColumn(name, path)]]!r}' for name in names)})"
