"""A design whose model calls entities and attributes as a later one does, in the documents and fields where it has had them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from nestling.common.errors import InputError, Problem, name_list, unknown
from nestling.common.trees import nodes_in, rebuilt
from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.primitives import Collection, Copy, Document, Embedding, Field, Form
from nestling.ir.statements.expression import Column

NamesGiven = Mapping[str, Mapping[str, str]]
"""By entity, as it was called, the new name of attributes."""
PathsByBody = Mapping[Document, Mapping[str, str]]
"""By body of a document, the path of each attribute that is stored there."""
GONE_SUFFIX = "(before)"
"""What follows the name of something that is gone, where another one has its name now."""
_APART = "first migrate to a design that stores it as a field of its own, then to one of the new model"


def with_names(design: Design, names: Mapping[str, str], after: Model) -> Design:
    """The design with the names that `after` has: of an entity, or of an attribute as `entity.attribute`, to the new name.

    An attribute of the old design whose name another one takes is gone. Raises `InputError` for names that either side does not
    have, and for attributes that are more than a field of documents.
    """
    if not names:
        return design
    tables = {old: new for old, new in names.items() if "." not in old or design.model.has_entity(old)}
    columns: dict[str, dict[str, str]] = {}
    earlier = {new: old for old, new in tables.items()}
    for old, new in names.items():
        if old not in tables:
            entity, attribute = split_name(design.model, old)
            entity = entity if design.model.has_entity(entity) else earlier.get(entity, entity)
            columns.setdefault(entity, {})[attribute] = _unqualified(new, entity, tables.get(entity, entity))
    if problems := tuple(_mistakes(design.model, after, tables, columns)):
        raise InputError(*problems)
    for name, renamed in columns.items():
        taken = [new for new in renamed.values() if new in design.model.entity(name) and new not in renamed]
        renamed |= {new: f"{new} {GONE_SUFFIX}" for new in taken}
    if problems := tuple(_in_the_way(design, columns)):
        raise InputError(*problems)
    return _with_tables(_Renaming(design, columns).renamed(), tables)


def _unqualified(name: str, *tables: str) -> str:
    """The name alone, where it was given with its table."""
    prefixes = (f"{table}." for table in tables)
    return next((name.removeprefix(each) for each in prefixes if name.startswith(each)), name)


def split_name(model: Model, name: str) -> tuple[str, str]:
    """The entity and the attribute, either of which may have dots in its name."""
    steps = name.split(".")
    parts = [(".".join(steps[:place]), ".".join(steps[place:])) for place in range(1, len(steps))]
    return next((each for each in parts if model.has_entity(each[0])), parts[0])


def _mistakes(before: Model, after: Model, tables: Mapping[str, str], columns: NamesGiven) -> Iterator[Problem]:
    known, coming = ([entity.name for entity in model.entities] for model in (before, after))
    for name in dict.fromkeys((*tables, *columns)):
        if not before.has_entity(name):
            yield replace(unknown("entity", name, known), what=f"the old design has no entity `{name}`")
    for old, new in tables.items():
        if not after.has_entity(new):
            yield replace(unknown("entity", new, coming), what=f"the new design has no entity `{new}`")
        elif new in known and new not in tables:
            what = f"`{old}` cannot be called `{new}`: the old design has an entity of that name"
            yield Problem(what, next_move=f"add the new name of that one too: `--renamed {new}=NAME`")
    yield from _twice("", tables)
    for name, renamed in columns.items():
        if before.has_entity(name):
            called = tables.get(name, name)
            known_after = after.entity(called) if after.has_entity(called) else None
            yield from _of_columns(before, before.entity(name), known_after, renamed)
            yield from _twice(f"{name}.", renamed)


def _of_columns(before: Model, entity: Entity, after: Entity | None, renamed: Mapping[str, str]) -> Iterator[Problem]:
    for old, new in renamed.items():
        if old not in entity:
            yield entity.no_attribute(old)
        elif after is not None and new not in after:
            what = f"the new design has no attribute `{new}` in `{after.name}`"
            yield replace(unknown("attribute", new, after.attribute_names), what=what)
        elif old in entity.key or (new not in renamed and new in {*entity.key, *before.linked_attributes(entity.name)}):
            key = old if old in entity.key else new
            what = f"`{entity.name}.{old}` cannot be called `{new}`: `{key}` is in a key, whose attributes cannot be renamed"
            yield Problem(what, next_move="keep its name in the new model; statements can rename it with AS")


def _twice(prefix: str, renamed: Mapping[str, str]) -> Iterator[Problem]:
    """Two that are to have one name."""
    for new in dict.fromkeys(renamed.values()):
        olds = [f"{prefix}{old}" for old, each in renamed.items() if each == new]
        if len(olds) > 1:
            yield Problem(f"{name_list(olds)} cannot all be called `{new}`", next_move="name only the right one")


def _in_the_way(design: Design, columns: NamesGiven) -> Iterator[Problem]:
    """Attributes on which the form of documents hangs."""
    for collection in design.collections:
        for entity, name, use in _uses(collection):
            if name in columns.get(entity, ()):
                what = f"`{entity}.{name}` {use} and cannot be renamed"
                yield Problem(what, where=collection.name, next_move=_APART)


def _uses(collection: Collection) -> Iterator[tuple[str, str, str]]:
    """Entities and attributes, with what they are beside a field."""
    for node in nodes_in(collection):
        if isinstance(node, Document):
            pairs = (name for each in node.pairs for name in each.attributes)
            yield from ((node.entity, name, "is stored as a name-value pair") for name in pairs)
        if isinstance(node, Embedding) and node.slots is not None:
            yield node.body.entity, node.slots.attribute, "gives the position in an array"
        if isinstance(node, Embedding) and node.form is Form.SCALARS:
            yield from (
                (node.body.entity, each.attribute, "is stored as the bare values of an array")
                for each in node.body.fields
            )
    for split in collection.splits:
        yield from ((collection.root, name, f"is stored in `{split.collection}`") for name in split.attributes)
        if split.rows is not None:
            yield collection.root, split.rows.attribute, "decides which rows are archived"
    if (bucket := collection.bucket) is not None:
        names = [*bucket.by, *(each.attribute for each in bucket.summary if each.attribute)]
        names += [bucket.window.attribute] if bucket.window is not None else []
        yield from ((collection.root, name, "identifies the buckets or is summarised in them") for name in names)
    options = (collection.options.time, collection.options.meta)
    yield from ((collection.root, name, "identifies the time series or is its time") for name in options if name)


@dataclass(frozen=True, slots=True)
class _Renaming:
    of: Design
    columns: NamesGiven

    @property
    def model(self) -> Model:
        """The model, unchanged."""
        return self.of.model

    def renamed(self) -> Design:
        """The design with the attributes' new names."""
        if not self.columns:
            return self.of
        entities = tuple(self._entity(each) for each in self.model.entities)
        links = tuple(
            replace(
                each,
                child_attributes=tuple(self._named(each.child, name) for name in each.child_attributes),
                parent_attributes=tuple(self._named(each.parent, name) for name in each.parent_attributes),
            )
            for each in self.model.relationships
        )
        collections = tuple(self._collection(each, self._stored()) for each in self.of.collections)
        return replace(
            self.of, model=replace(self.model, entities=entities, relationships=links), collections=collections
        )

    def _stored(self) -> PathsByBody:
        """Where the attributes of a body are stored: of a collection that is split, some in one store, some in another."""
        found = defaultdict[Document, dict[str, str]](dict)
        for store in self.of.stores:
            for node in store.nodes():
                found[node.body] |= {field.attribute: field.path for field in node.stored}
        return found

    def _named(self, entity: str, name: str) -> str:
        return self.columns.get(entity, {}).get(name, name)

    def _entity(self, entity: Entity) -> Entity:
        names = self.columns.get(entity.name)
        if not names:
            return entity

        def called(group: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(names.get(name, name) for name in group)

        def change(node: object) -> object | None:
            return replace(node, name=names[node.name]) if isinstance(node, Column) and node.name in names else None

        attributes: tuple[Attribute, ...] = tuple(
            replace(each, name=names.get(each.name, each.name)) for each in entity.attributes
        )
        return replace(
            entity,
            attributes=attributes,
            uniques=tuple(map(called, entity.uniques)),
            constraint_names=tuple((name, called(group)) for name, group in entity.constraint_names),
            checks=tuple(rebuilt(each, change) for each in entity.checks),
            partial_uniques=tuple(
                replace(rebuilt(each, change), attributes=called(each.attributes)) for each in entity.partial_uniques
            ),
        )

    def _collection(self, collection: Collection, paths: PathsByBody) -> Collection:
        variant = collection.variant
        if variant is not None:
            members = tuple(replace(each, body=self._document(each.body, paths)) for each in variant.members)
            variant = replace(variant, members=members)
        return replace(collection, body=self._document(collection.body, paths), variant=variant)

    def _document(self, body: Document, paths: PathsByBody) -> Document:
        """The attributes in the fields they have had."""
        fields = self._fields(body.entity, body.fields)
        has = {each.attribute for each in fields}
        stored = paths.get(body, {})
        renamed = self.columns.get(body.entity, {}).items()
        more = (Field(new, stored[old]) for old, new in renamed if new not in has and old in stored)
        return replace(
            body,
            fields=(*fields, *more),
            embeddings=tuple(self._embedding(each, paths) for each in body.embeddings),
            references=tuple(
                replace(each, copied=self._fields(self.model.relationship(each.relationship).child, each.copied))
                for each in body.references
            ),
            copies=tuple(map(self._copy, body.copies)),
            computed=tuple(
                replace(
                    each, attribute=each.attribute and self._named(each.path[-1].target(self.model), each.attribute)
                )
                for each in body.computed
            ),
        )

    def _embedding(self, embedding: Embedding, paths: PathsByBody) -> Embedding:
        entity = embedding.body.entity
        order = tuple(replace(each, attribute=self._named(entity, each.attribute)) for each in embedding.order)
        return replace(embedding, body=self._document(embedding.body, paths), order=order)

    def _copy(self, copy: Copy) -> Copy:
        source = copy.path[-1].target(self.model)
        order = tuple(replace(each, attribute=self._named(source, each.attribute)) for each in copy.order)
        return replace(copy, attributes=self._fields(source, copy.attributes), order=order)

    def _fields(self, entity: str, fields: tuple[Field, ...]) -> tuple[Field, ...]:
        return tuple(replace(each, attribute=self._named(entity, each.attribute)) for each in fields)


def _with_tables(design: Design, names: Mapping[str, str]) -> Design:
    """The design with the entities' new names; collections keep theirs."""
    if not names:
        return design

    def change(node: object) -> object | None:
        if not isinstance(node, Document):
            return None
        embeddings = tuple(rebuilt(each, change) for each in node.embeddings)
        return replace(node, entity=names.get(node.entity, node.entity), embeddings=embeddings)

    model = design.model
    links = tuple(
        replace(each, parent=names.get(each.parent, each.parent), child=names.get(each.child, each.child))
        for each in model.relationships
    )
    model = replace(
        model,
        entities=tuple(replace(each, name=names.get(each.name, each.name)) for each in model.entities),
        relationships=links,
        many_to_many=tuple(replace(each, through=names.get(each.through, each.through)) for each in model.many_to_many),
        hierarchies=tuple(
            replace(each, supertype=names.get(each.supertype, each.supertype)) for each in model.hierarchies
        ),
    )
    return replace(design, model=model, collections=tuple(rebuilt(each, change) for each in design.collections))
