"""JSON values as documents keep them; as the JSON text, in binary, where no document keeps one as it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import bson
from bson import Binary
from bson.errors import InvalidDocument, InvalidStringData

from nestling.ir.codec import CODEC
from nestling.ir.value_forms.bson_in_json import within_bson
from nestling.ir.value_forms.json_text import json_text

UNDECODABLE_TEXT_SUBTYPE = 128
JSON_TEXT_SUBTYPE = 129
TEXT_AS_FOUND_SUBTYPE = 130
OUR_SUBTYPES = (UNDECODABLE_TEXT_SUBTYPE, JSON_TEXT_SUBTYPE, TEXT_AS_FOUND_SUBTYPE)
JSON_DEPTH = 64
"""Deepest nesting stored as documents; the server stops at 180 levels, counted from the root of the whole document."""


def json_as_kept(value: Any, keep: Callable[[Any], Any], *, digits: bool = False) -> Any:
    """The value of a JSON text as a field stores it; `keep` converts scalars; `digits`: numbers keep their digits.

    `keep` raises ValueError for a number that BSON has no exact form for: then the whole JSON is stored as text. TypeError: it
    cannot be stored at all.
    """
    if isinstance(value, str):
        return value
    try:
        found = json_value(value, keep, JSON_DEPTH, digits)
        bson.encode({"": found}, codec_options=CODEC)
    except (ValueError, OverflowError, InvalidDocument, InvalidStringData):
        json.dumps(value, default=number_alone)
        return Binary(json_text(value).encode(errors="backslashreplace"), JSON_TEXT_SUBTYPE)
    return found


def number_alone(value: Any) -> Any:
    """Raise TypeError for what no JSON text holds: a decimal is a number."""
    if isinstance(value, Decimal):
        return 0
    raise TypeError(f"{type(value).__name__} is no JSON")


def json_value(value: Any, keep: Callable[[Any], Any], depth: int, digits: bool) -> Any:
    """A part of a JSON value as it is stored; raises ValueError if the server or a driver would not keep it unchanged."""
    if depth == 0:
        raise ValueError("too deep")
    if isinstance(value, list):
        return [json_value(item, keep, depth - 1, digits) for item in value]
    if not isinstance(value, dict):
        return keep(value)
    if any(name.startswith("$") for name in value):  # {$ref: …} would come back as something else
        found = within_bson(value, digits=digits)
        if found is None or is_as_found(found, is_whole=depth == JSON_DEPTH):
            raise ValueError("a name that starts with $")
        return found
    return {name: json_value(item, keep, depth - 1, digits) for name, item in value.items()}


def is_as_found(value: Any, *, is_whole: bool) -> bool:
    """Whether a value in BSON stands for something else than itself as Extended JSON."""
    if is_whole and (isinstance(value, float) or type(value) is bytes):
        return True
    return isinstance(value, Binary) and value.subtype in OUR_SUBTYPES
