"""Collections of the new design that the server can build by itself: one aggregation over the old homes gives their documents.

Only simple shapes: fields, embedded children, ids of children; and orphans, which are the rows that find no parent. Joins of
plain documents by an index are the fastest. So what is joined and is not a plain document is first gathered in a collection:
children or parents that have none of their own in the old design, indexed by what links them, and children with children of
their own. Everything else is left to the loader, which knows all shapes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from nestling.ir.design import Design
from nestling.ir.migration import AssembledPart, Assembly, HomePlace
from nestling.ir.model import Cardinality, Entity, Relationship
from nestling.ir.paths.access_path import column_field
from nestling.ir.primitives import CollectionKind, Form, Order, Reference
from nestling.ir.programs.command import Aggregation
from nestling.ir.storage.layout import Node, Role, StoredCollection
from nestling.ir.storage.names import OWN_COLLECTIONS, collection_name, stored_name
from nestling.planner.migration.kept_forms import unique_where_present
from nestling.planner.upkeep.copied_element import id_parts

GATHERED = f"{OWN_COLLECTIONS}migrate_rows_"
"""What collections of gathered rows are called, before their relationship's name."""
_Homes = Mapping[str, tuple[HomePlace, ...]]
"""The places of every entity in the old design."""
_Indexed = frozenset[tuple[str, str]]
"""(Collection, path) of the first key of every index of the old design."""


def assembly(design: Design, store: StoredCollection, homes: _Homes, indexed: _Indexed) -> Assembly | None:
    """How the server makes the documents of a collection of the new design; None where it cannot."""
    collection = store.collection
    orphaned = store.embedding if store.role is Role.ORPHANS else None
    is_ours = orphaned is not None or store.role is Role.HOME
    is_plain = is_ours and store.options.kind in (CollectionKind.PLAIN, CollectionKind.CLUSTERED)
    if not is_plain or collection.splits or collection.variant is not None or collection.bucket is not None:
        return None
    root = store.roots[0]
    entity = design.model.entity(root.entity)
    if not store.id and entity.key:  # an `_id` that only the client can derive
        return None
    single = len(store.id) == 1
    identity = tuple(("" if single else stored_name(name), name) for name in store.id)
    body = _body(design, root, homes, indexed)
    if body is None or any(place.query.files for place in homes[root.entity]):
        return None
    if orphaned is None:
        return replace(body, id=identity, constants=collection.constants)
    parents = _parents(design, design.model.relationship(orphaned.relationship), homes, indexed)
    if parents is None:
        return None
    return replace(body, id=identity, without=parents, rows=_gathered_rows(entity, homes[entity.name]))


def _is_alike(design: Design, link: Relationship) -> bool:
    """Whether the server sees the same rows as linked as the loader; it finds NULL by NULL."""
    child, parent = design.model.entity(link.child), design.model.entity(link.parent)
    pairs = zip(map(child.attribute, link.child_attributes), map(parent.attribute, link.parent_attributes), strict=True)
    return all(a.type.name is b.type.name and not (a.also or b.also or b.nullable) for a, b in pairs)


def _parents(design: Design, link: Relationship, homes: _Homes, indexed: _Indexed) -> AssembledPart | None:
    """The rows orphans do not find."""
    parent = design.model.entity(link.parent)
    if not _is_alike(design, link) or any(place.query.files for place in homes[link.parent]):
        return None
    home = _indexed_home(link.parent_attributes[0], homes[link.parent], indexed)
    return AssembledPart(
        "",
        Form.ARRAY,
        link.parent_attributes,
        link.child_attributes,
        (),
        Assembly(link.parent, (), (), ()),
        home or _gathered_home(f"{link.name} above", parent),
        is_gathered=home is None,
    )


