"""A few rows of the old design in a small temporary database, from which the loader derives documents as usual."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from hashlib import blake2b
from typing import Protocol

from nestling.common.errors import Problem, RowRefused
from nestling.ir.model import Entity, Model
from nestling.ir.rows import JSON_NULL, RefusedValues, Row, RowSource
from nestling.ir.storage.stored_forms import AttributesOf, all_with_stored
from nestling.ir.value_forms.canonical import RowEncoder, canonical_encoder
from nestling.ir.values import Policy

WRITTEN_ROWS = 1_000


class Shelf(Protocol):
    """A place for rows that can be read as a source afterwards, again and again."""

    def empty(self) -> None:
        """Have no rows; comes before rows are written."""

    def write(self, entity: Entity, rows: Sequence[Row]) -> None:
        """Add rows, each a tuple of conceptual values in attribute order."""

    def refused(self, entity: Entity, rows: Sequence[Row]) -> Iterator[RefusedValues]:
        """The values of rows that `write` would refuse, all of them; adds nothing."""

    def source(self) -> RowSource:
        """The rows that were written."""


OpenShelf = Callable[[Model], AbstractContextManager[Shelf]]
"""Opens a place for rows of a model."""


class Spool:
    """Rows by entity, each as often as it exists, however often it is fetched. Only what is in the model `kept` is stored.

    The storage has a column for the stored forms of a row's values. A null in place of json is refused unless its attribute is
    in `nulls`, and so is a NULL of a `required` one.
    """

    def __init__(
        self, model: Model, kept: Model, shelf: Shelf, policy: Policy, *, nulls: AttributesOf, required: AttributesOf
    ) -> None:
        self._kept, self._shelf, self._policy, self._nulls, self._required = kept, shelf, policy, nulls, required
        self._places = {
            each.name: [model.entity(each.name).attribute_names.index(name) for name in each.attribute_names]
            for each in kept.entities
        }
        self._seen: dict[str, Counter[bytes]] = {}
        self._encoders: dict[str, tuple[RowEncoder, list[int]]] = {}
        self._written = all_with_stored(kept)
        shelf.empty()

    def add(self, entity: str, rows: Iterable[Row]) -> Iterator[Row]:
        """Write the rows of one query; yields all of them, including those that existed already."""
        kind, places, brought = self._kept.entity(entity), self._places[entity], Counter[bytes]()
        written, nulls = self._written.entity(entity), self._nulls.get(entity, frozenset())
        required = self._required.get(entity, frozenset())
        seen, batch = self._seen.setdefault(entity, Counter()), list[Row]()
        for whole in rows:
            row = (*(whole[place] for place in places), whole[-1])
            mark = self._mark(kind, row)
            brought[mark] += 1
            if brought[mark] > seen[mark] and not (kind.key and seen[mark]):
                seen[mark] += 1
                _require_told(kind, row, nulls)
                _require_values(kind, row, required)
                batch.append(row)
                if len(batch) == WRITTEN_ROWS:
                    self._shelf.write(written, batch)
                    batch = []
            yield whole
        if batch:
            self._shelf.write(written, batch)

    def _mark(self, entity: Entity, row: Row) -> bytes:
        """What identifies a row: its key, or else all of it."""
        known = self._encoders.get(entity.name)
        if known is None:
            written = self._written.entity(entity.name)
            names = entity.key or written.attribute_names
            places = [written.attribute_names.index(name) for name in names]
            known = self._encoders[entity.name] = (canonical_encoder(names, written, self._policy), places)
        encode, places = known
        return blake2b(encode([row[place] for place in places]), digest_size=16).digest()


def _require_told(entity: Entity, row: Row, nulls: frozenset[str]) -> None:
    """Refuse a null in place of json for which the new design has no field: a column has the text `null` for it."""
    for name, value in zip(entity.attribute_names, row, strict=False):
        if value is JSON_NULL and name not in nulls:
            problem = Problem(f"`{name}`, which is stored as json, is null, and would become a text", where=entity.name)
            raise RowRefused(problem, entity=entity.name, row=row, attribute=name)


def _require_values(entity: Entity, row: Row, required: frozenset[str]) -> None:
    """Refuse a NULL that no document may have."""
    for name, value in zip(entity.attribute_names, row, strict=False):
        if value is None and name in required:
            problem = Problem(f"`{name}` is null or missing, which the design does not allow", where=entity.name)
            raise RowRefused(problem, entity=entity.name, row=row, attribute=name)
