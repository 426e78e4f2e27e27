"""JSON text to Python values and back, without losing anything.

Text is converted if that is exactly reversible as a value, else passed on as found. Passed on as found are: text that is not
JSON, objects that name a key twice, and a top-level string or `null` (which could not be distinguished from text as found, or
from NULL). So a `str` in a json attribute is always JSON text. Numbers are `int` or `float`; one that a float would round is a
`Decimal`, and for jsonb, which keeps digits, also one that a float would write differently: `0.10`. Values that only BSON has
are written as Extended JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NoReturn

from nestling.ir.rows import JsonNull
from nestling.ir.value_forms.bson_in_json import NOT_IN_SQL, beyond_json, number_with_digits


def read_json(text: str, *, digits: bool = False) -> Any:
    """Return the value of a JSON text, or the text itself; `digits`: with numbers that keep theirs."""
    try:
        found = (_DIGITS_DECODER if digits else _DECODER).decode(text)
    except (ValueError, RecursionError):
        return text
    return text if found is None or isinstance(found, str) else found


def require_json(text: str, *, whole: bool = False) -> None:
    """Raise `ValueError` for a text that is not JSON; `whole`: nor may it contain half of a surrogate pair."""
    try:
        found = _ANY_DECODER.decode(text)
        if whole and not all(map(_is_whole, _texts(found))):
            raise ValueError("half of a surrogate pair is not a character")
    except RecursionError:
        return  # servers go deeper


def read_jsonb(text: str) -> Any:
    """What `read_json` makes of the text as which PostgreSQL writes this one as jsonb; raises `ValueError` for what it refuses.

    Of a key that is there twice the last stays, short keys come first, numbers have no exponent, and no text holds NUL or half a
    character. As MongoDB compares objects in the order of their keys, equal ones have to have the same.
    """
    try:
        found = _JSONB_DECODER.decode(text)
        if any("\0" in each or not _is_whole(each) for each in _texts(found)):
            raise ValueError("jsonb allows neither \\u0000 nor half of a surrogate pair")
    except RecursionError:
        return text
    return json.dumps(found, ensure_ascii=False) if found is None or isinstance(found, str) else found


def jsonb_value(text: str) -> Any:
    """The value of a JSON text, a JSON string as a text; raises `ValueError` for text that is not JSON."""
    try:
        return _JSONB_DECODER.decode(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def json_text(value: object) -> str:
    """Write a value as JSON text; a string is JSON text already."""
    return value if isinstance(value, str) else _written(value)


def _written(value: object) -> str:
    match value:
        case dict():
            return "{" + ", ".join(f"{_quoted(str(k))}: {_written(v)}" for k, v in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(_written, value)) + "]"
        case Decimal() if value.is_finite():
            return str(value)
        case JsonNull():
            return "null"
        case None | bool() | int() | float():
            return json.dumps(value)
        case _ if isinstance(value, NOT_IN_SQL):
            return _written(beyond_json(value))
        case _:
            return _quoted(str(value))


def _quoted(text: str) -> str:
    """The text as it stands in JSON; half of a surrogate pair, which no file has, as its escape."""
    return json.dumps(text, ensure_ascii=not _is_whole(text))


def _number(text: str) -> float | Decimal:
    found, exact = float(text), Decimal(text)
    return found if Decimal(repr(found)) == exact else exact


def _numeric(text: str) -> int | float | Decimal:
    """A number as PostgreSQL's numeric keeps it."""
    found = Decimal(text)
    if not -_NUMERIC_PLACES[1] <= found.adjusted() < _NUMERIC_PLACES[0]:
        raise ValueError(f"{text} is out of range")
    written = f"{found if found else found.copy_abs():f}"
    return number_with_digits(written) if "." in written else int(written)


def _texts(value: object) -> Iterator[str]:
    """Every text and key in a value."""
    match value:
        case str():
            yield value
        case dict():
            for key, item in value.items():
                yield key
                yield from _texts(item)
        case list():
            for item in value:
                yield from _texts(item)
        case _:
            return


def _is_whole(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key appears twice")
    return members


def _in_order(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The members of an object as PostgreSQL keeps them in jsonb."""
    members = dict(pairs)
    keys = {key.encode("utf-8", "surrogatepass"): key for key in members}
    return {keys[each]: members[keys[each]] for each in sorted(keys, key=lambda each: (len(each), each))}


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_NUMERIC_PLACES = 131_072, 16_383
"""Digits before and behind the point of PostgreSQL's numeric."""
_DIGITS_DECODER = json.JSONDecoder(
    object_pairs_hook=_members, parse_float=number_with_digits, parse_constant=_no_constant
)
_ANY_DECODER = json.JSONDecoder(parse_constant=_no_constant)
_JSONB_DECODER = json.JSONDecoder(object_pairs_hook=_in_order, parse_float=_numeric, parse_constant=_no_constant)
_DECODER = json.JSONDecoder(object_pairs_hook=_members, parse_float=_number, parse_constant=_no_constant)
