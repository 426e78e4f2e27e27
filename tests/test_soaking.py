"""What of a long table of cases is tried every day."""

from __future__ import annotations

import pytest

from tests.soaking import one_in


@pytest.mark.parametrize("first", range(5))
@pytest.mark.parametrize("number", [2, 3, 4])
def test_every_row_and_every_column_is_tried(number: int, first: int) -> None:
    """Of a table with as many columns as neighbours: one case of each row, in each column as often as in another."""
    kept = one_in(number, [(row, column) for row in range(12) for column in range(number)], first=first)
    assert [row for row, _ in kept] == [*range(12)]
    assert all([column for _, column in kept].count(each) == 12 // number for each in range(number))


@pytest.mark.parametrize("first", range(7))
def test_a_short_table_has_one_case(first: int) -> None:
    """Where there are fewer cases than neighbours; which it is depends on the table."""
    assert one_in(5, ["postgresql", "mariadb"], first=first) == [("postgresql", "mariadb")[first % 2]]
