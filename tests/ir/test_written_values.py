"""Values in files, as constants of attributes and as bounds of archives."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from nestling.ir.constraints.defaults import constant
from nestling.ir.distribution import Distribution
from nestling.ir.text.distribution_form import distribution
from nestling.ir.types import Type, TypeName
from nestling.ir.value_forms.written_values import written_bound, written_value

NEW_YEAR = datetime(2024, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (TypeName.TIMESTAMPTZ, "2024-01-01T00:00:00", NEW_YEAR),
        (TypeName.TIMESTAMPTZ, "2024-01-01 02:00:00+02:00", NEW_YEAR),
        (TypeName.TIMESTAMP, "2024-01-01 00:00:00", NEW_YEAR.replace(tzinfo=None)),
        (TypeName.DATE, "2024-01-01", date(2024, 1, 1)),
        (TypeName.DATE, "2024-01-01 12:00:00", "2024-01-01 12:00:00"),
        (TypeName.DATE, "2024-W01-1", "2024-W01-1"),
        (TypeName.TIMESTAMP, "2024-W01-1", "2024-W01-1"),
        (TypeName.INTEGER, "5", 5),
        (TypeName.INTEGER, "2.5", "2.5"),
        (TypeName.DECIMAL, "1.50", Decimal("1.50")),
        (TypeName.FLOAT, "1.5", 1.5),
        (TypeName.TEXT, "2024-01-01", "2024-01-01"),
    ],
)
def test_a_constant_is_the_value_it_is_written_as(kind: TypeName, text: str, value: object) -> None:
    """Both readers give the same: an instant without a zone is in UTC, and what is no value of the type stays a text."""
    found = constant(text, Type(kind)).value
    assert (type(found), found) == (type(value), value)
    assert written_value(Type(kind), text) == value


def test_a_distribution_has_instants_of_one_kind() -> None:
    """With a zone and without one, they compare."""
    written = ["2024-01-01 00:00:00", "2024-01-01T06:00:00+02:00"]
    found = distribution(written, [], "", Type(TypeName.TIMESTAMPTZ))
    assert found == Distribution((NEW_YEAR, NEW_YEAR.replace(hour=4)))


@pytest.mark.parametrize(
    ("kind", "text", "bound"),
    [
        (TypeName.DATE, "2024-01-01 12:00:00", date(2024, 1, 1)),
        (TypeName.DATE, "1 January 2024", "1 January 2024"),
        (TypeName.DATE, "2024-W01-1", "2024-W01-1"),
        (TypeName.DATE, "2024-01-01 noon", "2024-01-01 noon"),
        (TypeName.TIMESTAMPTZ, "2024-W01-1", "2024-W01-1"),
        (TypeName.TIMESTAMPTZ, "2024-01-01", NEW_YEAR),
        (TypeName.INTEGER, "2.5", Decimal("2.5")),
        (TypeName.INTEGER, "two", "two"),
        (TypeName.INTEGER, "nan", "nan"),
        (TypeName.FLOAT, "-Infinity", "-Infinity"),
    ],
)
def test_a_bound_need_not_be_a_value(kind: TypeName, text: str, bound: object) -> None:
    """Days are before the day of a moment, whole numbers before any number."""
    assert written_bound(Type(kind), text) == bound
