"""Texts character by character: characters are code points."""

from __future__ import annotations

from nestling.emitters.mql.sql.constants import MqlValue
from nestling.emitters.mql.sql.nulls import bind

_LAST = 0x10FFFF
_SURROGATES = (0xD800, 0xE000)
"""Numbers of no characters, which no pattern may name, from the first to the one behind the last."""


def characters(text: MqlValue) -> MqlValue:
    """The text's characters as an array."""
    return {
        "$map": {"input": {"$range": [0, {"$strLenCP": text}]}, "as": "at_", "in": {"$substrCP": [text, "$$at_", 1]}}
    }


def exchanged(text: MqlValue, old: MqlValue, new: MqlValue) -> MqlValue:
    """The text with each `old` character replaced by the `new` one at the same position, or removed if there is none."""
    step = {"$concat": ["$$value", _other("$$this", old, new)]}
    return {"$reduce": {"input": characters(text), "initialValue": "", "in": step}}


def exchanged_letters(text: MqlValue, old: str, new: str) -> MqlValue:
    """Replace characters outside ASCII only: runs of ASCII are kept whole, as comparing with many characters is slow."""
    piece = "$$this.match"
    is_ascii = {"$eq": [{"$strLenCP": piece}, {"$strLenBytes": piece}]}
    step = {"$concat": ["$$value", {"$cond": [is_ascii, piece, _other(piece, old, new)]}]}
    pieces = {"$regexFindAll": {"input": text, "regex": "[\\x00-\\x7F]+|[^\\x00-\\x7F]"}}
    return {"$reduce": {"input": pieces, "initialValue": "", "in": step}}


def _other(character: str, old: MqlValue, new: MqlValue) -> MqlValue:
    place = {"$indexOfCP": [old, character]}
    return {"$cond": [{"$eq": [place, -1]}, character, {"$substrCP": [new, {"$max": [place, 0]}, 1]}]}


def number_of(character: MqlValue) -> MqlValue:
    """The code point of a character, bit by bit: a pattern tests whether it is at least another number."""

    def is_from(number: MqlValue) -> MqlValue:
        pattern = {"$concat": ["^[\\x{", _hexadecimal(number), f"}}-\\x{{{_LAST:x}}}]"]}
        return {"$cond": [{"$gt": [number, _LAST]}, False, {"$regexMatch": {"input": character, "regex": pattern}}]}

    first, behind = _SURROGATES
    added = {"$add": ["$$value", "$$this"]}
    is_none = {"$and": [{"$gte": [added, first]}, {"$lt": [added, behind]}]}
    is_found = bind({"number": {"$cond": [is_none, behind, added]}}, is_from)
    bits = [1 << bit for bit in range(_LAST.bit_length() - 1, -1, -1)]
    return {"$reduce": {"input": bits, "initialValue": 0, "in": {"$cond": [is_found, added, "$$value"]}}}


def _hexadecimal(number: MqlValue) -> MqlValue:
    places = (16**place for place in range(5, -1, -1))
    digits = ({"$mod": [{"$floor": {"$divide": [number, place]}}, 16]} for place in places)
    return {"$concat": [{"$substrCP": ["0123456789abcdef", digit, 1]} for digit in digits]}


def first_byte(number: MqlValue) -> MqlValue:
    """The first byte of a character that is not ASCII, by its number."""
    two, three, four = (
        {"$add": [begin, {"$toInt": {"$floor": {"$divide": [number, rest]}}}]}
        for begin, rest in ((0xC0, 1 << 6), (0xE0, 1 << 12), (0xF0, 1 << 18))
    )
    return {"$cond": [{"$lt": [number, 0x800]}, two, {"$cond": [{"$lt": [number, 0x10000]}, three, four]}]}
