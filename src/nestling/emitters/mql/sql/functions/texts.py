"""Functions of texts. Characters are code points."""

from __future__ import annotations

import re
from dataclasses import replace as with_parts
from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.aggregates import joined
from nestling.emitters.mql.sql.constants import MqlValue, inline, is_inline, literal_value
from nestling.emitters.mql.sql.failures import failure
from nestling.emitters.mql.sql.functions.arguments import constant, over
from nestling.emitters.mql.sql.functions.characters import characters, exchanged, first_byte, number_of
from nestling.emitters.mql.sql.functions.letter_case import cased
from nestling.emitters.mql.sql.gaps import no_constant, rendering_gap
from nestling.emitters.mql.sql.nulls import bind, null_if_any
from nestling.ir.statements.expression import Call
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.types import TypeName

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

_INT32 = 2**31
_MOST_TAKEN = 10**9
"""How many characters SQLite's substr() takes from its start on where it is not told."""
_LAST_INT32 = _INT32 - 1
_ASCII = "".join(map(chr, range(128)))


def concat(node: Call, r: Renderer) -> MqlValue:
    """The server's, too, is null when a text is."""
    return {"$concat": [r.value(argument) for argument in node.arguments]}


def concat_present(node: Call, r: Renderer) -> MqlValue:
    """Texts concatenated, skipping NULLs."""
    texts = [r.value(argument) for argument in node.arguments]
    maybe = [r.nullable(argument) for argument in node.arguments]
    return {"$concat": [{"$ifNull": [text, ""]} if may else text for text, may in zip(texts, maybe, strict=True)]}


def concat_separated(node: Call, r: Renderer) -> MqlValue:
    """NULL only when the separator is."""
    separator, *texts = node.arguments

    def body(between: MqlValue) -> MqlValue:
        present = {
            "$filter": {"input": [r.value(text) for text in texts], "as": "text_", "cond": {"$gt": ["$$text_", None]}}
        }
        found = {"$ifNull": [joined(present, between), ""]}
        return null_if_any([between] if r.nullable(separator) else [], found)

    return bind({"separator": r.value(separator)}, body, inside=True)


def length(node: Call, r: Renderer) -> MqlValue:
    """The length of a text in characters, of bytes in bytes."""
    if node.arguments[0].type.name is TypeName.BYTES:
        return over(node, r, lambda value: {"$binarySize": value})
    return over(node, r, lambda text: {"$strLenCP": text})


def byte_length(node: Call, r: Renderer) -> MqlValue:
    """The length in bytes; a text counts as UTF-8."""
    of_bytes = node.arguments[0].type.name is TypeName.BYTES
    return over(node, r, lambda value: {"$binarySize" if of_bytes else "$strLenBytes": value})


def substring(node: Call, r: Renderer) -> MqlValue:
    """A window of characters, cut off at both ends of the text."""

    def body(text: MqlValue, start: MqlValue, size: MqlValue = None) -> MqlValue:
        if node.rules is Rules.SQLITE:
            start = _of_32_bits(start)
            size = _of_32_bits(size) if len(node.arguments) > 2 else _MOST_TAKEN if _may_be_far(start) else None
        simple = _from_the_front(text, start, size)
        return simple if simple is not None else _window(node, text, start, size)

    return over(node, r, body)


def _of_32_bits(number: MqlValue) -> MqlValue:
    """The last 32 bits of an integer with their sign, which are what SQLite's substr() looks at."""
    if not is_inline(number):
        small = {"$and": [{"$gte": [number, -_INT32]}, {"$lt": [number, _INT32]}]}
        left = {"$mod": [{"$add": [{"$mod": [number, 2 * _INT32]}, 3 * _INT32]}, 2 * _INT32]}
        return {"$cond": [small, number, {"$subtract": [left, _INT32]}]}
    known = literal_value(number)
    return (known + _INT32) % (2 * _INT32) - _INT32 if isinstance(known, int) else number


def _may_be_far(start: MqlValue) -> bool:
    """Whether it may be so far before the text that SQLite does not come to it."""
    known = literal_value(start) if is_inline(start) else None
    return not isinstance(known, int) or known < -_MOST_TAKEN


def _from_the_front(text: MqlValue, start: MqlValue, size: MqlValue) -> MqlValue:
    """The usual case: a constant start within the text and a constant length."""
    if not is_inline(start) or not is_inline(size):
        return None
    first, count = literal_value(start), literal_value(size)
    if not isinstance(first, int) or first < 1 or not (count is None or (isinstance(count, int) and count >= 0)):
        return None
    return {"$substrCP": [text, min(first - 1, _LAST_INT32), min(_LAST_INT32 if count is None else count, _LAST_INT32)]}


