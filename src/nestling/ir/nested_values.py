"""What documents and lists hold at any depth, as in commands, expressions and JSON, replaced in a copy of the whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def with_leaves(value: object, leaf: Callable[[Any], object], is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """The value with what `leaf` gives for all that is neither a document nor a list; tuples become lists.

    Documents and lists of which `is_leaf` holds are given to `leaf`, too, instead of being looked into.
    """
    if is_leaf is not None and is_leaf(value):
        return leaf(value)
    if isinstance(value, dict):
        return {name: with_leaves(inner, leaf, is_leaf) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [with_leaves(inner, leaf, is_leaf) for inner in value]
    return leaf(value)
