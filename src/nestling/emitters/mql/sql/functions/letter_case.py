"""Upper and lower case. The server's own know A to Z only, as SQLite's do; PostgreSQL's know the letters of all alphabets.

Letters are exchanged one by one, which is what PostgreSQL does by the rules of the C library. A statement fails on a letter whose
case hangs on the database's version of Unicode.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.constants import Mql, inline, is_inline, literal_value
from nestling.emitters.mql.sql.failures import failure
from nestling.emitters.mql.sql.functions.arguments import over
from nestling.emitters.mql.sql.functions.characters import exchanged
from nestling.emitters.mql.sql.gaps import gap
from nestling.ir.expression import Call, Function, Rules
from nestling.ir.letter_case import LOWER_OF, NEWER_LETTERS, UPPER_OF, known_case
from nestling.ir.reading import GapKind

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

_TABLES = {Function.UPPER: UPPER_OF, Function.LOWER: LOWER_OF}
_NEWER = "[" + "".join(f"\\x{{{low:X}}}-\\x{{{high:X}}}" for low, high in NEWER_LETTERS) + "]"


@cache
def _other_letters(function: Function) -> tuple[str, str]:
    """Letters beyond A to Z, and what they become."""
    found = [(chr(old), chr(new)) for old, new in _TABLES[function].items() if not chr(old).isascii()]
    return "".join(old for old, _ in found), "".join(new for _, new in found)


def _constant(text: str, function: Function) -> str:
    if not known_case(text):
        raise gap(f"the {function.value} case of the letters of `{text}`")
    return text.translate(_TABLES[function])


def cased(node: Call, r: Renderer) -> Mql:
    """A text in upper or lower case; MySQL's own rules are nobody else's."""
    if node.rules is Rules.MYSQL:
        raise gap(f"{node.function.value} by MySQL's case rules", GapKind.NEVER)
    operator = "$toUpper" if node.function is Function.UPPER else "$toLower"
    if node.rules is Rules.SQLITE:
        return over(node, r, lambda text: {operator: text})
    old, new = _other_letters(node.function)

    def body(text: Mql) -> Mql:
        known = literal_value(text) if is_inline(text) else None
        if isinstance(known, str):
            return inline(_constant(known, node.function))
        no_case = failure(f"no {node.function.value} case is known of a letter in", text)
        newer = {"$regexMatch": {"input": text, "regex": _NEWER}}
        letters = exchanged({operator: text}, old, new)
        is_ascii = {"$eq": [{"$strLenCP": text}, {"$strLenBytes": text}]}
        return {"$cond": [is_ascii, {operator: text}, {"$cond": [newer, no_case, letters]}]}

    return over(node, r, body, inside=True)
