"""A walked tree as facts: one `PathFacts` for every path, in the order of their names."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.executors.facts.field_order import field_order
from nestling.executors.facts.path_tree import BOOL, OBJECT, TYPES, PathNode
from nestling.ir.facts import ANY_KEY, ELEMENT, PathFacts, text_forms
from nestling.ir.facts.steps import name_step


def paths_of(root: PathNode, *, exact: bool) -> tuple[PathFacts, ...]:
    """All paths below the root."""
    return tuple(_below(root, (), exact=exact))


def _below(node: PathNode, steps: tuple[str, ...], *, exact: bool) -> Iterator[PathFacts]:
    parents = node.types.get(OBJECT, 0)
    places = {name: place for place, name in enumerate(field_order(node.orders, node.children))}
    for name, place, child in sorted((_text(name), places[name], child) for name, child in node.children.items()):
        yield from _with_below(child, (*steps, name_step(name)), parents, exact=exact, place=place)
    if node.rest is not None:
        keys = node.keys.estimate() if node.keys is not None else 0
        yield from _with_below(node.rest, (*steps, ANY_KEY), parents, keys=keys, exact=exact)
    if node.elements is not None:
        yield from _with_below(node.elements, (*steps, ELEMENT), node.elements.present, exact=exact)


def _with_below(
    node: PathNode, steps: tuple[str, ...], parents: int, *, exact: bool, keys: int = 0, place: int = 0
) -> Iterator[PathFacts]:
    if node.present:
        yield PathFacts(
            steps,
            types=tuple(sorted((TYPES[kind], count) for kind, count in node.types.items())),
            parents=parents,
            documents=node.documents,
            size_bytes=node.widths.total,
            widths=node.widths.quantiles(),
            lengths=node.lengths.quantiles() if node.lengths is not None else None,
            empty=node.empty,
            dateless=node.dateless,
            keys=keys,
            distinct=node.distinct.estimate(),
            subtypes=tuple(sorted(node.subtypes.items())),
            forms=_forms(node),
            exact=exact,
            place=place,
            digits=node.digits or (0, 0),
        )
    yield from _below(node, steps, exact=exact)


def _forms(node: PathNode) -> tuple[tuple[str, int], ...]:
    """What its values could be besides: numbers that may be booleans only where there are booleans."""
    bits = {text_forms.BIT: node.bits} if node.bits and BOOL in node.types else {}
    return tuple(sorted((node.forms | bits).items()))


def _text(name: bytes) -> str:
    """A field's name, with what is no UTF-8 escaped."""
    return name.decode("utf-8", "backslashreplace")
