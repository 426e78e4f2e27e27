"""Which statements a design's cost is made of."""

from __future__ import annotations

import pytest

from nestling.ir.proposal import Costs, StatementCost
from nestling.ir.words.statement_costs import MOST_STATEMENTS, statement_cost_rows


def costs(number: int, *, dearer: tuple[StatementCost, ...] = ()) -> Costs:
    """So many statements of a millisecond, each running once a second more often than the one before."""
    names = [f"s{place}" for place in range(1, number + 1)]
    rates = tuple((name, float(place)) for place, name in enumerate(names, 1))
    statements = tuple((name, 1e-3) for name in names)
    return Costs(sum(rate for _, rate in rates) * 1e-3, 0.0, "default", statements, dearer, rates=rates)


def test_those_of_most_work_come_first() -> None:
    """Rate, each time, in all and share; the others are told together."""
    rows = [*statement_cost_rows(costs(10))]
    assert rows[0] == ("s10", "10/s", "1 ms", "10 ms/s", "18.2%")
    assert [row[0] for row in rows] == ["s10", "s9", "s8", "s7", "s6", "5 others"]
    assert rows[-1] == ("5 others", "", "", "15 ms/s", "27.3%")


@pytest.mark.parametrize("number", [1, MOST_STATEMENTS, MOST_STATEMENTS + 1])
def test_nothing_stands_for_one_other(number: int) -> None:
    """One more than are shown is shown."""
    assert [row[0] for row in statement_cost_rows(costs(number))] == [f"s{place}" for place in range(number, 0, -1)]


def test_a_query_that_costs_more_than_was_computed_counts_as_it_is() -> None:
    """Its rank and share are those of its query."""
    rows = [*statement_cost_rows(costs(3, dearer=(StatementCost("s1", 0.1, 1.0),)))]
    assert rows[0] == ("s1", "1/s", "100 ms", "100 ms/s", "95.2%")


def test_without_rates_nothing_is_told() -> None:
    """As in a file of an earlier version, and where nothing was weighed."""
    assert not [*statement_cost_rows(Costs(1.0, 1.0, "default", (("s", 0.1),)))]
    assert not [*statement_cost_rows(None)]
