"""A relaxation that grows: products are added when a solution violates their lower bound, which hardly any ever does.

A product that is not in the model costs nothing: each solution's cost is a bound, and one without violations is the whole
model's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nestling.optimizer.linear_model import Floats, Integers, LinearModel

BROKEN = 1e-9
"""Tolerance for a product below its lower bound."""


@dataclass(frozen=True, slots=True)
class StoredRows:
    """Rows over the columns that are in the model so far, as `LinearModel` stores them."""

    lower: Floats
    upper: Floats
    starts: Integers
    columns: Integers
    values: Floats


class GrowingModel:
    """The part of the model `of` that is in its relaxation so far, and the rest."""

    def __init__(self, model: LinearModel) -> None:
        self.of, self._waiting = model, model.products
        self._column_of_waiting = model.columns[model.starts[model.products]]
        is_in = np.ones(len(model.cost), dtype=np.bool_)
        is_in[self._column_of_waiting] = False
        self.columns = np.flatnonzero(is_in).astype(np.int32)
        self._place = np.full(len(model.cost), -1, dtype=np.int32)
        self._place[self.columns] = np.arange(len(self.columns), dtype=np.int32)

    @property
    def cost(self) -> Floats:
        """Of each column that is in."""
        found: Floats = self.of.cost[self.columns]
        return found

    def rows(self) -> StoredRows:
        """The rows that are in."""
        is_in = np.ones(len(self.of.lower), dtype=np.bool_)
        is_in[self._waiting] = False
        return self._rows(np.flatnonzero(is_in).astype(np.int32))

    def model(self) -> LinearModel:
        """The included part as a model of its own; its columns are `columns`, structures first."""
        rows, none = self.rows(), np.zeros(0, dtype=np.int32)
        binary = self.of.binary
        return LinearModel(self.cost, binary, rows.lower, rows.upper, rows.starts, rows.columns, rows.values, none)

    def add(self, solution: Floats) -> StoredRows | None:
        """Add what a solution violates. Return its rows, with one more column for each, or None if there is no violation."""
        if not len(self._waiting):
            return None
        values = self.whole(solution)
        starts, columns, coefficients = self.of.entries(self._waiting)
        sums = np.add.reduceat(coefficients * values[columns], starts)
        broken = sums < self.of.lower[self._waiting] - BROKEN
        if not broken.any():
            return None
        rows, added = self._waiting[broken], self._column_of_waiting[broken]
        self._waiting, self._column_of_waiting = self._waiting[~broken], self._column_of_waiting[~broken]
        self._place[added] = np.arange(len(self.columns), len(self.columns) + len(added), dtype=np.int32)
        self.columns = np.concatenate((self.columns, added))
        return self._rows(rows)

    def whole(self, solution: Floats, otherwise: Floats | None = None) -> Floats:
        """Values of the included columns as values of all: the others are 0, or as in `otherwise`."""
        values = np.zeros(len(self.of.cost)) if otherwise is None else otherwise.copy()
        values[self.columns] = solution
        return values

    def _rows(self, rows: Integers) -> StoredRows:
        starts, columns, values = self.of.entries(rows)
        return StoredRows(self.of.lower[rows], self.of.upper[rows], starts, self._place[columns], values)
