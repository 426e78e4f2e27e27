"""Documents as tables of hashes: one table for each node, one row for each of its documents, and no values kept.

Cells are equal exactly if their values are; a missing value is None. Whole numbers stand for themselves. Any other value is a
hash beyond all of these (`whole_numbers` ignores them), whose size means nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from bson import Code, Decimal128, Int64, ObjectId
from pymongo.database import Database

from nestling.executors.facts.drawing import drawn
from nestling.executors.facts.permitted import Asking, FoundDocument
from nestling.ir.facts import ELEMENT, OUT_OF_TIME, CollectionFacts
from nestling.ir.facts.nodes import NodeFacts, NodeForm, nodes_of
from nestling.ir.facts.structure import Columns, FieldPlace, Steps

WHOLE_UP_TO = 120_000
"""Documents of a collection that are all looked at; of more a sample is."""
SAMPLED_ROWS = 5_000
MOST_ROWS = 200_000
"""Rows kept for one node."""
MOST_BYTES = 64_000_000
"""Bytes of a collection that are all looked at."""
MOST_NODES = 400
"""Nodes of a collection that tables are made of, those nearest the document first."""

FIRST_HASH = 1 << 64
"""Cells from here on are hashes: no whole number of BSON is as large."""

HashedCell = int | None
ToldColumns = Mapping[FieldPlace, Columns]
"""What tells the rows of nodes apart."""


@dataclass(slots=True)
class HashedTable:
    """A node's rows: its columns cell by cell, and for each row the index of its parent row. `whole`: there are no others.

    `ways`: the columns by their steps from a row.
    """

    collection: CollectionFacts
    node: NodeFacts
    above: HashedTable | None
    columns: dict[Steps, list[HashedCell]]
    parents: list[int] = field(default_factory=list)
    whole: bool = True
    ways: tuple[tuple[Steps, list[HashedCell]], ...] = field(init=False)
    _lifted: dict[Steps, list[HashedCell]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        own = len(self.node.steps)
        self.ways = tuple((column[own:], cells) for column, cells in self.columns.items())

    @property
    def place(self) -> FieldPlace:
        """The place of its rows: the collection and the steps to them."""
        return self.collection.name, self.node.steps

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.parents)

    def around(self) -> Iterator[HashedTable]:
        """The enclosing tables, nearest first."""
        if self.above is not None:
            yield self.above
            yield from self.above.around()

    def cells(self, steps: Steps) -> list[HashedCell]:
        """A column of this table, or of one above it, row by row of this one; raises `KeyError`."""
        if steps in self.columns:
            return self.columns[steps]
        if steps not in self._lifted:
            if self.above is None:
                raise KeyError(steps)
            above = self.above.cells(steps)
            self._lifted[steps] = [above[place] for place in self.parents]
        return self._lifted[steps]


def tables(database: Database[FoundDocument], collection: CollectionFacts, asking: Asking) -> tuple[HashedTable, ...]:
    """The tables of a collection's nodes, each after its parent; empty if it may not be read."""
    nodes = nodes_of(collection)
    if len(nodes) > MOST_NODES:
        left = len(nodes) - MOST_NODES
        asking.skip(
            f"what {left:,} inner documents of {collection.namespace} refer to", "there are too many kinds of them"
        )
    made = _empty(collection, nodes[:MOST_NODES])
    storage = collection.storage
    whole = storage is not None and storage.documents <= WHOLE_UP_TO and storage.data_bytes <= MOST_BYTES
    pipeline = [] if whole else drawn(database, collection, SAMPLED_ROWS, asking)
    limit = asking.milliseconds()

    def read() -> bool:
        for document in database[collection.name].aggregate(pipeline, maxTimeMS=limit, batchSize=500):
            _add(made, document)
            if asking.late:
                asking.skip(f"the rows of {collection.namespace}", f"only some were read: {OUT_OF_TIME}")
                return False
        return whole

    whole = asking.ask(f"the rows of {collection.namespace}", read, otherwise=False)
    for table in made.values():
        table.whole &= whole
    return tuple(made.values())


def _empty(collection: CollectionFacts, nodes: Sequence[NodeFacts]) -> dict[Steps, HashedTable]:
    made: dict[Steps, HashedTable] = {}
    for node in nodes:
        above = made.get(node.above) if node.above is not None else None
        if node.above is None or above is not None:
            columns: dict[Steps, list[HashedCell]] = {column.steps: [] for column in node.columns if not column.why}
            made[node.steps] = HashedTable(collection, node, above, columns)
    return made


def _add(made: Mapping[Steps, HashedTable], document: FoundDocument) -> None:
    """One document: its rows are added to the tables of all nodes, level by level."""
    found: dict[Steps, list[tuple[int, Any]]] = {(): [(0, document)]}
    for steps, table in made.items():
        rows = found.pop(steps) if steps in found and not steps else list(_rows(table, found))
        placed: list[tuple[int, Any]] = []
        for parent, row in rows:
            if table.rows >= MOST_ROWS:
                table.whole = False
                break
            placed.append((table.rows, row))
            table.parents.append(parent)
            for way, cells in table.ways:
                cells.append(_cell(row.get(way[0]) if len(way) == 1 and isinstance(row, dict) else _at(row, way)))
        found[steps] = placed


def _rows(table: HashedTable, found: Mapping[Steps, list[tuple[int, Any]]]) -> Iterator[tuple[int, Any]]:
    """The rows of a node in the rows above it, which are in `found`."""
    assert table.above is not None
    above, steps = table.above.node.steps, table.node.steps
    is_array = table.node.form is not NodeForm.OBJECT
    way = steps[len(above) : -1] if is_array else steps[len(above) :]
    for place, row in found.get(above, ()):
        value = _at(row, way)
        if is_array and isinstance(value, list):
            yield from ((place, each) for each in value)
        elif not is_array and isinstance(value, dict):
            yield place, value


def _at(row: Any, way: Steps) -> Any:
    for step in way:
        if step == ELEMENT or not isinstance(row, dict):
            return None
        row = row.get(step)
    return row


def _cell(value: Any) -> HashedCell:
    """A value as a cell: equal for equal numbers of any type, different for other types."""
    if (kind := type(value)) in _OFTEN:
        return FIRST_HASH + (hash((kind.__name__, value)) & (FIRST_HASH - 1))
    match value:
        case None:
            return None
        case bool():
            return _hash("bool", value)
        case int() | Int64():
            return int(value)
        case float() if value.is_integer():
            return _whole(int(value))
        case Decimal128():
            number = value.to_decimal()
            is_whole = number.is_finite() and number == number.to_integral_value()
            return _whole(int(number)) if is_whole else _hash("number", str(number))
        case Code():  # a text that cannot be hashed
            return _hash("Code", str(value), repr(value.scope))
        case str() | float() | bytes() | ObjectId() | UUID() | datetime():
            return _hash(type(value).__name__, value)
        case _:
            return _hash(type(value).__name__, repr(value))


_OFTEN = frozenset({str, ObjectId, datetime})
"""Types of values most cells are of, which are hashed as they are."""


def _whole(number: int) -> int:
    return number if -FIRST_HASH < number < FIRST_HASH else _hash("number", number)


def _hash(*parts: object) -> int:
    return FIRST_HASH + (hash(parts) & (FIRST_HASH - 1))


def whole_numbers(cells: Iterable[int]) -> frozenset[int]:
    """The cells that are whole numbers."""
    return frozenset(cell for cell in cells if cell < FIRST_HASH)
