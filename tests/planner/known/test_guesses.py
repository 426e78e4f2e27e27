"""What is taken of numbers nobody counted: what keys, foreign keys and the ways values lie say of them."""

from __future__ import annotations

import pytest

from nestling.ir.model import Attribute, Entity, Model, Relationship
from nestling.ir.statistics import (
    UNKNOWN_ROWS,
    AttributeStatistics,
    EntityStatistics,
    Origin,
    Quantity,
    RelationshipStatistics,
    Statistics,
)
from nestling.ir.types import BOOLEAN, INTEGER, TEXT, Type, TypeName
from nestling.planner.known.array_elements import UNKNOWN_ELEMENTS, elements_of
from nestling.planner.known.bucket_fill import SPAN_DAYS, events_in_bucket
from nestling.planner.known.busy_parents import busier, longer
from nestling.planner.known.distinct import ROWS_A_VALUE, distinct_of
from nestling.planner.known.tree_walks import LEVELS_NOT_MEASURED, levels, rows_on_the_way
from nestling.planner.known.values import attribute_known
from nestling.planner.work.average_documents import mean_fan_out

ORDERS, LINES, CUSTOMERS = 10_000, 80_000, 500
MODEL = Model(
    "shop",
    (
        Entity(
            "customer",
            (Attribute("id", INTEGER), Attribute("vip", BOOLEAN), Attribute("mail", TEXT)),
            ("id",),
            (("mail",),),
        ),
        Entity("orders", (Attribute("id", INTEGER), Attribute("customer", INTEGER), Attribute("note", TEXT)), ("id",)),
        Entity(
            "line",
            (
                Attribute("order", INTEGER),
                Attribute("no", INTEGER),
                Attribute("tags", Type(TypeName.ARRAY, element=TEXT)),
            ),
            ("order", "no"),
        ),
        Entity("place", (Attribute("x", INTEGER), Attribute("y", INTEGER), Attribute("above", INTEGER)), ("x", "y")),
    ),
    (
        Relationship("placed", "customer", "orders", ("id",), ("customer",)),
        Relationship("has", "orders", "line", ("id",), ("order",)),
    ),
)
COUNTED = Statistics(
    tuple(
        (name, EntityStatistics(Quantity(count)))
        for name, count in (("customer", CUSTOMERS), ("orders", ORDERS), ("line", LINES), ("place", 400))
    )
)


@pytest.mark.parametrize(
    ("entity", "attribute", "expected"),
    [
        ("orders", "id", ORDERS),  # a key
        ("customer", "mail", CUSTOMERS),  # unique
        ("customer", "vip", 2),
        ("orders", "customer", CUSTOMERS),  # no more than there are customers
        ("line", "order", ORDERS),
        ("line", "no", LINES / ORDERS),  # what the order leaves of the key
        ("place", "x", 20),  # both alike: twenty times twenty places
        ("orders", "note", ORDERS / ROWS_A_VALUE),
    ],
)
def test_different_values_that_nobody_counted(entity: str, attribute: str, expected: float) -> None:
    """Keys tell every row, foreign keys the rows above, and what is left is a guess."""
    assert distinct_of(entity, attribute, MODEL, COUNTED) == pytest.approx(expected)


def test_what_was_counted_is_taken() -> None:
    """Whatever the key says; of no rows at all there is one value."""
    told = EntityStatistics(Quantity(LINES), attributes=(("no", AttributeStatistics(distinct=Quantity(40))),))
    assert distinct_of("line", "no", MODEL, Statistics((("line", told),))) == 40
    none = Statistics((("orders", EntityStatistics(Quantity(0))),))
    assert distinct_of("orders", "id", MODEL, none) == 1
    assert distinct_of("orders", "id", MODEL, Statistics()) == UNKNOWN_ROWS


def test_a_parent_has_as_many_children_as_there_are_for_each() -> None:
    """By what was measured, else by the numbers of rows; one where nothing is known."""
    assert mean_fan_out(RelationshipStatistics(mean=Quantity(3)), "line", COUNTED, ORDERS) == 3
    assert mean_fan_out(RelationshipStatistics(), "line", COUNTED, ORDERS) == LINES / ORDERS
    assert mean_fan_out(RelationshipStatistics(), "line", Statistics(), ORDERS) == 1
    assert mean_fan_out(RelationshipStatistics(), "line", COUNTED, 0) == 1