def _window(node: Call, text: MqlValue, start: MqlValue, size: MqlValue) -> MqlValue:
    """The part of a text that starts at `start` and has `size` characters. A negative size means backwards in SQLite."""
    end = {"$strLenCP": text}
    begin: MqlValue = {"$subtract": [start, 1]}
    if node.rules is not Rules.POSTGRESQL:
        begin = {"$cond": [{"$gte": [start, 0]}, {"$subtract": [start, 1]}, {"$add": [end, start]}]}
    return bind(
        {"end": end, "begin": begin, "size": end if size is None else size},
        lambda end, begin, rest: _cut(node, text, begin, end if size is None else {"$add": [begin, rest]}, rest, end),
    )


def _cut(node: Call, text: MqlValue, begin: MqlValue, last: MqlValue, size: MqlValue, end: MqlValue) -> MqlValue:
    backwards = node.rules is Rules.SQLITE and len(node.arguments) == 3
    low: MqlValue = {"$min": [begin, last]} if backwards else begin
    high: MqlValue = {"$max": [begin, last]} if backwards else last
    first: MqlValue = {"$min": [{"$max": [low, 0]}, end]}
    count: MqlValue = {"$subtract": [{"$max": [{"$min": [high, end]}, 0]}, first]}
    found: MqlValue = {"$substrCP": [text, first, {"$max": [count, 0]}]}
    if node.rules is Rules.MYSQL:  # a start before the text, and 0, find nothing
        return {"$cond": [{"$lt": [begin, 0]}, "", found]}
    if node.rules is Rules.POSTGRESQL and len(node.arguments) == 3:
        return {"$cond": [{"$lt": [size, 0]}, failure("negative substring length not allowed", text), found]}
    return found


def position(node: Call, r: Renderer) -> MqlValue:
    """The place where a text begins in another, counted from 1; 0 when it is not there."""
    return over(node, r, lambda text, sought: {"$add": [{"$indexOfCP": [text, sought]}, 1]})


def replace(node: Call, r: Renderer) -> MqlValue:
    """Replace a text by another; an empty search text changes nothing, whereas the server would insert between all characters."""

    def body(text: MqlValue, sought: MqlValue, new: MqlValue) -> MqlValue:
        found = {"$replaceAll": {"input": text, "find": sought, "replacement": new}}
        if is_inline(sought):
            return found if literal_value(sought) else text
        return {"$cond": [{"$eq": [sought, ""]}, text, found]}

    if node.rules is Rules.SQLITE:  # a NULL takes the place of nothing where nothing is sought
        new = r.value(node.arguments[2])
        return over(with_parts(node, arguments=node.arguments[:2]), r, lambda text, sought: body(text, sought, new))
    return over(node, r, body)


_TRIMS = {Function.TRIM: "$trim", Function.TRIM_START: "$ltrim", Function.TRIM_END: "$rtrim"}


def trim(node: Call, r: Renderer) -> MqlValue:
    """A set of characters, in MySQL a text; the server's is null, too, when the text or the set is."""
    text, characters = (r.value(argument) for argument in node.arguments)
    known = constant(node.arguments[1], r)
    if node.rules is Rules.MYSQL and isinstance(known, str) and len(known) != 1:
        return over(with_parts(node, arguments=node.arguments[:1]), r, lambda x: _without(known, x, node.function))
    return {_TRIMS[node.function]: {"input": text, "chars": characters}}


def _without(known: str, text: MqlValue, function: Function) -> MqlValue:
    """The text without this one, as often as it stands there: first at its start, then at the end of what is left."""
    if not known:
        return text
    many = f"(?:{re.escape(known)})+"
    if function is not Function.TRIM_END:
        text = bind({"start": {"$regexFind": {"input": text, "regex": f"^{many}"}}}, lambda found: _behind(found, text))
    if function is not Function.TRIM_START:
        text = bind({"text": text}, lambda rest: _before(rest, f"{many}\\z"))
    return text


def _behind(found: MqlValue, text: MqlValue) -> MqlValue:
    begun = {"$strLenCP": {"$ifNull": [{"$getField": {"field": "match", "input": found}}, ""]}}
    return {"$substrCP": [text, begun, _LAST_INT32]}


def _before(text: MqlValue, pattern: str) -> MqlValue:
    found = {"$regexFind": {"input": text, "regex": pattern}}
    place = {"$ifNull": [{"$getField": {"field": "idx", "input": found}}, _LAST_INT32]}
    return {"$substrCP": [text, 0, place]}


def repeated(text: MqlValue, times: MqlValue) -> MqlValue:
    """The text so many times; both simple."""
    return {"$reduce": {"input": {"$range": [0, times]}, "initialValue": "", "in": {"$concat": ["$$value", text]}}}


