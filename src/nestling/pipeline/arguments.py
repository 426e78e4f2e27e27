"""Arguments of the pipeline's functions, checked by the types of their signatures before any work: notebooks call them, too."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from enum import Enum
from functools import cache, wraps
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

from nestling.common.given import wrong_kind

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")
_HOMES = {
    "Capture": "nestling.ir.capture",
    "Database": "pymongo.database",
    "Design": "nestling.ir.design",
    "Facts": "nestling.ir.facts",
    "LiveDatabase": "nestling.sources.mongo",
    "LoadMode": "nestling.pipeline.loading",
    "Mapping": "collections.abc",
    "Path": "pathlib",
    "Policy": "nestling.ir.values",
    "Profile": "nestling.cost",
    "Proposal": "nestling.ir.proposal",
    "Reading": "nestling.ir.reading",
    "Statistics": "nestling.ir.statistics",
    "Thresholds": "nestling.strategies",
    "bool": "builtins",
    "datetime": "datetime",
    "str": "builtins",
}
"""The modules of the types that a signature may name. Arguments of other types are not checked."""
_NUMBERS = {"int": "Integral", "float": "Real"}
"""Abstract classes of `numbers`, to which other libraries' number types belong too."""
_WANTED = {
    "Capture": ("a capture", "give what `capture` returns"),
    "Database": ("a pymongo database", 'get one with MongoClient(uri)["shop"]'),
    "Design": ("a design", "give the `design` of what `design` or `read_proposal` returns"),
    "Facts": ("facts about a MongoDB", "give what `facts_of` returns"),
    "LiveDatabase": ("a live database as it was read", "give what `in_place` returns"),
    "Mapping": ("a dict", ""),
    "Policy": ("a `Policy`", 'write Policy(microseconds="text"), of nestling.ir.values'),
    "Profile": ("a profile of prices", "give what `calibrate` or nestling.cost's `read_profile` returns"),
    "Proposal": ("a design with its decisions", "give what `design` or `read_proposal` returns"),
    "Reading": ("a source as it was read", "give what `inspect` returns"),
    "Statistics": ("statistics", "give the `statistics` of what `inspect` returns"),
    "Thresholds": ("`Thresholds`", "write Thresholds(few=30), of nestling.strategies"),
    "bool": ("True or False", ""),
    "datetime": ("a datetime", "write datetime(2024, 5, 31, 14, tzinfo=UTC)"),
    "float": ("a number", ""),
    "int": ("a whole number", ""),
    "str": ("a string", ""),
}
_TEXTS = {
    "address": ("the address of a database or a file", "write sqlite:///shop.db, or the file's path"),
    "path": ("a file", "give its path"),
    "reading": ("the address of a source", "write sqlite:///shop.db, or the file's path"),
    "sql": ("a statement", "give SQL as a string"),
    "uri": ("the address of a MongoDB", "write mongodb://host/database"),
    "workload": ("a file of statements", "give its path, such as workload.sql"),
}
"""What a text stands for, by the name of its parameter."""


def checks_arguments(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """Wrap a function so that it raises `InputError` for an argument whose type does not fit the signature."""

    @cache
    def kinds() -> dict[str, frozenset[str]]:
        return dict(_kinds(function.__annotations__))

    @wraps(function)
    def checked(*given: _Arguments.args, **named: _Arguments.kwargs) -> _Result:
        for name, value in (*zip(function.__annotations__, given, strict=False), *named.items()):
            wanted = kinds().get(name)
            if wanted is not None and not any(_is_of(value, kind) for kind in wanted):
                raise _wrong(name, value, wanted)
        return function(*given, **named)

    return checked


def _kinds(annotations: dict[str, Any]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield each parameter with the names of its types, if all of these types are known here."""
    for name, text in annotations.items():
        plain = str(text)
        while (shorter := re.sub(r"\[[^\[\]]*\]", "", plain)) != plain:
            plain = shorter
        found = frozenset(each.strip() for each in plain.split("|"))
        if name != "return" and found <= {*_HOMES, *_NUMBERS, "None"}:
            yield name, found


def _is_of(value: object, kind: str) -> bool:
    if kind == "None" or value is None:
        return kind == "None" and value is None
    if isinstance(value, bool):
        return kind == "bool"
    return isinstance(value, _type(kind))


@cache
def _type(kind: str) -> type:
    home, name = ("numbers", _NUMBERS[kind]) if kind in _NUMBERS else (_HOMES[kind], kind)
    found: type = getattr(import_module(home), name)
    return found


def _wrong(name: str, value: object, kinds: frozenset[str]) -> Exception:
    said = [_words(name, kind) for kind in sorted(kinds - {"None", "Path"}, key=lambda each: each == "str")]
    return wrong_kind(value, " or ".join(what for what, _ in said), said[0][1], name=name)


def _words(name: str, kind: str) -> tuple[str, str]:
    """Return what is expected, and how to get it."""
    if kind == "str" and name in _TEXTS:
        return _TEXTS[name]
    if kind in _WANTED:
        return _WANTED[kind]
    members = _type(kind)
    assert issubclass(members, Enum)
    return f"a member of `{kind}`", f"write {', '.join(f'{kind}.{each.name}' for each in members)}"
