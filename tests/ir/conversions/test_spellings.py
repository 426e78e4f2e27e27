"""The texts by which a collation finds all that have a lower or upper case: none is missed, on a real server."""

from __future__ import annotations

import re
from typing import Any

import pytest
from pymongo.database import Database

from nestling.emitters.mql.shell_names import support
from nestling.ir.conversions.postgresql_case import spellings
from nestling.ir.statements.operators import Collation
from nestling.ir.storage.collations import collation_option
from nestling.ir.value_forms.letter_case import LETTERS_APART, LOWER_OF, NEWER_LETTERS, UPPER_OF

ANY = re.compile("")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("around", ["{}", "a{}b", "{}\u0301", "x\u0301{}"])
def test_every_letter_is_found_by_its_other_case(upper: bool, around: str, database: Database[Any]) -> None:
    """Each letter with another case, alone and between others, among the documents that its case finds."""
    cases = UPPER_OF if upper else LOWER_OF
    texts = [around.format(chr(letter)) for letter in cases]
    database["texts"].insert_many({"text": text, "found": spellings(text, upper)} for text in texts)
    lost = {"$match": {"$expr": {"$not": {"$in": ["$text", "$found"]}}}}
    found = database["texts"].aggregate([lost], collation=collation_option(Collation.UNICODE_CI))
    assert [each["text"] for each in found] == []
    assert not any(ANY in each["found"] for each in database["texts"].find())


def test_one_text_but_for_letters_apart() -> None:
    """What is not known or would be many is any text."""
    assert spellings("Ann@Example") == ["ann@example"]
    assert spellings("Ann", both=False) == ["Ann"]
    assert sorted(spellings("iI", upper=True)) == sorted(["II", "I\u0131", "\u0131I", "\u0131\u0131"])
    assert spellings("i" * 9, upper=True) == spellings("\u019b") == [ANY]
    assert (spellings(None), spellings(7)) == ([], [7])


def test_scripts_know_the_same_letters() -> None:
    """Those of which the function of scripts asks for any text."""
    (letters,) = re.findall(r"apart = /\[(.*)\]/u", support())
    ends = [int(each, 16) for each in re.findall(r"\{(\w+)\}", letters.replace("}-", "}"))]
    assert sorted(set(ends)) == sorted({end for pair in (*LETTERS_APART, *NEWER_LETTERS) for end in pair})
