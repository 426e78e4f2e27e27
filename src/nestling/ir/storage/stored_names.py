"""Maps each dotted path of a collection's documents to its entity and attribute, for messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from nestling.ir.design import Design
from nestling.ir.model import AttributeName, Model
from nestling.ir.primitives import Form, Holder
from nestling.ir.storage.layout import Node, StoredCollection
from nestling.ir.storage.names import join

NO_NAMES: Mapping[str, str] = {}


def stored_names(model: Model, store: StoredCollection) -> Iterator[tuple[str, AttributeName]]:
    """The path of every attribute in a collection's documents; paths in arrays have no numbers."""
    for root in store.roots:
        yield from _below(model, root, "")


def path_names(design: Design, collections: Iterable[str]) -> Mapping[str, str]:
    """For each path, the `entity.attribute` these collections store there; a path where they differ is left out."""
    wanted, found = {*collections}, dict[str, dict[str, None]]()
    for store in design.stores:
        for path, (entity, attribute) in stored_names(design.model, store) if store.name in wanted else ():
            found.setdefault(path, {})[f"{entity}.{attribute}"] = None
    return {path: next(iter(names)) for path, names in found.items() if len(names) == 1}


def path_words(path: str, names: Mapping[str, str]) -> str:
    """A path in readable form: what is stored there, or below it if that is one value with several parts; else the path."""
    return ", ".join(attributes_at(path, names)) or path


def attributes_at(path: str, names: Mapping[str, str]) -> list[str]:
    """The attributes stored at a path, or below it if that is one value with several parts; empty if unknown."""
    if path in names:
        return [names[path]]
    return [name for at, name in names.items() if path == "_id" and at.startswith("_id.")]


def _below(model: Model, node: Node, prefix: str) -> Iterator[tuple[str, AttributeName]]:
    at = join(prefix, node.field)
    yield from ((join(at, field.path), (node.entity, field.attribute)) for field in node.stored)
    for pairs in node.body.pairs:
        yield from ((join(at, pairs.field, pairs.value), (node.entity, name)) for name in pairs.attributes)
    for reference in node.body.references:
        child = model.entity(model.relationship(reference.relationship).child)
        if reference.holder is Holder.PARENT:
            identity = join(at, reference.field, "id" if reference.copied else "")
            yield from ((identity, (child.name, name)) for name in child.key)
        for field in reference.copied:
            yield join(at, reference.field, field.path), (child.name, field.attribute)
    for copy in node.body.copies:
        source, inside = copy.path[-1].target(model), "" if copy.form is Form.INLINE else copy.name
        for field in copy.attributes if copy.form is not Form.PATH else ():
            yield join(at, inside, "" if copy.form is Form.SCALARS else field.path), (source, field.attribute)
    for computed in node.body.computed:
        if computed.attribute is not None:
            yield join(at, computed.field), (computed.path[-1].target(model), computed.attribute)
    for child_node in node.children:
        yield from _below(model, child_node, at)
