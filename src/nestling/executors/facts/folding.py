"""Recognises keys that are data: a document with a name for each customer, day or id has one path for all of them, `{*}`.

There are two signs: many names of one form (digits, hexadecimal, UUIDs, dates), or very many names that few documents share.
"""

from __future__ import annotations

import re

from nestling.executors.facts.path_tree import OBJECT, PathNode

SHAPES = (
    re.compile(rb"\d{4}-?\d{2}(-?\d{2}.*)?"),  # dates
    re.compile(rb"[+-]?\d+"),
    re.compile(rb"[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}"),  # UUIDs
    re.compile(rb"(?=.*\d)[0-9a-fA-F]{8,}"),
)
LEAST_ALIKE = 8
"""Names of one shape that make keys of data, when they are most of the document's names."""
LEAST_RARE = 40
"""Names that few documents have …"""
MOST_SHARE_OF_DOCUMENTS = 0.25
"""… which is this share at most …"""
LEAST_SHARE_OF_NAMES = 0.8
"""… and which are this share of all names of the document: the names are data, not optional fields beside others."""
ALIKE_TYPES = 0.9
"""… and hold values of one type in this share of cases, as values of a map do."""


def fold(node: PathNode) -> None:
    """Fold the keys that are data, below and at a node."""
    names = keys_of_data(node)
    if names:
        node.fold(names)
    for child in (*node.children.values(), node.elements, node.rest):
        if child is not None:
            fold(child)


def keys_of_data(node: PathNode) -> list[bytes]:
    """The names of a node's children that are data."""
    for shape in SHAPES:
        alike = [name for name in node.children if shape.fullmatch(name)]
        if len(alike) >= LEAST_ALIKE and 2 * len(alike) > len(node.children):
            return alike
    rare_below = MOST_SHARE_OF_DOCUMENTS * node.types.get(OBJECT, 0)
    rare = [name for name, child in node.children.items() if child.present <= rare_below]
    many = len(rare) >= max(LEAST_RARE, LEAST_SHARE_OF_NAMES * len(node.children))
    return rare if many and _one_type([node.children[name] for name in rare]) else []


def _one_type(children: list[PathNode]) -> bool:
    counts: dict[int, int] = {}
    for child in children:
        for kind, count in child.types.items():
            counts[kind] = counts.get(kind, 0) + count
    return max(counts.values()) >= ALIKE_TYPES * sum(counts.values())
