"""A design: collections and indexes over a model, checked when it is built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nestling.common.errors import DesignError
from nestling.ir.amendments import Amendment
from nestling.ir.invariants import mistakes_in_layout, mistakes_in_names
from nestling.ir.model import Model, Relationship
from nestling.ir.primitives import Collection, Index
from nestling.ir.storage.layout import Node, NodeKind, Place, Role, StoredCollection, places_of, stores_of


@dataclass(frozen=True, slots=True)
class Design:
    """A document schema for `model`. Building one raises `DesignError` with every broken invariant at once.

    `stores` are its physical collections, `places` where each entity's rows are stored: all later stages work from these.
    `amendments`: how rows differ from their documents, which were written under an earlier model.
    """

    model: Model
    collections: tuple[Collection, ...]
    indexes: tuple[Index, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    stores: tuple[StoredCollection, ...] = field(init=False, repr=False, compare=False)
    places: Mapping[str, tuple[Place, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if problems := tuple(mistakes_in_names(self.model, self.collections)):
            raise DesignError(*problems)
        object.__setattr__(self, "stores", stores_of(self.model, self.collections))
        object.__setattr__(self, "places", places_of(self.model, self.stores))
        if problems := tuple(mistakes_in_layout(self.model, self.indexes, self.stores, self.places)):
            raise DesignError(*problems)

    def store(self, name: str) -> StoredCollection:
        """The physical collection of that name; raises `KeyError`."""
        return next(store for store in self.stores if store.name == name)

    def home_root(self, entity: str) -> tuple[StoredCollection, Node] | None:
        """Return the store and root node that are an entity's home; None if its rows are inside other documents."""
        for place in self.places.get(entity, ()):
            if place.store.role is Role.HOME and place.node.kind is NodeKind.ROOT and place.copy is None:
                return place.store, place.node
        return None

    def id_attributes(self, store: StoredCollection, root: Node) -> tuple[str, ...]:
        """Return the attributes in the `_id` of a root's documents, in order; none if the server generates it."""
        is_member = store.role in (Role.HOME, Role.ARCHIVE) and root.body is not store.collection.body
        return self.model.entity(root.entity).key if is_member else store.id

    def only_listed(self, link: Relationship) -> tuple[str, ...]:
        """Return foreign key attributes of the child that, at some place, only its parent's array of ids determines."""
        nodes = [
            place.node for place in self.places[link.child] if place.copy is None and link.name in place.node.listed
        ]
        return tuple(name for name in link.child_attributes if not all(node.tells(name) for node in nodes))

    def _repr_html_(self) -> str:
        """The HTML for a notebook."""
        from nestling.ir.words.notebook import design_html

        return design_html(self)
