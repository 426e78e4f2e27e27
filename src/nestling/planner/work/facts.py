"""What an estimate rests on: the design, the statistics, and the values of parameters where they are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from nestling.ir.design import Design
from nestling.ir.indexes.planned_index import PlannedIndex
from nestling.ir.indexes.planned_indexes import planned_indexes
from nestling.ir.statements.expression import Expression, Literal, Parameter
from nestling.ir.statements.operators import Collation
from nestling.ir.statistics import Statistics
from nestling.ir.storage.layout import StoredCollection
from nestling.planner.known.values import PathStatistics
from nestling.planner.work.average_documents import NO_DOCUMENTS, AverageDocuments, documents_of, native_events
from nestling.planner.work.cold_reads import HELD, ColdShares

UNKNOWN_LIMIT = 20.0
"""Rows taken to be asked for by a LIMIT whose parameter nobody gave."""


@dataclass(frozen=True, slots=True)
class Probe:
    """What a lookup asks of the collection its steps scan first: `path` equal to a value that takes `distinct` values outside."""

    path: str
    distinct: float | None


@dataclass(frozen=True, slots=True)
class WorkFacts:
    """What the work of a plan is estimated from.

    `values`: sample values of parameters, by name. `probe`: set while the steps of a lookup are counted. `mentioned`: every path
    that the plan uses, as it is in some collection's documents. `cold`: the rows that the cache does not hold. `collation`: by
    which the plan compares texts. `outer`: what is known of the values of a lookup's variables, from the rows around it.
    """

    design: Design
    statistics: Statistics
    values: Mapping[str, object] = field(default_factory=dict)
    probe: Probe | None = None
    mentioned: frozenset[str] = frozenset()
    cold: ColdShares = HELD
    collation: Collation = Collation.BINARY
    outer: Mapping[str, PathStatistics] = field(default_factory=dict)
    _documents: dict[str, AverageDocuments] = field(default_factory=dict, repr=False, compare=False)
    _built: dict[str, tuple[PlannedIndex, ...]] = field(default_factory=dict, repr=False, compare=False)

    def asking(self, probe: Probe | None) -> WorkFacts:
        """The facts for the steps of a lookup."""
        return replace(self, probe=probe)

    def beside(self, variables: Mapping[str, PathStatistics]) -> WorkFacts:
        """The facts inside a lookup that has such variables."""
        return replace(self, outer={**self.outer, **variables}) if variables else self

    def documents(self, collection: str) -> AverageDocuments:
        """The documents of a collection; none when the design has no such collection."""
        if collection not in self._documents:
            store = next((each for each in self.design.stores if each.name == collection), None)
            found = NO_DOCUMENTS if store is None else documents_of(store, self.design, self.statistics)
            self._documents[collection] = replace(found, cold=self._cold(store) if store is not None else 0.0)
        return self._documents[collection]

    def _cold(self, store: StoredCollection) -> float:
        """The share of its documents that are read from disk, one at a time; events of a time series are read by the bucket."""
        share = self.cold.of({node.entity for node in store.nodes()})
        return share / native_events(store, self.design.model, self.statistics)

    def built(self, collection: str) -> tuple[PlannedIndex, ...]:
        """The indexes there are on a collection, those besides the design's own among them; that on `_id` left out."""
        if collection not in self._built:
            every = planned_indexes(self.design)
            names = {*(each.collection for each in every), collection}
            self._built.update((name, tuple(each for each in every if each.collection == name)) for name in names)
        return self._built[collection]

    def is_unique(self, collection: str, path: str) -> bool:
        """Whether a path's values are all different."""
        return path == "_id" or any(
            index.unique and index.collection == collection and [key for key, _ in index.keys] == [path]
            for index in self.design.indexes
        )

    def number(self, expression: Expression | None, otherwise: float) -> float:
        """The number a literal or parameter is, `otherwise` when it is not known."""
        return number(expression, self.values, otherwise)


def number(expression: Expression | None, values: Mapping[str, object], otherwise: float) -> float:
    """The number a literal or parameter is, by these values of parameters; `otherwise` when it is not known."""
    value = values.get(expression.name) if isinstance(expression, Parameter) else None
    value = expression.value if isinstance(expression, Literal) else value
    return float(value) if isinstance(value, int | float) else otherwise
