"""Merges equal accumulators: an average's sum and count are shared with the statement's own."""

from __future__ import annotations

from nestling.ir.programs.compiled import Mql

_GONE = "$$REMOVE"


def shared(accumulators: Mql, finish: Mql) -> tuple[Mql, Mql]:
    """A `$group`'s accumulators without repetitions, and the `$set` after it by the names that are left."""
    kept: dict[str, str] = {}
    for name in sorted(accumulators, key=lambda each: finish.get(each) == _GONE):  # what is a result keeps its name
        kept.setdefault(repr(accumulators[name]), name)
    names = {name: kept[repr(made)] for name, made in accumulators.items()}
    found = {name: _renamed(value, names) for name, value in finish.items() if value != _GONE or names[name] == name}
    found |= {name: f"${same}" for name, same in names.items() if name != same and name not in finish}
    return {name: made for name, made in accumulators.items() if names[name] == name}, found


def _renamed(value: object, names: dict[str, str]) -> object:
    """The expression with the fields' new names."""
    match value:
        case str() if value.startswith("$") and not value.startswith("$$"):
            field, dot, rest = value[1:].partition(".")
            return f"${names.get(field, field)}{dot}{rest}"
        case {"$literal": _}:
            return value
        case dict():
            return {key: _renamed(each, names) for key, each in value.items()}
        case list():
            return [_renamed(each, names) for each in value]
        case _:
            return value
