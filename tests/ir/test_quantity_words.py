"""Numbers with their nouns."""

from __future__ import annotations

import pytest

from nestling.ir.quantity_words import agreeing, counted, duration, size


def test_a_number_and_its_noun_agree() -> None:
    """One is one, whatever the noun; several have its plural, and the verb follows."""
    nouns = ("row", "entity", "day", "index", "match", "pass", "copy")
    assert [counted(1, noun) for noun in nouns] == [f"1 {noun}" for noun in nouns]
    several = ["2 rows", "2 entities", "2 days", "2 indexes", "2 matches", "2 passes", "2 copies"]
    assert [counted(2, noun) for noun in nouns] == several
    assert (agreeing(1, "refers", "refer"), agreeing(2, "refers", "refer")) == ("refers", "refer")


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        (999, "999 bytes"),
        (999_400, "999 kB"),
        (999_999, "1.0 MB"),
        (99_940, "99.9 kB"),
        (99_999, "100 kB"),
        (1e15, "1000 TB"),
    ],
)
def test_the_unit_is_that_of_the_rounded_number(amount: float, said: str) -> None:
    """A thousand of one is one of the next."""
    assert size(amount) == said


def test_a_thousand_milliseconds_are_a_second() -> None:
    """Below they stay milliseconds."""
    assert [duration(each) for each in (0.9994, 0.9999, 1.0)] == ["999 ms", "1 s", "1 s"]
