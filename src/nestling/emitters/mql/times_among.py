"""SQLite's days and moments among others that are kept as dates: which texts are read as one, and what others are told."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

from nestling.common.errors import Problem, WorkloadError
from nestling.emitters.bson_types import NO_DATE
from nestling.ir.types import BSON_DIGITS, Type, TypeName
from nestling.ir.values import rounded_to_millisecond

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.(\d{3}|\d{6}))?([-+]\d\d:\d\d)?", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_LENGTHS = {0: (0, 6), 3: (3,)}
"""How many digits of a second the texts of a type may have; six of which three are 0 are milliseconds too."""
_FORMS = {0: "", 3: ".fff"}


def time_among(value: str | date, kind: Type, attribute: str) -> object:
    """The day or moment; a text for what no date can be. Raises `WorkloadError` for other forms, which sort apart from dates."""
    found = _read(value, kind) if isinstance(value, str) else value
    is_moment = isinstance(found, datetime)
    if kind.name is TypeName.DATE:
        if isinstance(found, date) and not is_moment:
            return found
    elif isinstance(found, datetime) and (found.tzinfo is not None) is (kind.name is TypeName.TIMESTAMPTZ):
        found = found if kind.fraction_digits > BSON_DIGITS else rounded_to_millisecond(found)
        return found if found.tzinfo is None else found.astimezone(UTC)
    if isinstance(value, str) and not _is_time(value) and re.search(NO_DATE, value):
        return value
    raise WorkloadError(_refusal(value, kind, attribute))


def _read(text: str, kind: Type) -> date | None:
    try:
        if kind.name is TypeName.DATE:
            return date.fromisoformat(text) if _DAY.fullmatch(text) else None
        match = _MOMENT.fullmatch(text)
        found = datetime.fromisoformat(text) if match else None
    except ValueError:
        return None
    if match is None or found is None or len(match[1] or "") not in _LENGTHS.get(kind.fraction_digits, (6,)):
        return None
    is_finer = kind.fraction_digits <= BSON_DIGITS and found.microsecond % 1000
    is_longer = kind.fraction_digits == 0 and match[1] and not found.microsecond
    return None if is_finer or is_longer else found


def _is_time(text: str) -> bool:
    try:
        return bool(datetime.fromisoformat(text))
    except ValueError:
        return False


def _refusal(value: str | date, kind: Type, attribute: str) -> Problem:
    shown = value if isinstance(value, str) else value.isoformat(*" " * isinstance(value, datetime))
    if kind.name is TypeName.DATE:
        return Problem(f"`{attribute}` holds days, and does not take '{shown}'", next_move="give it as YYYY-MM-DD")
    zone = "+00:00" if kind.name is TypeName.TIMESTAMPTZ else ""
    form = f"YYYY-MM-DD HH:MM:SS{_FORMS.get(kind.fraction_digits, '.ffffff')}{zone}"
    what = f"`{attribute}` holds moments written {form}, and does not take '{shown}'"
    if isinstance(value, datetime):
        return Problem(what, next_move=f"give a datetime {'with' if zone else 'in UTC, without'} a zone")
    if isinstance(value, date):
        return Problem(what, next_move="give a datetime, or a text of that form")
    if kind.fraction_digits <= BSON_DIGITS and re.search(r"\.\d{4,}", shown):
        form = form.replace("SS", "SS[.fff000]") if kind.fraction_digits == 0 else form
        what = f"`{attribute}` keeps milliseconds ({form}), and does not take '{shown}'"
        move = "give milliseconds, or design again from a source whose column has microseconds"
        return Problem(what, next_move=move)
    return Problem(what, next_move=f"write it as {form}")
