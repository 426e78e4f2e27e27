"""Numbers with their nouns."""

from __future__ import annotations

import pytest

from nestling.common.errors import InputError
from nestling.ir.quantity_words import agreeing, counted, duration, read_size, size


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


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        *(("500MB", 500_000_000), ("20 GB", 20_000_000_000), ("512 MiB", 512 * 1024**2), ("512mib", 512 * 1024**2)),
        *(("1.5 kB", 1500), ("1B", 1), (" 2 TB ", 2_000_000_000_000), ("100 b", 100)),
    ],
)
def test_a_size_is_read(text: str, amount: int) -> None:
    """In units of a thousand or of 1024, with a blank or none, whatever the case."""
    assert read_size(text) == amount


@pytest.mark.parametrize(
    "text", ["", "lots", "5", "-1 MB", "0 GB", "0.2 B", "1 PB", "1e3 kB", "²MB", f"{'9' * 400} TB"]
)
def test_what_is_no_size_is_refused(text: str) -> None:
    """So is less than a byte, and what no number holds."""
    with pytest.raises(InputError, match="is not a size: write it as 500MB"):
        read_size(text)