def _body(design: Design, node: Node, homes: _Homes, indexed: _Indexed) -> Assembly | None:
    body = node.body
    if body.pairs or body.copies or body.computed or node.presence:
        return None
    fields = [(field.path, field.attribute) for field in node.beside_id]
    if any("." in path for path, _ in fields):
        return None
    held = (each for each in body.references if each.field)
    found = [
        *(_part(design, child, homes, indexed) for child in node.children),
        *(_ids(design, reference, homes, indexed) for reference in held),
    ]
    parts = [part for part in found if part is not None]
    if len(parts) < len(found):
        return None
    rows = _gathered_rows(design.model.entity(node.entity), homes[node.entity]) if parts else None
    never_null = frozenset(name for entity, name in unique_where_present(design) if entity == node.entity)
    return Assembly(node.entity, (), (), tuple(fields), tuple(parts), rows=rows, never_null=never_null)


def _part(design: Design, node: Node, homes: _Homes, indexed: _Indexed) -> AssembledPart | None:
    embedding = node.embedding
    assert embedding is not None
    if embedding.overflow or embedding.slots or node.form not in (Form.ARRAY, Form.OBJECT, Form.SCALARS):
        return None
    link, body = design.model.relationship(embedding.relationship), _body(design, node, homes, indexed)
    if body is None or "." in node.field or any(place.query.files for place in homes[link.child]):
        return None
    return _joined(design, link, node.field, node.form, body, homes, indexed, embedding.order)


def _ids(design: Design, reference: Reference, homes: _Homes, indexed: _Indexed) -> AssembledPart | None:
    """The ids of children, where these are the values of one attribute."""
    link = design.model.relationship(reference.relationship)
    is_plain = link.cardinality is not Cardinality.ONE_TO_ONE and not reference.copied and "." not in reference.field
    (path, attribute, _), *others = id_parts(design, reference)
    if not is_plain or path or others or any(place.query.files for place in homes[link.child]):
        return None
    body = Assembly(link.child, (), (), (("", attribute),))
    return _joined(design, link, reference.field, Form.SCALARS, body, homes, indexed)


def _joined(
    design: Design,
    link: Relationship,
    field: str,
    form: Form,
    body: Assembly,
    homes: _Homes,
    indexed: _Indexed,
    order: Sequence[Order] = (),
) -> AssembledPart | None:
    """Children from where they are found by what links them, in order; equal ones in that of their key."""
    if not _is_alike(design, link):
        return None
    entity = design.model.entity(link.child)
    home = _indexed_home(link.child_attributes[0], homes[link.child], indexed) if not body.parts else None
    ways = [(each.attribute, -1 if each.descending else 1) for each in order]
    ways += [(name, 1) for name in entity.identity]
    first = dict(reversed(ways))
    kept = tuple((name, first[name]) for name in dict.fromkeys(name for name, _ in ways))
    attributes = (link.child_attributes, link.parent_attributes)
    kept_at = home or _gathered_home(link.name, entity)
    return AssembledPart(field, form, *attributes, kept, body, kept_at, is_gathered=home is None)


def _indexed_home(attribute: str, places: tuple[HomePlace, ...], indexed: _Indexed) -> HomePlace | None:
    """The one place of the rows, if the server finds them there by the attribute."""
    if len(places) != 1 or not places[0].at_root:
        return None
    place = places[0]
    path = place.paths.get(attribute)
    return place if path is not None and (place.query.collection, path) in indexed else None


def _gathered_rows(entity: Entity, places: tuple[HomePlace, ...]) -> HomePlace | None:
    """Where rows go before they are joined; None where they are plain documents already."""
    is_plain = len(places) == 1 and places[0].is_plain
    return None if is_plain else _gathered_home(f"of {entity.name}", entity)


def _gathered_home(name: str, entity: Entity) -> HomePlace:
    """The rows in a collection made for this; a field whose name is a number would keep the server from its faster joins."""
    fields = {attribute: f"c{n}" for n, attribute in enumerate(entity.attribute_names)}
    columns = {column_field(n): f"${field}" for n, field in enumerate(fields.values())}
    query = Aggregation(f"{GATHERED}{collection_name(name)}", ({"$set": columns},), entity.attribute_names)
    return HomePlace(entity.name, query, fields, at_root=True)
