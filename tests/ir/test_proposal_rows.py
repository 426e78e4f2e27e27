"""What a design costs, in one sentence."""

from __future__ import annotations

import pytest

from nestling.ir.proposal import Costs
from nestling.ir.words.proposal_rows import cost_line


@pytest.mark.parametrize(("cost", "beyond"), [(3.4, False), (313.549, True)])
def test_more_work_than_a_server_does_is_told(cost: float, beyond: bool) -> None:
    """Rates counted within a blink ask for hundreds of processors."""
    line = cost_line(Costs(cost=cost, bound=cost, seconds=0.1, profile="wiredtiger"))
    said = "That is the work of 314 processor cores, more than a server has: are the rates right?"
    assert line.endswith(said) == beyond
    assert line.startswith(f"The workload costs {cost * 1000:,.0f} ms/s by the cost model (wiredtiger), proved least")


def test_one_statement_is_told_beside_the_whole() -> None:
    """What it costs each time, where it was priced."""
    costs = Costs(cost=0.02, bound=0.02, profile="wiredtiger", statements=(("page", 0.00123),))
    assert cost_line(costs, "page").endswith(" `page` costs 1.23 ms each time.")
    assert cost_line(costs, "another") == cost_line(costs)
