"""Problems that are no problems: every mistake is said, none becomes a wrong answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nestling.common.errors import SearchError
from nestling.ir.design_problem import Charge, DesignProblem, Group, Limit, Load, Mode, Needs, StatementStep, Structure
from nestling.optimizer import solve
from tests.optimizer.shop import shop


def with_mode(mode: Mode) -> DesignProblem:
    problem = shop()
    return replace(problem, steps=(*problem.steps, StatementStep("page", "more", (mode,))))


MISTAKES = {
    "group `home`": replace(shop(), groups=(Group("home", ("ghost",)),)),
    "a need": replace(shop(), needs=(Needs("index", ("ghost",)),)),
    "charge `upkeep`": replace(shop(), charges=(Charge("page", "upkeep", ("ghost",), 1.0),)),
    "limit `bytes`": replace(shop(), limits=(Limit("bytes", ((("ghost",), 1.0),), 1.0),)),
    "load `bytes`": replace(shop(), loads=(Load("bytes", (("ghost", 1.0),)),)),
    "statement `page` mentions `ghost`": with_mode(Mode("way", ("ghost",), 1.0)),
    "not a load": with_mode(Mode("way", (), 1.0, loads=(("ghost", 1.0),))),
    "a cost or an amount that is not a number": with_mode(Mode("way", (), float("nan"))),
    "a rate of -1": shop(reads=-1.0),
    "has no rate": replace(shop(), rates={"page": 1.0, "rename": 1.0}),
    "2 structures called `copy`": replace(shop(), structures=(*shop().structures, Structure("copy", "again"))),
}


@pytest.mark.parametrize("words", MISTAKES)
def test_a_mistake_is_said(words):
    """What mentions something that does not exist, or is not a number, is named."""
    with pytest.raises(SearchError, match=words):
        solve(MISTAKES[words])


def test_a_rate_of_zero_is_no_mistake():
    """What never runs costs nothing."""
    assert solve(replace(shop(), rates=dict.fromkeys(shop().rates, 0.0))).cost == 0.0
