"""A design over the model that a later one is over: what the application has gained and dropped since it was made.

What is new has no rows yet, and in the rows there are it has its default, or no value. What is gone is in the documents, and no
design knows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from nestling.common.errors import DesignError, InputError, Problem
from nestling.common.trees import nodes_in, rebuilt
from nestling.ir.amendments import Filled, Widened, amendments, filled_value
from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.primitives import (
    Collection,
    Copy,
    Document,
    Embedding,
    Field,
    Form,
    Holder,
    Index,
    Reference,
    Variant,
)
from nestling.ir.rows import Hop
from nestling.ir.storage.names import NOWHERE_PREFIX, stored_name
from nestling.ir.words.model_changes import maybe_called, maybe_renamed
from nestling.planner.migration.renaming import GONE_SUFFIX

_APART = (
    "first migrate, with the current model, to a design that stores these rows as documents of their own"
    " (`nestling design … --strategy normalized`), then to one of the new model"
)


def restated(old: Design, model: Model) -> Design:
    """The old design over the new model; raises `InputError` with everything that stands in the way.

    Entities that are new to it are in collections that nobody makes (`NOWHERE`). An attribute that is new must be nullable, or
    have a default that is the same for all rows.
    """
    old = _with_names_of(old, model)
    if problems := tuple(_in_the_way(old, model)):
        raise InputError(*problems)
    kept = (_collection(each, old.model, model) for each in old.collections if model.has_entity(each.root))
    new = (entity for entity in model.entities if not old.model.has_entity(entity.name))
    collections = (*kept, *(_nowhere(entity, model) for entity in new))
    try:
        plain = Design(model, collections)
    except DesignError as error:
        gone = (entity for entity in old.model.entities if not model.has_entity(entity.name))
        renamed = "".join(maybe_renamed(entity, old.model, model) for entity in gone)
        what = "the old design cannot be expressed with the new model"
        raise InputError(
            *(replace(each, what=f"{what}: {each.what}", next_move=f"{_APART}{renamed}") for each in error.problems)
        ) from None
    kept_indexes = tuple(index for index in old.indexes if _fits(plain, index))
    return replace(plain, indexes=kept_indexes, amendments=tuple(amendments(old.model, model)))


def narrowed(own: Design, old: Design) -> frozenset[str]:
    """The collections in which a copy, or what stands beside an id, has lost some of its attributes in the restated design."""
    before, after = ({each.name: dict(_copied(each)) for each in design.collections} for design in (own, old))
    return frozenset(
        name
        for name, copied in before.items()
        if any(number != after.get(name, {}).get(what, number) for what, number in copied.items())
    )


def _copied(collection: Collection) -> Iterator[tuple[tuple[str, str], int]]:
    """How many attributes stand in each copy and beside each id."""
    for node in nodes_in(collection):
        if isinstance(node, Document):
            yield from (((node.entity, copy.name), len(copy.attributes)) for copy in node.copies)
            yield from (((node.entity, each.field), len(each.copied)) for each in node.references if each.copied)


def as_written(old: Design, before: Model) -> Design:
    """A restated design whose attributes are what documents hold of them, where rows have something else."""
    entities = tuple(_as_written(entity, old, before) for entity in old.model.entities)
    return replace(old, model=replace(old.model, entities=entities), amendments=())


def _as_written(entity: Entity, old: Design, before: Model) -> Entity:
    amended = {each.attribute: each for each in old.amendments if each.entity == entity.name}

    def written(attribute: Attribute) -> Attribute:
        match amended.get(attribute.name):
            case None:
                return attribute
            case Filled():
                return replace(attribute, nullable=True)
            case Widened():
                return before.entity(entity.name).attribute(attribute.name)

    return replace(entity, attributes=tuple(map(written, entity.attributes))) if amended else entity


def _with_names_of(old: Design, model: Model) -> Design:
    """The old design whose relationships are called as in the new model: what one is called may hang on what others there are."""
    called = {each.joins: each.name for each in model.relationships}
    names = {each.name: called.get(each.joins, f"{each.name} {GONE_SUFFIX}") for each in old.model.relationships}
    names = {
        name: new for name, new in names.items() if new != name and (new in called.values() or name in called.values())
    }
    if not names:
        return old

    def change(value: object) -> object | None:
        match value:
            case Hop() | Reference() if value.relationship in names:
                return replace(value, relationship=names[value.relationship])
            case Embedding() if value.relationship in names:
                return replace(value, relationship=names[value.relationship], body=rebuilt(value.body, change))
            case Variant(subtypes=subtypes) if any(name in names for name, _ in subtypes):
                renamed = tuple((names.get(name, name), told) for name, told in subtypes)
                return replace(value, members=rebuilt(value.members, change), subtypes=renamed)
            case _:
                return None

    links = tuple(replace(each, name=names.get(each.name, each.name)) for each in old.model.relationships)
    both = tuple(
        replace(each, left=names.get(each.left, each.left), right=names.get(each.right, each.right))
        for each in old.model.many_to_many
    )
    kinds = tuple(
        replace(each, subtypes=tuple(names.get(name, name) for name in each.subtypes)) for each in old.model.hierarchies
    )
    before = replace(old.model, relationships=links, many_to_many=both, hierarchies=kinds)
    return Design(before, tuple(rebuilt(each, change) for each in old.collections), old.indexes)


def is_nowhere(design: Design, entity: str) -> bool:
    """Whether the entity is new to the design, so that it has no rows."""
    return all(place.store.name.startswith(NOWHERE_PREFIX) for place in design.places[entity])


def _in_the_way(old: Design, model: Model) -> Iterator[Problem]:
    for entity in model.entities:
        if not old.model.has_entity(entity.name):
            continue
        before = old.model.entity(entity.name)
        if before.key != entity.key:
            move = "keep the key and make the new one UNIQUE, or load the rows again"
            yield Problem(f"`{entity.name}` has a different key than in the old design", next_move=move)
        for name in sorted(set(entity.attribute_names) - set(before.attribute_names)):
            new = entity.attribute(name)
            if not new.nullable and filled_value(new) is None:
                what = f"`{entity.name}.{name}` is new and must have a value, which existing rows do not have"
                move = (
                    f"set it with `--fill {entity.name}.{name}=VALUE`, or give it a constant default in the new model"
                )
                was = maybe_called(new, before, entity)
                yield Problem(what, next_move=f"{was}; else {move}" if was else move)
    yield from _embedded_along_nothing(old, model)
    yield from _among_pairs(old, model)


def _among_pairs(old: Design, model: Model) -> Iterator[Problem]:
    for collection in old.collections:
        for body in _bodies(collection):
            names = model.entity(body.entity).attribute_names if model.has_entity(body.entity) else None
            for name in (each for pairs in body.pairs for each in pairs.attributes):
                if names is not None and name not in names:
                    what = f"`{body.entity}.{name}` is gone from the model, but stored as a name-value pair"
                    yield Problem(
                        what, where=collection.name, next_move="keep it in the model and set it to NULL everywhere"
                    )


def _embedded_along_nothing(old: Design, model: Model) -> Iterator[Problem]:
    gone = {each.name for each in old.model.relationships if not model.has_relationship(each.name)}
    for collection in old.collections:
        for body in _bodies(collection):
            if not model.has_entity(body.entity):
                continue
            for embedding in body.embeddings:
                if embedding.relationship in gone and model.has_entity(embedding.body.entity):
                    what = f"`{embedding.body.entity}` is embedded along `{embedding.relationship}`, which is gone"
                    yield Problem(what, where=collection.name, next_move=_APART)


def _bodies(collection: Collection) -> Iterator[Document]:
    yield from _within(collection.body)
    for member in collection.variant.members if collection.variant is not None else ():
        yield from _within(member.body)


def _within(body: Document) -> Iterator[Document]:
    yield body
    for each in body.embeddings:
        yield from _within(each.body)


def _collection(collection: Collection, old: Model, new: Model) -> Collection:
    variant = collection.variant
    if variant is not None:
        members = (each for each in variant.members if new.has_entity(each.body.entity))
        kept = tuple(replace(each, body=_document(each.body, old, new)) for each in members)
        subtypes = tuple(each for each in variant.subtypes if new.has_relationship(each[0]))
        variant = replace(variant, members=kept, subtypes=subtypes)
    names = new.entity(collection.root).attribute_names
    splits = (replace(each, attributes=tuple(a for a in each.attributes if a in names)) for each in collection.splits)
    return replace(
        collection,
        body=_document(collection.body, old, new),
        variant=variant,
        splits=tuple(each for each in splits if each.attributes or each.rows is not None),
    )


def _document(body: Document, old: Model, new: Model) -> Document:
    """What is left of it, with the new foreign keys of its entity among the attributes."""
    names = new.entity(body.entity).attribute_names
    own = (link for link in new.relationships if link.child == body.entity and not old.has_relationship(link.name))
    references = tuple(
        replace(
            each,
            copied=tuple(f for f in each.copied if _has(new, new.relationship(each.relationship).child, f.attribute)),
        )
        for each in body.references
        if new.has_relationship(each.relationship)
    )
    copies = (
        _copy(each, new) for each in body.copies if all(new.has_relationship(hop.relationship) for hop in each.path)
    )
    computed = tuple(
        each
        for each in body.computed
        if all(new.has_relationship(hop.relationship) for hop in each.path)
        and (each.attribute is None or _has(new, each.path[-1].target(new), each.attribute))
    )
    embeddings = (each for each in body.embeddings if new.has_relationship(each.relationship))
    fields = tuple(each for each in body.fields if each.attribute in names)
    return replace(
        body,
        fields=(*fields, *_apart(fields, old.entity(body.entity), new.entity(body.entity))),
        embeddings=tuple(_embedding(each, old, new) for each in embeddings),
        references=(*references, *(Reference(link.name, Holder.CHILD) for link in own)),
        copies=tuple(each for each in copies if each.attributes),
        computed=computed,
    )


def _apart(fields: Sequence[Field], old: Entity, new: Entity) -> Iterator[Field]:
    """Fields that no document has, for attributes that are new where another one is stored under their name."""
    taken = {each.path for each in fields}
    for name in new.attribute_names:
        if name not in old and stored_name(name) in taken:
            yield Field(name, f"{NOWHERE_PREFIX}{stored_name(name)}")


def _embedding(embedding: Embedding, old: Model, new: Model) -> Embedding:
    """An array that was in the order of an attribute which is gone is read in any order."""
    names = new.entity(embedding.body.entity).attribute_names
    order = tuple(each for each in embedding.order if each.attribute in names)
    return replace(embedding, body=_document(embedding.body, old, new), order=order)


def _copy(copy: Copy, new: Model) -> Copy:
    source = copy.path[-1].target(new)
    kept = tuple(each for each in copy.attributes if _has(new, source, each.attribute))
    is_whole = copy.form not in (Form.SCALARS, Form.PATH) or len(kept) == len(copy.attributes)
    return replace(copy, attributes=kept if is_whole else ())


def _has(model: Model, entity: str, attribute: str) -> bool:
    return attribute in model.entity(entity).attribute_names


def _nowhere(entity: Entity, model: Model) -> Collection:
    links = (link for link in model.relationships if link.child == entity.name)
    references = tuple(Reference(link.name, Holder.CHILD) for link in links)
    return Collection(f"{NOWHERE_PREFIX}{entity.name}", Document(entity.name, references=references), entity.key)


def _fits(design: Design, index: Index) -> bool:
    try:
        replace(design, indexes=(index,))
    except DesignError:
        return False
    return True
