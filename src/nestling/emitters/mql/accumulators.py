"""Merges equal accumulators: an average's sum and count are shared with the statement's own."""

from __future__ import annotations

from collections.abc import Mapping

from nestling.ir.nested_values import with_leaves
from nestling.ir.programs.compiled import Mql

_GONE = "$$REMOVE"


def shared(accumulators: Mql, finish: Mql) -> tuple[Mql, Mql]:
    """A `$group`'s accumulators without repetitions, and the `$set` after it by the names that are left."""
    kept: dict[str, str] = {}
    for name in sorted(accumulators, key=lambda each: finish.get(each) == _GONE):  # what is a result keeps its name
        kept.setdefault(repr(accumulators[name]), name)
    names = {name: kept[repr(made)] for name, made in accumulators.items()}
    fields = {f"${name}": f"${same}" for name, same in names.items()}
    found = {
        name: with_fields_renamed(value, fields)
        for name, value in finish.items()
        if value != _GONE or names[name] == name
    }
    found |= {name: f"${same}" for name, same in names.items() if name != same and name not in finish}
    return {name: made for name, made in accumulators.items() if names[name] == name}, found


def with_fields_renamed(value: object, names: Mapping[str, str]) -> object:
    """The expression with other names, of fields or variables, for those of fields: both with their `$` signs."""

    def renamed(leaf: object) -> object:
        if not isinstance(leaf, str):
            return leaf
        name, dot, rest = leaf.partition(".")
        return f"{names.get(name, name)}{dot}{rest}"

    return with_leaves(value, renamed, lambda part: isinstance(part, dict) and "$literal" in part)
