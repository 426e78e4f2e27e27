"""A linear model under construction: columns between 0 and 1, rows between two bounds, as arrays HiGHS takes whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int32]
Term = tuple[int, float]
INFINITY = float("inf")


@dataclass(frozen=True, slots=True)
class LinearModel:
    """Minimise `cost` over columns from 0 to 1, of which the first `binary` are integers; rows are stored consecutively.

    `products`: the rows with the lower bound of a product of positive cost. Its column is the first of the row, and is in no
    other.
    """

    cost: Floats  # shape (columns,)
    binary: int
    lower: Floats  # shape (rows,)
    upper: Floats  # shape (rows,)
    starts: Integers  # shape (rows,): where each row begins in the two below
    columns: Integers  # shape (entries,)
    values: Floats  # shape (entries,)
    products: Integers  # shape (some rows,)

    def entries(self, rows: Integers) -> tuple[Integers, Integers, Floats]:
        """Some rows as stored: the start of each, and their columns and values."""
        ends = np.append(self.starts, len(self.columns))
        lengths = ends[rows + 1] - ends[rows]
        starts = np.concatenate(([0], np.cumsum(lengths)[:-1])) if len(rows) else lengths
        places = np.repeat(ends[rows] - starts, lengths) + np.arange(lengths.sum())
        return starts.astype(np.int32), self.columns[places], self.values[places]

    def with_row(self, row: Floats, *, upper: float) -> LinearModel:
        """The model with one more row over all columns: `row · x <= upper`."""
        columns = np.flatnonzero(row).astype(np.int32)
        return LinearModel(
            self.cost,
            self.binary,
            np.append(self.lower, -INFINITY),
            np.append(self.upper, upper),
            np.append(self.starts, np.int32(len(self.columns))),
            np.concatenate((self.columns, columns)),
            np.concatenate((self.values, row[columns])),
            self.products,
        )


@dataclass(slots=True)
class Builder:
    """Collects columns and rows; the binary columns come first."""

    binary: int
    costs: list[float] = field(default_factory=list)
    _lower: list[float] = field(default_factory=list)
    _upper: list[float] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)
    _columns: list[int] = field(default_factory=list)
    _values: list[float] = field(default_factory=list)
    _products: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.costs.extend([0.0] * self.binary)

    def column(self, cost: float) -> int:
        """Add a continuous column; gives its number."""
        self.costs.append(cost)
        return len(self.costs) - 1

    def row(self, terms: Sequence[Term], *, lower: float = -INFINITY, upper: float = INFINITY) -> None:
        """Add the row `lower <= sum of coefficient times column <= upper`; a column may occur once only."""
        self._starts.append(len(self._columns))
        self._columns.extend(column for column, _ in terms)
        self._values.extend(coefficient for _, coefficient in terms)
        self._lower.append(lower)
        self._upper.append(upper)

    def product(self, factors: Sequence[Sequence[int]], cost: float, *, at_least: bool) -> int:
        """A column for "each factor is 1", where a factor is a sum of columns that is at most 1.

        A positive cost needs only the lower bound (1 if all are), a negative one only the upper bound (0 unless all are).
        """
        column = self.column(cost)
        if at_least:
            if cost > 0:
                self._products.append(len(self._starts))
            inside = [(other, -1.0) for factor in factors for other in factor]
            self.row([(column, 1.0), *inside], lower=1.0 - len(factors))
        else:
            for factor in factors:
                self.row([(column, 1.0), *((other, -1.0) for other in factor)], upper=0.0)
        return column

    def model(self) -> LinearModel:
        """The finished model."""
        return LinearModel(
            np.array(self.costs, dtype=np.float64),
            self.binary,
            np.array(self._lower, dtype=np.float64),
            np.array(self._upper, dtype=np.float64),
            np.array(self._starts, dtype=np.int32),
            np.array(self._columns, dtype=np.int32),
            np.array(self._values, dtype=np.float64),
            np.array(self._products, dtype=np.int32),
        )
