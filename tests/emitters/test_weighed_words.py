"""What would be without a structure that is kept, in words."""

from __future__ import annotations

import pytest

from nestling.emitters.explanation.explanation import Explanation
from nestling.emitters.explanation.text import explanation_text
from nestling.ir.proposal import Costs, Weighed

KEPT = Weighed(
    "the index", "compound-index", True, 0.007, because="adds 7 ms/s in page (9/s)", instead=("a", "b"), dropped=0.3
)
NOTHING_ELSE = Weighed("the index", "compound-index", True, 0.089, because="adds 89 ms/s in page (9/s)")
AS_GOOD = Weighed("the index", "compound-index", True, 0.0, motives=("page",), instead=("a", "b", "c"), dropped=0.3)


@pytest.mark.parametrize(
    ("kept", "text"),
    [
        (
            KEPT,
            "7 ms/s (11.29%) over a and b in its place: this adds 7 ms/s in page (9/s); nothing in its place costs 300 ms/s more",
        ),
        (NOTHING_ELSE, "89 ms/s (2.44 times as much); leaving it out adds 89 ms/s in page (9/s)"),
        (
            AS_GOOD,
            "tie – a, b and 1 more in its place; nothing in its place costs 300 ms/s more; it serves page",
        ),
    ],
)
def test_a_saving_names_what_it_is_over(kept: Weighed, text: str) -> None:
    """The next best and nothing at all are two comparisons; no share of the workload passes the whole."""
    said = explanation_text(Explanation("optimal", (), weighed=(kept,), costs=Costs(0.062, 0.062, "wiredtiger")))
    assert f"saves {text}" in " ".join(said.split())
