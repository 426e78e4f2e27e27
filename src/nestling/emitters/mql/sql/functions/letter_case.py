"""Upper and lower case. The server's own know A to Z only, as SQLite's do; PostgreSQL's know the letters of all alphabets.

Letters are exchanged one by one, which is what PostgreSQL does by the rules of the C library, and MySQL too. A statement fails on
a letter whose case hangs on the database's version of Unicode; in MySQL also on one whose case hangs on the collation.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.constants import MqlValue, inline, is_inline, literal_value
from nestling.emitters.mql.sql.failures import failure
from nestling.emitters.mql.sql.functions.arguments import over
from nestling.emitters.mql.sql.functions.characters import exchanged_letters
from nestling.emitters.mql.sql.gaps import rendering_gap
from nestling.ir.statements.expression import Call
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.value_forms.letter_case import LOWER_OF, NEWER_LETTERS, UPPER_OF

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

_TABLES = {Function.UPPER: UPPER_OF, Function.LOWER: LOWER_OF}
_ALIKE = ((0x41, 0x7A), (0xC0, 0xFE), (0x100, 0x12F), (0x132, 0x17E), (0x386, 0x3CE), (0x400, 0x45F))
"""Of these letters all collations of MySQL have the same case, but those of the Turkish language of I."""


def _ranges(letters: Iterable[int]) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    for letter in sorted(letters):
        if found and found[-1][1] == letter - 1:
            found[-1] = (found[-1][0], letter)
        else:
            found.append((letter, letter))
    return tuple(found)


_BY_COLLATION = _ranges(
    letter for letter in {*UPPER_OF, *LOWER_OF} if not any(low <= letter <= high for low, high in _ALIKE)
)
_UNSURE = {Rules.POSTGRESQL: NEWER_LETTERS, Rules.MYSQL: (*NEWER_LETTERS, *_BY_COLLATION)}
"""Letters whose case is not known of each database."""


@cache
def _class_of(rules: Rules) -> str:
    return "[" + "".join(f"\\x{{{low:X}}}-\\x{{{high:X}}}" for low, high in _UNSURE[rules]) + "]"


@cache
def _other_letters(function: Function) -> tuple[str, str]:
    """The letters besides A to Z, and what each becomes."""
    found = [(chr(old), chr(new)) for old, new in _TABLES[function].items() if not chr(old).isascii()]
    return "".join(old for old, _ in found), "".join(new for _, new in found)


def _constant(text: str, function: Function, rules: Rules) -> str:
    if any(low <= ord(letter) <= high for letter in text for low, high in _UNSURE[rules]):
        raise rendering_gap(f"the {function.value} case of the letters of `{text}`")
    return text.translate(_TABLES[function])


def cased(node: Call, r: Renderer) -> MqlValue:
    """A text in upper or lower case."""
    operator = "$toUpper" if node.function is Function.UPPER else "$toLower"
    if node.rules is Rules.SQLITE:
        return over(node, r, lambda text: {operator: text})

    def body(text: MqlValue) -> MqlValue:
        known = literal_value(text) if is_inline(text) else None
        if isinstance(known, str):
            return inline(_constant(known, node.function, node.rules))
        no_case = failure(f"the {node.function.value} case is not known of a letter in", text)
        newer = {"$regexMatch": {"input": text, "regex": _class_of(node.rules)}}
        letters = exchanged_letters({operator: text}, *_other_letters(node.function))
        is_ascii = {"$eq": [{"$strLenCP": text}, {"$strLenBytes": text}]}
        return {"$cond": [is_ascii, {operator: text}, {"$cond": [newer, no_case, letters]}]}

    return over(node, r, body, inside=True)
