"""Arrays written as text, as PostgreSQL reads them."""

from __future__ import annotations

import pytest

from nestling.ir.value_forms.array_text import read_array


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("{}", []),
        (" { } ", []),
        ("{1, 2 ,3}", ["1", "2", "3"]),
        ("{a b,NULL,null,\"NULL\"}", ["a b", None, None, "NULL"]),
        (r'{"x, \"y\" {z}","","\\"}', ['x, "y" {z}', "", "\\"]),
        ("{email_password,google_oauth}", ["email_password", "google_oauth"]),
    ],
)  # fmt: skip
def test_items(text: str, items: list[str | None]) -> None:
    """Quoted ones to the letter, others without the blanks around them."""
    assert read_array(text) == items


@pytest.mark.parametrize("text", ["", "1,2", "{1,}", "{,1}", "{{1},{2}}", "{a", '{"a}', '{"a" b}', "[1]", "{1,2}}"])
def test_what_is_no_array(text: str) -> None:
    """Raises, as do arrays of arrays."""
    with pytest.raises(ValueError, match="array"):
        read_array(text)
