"""Times of day, however they are written, are kept in one form."""

from __future__ import annotations

import pytest

from nestling.ir.value_forms.time_text import read_time_of_day


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("8:30", "08:30:00"), ("08:30:00", "08:30:00"), (" 8:30:05 ", "08:30:05"), ("08:30:00.5", "08:30:00.5"),
        ("08:30:00.000", "08:30:00"), ("-1:00:00", "-01:00:00"), ("-838:59:59", "-838:59:59"), ("10:00+02", "10:00:00+02"),
    ],
)  # fmt: skip
def test_times(text: str, kept: str) -> None:
    """Two digits of hours at least, seconds; no zeros at the end of what is behind them."""
    assert read_time_of_day(text) == kept


@pytest.mark.parametrize("text", ["", "9 am", "0830", "8:61", "8", "x", "8:30:00.1234567", "8:3"])
def test_what_is_no_time(text: str) -> None:
    """Raises."""
    with pytest.raises(ValueError, match="hours"):
        read_time_of_day(text)
