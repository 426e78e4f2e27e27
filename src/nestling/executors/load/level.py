"""The position of a node's rows in a merge: which columns identify their parent, and their order.

Every stream of a merge is ordered by the columns that identify the rows above it, before its own order. So the rows of one
parent are adjacent and in the order of the parents, and a merge only needs to test whether key values are *equal*; only the
database knows which of two texts is greater.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from nestling.ir.model import Entity, Model
from nestling.ir.rows import RowColumn, RowPath


@dataclass(frozen=True, slots=True)
class StreamLevel:
    """Columns as seen from `entity`: `prefix` identifies the row above, `own` this row within it.

    `inner`: the paths along which rows above must exist. `absent`: a column that must be NULL: the topmost row is an orphan,
    and only rows below such orphans are wanted.
    """

    entity: str
    prefix: tuple[RowColumn, ...] = ()
    own: tuple[RowColumn, ...] = ()
    inner: tuple[RowPath, ...] = ()
    absent: RowColumn | None = None

    @property
    def identity(self) -> tuple[RowColumn, ...]:
        """The columns that identify a row of this level."""
        return self.prefix + self.own

    def seen_from(self, entity: str, hops: RowPath, own: Iterable[RowColumn]) -> StreamLevel:
        """The level of rows of `entity` that belong to rows of this one, which is at the end of `hops`."""
        return StreamLevel(
            entity,
            tuple(lift(column, hops) for column in self.identity),
            tuple(own),
            (*steps_of(hops), *(hops + path for path in self.inner)),
            None if self.absent is None else lift(self.absent, hops),
        )


class RowLayout:
    """The columns a stream reads, each once, and where each is in its rows."""

    def __init__(self, columns: Iterable[RowColumn]) -> None:
        self.columns = tuple(dict.fromkeys(columns))
        self._places = {column: place for place, column in enumerate(self.columns)}

    def __getitem__(self, column: RowColumn) -> int:
        return self._places[column]

    def __contains__(self, column: RowColumn) -> bool:
        return column in self._places


def lift(column: RowColumn, hops: RowPath) -> RowColumn:
    """The column as seen from where `hops` start."""
    return RowColumn(column.attribute, hops + column.path)


def steps_of(hops: RowPath) -> Iterator[RowPath]:
    """Every path on the way along `hops`."""
    return (hops[: end + 1] for end in range(len(hops)))


def own_columns(attributes: Iterable[str]) -> tuple[RowColumn, ...]:
    """Columns of the base entity, each once."""
    return tuple(RowColumn(attribute) for attribute in dict.fromkeys(attributes))


def identifying(entity: Entity) -> tuple[str, ...]:
    """Attributes that identify rows: the key, a unique group that is never NULL, or nothing."""
    for group in entity.unique_groups:
        if not any(entity.attribute(name).nullable for name in group):
            return group
    return entity.key


def total_order(entity: Entity) -> tuple[str, ...]:
    """Attributes that determine every row's position: those that identify it, or else all."""
    return identifying(entity) or entity.attribute_names


def is_keyset(entity: Entity) -> bool:
    """Whether reading can go on after a row: something identifies rows and is never NULL."""
    group = identifying(entity)
    return bool(group) and not any(entity.attribute(name).nullable for name in group)


def attribute_columns(model: Model, entity: str) -> tuple[RowColumn, ...]:
    """Every attribute of the base entity."""
    return own_columns(model.entity(entity).attribute_names)
