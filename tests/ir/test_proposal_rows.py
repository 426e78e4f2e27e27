"""What a design costs, in one sentence; what its structures save, and over what."""

from __future__ import annotations

import pytest

from nestling.ir.design import Design
from nestling.ir.model import Model
from nestling.ir.proposal import Costs, Proposal, StatementCost, Weighed
from nestling.ir.words.proposal_rows import KEPT_OVER, cost_line, kept_over_rows


@pytest.mark.parametrize(("cost", "beyond"), [(3.4, False), (313.549, True)])
def test_more_work_than_a_server_does_is_told(cost: float, beyond: bool) -> None:
    """Rates counted within a blink ask for hundreds of processors."""
    line = cost_line(Costs(cost=cost, bound=cost, seconds=0.1, profile="wiredtiger"))
    said = "That keeps 314 processor cores busy, more than a server has: check the rates."
    assert line.endswith(said) == beyond
    assert line.startswith(f"The workload costs {cost * 1000:,.0f} ms/s by the cost model (wiredtiger), proved least")


def test_one_statement_is_told_beside_the_whole() -> None:
    """What it costs each time, where it was priced."""
    costs = Costs(cost=0.02, bound=0.02, profile="wiredtiger", statements=(("page", 0.00123),))
    assert cost_line(costs, "page").endswith(" `page` costs 1.23 ms each time.")
    assert cost_line(costs, "another") == cost_line(costs)


def test_estimates_that_do_not_hold_prove_nothing() -> None:
    """Where queries cost far more than was assumed, the design is the least of the estimates, and both sums are told."""
    dearer = (StatementCost("page", 0.5, 1.0),)
    costs = Costs(cost=0.02, bound=0.02, profile="wiredtiger", statements=(("page", 0.00123),), dearer=dearer)
    line = cost_line(costs)
    assert "the least of the estimates. This does not hold for 1 statement, whose query costs far more" in line
    assert "proved" not in line


def test_a_saving_says_what_it_is_compared_with() -> None:
    """What the best design without the structure has in its place stands beside what the structure saves over it."""
    index = Weighed("index on a, b", "compound-index", True, 1e-5, motives=("page",), instead=("index on a",))
    copy = Weighed("name in page", "extended-reference", True, 0.02, motives=("page",))
    rows = kept_over_rows(Proposal("optimal", Design(Model("m", ()), ()), weighed=(index, copy)))
    place = KEPT_OVER.index("instead of")
    assert [(row[0], row[place]) for row in rows] == [("index on a, b", "index on a"), ("name in page", "")]
