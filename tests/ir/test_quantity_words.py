"""Numbers with their nouns."""

from __future__ import annotations

from nestling.ir.quantity_words import agreeing, counted


def test_a_number_and_its_noun_agree() -> None:
    """One is one, whatever the noun; several have its plural, and the verb follows."""
    nouns = ("row", "entity", "day", "index", "match", "pass", "copy")
    assert [counted(1, noun) for noun in nouns] == [f"1 {noun}" for noun in nouns]
    several = ["2 rows", "2 entities", "2 days", "2 indexes", "2 matches", "2 passes", "2 copies"]
    assert [counted(2, noun) for noun in nouns] == several
    assert (agreeing(1, "refers", "refer"), agreeing(2, "refers", "refer")) == ("refers", "refer")
