"""Numbers and their texts, as SQLite reads and shows them, and the zero of the servers' decimals."""

from __future__ import annotations

from bson import Decimal128

from nestling.emitters.mql.sql.constants import MqlValue
from nestling.emitters.mql.sql.nulls import bind
from nestling.ir.value_forms.numeral import INT64, WORTH_AN_INTEGER

SPACE = r"[ \t\n\x0b\f\r]*"
INTEGER = "[-+]?[0-9]+"
NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_LEAST, _LAST = -INT64, INT64 - 1


def plain_zero(decimal: MqlValue) -> MqlValue:
    """The decimal without a signed zero or exponent: MongoDB's may have both, those of SQL have neither."""
    return {"$add": [decimal, Decimal128("0")]}


def capture(text: MqlValue, regex: str) -> MqlValue:
    """The first group of the match of `regex`; null when it does not match or the text is NULL."""
    found = {"$regexFind": {"input": text, "regex": regex}}
    return {"$first": {"$getField": {"field": "captures", "input": found}}}


def float_of(numeral: MqlValue) -> MqlValue:
    """The float of a numeral, infinite if it is too large."""
    infinite = {"$cond": [{"$eq": [{"$substrCP": [numeral, 0, 1]}, "-"]}, float("-inf"), float("inf")]}
    return {"$convert": {"input": numeral, "to": "double", "onError": infinite}}


def number_of(numeral: MqlValue) -> MqlValue:
    """The integer that a numeral is or equals; otherwise the float."""
    fraction = bind(
        {"float": float_of(numeral)},
        lambda x: {
            "$cond": [
                {"$and": [{"$eq": [x, {"$trunc": x}]}, {"$lt": [{"$abs": x}, WORTH_AN_INTEGER]}]},
                {"$convert": {"input": x, "to": "long", "onError": x}},
                x,
            ]
        },
    )
    is_whole = {"$regexMatch": {"input": numeral, "regex": f"^{INTEGER}$"}}
    return {"$cond": [is_whole, {"$convert": {"input": numeral, "to": "long", "onError": float_of(numeral)}}, fraction]}


def number_as_written(numeral: MqlValue) -> MqlValue:
    """The integer a numeral is; else the float, `10.0` too."""
    is_whole = {"$regexMatch": {"input": numeral, "regex": f"^{INTEGER}$"}}
    return {
        "$cond": [
            is_whole,
            {"$convert": {"input": numeral, "to": "long", "onError": float_of(numeral)}},
            float_of(numeral),
        ]
    }


def prefix_as_written(text: MqlValue) -> MqlValue:
    """The number at the beginning of a text with its digits, or 0."""
    return bind(
        {"numeral": capture(text, f"^{SPACE}({NUMBER})")},
        lambda n: {"$cond": [{"$lte": [n, None]}, 0, number_as_written(n)]},
    )


def prefix_number(text: MqlValue) -> MqlValue:
    """The number at the beginning of a text, as an integer if it is whole, or 0."""
    return bind(
        {"numeral": capture(text, f"^{SPACE}({NUMBER})")}, lambda n: {"$cond": [{"$lte": [n, None]}, 0, number_of(n)]}
    )


def prefix_float(text: MqlValue) -> MqlValue:
    """The float at the beginning of a text, or 0.0."""
    return bind(
        {"numeral": capture(text, f"^{SPACE}({NUMBER})")}, lambda n: {"$cond": [{"$lte": [n, None]}, 0.0, float_of(n)]}
    )


def prefix_integer(text: MqlValue) -> MqlValue:
    """The integer at the beginning of a text, or the nearest possible one if it is too large; 0 if there is none."""

    def body(numeral: MqlValue) -> MqlValue:
        nearest = {"$cond": [{"$eq": [{"$substrCP": [numeral, 0, 1]}, "-"]}, _LEAST, _LAST]}
        whole = {"$convert": {"input": numeral, "to": "long", "onError": nearest}}
        return {"$cond": [{"$lte": [numeral, None]}, 0, whole]}

    return bind({"numeral": capture(text, f"^{SPACE}({INTEGER})")}, body)


def number_or_text(text: MqlValue) -> MqlValue:
    """The number that the whole text is, ignoring spaces around it; otherwise the text."""
    return bind(
        {"text": text},
        lambda t: bind(
            {"numeral": capture(t, f"^{SPACE}({NUMBER}){SPACE}\\z")},
            lambda n: {"$cond": [{"$lte": [n, None]}, t, number_of(n)]},
        ),
    )


