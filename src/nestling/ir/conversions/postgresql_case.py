"""LIKE of texts in upper or lower case, and ILIKE, as PostgreSQL has them: regular expressions of classes of letters."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from nestling.ir.conversions.like_patterns import anchored, escaped, in_class, like_parts
from nestling.ir.value_forms.letter_case import LOWER_OF, UPPER_OF, is_apart, known_case


@cache
def letters_by_case(upper: bool) -> dict[str, list[str]]:
    """The letters that become another, and that other itself, under it."""
    found: dict[str, list[str]] = {}
    table = UPPER_OF if upper else LOWER_OF
    for code, other in table.items():
        found.setdefault(chr(other), [] if other in table else [chr(other)]).append(chr(code))
    return {letter: sorted(alike) for letter, alike in found.items()}


LONGEST_CLASS = 200
"""Letters from which on a class for each of them makes a regular expression too large for the server, some day."""
MORE_ALIKE = "IiKkSs"
"""Letters of ASCII that have others alike, which the server's own rule of case does not know as PostgreSQL does."""


def in_runs(character: str, upper: bool) -> str:
    """A character as a regular expression for long texts, which may be joined with others to a run.

    Uses the server's own option for case where it has PostgreSQL's rule.
    """
    found = becomes(character, upper)
    is_pair = len(found) == 4 and character.isascii() and character.isalpha() and character not in MORE_ALIKE
    return f"(?i:{character})" if is_pair else found


def put_together(regex: str) -> str:
    """One run of those that stand beside each other."""
    return re.sub(r"(?<=[A-Za-z])\)\(\?i:", "", regex)


@cache
def becomes(character: str, upper: bool) -> str:
    """A regular expression for the characters whose upper (else lower) case is this one."""
    found = letters_by_case(upper).get(character, [])
    if len(found) > 1:
        return f"[{''.join(map(in_class, found))}]"
    is_one = ord(character) not in (UPPER_OF if upper else LOWER_OF)
    return escaped(character) if is_one else "(?!)"


def case_regex(pattern: str, escape: str | None, upper: bool, both: bool) -> str | None:
    """Matches texts whose upper (else lower) case is LIKE the pattern (`both`: is LIKE that of the pattern).

    None for a pattern that ends with its escape character.
    """
    parts = like_parts(pattern, escape)
    table = (UPPER_OF if upper else LOWER_OF) if both else {}
    if parts is None:
        return None
    said = in_runs if len(parts) > LONGEST_CLASS else becomes
    return put_together(anchored(parts, lambda character: said(character.translate(table), upper)))


def as_case_regex(escape: str | None, before: str, after: str, upper: bool, both: bool) -> Callable[[Any], Any]:
    """Gives a function that reads a text as a pattern and makes its regular expression, with `before` and `after` around it."""

    def convert(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        if not known_case(value):
            raise ValueError(f"PostgreSQL servers differ on the upper and lower case of letters in `{value}`")
        regex = case_regex(before + value + after, escape, upper, both)
        return "(?!)" if regex is None else regex

    return convert


MANY_SPELLINGS = 256
"""The number of spellings from which on all texts are examined: an index would find a list of so many no faster."""


def spellings(value: Any, upper: bool = False, both: bool = True) -> list[Any]:
    """What to look up with a collation to find all texts whose upper (else lower) case is this one.

    One text, except for letters that the server's collations distinguish from their other case; a pattern for any text if there
    are many spellings, or the case of a letter is not known. `both`: the given text is converted to that case too.
    """
    if not isinstance(value, str):
        return [] if value is None else [value]
    if not known_case(value):
        return [re.compile("")]
    text = value.translate(UPPER_OF if upper else LOWER_OF) if both else value
    found, letters = [""], letters_by_case(upper)
    for one in text:
        alike = [one, *(each for each in letters.get(one, []) if each != one and (is_apart(each) or is_apart(one)))]
        found = [before + each for before in found for each in alike]
        if len(found) > MANY_SPELLINGS:
            return [re.compile("")]
    return found


def as_spellings(upper: bool, both: bool) -> Callable[[Any], Any]:
    """Gives the function that makes `spellings` of a value."""

    def convert(value: Any) -> Any:
        return spellings(value, upper, both)

    return convert