def fan_out(median: float, most: float, **more: Quantity) -> RelationshipStatistics:
    """Children of one parent."""
    return RelationshipStatistics(p50=Quantity(median), maximum=Quantity(most), **more)


def test_the_parent_of_a_child_has_more_than_parents_have() -> None:
    """Evenly from none to ten, a child's parent has a third more than the mean; where all have five, five."""
    assert longer(fan_out(5, 5)) == pytest.approx(1)
    assert longer(fan_out(5, 10)) == pytest.approx(4 / 3)
    assert longer(fan_out(5, 1_000)) > longer(fan_out(5, 100)) > 2
    assert longer(fan_out(5, 100, p95=Quantity(9))) > longer(
        fan_out(5, 100)
    )  # fewer busy ones are further above the mean
    assert longer(RelationshipStatistics(maximum=Quantity(9))) == longer(fan_out(0, 0)) == 1


@pytest.mark.parametrize(
    ("grows", "times"),
    [
        (Quantity(1, Origin.DECLARED), 4 / 3),
        (Quantity(1, Origin.MEASURED), 4 / 3),
        (Quantity(1, Origin.INFERRED), 1),
        (Quantity(0, Origin.DECLARED), 1),
        (None, 1),
    ],
)
def test_busy_parents_are_read_more(grows: Quantity | None, times: float) -> None:
    """Where somebody knows that parents keep getting children; an equality with the foreign key finds as many more."""
    links = (("placed", RelationshipStatistics(p50=Quantity(5), maximum=Quantity(10), grows=grows)),)
    known = Statistics(COUNTED.entities, links)
    assert busier("orders", "customer", MODEL, known) == pytest.approx(times)
    assert attribute_known("orders", "customer", MODEL, known).busier == pytest.approx(times)
    assert busier("orders", "note", MODEL, known) == 1


@pytest.mark.parametrize(
    ("rows", "series", "limit", "window", "a_day", "events"),
    [
        (40_000, 100, 1_000, None, None, 400),
        (40_000, 100, 400, None, None, 400),
        (40_000, 100, 150, None, None, 400 / 3),  # three pages
        (50, 100, 150, None, None, 1),
        (40_000, 100, 1_000, 1, 1_000, 10),
        (40_000, 100, 4, 1, 1_000, 10 / 3),
        (40_000, 1, 2_000, 1, 1_000, 1_000),
        (40_000, 100, 1_000, 1, 20, 1),  # most windows of a series have none; a bucket has one
        (40_000, 100, 1_000, 30, None, 400 * 30 / SPAN_DAYS),
        (40_000, 100, 1_000, 10_000, 1_000, 400),  # no more than there are
    ],
)
def test_how_full_a_bucket_is(
    rows: float, series: float, limit: float, window: float | None, a_day: float | None, events: float
) -> None:
    """What a series has, or has in a window, in as few buckets as the limit allows."""
    found = events_in_bucket(rows, series, limit=limit, window_days=window, rows_per_day=a_day)
    assert found == pytest.approx(events)


def test_walks_along_a_tree() -> None:
    """Up a row at each step, down several: half as many steps, and the first. Unmeasured it is three deep."""
    assert (levels(5, down=False), levels(5, down=True), levels(1, down=True)) == (5, 3, 1)
    measured = Statistics(
        (), (("boss", RelationshipStatistics(depth=Quantity(7))), ("flat", RelationshipStatistics(depth=Quantity(0))))
    )
    assert [rows_on_the_way(name, measured) for name in ("boss", "flat", "other")] == [7, 1, LEVELS_NOT_MEASURED]


def test_elements_of_arrays() -> None:
    """As counted; unmeasured a few, of as many different ones as other values. A column that is no array has none."""
    assert elements_of("line", "no", MODEL, COUNTED) is None
    guessed = elements_of("line", "tags", MODEL, COUNTED)
    assert guessed == (UNKNOWN_ELEMENTS, LINES / ROWS_A_VALUE)
    told = AttributeStatistics(elements=Quantity(6), distinct_elements=Quantity(24))
    known = Statistics((("line", EntityStatistics(Quantity(LINES), attributes=(("tags", told),))),))
    counted = elements_of("line", "tags", MODEL, known)
    assert counted is not None
    assert counted.share == pytest.approx(0.25)
    all_alike = counted._replace(distinct=2.0)
    assert all_alike.share == 1
