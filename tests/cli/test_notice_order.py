"""Gaps and notes on the screen: the weightiest first, those that are alike as one."""

from __future__ import annotations

import pytest

from nestling.cli.parts.notice_order import ordered_gaps, ordered_notes
from nestling.cli.parts.text import notices
from nestling.ir.reading import Gap, GapKind
from nestling.ir.statements.unconverted_gaps import unconverted_gaps
from nestling.sources import remarks
from nestling.sources.checks import exclusion_left_out

CORRECTNESS = (
    exclusion_left_out("EXCLUDE (a WITH =)", "t"),
    remarks.nulls_once("t", ["a"]),
    remarks.checked_late("t", ["a"]),
    *remarks.checked_at_end(["`t`"]),
    remarks.policies_left_out("t"),
    remarks.routine_left_out("TRIGGER", "t"),
    remarks.set_by_updates("t", "a"),
    *remarks.widths(["`t.a`"]),
    "`User`: only nestling's writes enforce UNIQUE (mail) WHERE gone IS NULL, no index does",
    "`job`: it skips rows that others have locked in the source: concurrent reads get the same rows",
)
PLAIN = (remarks.view_left_out("v", materialized=True), "use --milliseconds if milliseconds are enough: …")


def test_what_may_be_wrong_comes_first() -> None:
    """Rules that nothing enforces come before assumptions, those before costs, and what is merely told comes last."""
    assumed, cost = "growth is assumed for t", "no index provides the order of `q`"
    assert ordered_notes([*PLAIN, cost, assumed, *CORRECTNESS]) == [*CORRECTNESS, assumed, cost, *PLAIN]


def test_alike_notes_are_one() -> None:
    """The first one in full, with the names of the others; texts that differ elsewhere stay apart."""
    found = ordered_notes(
        [*(remarks.computed("t", name) for name in "abcdef"), "`t.a` is odd", "`t.a` is even", "plain", "plain"]
    )
    told = remarks.computed("t", "a")
    assert found == ["`t.a` is odd", "`t.a` is even", "plain", f"{told}; likewise `t.b`, `t.c`, `t.d` and 2 more"]


def test_gaps_by_reason() -> None:
    """Tables and statements that are left out come first, then statements that are not converted, then columns by type."""
    types = [Gap(GapKind.NOTIMPL, remarks.carried("inet"), f"t.{name}") for name in "ab"]
    (unconverted,) = unconverted_gaps([("q", Gap(GapKind.NOTIMPL, "x"))])
    heirs = Gap(GapKind.NOTIMPL, remarks.inherited("c", "p"), "c")
    lost = Gap(GapKind.INPUT, "no entity `x`")
    assert [str(each).partition(":")[0] for each in ordered_gaps([*types, unconverted, heirs, lost])] == [
        "c",
        "no entity `x`",
        "statement `q`",
        "t.a, t.b",
    ]


def test_the_rest_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    """Twelve lines are shown of what remains when alike ones are combined."""
    notices((), [*(remarks.computed("t", f"c{n}") for n in range(20)), *(f"{n} is odd" for n in range(13))])
    lines = capsys.readouterr().err.splitlines()
    assert lines[:2] == ["note: 0 is odd", "note: 1 is odd"]
    assert lines[-1] == "note: … and 2 more (--json lists all)"
