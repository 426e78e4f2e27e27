"""The file form of facts: a saved file reproduces its report."""

from __future__ import annotations

from nestling.ir.facts.collection import Facts
from nestling.ir.noun_json import noun_text, read_noun

FORM = "nestling facts 1"
"""What the file says it is; a later, different form gets another number."""


def facts_text(facts: Facts) -> str:
    """Facts as text; `read_facts` gives them back."""
    return noun_text(facts, FORM)


def read_facts(text: str, where: str = "") -> Facts:
    """Facts from their text; raises `InputError` that says where the text is not what it should be."""
    move = "write it anew: nestling doctor URI --save FILE"
    return read_noun(Facts, FORM, text, where, what="a facts file", next_move=move)
