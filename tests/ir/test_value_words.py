"""Values of rows as messages show them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from nestling.ir.words.value_words import value_words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "NULL"),
        (5, "5"),
        ("a", "'a'"),
        (Decimal("1.50"), "1.50"),
        (date(2024, 5, 31), "2024-05-31"),
        (datetime(2024, 5, 31, 14, tzinfo=UTC), "2024-05-31 14:00:00+00:00"),
        (timedelta(hours=3), "3:00:00"),
        (b"\x01\xff", "0x01ff"),
        ("x" * 90, "'" + "x" * 59 + "…"),
    ],
)
def test_value_words(value: object, words: str) -> None:
    """What people read, not what Python writes."""
    assert value_words(value) == words
