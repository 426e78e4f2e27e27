"""Trees of frozen dataclasses and tuples, such as plans and expressions: all nodes of one, and one with other nodes in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from operator import is_not
from typing import Any, TypeVar, cast

Tree = TypeVar("Tree")


def nodes_in(tree: object) -> Iterator[Any]:
    """Every dataclass in a tree, each before what is inside it, in the order of the fields."""
    left = [tree]
    while left:
        node = left.pop()
        if type(node) is tuple:
            left.extend(reversed(node))
        elif names := _fields(type(node)):
            yield node
            left.extend([getattr(node, name) for name in reversed(names)])


def rebuilt(tree: Tree, change: Callable[[object], object | None]) -> Tree:
    """The tree with what `change` gives in the place of parts of it; what is None stays, and is looked into."""
    return cast(Tree, _rebuilt(tree, change))


def _rebuilt(tree: Any, change: Callable[[object], object | None]) -> Any:
    if (found := change(tree)) is not None:
        return found
    if type(tree) is tuple:
        parts = tuple([_rebuilt(part, change) for part in tree])
        return parts if any(map(is_not, parts, tree)) else tree
    changed = {}
    for name in _made_of(type(tree)):
        old = getattr(tree, name)
        new = _rebuilt(old, change)
        if new is not old:
            changed[name] = new
    return replace(tree, **changed) if changed else tree


_FIELDS: dict[type, tuple[str, ...]] = {}
"""The names of the fields of every class met so far; empty for a class that is not a dataclass."""
_MADE_OF: dict[type, tuple[str, ...]] = {}
"""The names of the fields that `__init__` takes, for every class met so far."""


def _fields(kind: type) -> tuple[str, ...]:
    if kind not in _FIELDS:
        every = fields(kind) if is_dataclass(kind) else ()
        _FIELDS[kind] = tuple(item.name for item in every)
        _MADE_OF[kind] = tuple(item.name for item in every if item.init)
    return _FIELDS[kind]


def _made_of(kind: type) -> tuple[str, ...]:
    return _MADE_OF[kind] if _fields(kind) else ()
