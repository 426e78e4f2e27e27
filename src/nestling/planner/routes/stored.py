"""Where in the documents of a place an attribute of its rows is stored: the paths whose change changes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nestling.ir.primitives import Form
from nestling.ir.storage.layout import Place
from nestling.ir.storage.names import join
from nestling.planner.homes.attribute import is_collection_root, path_to


def without_places(path: str) -> str:
    """A path without its array places: `items.3.quantity` is `items.quantity`."""
    return ".".join(part for part in path.split(".") if not part.isdigit())


def paths_of(place: Place, attributes: Iterable[str]) -> Iterator[str]:
    """The paths these attributes are stored under, pairs among them; none for what is stored elsewhere."""
    for attribute in attributes:
        path = place.path_of(attribute)
        if path is not None:
            yield without_places(path)
    for pairs in place.node.body.pairs:
        if not set(attributes).isdisjoint(pairs.attributes):
            yield without_places(join(place.path, pairs.field))


def presence_of(place: Place) -> Iterator[str]:
    """The paths that tell whether rows are there: the nodes on the way down, and discriminators."""
    for level, node in enumerate(place.nodes):
        path = path_to(place, level)
        if path and (node.form.to_many or node.form is Form.OBJECT):
            yield without_places(path)
        if node.presence is not None:
            yield without_places(node.presence.path)


def split_off(place: Place, attributes: Iterable[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """Of attributes in a collection of their own: its name, and the paths they have there."""
    if place.copy is not None or len(place.nodes) != 1 or not is_collection_root(place):
        return
    wanted = set(attributes)
    for split in place.store.collection.splits:
        found = wanted.intersection(split.attributes)
        if found and not split.gridfs:
            fields = {field.attribute: field.path for field in place.store.collection.body.fields}
            yield split.collection, frozenset(without_places(fields.get(name, name)) for name in found)
