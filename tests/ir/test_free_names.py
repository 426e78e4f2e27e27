"""Names nothing else has."""

from __future__ import annotations

from nestling.ir.free_names import free_name


def test_a_free_name_stays() -> None:
    """It is numbered only if it is taken, by the lowest number that makes it free."""
    assert free_name("a", ()) == "a"
    assert free_name("a", {"a"}) == "a_2"
    assert free_name("a", ["a", "a_2", "a_4"]) == "a_3"


def test_what_is_taken_may_be_a_question() -> None:
    """Such as whether a name is taken whatever its case, or another sign than `_` may stand before the number."""
    assert free_name("A", lambda name: name.casefold() in {"a", "a-2"}, "-") == "A-3"
