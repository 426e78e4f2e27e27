"""How many different values some rows have: as many as fall together by chance, never more than there are rows or values."""

from __future__ import annotations

import pytest

from nestling.ir.statements.expression import Column, Literal
from nestling.ir.types import INTEGER
from nestling.planner.known.selectivity import distinct_values
from nestling.planner.known.values import PathStatistics

ONE, OTHER = Column("t", "one", INTEGER), Column("t", "other", INTEGER)


def different(rows: float, one: float, other: float | None = None) -> float:
    """How many combinations so many rows have of two columns with so many values each; of one column without the other."""
    known = {"one": PathStatistics(one), "other": PathStatistics(other)}
    columns = (ONE,) if other is None else (ONE, OTHER)
    return distinct_values(columns, lambda column: known[column.name], rows)


@pytest.mark.parametrize("possible", [50, 500, 2_000, 5_000, 10_000, 15_000])
def test_some_fall_together(possible: float) -> None:
    """Each of the possible combinations is one of those there are unless every one of a thousand rows has another."""
    met = possible * (1 - (1 - 1 / possible) ** 1_000)
    assert different(1_000, possible, 1) == different(1_000, 10, possible / 10) == pytest.approx(met, rel=0.001)


@pytest.mark.parametrize("rows", [0.5, 1, 10, 1_000, 100_000])
@pytest.mark.parametrize("values", [1, 7, 1_000, 10**9])
def test_never_more_than_rows_or_values(rows: float, values: float) -> None:
    """And with more rows or more values never fewer."""
    found = different(rows, values)
    assert 0 < found <= min(rows, values) * 1.000001
    assert different(10 * rows, values) >= found * 0.999999
    assert different(rows, 10 * values) >= found * 0.999999


def test_a_constant_tells_no_rows_apart() -> None:
    """Groups by a literal are one."""
    assert distinct_values((Literal(1, INTEGER),), lambda _: None, 500) == 1
    with_a_constant = distinct_values((ONE, Literal(1, INTEGER)), lambda _: PathStatistics(40), 10_000)
    assert with_a_constant == pytest.approx(40)


@pytest.mark.parametrize(
    ("rows", "values", "share", "left"),
    [
        (1_000, 1_000, 0.1, 100),  # a key: a tenth of the rows has a tenth of the keys
        (1_000, 10, 0.1, 10 * (1 - 0.9**100)),  # a hundred rows a value: hardly one goes without all of these
        (1_000, 500, 0.5, 500 * (1 - 0.5**2)),  # two rows a value: a quarter loses both
        (1_000, 10, 1.0, 10),
        (1_000, 10, 0.0, 1),
    ],
)
def test_a_value_is_left_while_one_of_its_rows_is(rows: float, values: float, share: float, left: float) -> None:
    """A condition that keeps a share of the rows loses the values all of whose rows it loses."""
    known = PathStatistics(values, rows=rows).of_share(share)
    assert known.left == pytest.approx(left)
    assert known.rows_left == pytest.approx(rows * share)
    assert distinct_values((ONE,), lambda _: known, rows * share) == pytest.approx(min(left, rows * share))


def test_null_is_a_group_of_its_own() -> None:
    """Ten values, and the rows that have none."""
    known = PathStatistics(10, missing=0.2, rows=1_000)
    assert distinct_values((ONE,), lambda _: known, 1_000) == 11


def test_no_more_values_than_rows_hold() -> None:
    """Of outer rows that a join repeats only as many values are known as there were rows; fewer stay as they are."""
    assert PathStatistics(500, rows=1_000).at_most(20).left == 20
    assert PathStatistics(5, rows=1_000).at_most(20).left == 5
    assert PathStatistics().at_most(20).distinct is None
