"""BSON values that JSON cannot express, inside of JSON: as Extended JSON, `{"$date": …}`, which distinguishes them all, and back.

Numbers stay numbers if JSON has them.
"""

from __future__ import annotations

import json
import math
import re
import sys
from datetime import datetime
from decimal import Decimal
from uuid import UUID

import bson
from bson import Binary, Code, DBRef, Decimal128, MaxKey, MinKey, ObjectId, Regex, Timestamp, json_util
from bson.binary import UuidRepresentation
from bson.datetime_ms import DatetimeMS
from bson.errors import BSONError
from bson.json_util import JSONMode, JSONOptions

from nestling.ir.codec import CODEC
from nestling.ir.nested_values import with_leaves
from nestling.ir.types import TypeName
from nestling.ir.value_forms.numeral import INT64

EXTENDED = JSONOptions(json_mode=JSONMode.RELAXED, uuid_representation=UuidRepresentation.STANDARD)
_AS_BINARY = JSONOptions(json_mode=JSONMode.RELAXED)
"""Reads UUIDs as binary values of the subtype they are written with: those of old drivers have another than today's."""
NOT_IN_SQL = (Code, DBRef, MaxKey, MinKey, Regex, Timestamp, DatetimeMS)
"""Classes of values that no type of a model stands for."""
_CANONICAL = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)


def beyond_json(value: object, *, digits: bool = False) -> object | None:
    """The value as Extended JSON; None where JSON has it. `digits`: in JSON that keeps those of numbers, as jsonb does."""
    match value:
        case float():
            is_beyond = not math.isfinite(value)
        case Decimal128():
            is_beyond = not (_is_number_with_digits if digits else _is_number)(value.to_decimal())
        case _:
            is_beyond = isinstance(value, (bytes, UUID, datetime, ObjectId, *NOT_IN_SQL))
    return json.loads(json_util.dumps(value, json_options=EXTENDED)) if is_beyond else None


def within_bson(value: dict[str, object], *, digits: bool = False) -> object | None:
    """The value that Extended JSON stands for; None for text that `beyond_json` would not write in exactly this way."""
    try:
        stored = bson.encode({"": json_util.loads(json.dumps(value), json_options=_AS_BINARY)}, codec_options=CODEC)
        found = bson.decode(stored, codec_options=CODEC)[""]
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, BSONError):
        return None
    return found if json.dumps(beyond_json(found, digits=digits)) == json.dumps(value) else None


def by_worth(value: object) -> object:
    """JSON whose numbers are one however they were written, `0.10` and `0.1`."""
    return with_leaves(value, _number_by_worth)


def _number_by_worth(leaf: object) -> object:
    is_float = isinstance(leaf, Decimal) and leaf.is_finite() and Decimal(repr(float(leaf))) == leaf
    return float(leaf) if isinstance(leaf, Decimal) and is_float else leaf


def beyond_sql(value: object, kind: TypeName) -> str:
    """What the value is, in words, where no column of this type gives it back; empty where one does."""
    match value:
        case _ if isinstance(value, NOT_IN_SQL):  # Code is a text
            return f"a {type(value).__name__}"
        case UUID():
            return "" if kind is TypeName.UUID else "a UUID"
        case str():
            return "the text of a UUID beside UUIDs" if kind is TypeName.UUID and _CANONICAL.fullmatch(value) else ""
        case Binary():
            return f"a binary value of subtype {value.subtype}"
        case _:
            return ""


def number_with_digits(text: str) -> float | Decimal:
    """A float where the server too can tell the digits from it, by 15 of them; else a decimal."""
    found, exact = float(text), Decimal(text)
    return found if repr(found) == text and len(exact.as_tuple().digits) <= sys.float_info.dig else exact


def _is_number_with_digits(number: Decimal) -> bool:
    """Whether a decimal comes back, with its digits, from JSON that keeps those."""
    if not number.is_finite() or number.is_signed() > bool(number):  # jsonb has no -0.0
        return False
    exponent = number.as_tuple().exponent
    if exponent == 0:
        return _is_number(number)
    return int(exponent) < 0 and isinstance(number_with_digits(f"{number:f}"), Decimal)


def _is_number(number: Decimal) -> bool:
    """Whether a decimal comes back from JSON as itself: beyond 64 bits, or what a float would round."""
    if number.as_tuple().exponent == 0:
        return not -INT64 <= number < INT64
    return number.is_finite() and Decimal(repr(float(number))) != number
