"""Every path a plan mentions. Other paths are stored and fetched, but not evaluated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from nestling.ir.paths.access_path import FieldPath, Step
from nestling.ir.paths.row_steps import Layout
from nestling.ir.statements.expression import Column

_PATHS = frozenset({"path", "array", "foreign_path", "start", "by", "to"})
_NAMED_PATHS = frozenset({"equal", "identity", "variables"})
_STEPS = frozenset({"source", "sources", "foreign"})


def mentioned_paths(step: Step) -> frozenset[str]:
    """Dotted paths of columns used, arrays unwound and fields joined on. Paths inside a lookup's field count separately."""
    found = set(_of(step, Layout()))
    return frozenset(found | {path[at + 1 :] for path in found for at, letter in enumerate(path) if letter == "."})


def own_paths(step: Step) -> frozenset[str]:
    """Dotted paths that the step itself mentions, without those of its source or of what it looks up."""
    layout = getattr(step, "layout", Layout())
    own = (item.name for item in fields(step) if item.name not in _STEPS)
    return frozenset(path for name in own for path in _in_field(name, getattr(step, name), layout))


def _of(node: object, layout: Layout) -> Iterator[str]:
    """The paths in a step or a part of one, with columns located by `layout`."""
    if isinstance(node, tuple):
        for each in node:
            yield from _of(each, layout)
    elif isinstance(node, Column):
        yield from (layout.path(node),) if node in layout else ()
    elif isinstance(node, FieldPath):
        yield node.path
    elif is_dataclass(node) and not isinstance(node, Layout):
        own = getattr(node, "layout", layout)
        for item in fields(node):
            yield from _in_field(item.name, getattr(node, item.name), own)


def _in_field(name: str, value: object, layout: Layout) -> Iterator[str]:
    if name in _PATHS and isinstance(value, str):
        yield value
    elif name in _NAMED_PATHS:
        yield from _texts(value)
    else:
        yield from _of(value, layout)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from _texts(each)
