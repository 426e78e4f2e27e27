"""Numerals as SQLite reads them."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from nestling.ir.value_forms.numeral import as_written, number_in

NUMERALS = (
    *("0", "-7", "+7", "1.0", "1e3", "-2.5", "9223372036854775807", "9223372036854775808", "-9223372036854775808"),
    *("2251799813685247.0", "2251799813685248.0", "1e400"),
)


@pytest.mark.parametrize("numeral", NUMERALS)
def test_a_text_is_the_number_sqlite_takes_it_for(numeral: str) -> None:
    """An integer where it is worth one that a float keeps, and the number of its class otherwise."""
    with closing(sqlite3.connect(":memory:")) as connection:
        (expected,) = connection.execute("SELECT CAST(? AS NUMERIC)", (numeral,)).fetchone()
    found = number_in(numeral)
    assert (type(found), found) == (type(expected), expected)


@pytest.mark.parametrize(("numeral", "expected"), [("10", 10), ("10.0", 10.0), ("9223372036854775808", 2.0**63)])
def test_arithmetic_takes_it_as_it_is_written(numeral: str, expected: float) -> None:
    """With a point it is a float, whatever it is worth."""
    assert (type(as_written(numeral)), as_written(numeral)) == (type(expected), expected)