def repeat(node: Call, r: Renderer) -> MqlValue:
    """A text repeated; the empty text if the number is zero or less."""
    return over(node, r, lambda text, times: repeated(text, {"$max": [times, 0]}), inside=True)


def pad(node: Call, r: Renderer) -> MqlValue:
    """Cut to the length when longer; an empty filling fills nothing."""
    if node.rules is Rules.MYSQL and constant(node.arguments[2], r) in ("", ...):
        raise rendering_gap("padding in MySQL with a text that may be empty")

    def body(text: MqlValue, size: MqlValue, filling: MqlValue) -> MqlValue:
        missing = {"$max": [{"$subtract": [size, {"$strLenCP": text}]}, 0]}
        fill = {"$substrCP": [repeated(filling, missing), 0, missing]}
        kept = {"$substrCP": [text, 0, {"$max": [size, 0]}]}
        return {"$concat": [fill, kept] if node.function is Function.PAD_START else [kept, fill]}

    return over(node, r, body, inside=True)


def reverse(node: Call, r: Renderer) -> MqlValue:
    """The text with its code points in reverse order."""
    step = {"$concat": ["$$this", "$$value"]}
    return over(
        node, r, lambda text: {"$reduce": {"input": characters(text), "initialValue": "", "in": step}}, inside=True
    )


def substring_index(node: Call, r: Renderer) -> MqlValue:
    """The first or last so many parts between separators, which are kept; number and separator are constants."""
    separator, count = (constant(argument, r) for argument in node.arguments[1:])
    assert isinstance(separator, str)
    assert isinstance(count, int)

    def body(text: MqlValue) -> MqlValue:
        parts = {"$split": [text, inline(separator)]}
        if abs(count) == 1:
            return {"$arrayElemAt": [parts, 0 if count > 0 else -1]}
        return joined({"$slice": [parts, count]}, inline(separator))

    return over(with_parts(node, arguments=node.arguments[:1]), r, body, inside=True)


def part(node: Call, r: Renderer) -> MqlValue:
    """One of the parts between separators; constants."""
    separator, place = (constant(argument, r) for argument in node.arguments[1:])
    assert isinstance(place, int)

    def body(text: MqlValue) -> MqlValue:
        found = {"$arrayElemAt": [{"$split": [text, inline(separator)]}, place - 1 if place > 0 else place]}
        return {"$ifNull": [found, ""]}

    return over(with_parts(node, arguments=node.arguments[:1]), r, body)


def translate(node: Call, r: Renderer) -> MqlValue:
    """Characters without a counterpart are left out."""
    return over(node, r, exchanged, inside=True)


def character(node: Call, r: Renderer) -> MqlValue:
    """The character with this number, which must be a constant."""
    code = constant(node.arguments[0], r)
    if not isinstance(code, int) or not 0 < code < 0x110000 or 0xD800 <= code < 0xE000:
        raise no_constant("a character by a number that is not a constant", node.arguments[0])
    return inline(chr(code))


def code_point(node: Call, r: Renderer) -> MqlValue:
    """The number of the first character; MySQL's is that of the first byte, which is the same of ASCII."""

    def body(text: MqlValue) -> MqlValue:
        known = literal_value(text) if is_inline(text) else None
        if isinstance(known, str) and known:
            return known.encode()[0] if node.rules is Rules.MYSQL else ord(known[0])

        def found(first: MqlValue) -> MqlValue:
            number = number_of(first)
            other = bind({"code": number}, first_byte) if node.rules is Rules.MYSQL else number
            place = {"$indexOfCP": [_ASCII, first]}
            return bind({"place": place}, lambda x: {"$cond": [{"$eq": [x, -1]}, other, x]})

        code = bind({"first": {"$substrCP": [text, 0, 1]}}, found)
        return {"$cond": [{"$eq": [text, ""]}, None if node.rules is Rules.SQLITE else 0, code]}

    return over(node, r, body)


TEXTS = {
    Function.CONCAT: concat,
    Function.CONCAT_PRESENT: concat_present,
    Function.CONCAT_SEPARATED: concat_separated,
    Function.UPPER: cased,
    Function.LOWER: cased,
    Function.LENGTH: length,
    Function.BYTE_LENGTH: byte_length,
    Function.SUBSTRING: substring,
    Function.POSITION: position,
    Function.REPLACE: replace,
    Function.TRIM: trim,
    Function.TRIM_START: trim,
    Function.TRIM_END: trim,
    Function.PAD_START: pad,
    Function.PAD_END: pad,
    Function.REPEAT: repeat,
    Function.REVERSE: reverse,
    Function.SUBSTRING_INDEX: substring_index,
    Function.PART: part,
    Function.TRANSLATE: translate,
    Function.CHARACTER: character,
    Function.CODE_POINT: code_point,
}
