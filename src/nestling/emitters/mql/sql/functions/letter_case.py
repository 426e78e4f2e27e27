"""Upper and lower case. The server's own know A to Z only, as SQLite's do; PostgreSQL's know the letters of all alphabets.

Those of the Latin, Greek and Cyrillic ones are exchanged one by one, which is what PostgreSQL does by the rules of the C library;
a statement fails on a letter of another alphabet that has case.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from string import ascii_lowercase, ascii_uppercase
from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.constants import Mql, inline, is_inline, literal_value
from nestling.emitters.mql.sql.failures import failure
from nestling.emitters.mql.sql.functions.arguments import over
from nestling.emitters.mql.sql.functions.characters import exchanged
from nestling.emitters.mql.sql.gaps import gap
from nestling.ir.expression import Call, Function, Rules
from nestling.ir.reading import GapKind

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

_BLOCKS = (range(0xB5, 0x250), range(0x370, 0x400), range(0x400, 0x530), range(0x1E00, 0x1F00))
"""Latin with its first two extensions and the additional one, Greek, Cyrillic with its supplement."""
_APART = 2
"""Letters closer than that are in one range."""


@cache
def other_alphabets() -> str:
    """A regular expression's class of all other letters that have case."""
    cased = (code for code in range(_BLOCKS[0].start, 0x1F000) if chr(code).upper() != chr(code).lower())
    others = [code for code in cased if not any(code in block for block in _BLOCKS)]
    ends = [code for code, after in pairwise((*others, sys.maxunicode)) if after - code > _APART]
    starts = [code for before, code in pairwise((0, *others)) if code - before > _APART]
    return "[" + "".join(f"\\x{{{a:X}}}-\\x{{{b:X}}}" for a, b in zip(starts, ends, strict=True)) + "]"


def _pairs(case: Callable[[str], str]) -> tuple[str, str]:
    """Letters, and the others they become; of those that become several characters the C library's rules leave all but İ."""
    found = [(chr(code), case(chr(code))) for block in _BLOCKS for code in block]
    changed = [(old, new[0]) for old, new in found if old != new and (len(new) == 1 or old == "İ")]
    return "".join(old for old, _ in changed), "".join(new for _, new in changed)


_LETTERS = {Function.UPPER: _pairs(str.upper), Function.LOWER: _pairs(str.lower)}
_ASCII = {
    Function.UPPER: str.maketrans(ascii_lowercase, ascii_uppercase),
    Function.LOWER: str.maketrans(ascii_uppercase, ascii_lowercase),
}


def _constant(text: str, function: Function) -> str:
    if any(each.upper() != each.lower() and not each.isascii() and not _is_known(each) for each in text):
        raise gap(f"the {function.value} case of the letters of `{text}`")
    return text.translate(_ASCII[function]).translate(str.maketrans(*_LETTERS[function]))


def _is_known(character: str) -> bool:
    return any(ord(character) in block for block in _BLOCKS)


def cased(node: Call, r: Renderer) -> Mql:
    """A text in upper or lower case; MySQL's own rules are nobody else's."""
    if node.rules is Rules.MYSQL:
        raise gap(f"{node.function.value} by MySQL's case rules", GapKind.NEVER)
    operator = "$toUpper" if node.function is Function.UPPER else "$toLower"
    if node.rules is Rules.SQLITE:
        return over(node, r, lambda text: {operator: text})
    old, new = _LETTERS[node.function]

    def body(text: Mql) -> Mql:
        known = literal_value(text) if is_inline(text) else None
        if isinstance(known, str):
            return inline(_constant(known, node.function))
        no_case = failure(f"no {node.function.value} case is known of a letter in", text)
        others = {"$regexMatch": {"input": text, "regex": other_alphabets()}}
        letters = exchanged({operator: text}, old, new)
        is_ascii = {"$eq": [{"$strLenCP": text}, {"$strLenBytes": text}]}
        return {"$cond": [is_ascii, {operator: text}, {"$cond": [others, no_case, letters]}]}

    return over(node, r, body, inside=True)
