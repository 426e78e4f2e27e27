"""Nouns as JSON that follows their dataclasses, and back: the file form of facts and captures."""

from __future__ import annotations

import json
from dataclasses import MISSING, asdict, fields, is_dataclass
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from nestling.common.errors import InputError, Problem, path_text
from nestling.ir.quantity_words import counted

T = TypeVar("T")
JsonPlace = tuple[str | int, ...]
Json = dict[str, object]
"""An object as `json` writes it."""


def noun_text(noun: Any, form: str) -> str:
    """A dataclass as JSON text; `form` is the kind of file."""
    return json.dumps({"form": form} | asdict(noun), ensure_ascii=True, indent=1) + "\n"


def read_noun(kind: type[T], form: str, text: str, where: str, *, what: str, next_move: str) -> T:
    """Read a noun of type `kind` from its text.

    `what`: what the file is called in messages; `next_move`: how to get a good one. Raises `InputError` that says where the
    text is wrong.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(Problem(f"is not JSON: {error}", where=where, next_move=next_move)) from None
    if not isinstance(found, dict) or found.pop("form", None) != form:
        raise InputError(Problem(f"is not {what} of this version", where=where, next_move=next_move))
    try:
        return cast("T", _value(kind, found, ()))
    except _Unfit as unfit:
        at = f"{where}: {path_text(unfit.place)}" if unfit.place else where
        raise InputError(Problem(unfit.what, where=at, next_move=next_move)) from None


class _Unfit(Exception):
    def __init__(self, what: str, place: JsonPlace) -> None:
        super().__init__(what)
        self.what, self.place = what, place


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _value(kind: Any, found: object, place: JsonPlace) -> object:
    """The value of type `kind` that `found` stands for."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is object:
        return found
    if origin is UnionType:
        return _one_of(arguments, found, place)
    if origin is tuple:
        return _tuple(arguments, found, place)
    if is_dataclass(kind):
        return _noun(cast("type", kind), found, place)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        if not isinstance(found, str) or found not in set(kind):
            raise _Unfit(f"{found!r} is not one of {', '.join(kind)}", place)
        return kind(found)
    if kind is float and type(found) is int:
        return float(found)
    if type(found) is not kind:
        raise _Unfit(f"{type(found).__name__} found, {kind.__name__} expected", place)
    return found


def _one_of(kinds: tuple[Any, ...], found: object, place: JsonPlace) -> object:
    if found is None and NoneType in kinds:
        return None
    rest = [kind for kind in kinds if kind is not NoneType]
    return _value(next((kind for kind in rest if type(found) is kind), rest[0]), found, place)


def _tuple(kinds: tuple[Any, ...], found: object, place: JsonPlace) -> tuple[object, ...]:
    if not isinstance(found, list):
        raise _Unfit(f"{type(found).__name__} found where a list is expected", place)
    wanted = [kinds[0]] * len(found) if kinds[-1] is Ellipsis else list(kinds)
    if len(wanted) != len(found):
        raise _Unfit(f"{counted(len(found), 'value')} found, {len(wanted)} expected", place)
    return tuple(_value(kind, each, (*place, n)) for n, (kind, each) in enumerate(zip(wanted, found, strict=True)))


def _noun(kind: type, found: object, place: JsonPlace) -> object:
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
