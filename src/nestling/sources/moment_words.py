"""Defaults of PostgreSQL that tell the time: words such as 'now' and 'today', and casts from one kind of moment to another.

A literal that is read as a moment at once is a constant: `'now'::date` is the day on which the table was created, forever.
Behind a cast to text it is read anew for every row: `('now'::text)::date` is CURRENT_DATE.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from nestling.ir.constraints.defaults import Default, Generated, OtherDefault, constant
from nestling.ir.types import MOMENTS, TIMES, Type, TypeName
from nestling.ir.value_forms.instants import infinite_text

_TEXT, _DATE, _TIME, _MOMENT = "text", "date", "time", "moment"
_FAMILIES = (
    (_DATE, re.compile(r"date")),
    (_TIME, re.compile(r"timetz.*|time\b(?!stamp).*")),
    (_MOMENT, re.compile(r"timestamp.*")),
    (_TEXT, re.compile(r"text|varchar.*|character varying.*|bpchar|char.*")),
)
_MOVING = re.compile(r"\b(?:now|today|tomorrow|yesterday)\b")
_ALIASES = {"epoch": "1970-01-01", "allballs": "00:00:00"}
_CLOCK_TIME = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?(?:[-+]\d\d(?::\d\d)?)?")
_CLOCKS = {_DATE: Generated.DATE, _TIME: Generated.TIME, _MOMENT: Generated.TIMESTAMP}
_CAST_CLOCKS = {
    (Generated.TIMESTAMP, _DATE): Generated.DATE,
    (Generated.TIMESTAMP, _TIME): Generated.TIME,
    (Generated.TIMESTAMP, _MOMENT): Generated.TIMESTAMP,
    (Generated.DATE, _DATE): Generated.DATE,
    (Generated.DATE, _MOMENT): Generated.DATE,  # midnight
    (Generated.TIME, _TIME): Generated.TIME,
}


def clock_of(made: Generated, casts: Sequence[str]) -> Generated | None:
    """What tells the time once it is cast to these types, the first cast first; None if nothing here tells it so."""
    found: Generated | None = made
    for family in map(_family, casts):
        if found in _CLOCKS.values() and family in _CLOCKS:
            found = _CAST_CLOCKS.get((found, family)) if found is not None else None
    return found


def constant_moment(text: str, casts: Sequence[str], kind: Type, sql: str) -> Default | None:
    """The default of a literal that is read as a date or a time of day; None if it is not."""
    families = [_family(each) for each in casts]
    own = _family_of(kind)
    if not own and not set(families) & set(_CLOCKS):
        return None
    word = text.strip().casefold()
    if _MOVING.search(word):
        return _moving(word, families, casts) or OtherDefault(sql.strip())
    return _fixed(_ALIASES.get(word, text), {*families} & {*_CLOCKS}, own, kind) or OtherDefault(sql.strip())


def _moving(word: str, families: Sequence[str], casts: Sequence[str]) -> Generated | None:
    """What tells the time if a word is read anew for every row; None if it is not, or nothing here tells it."""
    place = next((number for number, family in enumerate(families) if family in _CLOCKS), 0)
    if not place:
        return None
    first = families[place]
    if word == "now":
        return clock_of(_CLOCKS[first], casts[place + 1 :])
    return clock_of(Generated.DATE, casts[place + 1 :]) if word == "today" and first != _TIME else None


def _fixed(text: str, families: set[str], own: str, kind: Type) -> Default | None:
    """The constant, if it is written as a value of the type is and no cast changes it."""
    is_midnight = families == {_DATE} and own == _MOMENT and len(text) == len("2024-01-01")
    if not own or (families - {own} and not is_midnight):
        return None
    if own == _TIME:
        return constant(text, kind) if _CLOCK_TIME.fullmatch(text) else None
    found = constant(text, kind)
    if isinstance(found.value, str) and not infinite_text(found.value):
        return None
    has_zone = isinstance(found.value, datetime) and found.value.tzinfo is not None
    return None if has_zone and kind.name is TypeName.TIMESTAMP else found


def _family(cast: str) -> str:
    """The family of a type that is cast to; empty for any but texts and moments."""
    words = cast.removeprefix("pg_catalog.").strip()
    return next((family for family, pattern in _FAMILIES if pattern.fullmatch(words)), "")


def _family_of(kind: Type) -> str:
    if kind.name is TypeName.TIME:
        return _TIME
    return _MOMENT if kind.name in MOMENTS else _DATE if kind.name in TIMES else ""
