"""The file form of facts: JSON that follows the dataclasses, so that a saved file reproduces its report."""

from __future__ import annotations

import json
from dataclasses import MISSING, asdict, fields, is_dataclass
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, cast, get_args, get_origin, get_type_hints

from nestling.common.errors import InputError, Problem, path_text
from nestling.ir.facts.collection import Facts

FORM = "nestling facts 1"
"""What the file says it is; a later, different form gets another number."""

Place = tuple[str | int, ...]


def facts_text(facts: Facts) -> str:
    """Facts as text; `read_facts` gives them back."""
    return json.dumps({"form": FORM} | asdict(facts), ensure_ascii=True, indent=1) + "\n"


def read_facts(text: str, where: str = "") -> Facts:
    """Facts from their text; raises `InputError` that says where the text is not what it should be."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _wrong(f"is not JSON: {error}", (), where) from None
    if not isinstance(found, dict) or found.pop("form", None) != FORM:
        raise _wrong("is not a facts file of this version", (), where)
    try:
        return cast("Facts", _value(Facts, found, ()))
    except _Unfit as unfit:
        raise _wrong(unfit.what, unfit.place, where) from None


class _Unfit(Exception):
    def __init__(self, what: str, place: Place) -> None:
        super().__init__(what)
        self.what, self.place = what, place


def _wrong(what: str, place: Place, where: str) -> InputError:
    at = f"{where}: {path_text(place)}" if place else where
    return InputError(Problem(what, where=at, next_move="write it anew: nestling doctor URI --save FILE"))


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _value(kind: Any, found: object, place: Place) -> object:
    """The value of type `kind` that `found` stands for."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is UnionType:
        return _one_of(arguments, found, place)
    if origin is tuple:
        return _tuple(arguments, found, place)
    if is_dataclass(kind):
        return _noun(cast("type", kind), found, place)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        if found not in set(kind):
            raise _Unfit(f"{found!r} is none of {', '.join(kind)}", place)
        return kind(cast("str", found))
    if kind is float and type(found) is int:
        return float(found)
    if type(found) is not kind:
        raise _Unfit(f"{type(found).__name__} found, {kind.__name__} expected", place)
    return found


def _one_of(kinds: tuple[Any, ...], found: object, place: Place) -> object:
    if found is None and NoneType in kinds:
        return None
    rest = [kind for kind in kinds if kind is not NoneType]
    return _value(next((kind for kind in rest if type(found) is kind), rest[0]), found, place)


def _tuple(kinds: tuple[Any, ...], found: object, place: Place) -> tuple[object, ...]:
    if not isinstance(found, list):
        raise _Unfit(f"{type(found).__name__} found, a list expected", place)
    wanted = [kinds[0]] * len(found) if kinds[-1] is Ellipsis else list(kinds)
    if len(wanted) != len(found):
        raise _Unfit(f"{len(found)} values found, {len(wanted)} expected", place)
    return tuple(_value(kind, each, (*place, n)) for n, (kind, each) in enumerate(zip(wanted, found, strict=True)))


def _noun(kind: type, found: object, place: Place) -> object:
    if not isinstance(found, dict):
        raise _Unfit(f"{type(found).__name__} found, {kind.__name__} expected", place)
    hints, given = _hints(kind), fields(kind)
    strangers = sorted(set(map(str, found)) - {field.name for field in given})
    if strangers:
        raise _Unfit(f"unknown key {strangers[0]!r}", place)
    lacking = [f.name for f in given if f.name not in found and f.default is MISSING]
    if lacking:
        raise _Unfit(f"key {lacking[0]!r} is missing", place)
    return kind(**{name: _value(hints[name], each, (*place, name)) for name, each in found.items()})
