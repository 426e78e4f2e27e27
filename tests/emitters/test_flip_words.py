"""Flip points in words."""

from __future__ import annotations

import pytest

from nestling.emitters.explanation.flip_words import flip_text
from nestling.ir.proposal import Flip
from nestling.ir.words.work_words import share_text, work_rate


@pytest.mark.parametrize(
    ("flip", "text"),
    [
        (
            Flip("rate of rename_product", 5 / 86400, 3.1004, "parent-reference"),
            "to parent-reference when rename_product runs above 3.1/s (now 5/day)",
        ),
        (
            Flip("rate of account_page", 60.0, 0.0605, "embed"),
            "to embed when account_page runs below 3.63/min (now 60/s)",
        ),
        (Flip("rate of page", 850.0, 22_579.3, "without it"), "without it when page runs above 22,579/s (now 850/s)"),
        (Flip("lines per order", 15, 420, "embed"), "to embed when lines per order is above 420 (now 15)"),
    ],
)
def test_a_flip_in_words(flip: Flip, text: str) -> None:
    """The unit is the one the rate reads best in; what is no rate is a number."""
    assert flip_text(flip) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(4.597, "4,597 ms/s"), (0.0135, "13.5 ms/s"), (4.4e-5, "0.044 ms/s"), (1e-9, "under 0.001 ms/s"), (0.0, "0 ms/s")],
)
def test_work_in_one_unit(seconds: float, text: str) -> None:
    """Milliseconds whatever the size, so that numbers of one explanation compare."""
    assert work_rate(seconds) == text


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (0.0029, "0.29%"),
        (1e-6, "under 0.01%"),
        (0.0, "0.00%"),
        (0.5, "50.00%"),
        (1.4364, "2.44 times as much"),
        (2009.9, "over 1,000 times as much"),
    ],
)
def test_shares(part: float, text: str) -> None:
    """Very small shares are only said to be that, large ones are how many times as much all then costs."""
    assert share_text(part) == text
