"""The order of an array's elements: as its embedding says, then by key."""

from __future__ import annotations

from nestling.ir.model import Entity
from nestling.ir.primitives import Order
from nestling.ir.storage.layout import Node


def array_order(node: Node, entity: Entity) -> tuple[tuple[str, int], ...]:
    """Paths in the elements with directions, without fields that all elements of an array share."""
    return ordered_by(node.embedding.order if node.embedding is not None else (), node, entity)


def ordered_by(orders: tuple[Order, ...], node: Node, entity: Entity) -> tuple[tuple[str, int], ...]:
    """The sort of an array's elements by another order: (path, direction) for each attribute and then the identity."""
    wanted = {order.attribute: -1 if order.descending else 1 for order in orders}
    for name in entity.identity:
        wanted.setdefault(name, 1)
    found = [(node.path_of(name), direction) for name, direction in wanted.items()]
    return tuple((path, direction) for path, direction in found if path is not None)
