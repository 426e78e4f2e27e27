"""How many rows predicates leave where joins begin: by the values there are, their NULLs, and keys."""

from __future__ import annotations

import pytest

from nestling.ir.distribution import Distribution
from nestling.ir.model import Attribute, Cardinality, Entity, Model, Relationship
from nestling.ir.statements.algebra import Filter, Join, JoinKind, Relation, Scan
from nestling.ir.statements.expression import And, Column, Compare, Expression, IsNull, Literal, Parameter
from nestling.ir.statements.operators import Comparison
from nestling.ir.statistics import AttributeStatistics, EntityStatistics, Statistics, measured
from nestling.ir.types import INTEGER, TEXT
from nestling.planner.reads.rewrites.rows_left import RemainingRows, rows_left

PARENT = Entity("parent", (Attribute("id", INTEGER, nullable=False),), ("id",))
NAMES = ("id", "parent_id", "country", "n", "gone")
CHILD = Entity("child", tuple(Attribute(name, TEXT if name == "country" else INTEGER) for name in NAMES), ("id",))
LINK = Relationship("l", "parent", "child", ("id",), ("parent_id",), Cardinality.ONE_TO_MANY, True)
MODEL = Model("m", (PARENT, CHILD), (LINK,))
COUNTRIES = Distribution((), (("France", 0.6), ("Germany", 0.4)))
KNOWN = (
    ("country", AttributeStatistics(distinct=measured(2.0), values=COUNTRIES)),
    ("n", AttributeStatistics(values=Distribution(tuple(range(0, 1001, 50))))),
    ("gone", AttributeStatistics(null_share=measured(0.9))),
)
STATISTICS = Statistics(
    (("parent", EntityStatistics(measured(50.0))), ("child", EntityStatistics(measured(1000.0), attributes=KNOWN)))
)


def column(name: str) -> Column:
    """A column of the child."""
    return Column("child", name, CHILD.attribute(name).type)


SCAN = Scan("child", "child", tuple(map(column, NAMES)))
OTHER = Scan("parent", "parent", (Column("parent", "id", INTEGER),))
JOINED = Join(JoinKind.CROSS, SCAN, OTHER)


def compared(name: str, operator: Comparison, value: Expression) -> Expression:
    """The child's column beside something."""
    return Compare(operator, column(name), value)


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        (Filter(SCAN, compared("country", Comparison.EQUAL, Literal("France", TEXT))), 600),
        (Filter(SCAN, compared("n", Comparison.LESS, Literal(100, INTEGER))), 100),
        (Filter(SCAN, compared("n", Comparison.LESS, Parameter("most", INTEGER))), 500),
        (Filter(SCAN, IsNull(column("gone"))), 900),
        (Filter(SCAN, compared("parent_id", Comparison.EQUAL, Parameter("which", INTEGER))), 20),
        (Filter(SCAN, compared("id", Comparison.EQUAL, Parameter("which", INTEGER))), 1),
        (Filter(JOINED, compared("country", Comparison.EQUAL, Literal("France", TEXT))), 600),
    ],
)
def test_rows_left(relation: Relation, expected: int) -> None:
    """As many as there are in the statistics."""
    left = rows_left(relation, MODEL, STATISTICS)
    assert left is not None
    assert left.rows == pytest.approx(expected, rel=0.02)


def test_an_unknown_range_is_taken_for_wide() -> None:
    """Joins rather begin with an equality that leaves a fifth than with a range between two parameters."""
    low = compared("n", Comparison.GREATER, Parameter("low", INTEGER))
    high = compared("n", Comparison.LESS, Parameter("high", INTEGER))
    between = rows_left(Filter(SCAN, And((low, high))), MODEL, STATISTICS)
    assert between is not None
    assert between > RemainingRows(0.2, 1000.0)
