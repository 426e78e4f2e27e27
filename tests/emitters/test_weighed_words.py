"""What would be without a structure that is kept, in words."""

from __future__ import annotations

import pytest

from nestling.emitters.explanation.explanation import Explanation
from nestling.emitters.explanation.short_text import short_text
from nestling.emitters.explanation.text import explanation_text
from nestling.ir.proposal import Costs, Weighed
from nestling.ir.words.proposal_rows import saving

KEPT = Weighed(
    "the index", "compound-index", True, 0.007, because="adds 7 ms/s in page (9/s)", instead=("a", "b"), dropped=0.3
)
NOTHING_ELSE = Weighed("the index", "compound-index", True, 0.089, because="adds 89 ms/s in page (9/s)")
AS_GOOD = Weighed("the index", "compound-index", True, 0.0, motives=("page",), instead=("a", "b", "c"), dropped=0.3)


STAYS = Weighed("the copy", "copy", True, -0.009, because="saves 9 ms/s in write (3/s)", threshold=0.07)
TOO_LITTLE = Weighed("another copy", "copy", False, 0.04, because="saves 40 ms/s in page (9/s)", threshold=0.07)


@pytest.mark.parametrize(
    ("kept", "text"),
    [
        (
            KEPT,
            (
                "7 ms/s (11.29%) over a and b in its place: this adds 7 ms/s in page (9/s);"
                " having nothing in its place costs 300 ms/s more"
            ),
        ),
        (NOTHING_ELSE, "89 ms/s (2.44 times as much); leaving it out adds 89 ms/s in page (9/s)"),
        (
            AS_GOOD,
            "tie – a, b and 1 more in its place; having nothing in its place costs 300 ms/s more; it serves page",
        ),
    ],
)
def test_a_saving_names_what_it_is_over(kept: Weighed, text: str) -> None:
    """The next best and nothing at all are two comparisons; no share of the workload passes the whole."""
    said = explanation_text(Explanation("optimal", (), weighed=(kept,), costs=Costs(0.062, 0.062, "wiredtiger")))
    assert f"saves {text}" in " ".join(said.split())


def test_a_threshold_is_no_saving() -> None:
    """What is there only since it was there saves nothing, serves nobody, and says so; what is not there may save too little."""
    explained = Explanation("optimal", (), weighed=(STAYS, TOO_LITTLE), costs=Costs(0.9, 0.9, "wiredtiger"))
    said = " ".join(explanation_text(explained).split())
    threshold = "less than the threshold for changing a live database, 70 ms/s: it saves"
    assert f"stays leaving it out would save 9 ms/s (1.00%), {threshold} 9 ms/s in write" in said
    assert "serves no statement of the workload" in said
    assert f"another copy (copy): would save 40 ms/s (4.44%), {threshold} 40 ms/s in page" in said
    assert "the copy: stays, for no statement of the workload; leaving it out would save 9 ms/s" in " ".join(
        short_text(explained).split()
    )
    assert saving(STAYS) == "stays: costs 9 ms/s"


def test_what_turned_out_cheaper_left_out_saves_nothing() -> None:
    """Where the search ended before it tried that, it says so, and what to do: no structure saves less than nothing."""
    kept = Weighed("the index", "compound-index", True, -0.0536, motives=("page",))
    explained = Explanation("optimal", (), weighed=(kept,), costs=Costs(0.9, 0.5, "wiredtiger"))
    for shown in (explanation_text(explained), short_text(explained), saving(kept)):
        assert "would save 53.6 ms/s" in " ".join(shown.split())
        assert "raise --time-limit" in " ".join(shown.split())
        assert "-53.6" not in shown


@pytest.mark.parametrize(
    ("structures", "said"),
    [(1, "… and 1 that was not weighed one by one"), (2, "… and 2 that were not weighed one by one")],
)
def test_what_was_not_weighed_is_counted(structures: int, said: str) -> None:
    """One or several."""
    others = tuple(
        Weighed(f"index {number}", "compound-index", chosen=False, gain=None) for number in range(structures)
    )
    explained = Explanation("optimal", (), weighed=others, costs=Costs(0.9, 0.5, "wiredtiger"))
    assert said in " ".join(explanation_text(explained).split())