def number_in_full(text: MqlValue) -> MqlValue:
    """The number that the whole text is, ignoring spaces around it; otherwise NULL."""
    return bind(
        {"numeral": capture(text, f"^{SPACE}({NUMBER}){SPACE}\\z")},
        lambda n: {"$cond": [{"$lte": [n, None]}, None, number_as_written(n)]},
    )


def integer_of_float(number: MqlValue) -> MqlValue:
    """Truncated towards zero, and to the nearest 64-bit integer."""
    nearest = {"$cond": [{"$gt": [number, 0]}, _LAST, _LEAST]}
    return {"$convert": {"input": number, "to": "long", "onError": nearest}}


def float_text(number: MqlValue) -> MqlValue:
    """A float with up to 15 significant digits and always a point: `2.5`, `1.0e+20`.

    A decimal made from a float has exactly 15 digits; its text is split into sign, digits and exponent and composed again.
    """
    parts = {"$regexFind": {"input": {"$toString": {"$toDecimal": number}}, "regex": _DECIMAL_TEXT}}
    finite = bind({"parts": {"$getField": {"field": "captures", "input": parts}}}, _from_parts)
    return {
        "$switch": {
            "branches": [
                {"case": {"$eq": [number, float("inf")]}, "then": "Inf"},
                {"case": {"$eq": [number, float("-inf")]}, "then": "-Inf"},
                {"case": {"$eq": [number, 0]}, "then": "0.0"},
                {"case": {"$eq": [number, float("nan")]}, "then": None},  # what infinities give is NULL
            ],
            "default": finite,
        }
    }


_DECIMAL_TEXT = r"^(-?)([0-9]+)(?:\.([0-9]+))?(?:E([-+]?[0-9]+))?$"


def _from_parts(parts: MqlValue) -> MqlValue:
    """Of sign, integer part, fraction and exponent: the digits without zeros at either end, and where the point belongs."""
    sign, whole, fraction, exponent = ({"$arrayElemAt": [parts, place]} for place in range(4))
    digits = {"$concat": [whole, {"$ifNull": [fraction, ""]}]}
    shift = {"$add": [{"$toInt": {"$ifNull": [exponent, "0"]}}, {"$strLenCP": whole}]}
    return bind(
        {"sign": sign, "digits": digits, "shift": shift},
        lambda sign, digits, shift: bind(
            {
                "kept": {"$trim": {"input": digits, "chars": "0"}},
                "point": {
                    "$subtract": [
                        shift,
                        {
                            "$subtract": [
                                {"$strLenCP": digits},
                                {"$strLenCP": {"$ltrim": {"input": digits, "chars": "0"}}},
                            ]
                        },
                    ]
                },
            },
            lambda kept, point: {"$concat": [sign, _placed(kept, point)]},
        ),
    )


def _placed(digits: MqlValue, point: MqlValue) -> MqlValue:
    """The digits with the point after `point` of them; with an exponent below 0.0001 and from 16 digits before it on."""
    size = {"$strLenCP": digits}
    zeros = "0" * 16
    small = {"$concat": ["0.", {"$substrCP": [zeros, 0, {"$subtract": [0, point]}]}, digits]}
    large = {"$concat": [digits, {"$substrCP": [zeros, 0, {"$subtract": [point, size]}]}, ".0"]}
    inner = {"$concat": [{"$substrCP": [digits, 0, point]}, ".", {"$substrCP": [digits, point, 15]}]}
    return {
        "$switch": {
            "branches": [
                {"case": {"$or": [{"$lt": [point, -3]}, {"$gt": [point, 15]}]}, "then": _scientific(digits, point)},
                {"case": {"$lte": [point, 0]}, "then": small},
                {"case": {"$gte": [point, size]}, "then": large},
            ],
            "default": inner,
        }
    }


def _scientific(digits: MqlValue, point: MqlValue) -> MqlValue:
    rest = {"$cond": [{"$eq": [{"$strLenCP": digits}, 1]}, "0", {"$substrCP": [digits, 1, 15]}]}
    power = {"$subtract": [point, 1]}
    size = {"$toString": {"$abs": power}}
    padded = {"$concat": [{"$cond": [{"$lt": [{"$abs": power}, 10]}, "0", ""]}, size]}
    return {
        "$concat": [{"$substrCP": [digits, 0, 1]}, ".", rest, "e", {"$cond": [{"$lt": [power, 0]}, "-", "+"]}, padded]
    }
