"""From an outline to a design: collections with their documents, names and splits; indexes are made elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import Archived, Cold, CopiedAttribute
from nestling.ir.freshness import TRANSACTION
from nestling.ir.model import Cardinality, Entity, Relationship
from nestling.ir.outline import CHILD_HOLDS, Outline
from nestling.ir.primitives import (
    Before,
    Collection,
    Copy,
    Document,
    Embedding,
    Field,
    Form,
    Holder,
    Overflow,
    Reference,
    Split,
    Variant,
)
from nestling.ir.rows import down
from nestling.ir.situation.situation import Situation
from nestling.ir.storage.names import collection_name
from nestling.ir.types import MAY_BE_ARRAYS
from nestling.strategies.placement.derived_primitives import bucket_of, computed, copies, options_of, overflow_flag
from nestling.strategies.placement.field_names import TakenNames, attribute_fields, embedded_name, ids_name, renamed
from nestling.strategies.placement.nesting import distinct_names
from nestling.strategies.placement.pairs import pairs_of


def collections(situation: Situation, outline: Outline) -> tuple[Collection, ...]:
    """One collection per entity that is not embedded, in model order."""
    assembly = _Assembly(situation, outline)
    housed = {*outline.homes, *outline.absorbed}
    return tuple(assembly.collection(e) for e in situation.model.entities if e.name not in housed)


_ID = "_id"
"""A live database's own key of any type; the server does not accept an array for it."""


def id_attributes(entity: Entity) -> tuple[str, ...]:
    """The attributes in `_id` (D3): the key, or else a unique group that is never NULL, or else none (an ObjectId)."""
    solid = [group for group in entity.uniques if not any(entity.attribute(name).nullable for name in group)]
    for group in filter(None, (entity.key, *([] if entity.key else solid))):
        single = entity.attribute(group[0]).type.name if len(group) == 1 else None
        if (single not in MAY_BE_ARRAYS or group == (_ID,)) and distinct_names(group):
            return group
    return ()


class _Assembly:
    """Builds documents; holds the names given so far."""

    def __init__(self, situation: Situation, outline: Outline) -> None:
        self.situation, self.outline = situation, outline
        roots = [e.name for e in situation.model.entities if e.name not in {*outline.homes, *outline.absorbed}]
        self.names = TakenNames()
        self.collection_names = {name: self.names.free(collection_name(name)) for name in sorted(roots)}

    def collection(self, entity: Entity) -> Collection:
        name = self.collection_names[entity.name]
        part = self.outline.buckets.get(entity.name)
        bucket = bucket_of(part)
        splits = tuple(
            Split(self.names.free(f"{name}_{field}_files", f"{name}_files"), (attribute,), gridfs=True)
            for attribute, field in attribute_fields(entity).items()
            if attribute in self.situation.blobs[entity.name]
        )
        cold = tuple(
            Split(self.names.free(f"{name}_details"), part.attributes)
            for part in self.outline.kept
            if isinstance(part, Cold) and part.entity == entity.name
        )
        variant = self.variant(entity)
        names = TakenNames({variant.discriminator} if variant is not None else ())
        constants = tuple(self.constants(entity, names))
        return Collection(
            name,
            self.document(entity.name, names),
            () if part is not None else id_attributes(entity),
            options=options_of(part),
            bucket=bucket,
            variant=variant,
            splits=(*splits, *cold, *(self.archive(entity, name) if part is None else ())),
            constants=constants,
        )

    def archive(self, entity: Entity, name: str) -> Iterator[Split]:
        """The collection of old rows, where one is asked for or chosen (C8)."""
        asked = (
            Before(attribute, before)
            for of, attribute, before in self.situation.requirements.archive
            if of == entity.name
        )
        chosen = (part.rows for part in self.outline.kept if isinstance(part, Archived) and part.entity == entity.name)
        for rows in dict.fromkeys((*asked, *chosen)):
            yield Split(self.names.free(f"{name}_archive"), rows=rows)

    def constants(self, entity: Entity, names: TakenNames) -> Iterator[tuple[str, int]]:
        """The schema version, where one is asked for (C8)."""
        version = self.situation.requirements.schema_version
        if version is not None:
            names.taken |= {"_id", *self.stored_names(entity.name)}
            yield names.free("schema_version"), version

    def variant(self, entity: Entity) -> Variant | None:
        """The discriminator of a supertype whose subtypes' fields are next to its own."""
        inline = self.inline(entity.name)
        names = TakenNames({"_id", *self.stored_names(entity.name)})
        subtypes = tuple((link.name, link.child) for link in inline)
        return Variant(names.free("type", "kind", f"type_of_{entity.name}"), subtypes=subtypes) if inline else None

    def inline(self, entity: str) -> tuple[Relationship, ...]:
        return tuple(link for link in self.situation.children[entity] if link.name in self.outline.inline)

    def stored_names(self, entity: str) -> Iterator[str]:
        """The names of an entity's fields, and of those next to them."""
        yield from attribute_fields(self.situation.model.entity(entity)).values()
        for link in self.inline(entity):
            yield from self.stored_names(link.child)

    def document(self, entity_name: str, names: TakenNames) -> Document:
        entity = self.situation.model.entity(entity_name)
        names.taken |= {"_id", *self.stored_names(entity_name)}
        pairs = pairs_of(self.outline, entity_name, names)
        paired = {name for each in pairs for name in each.attributes}
        return Document(
            entity_name,
            fields=tuple(each for each in renamed(entity) if each.attribute not in paired),
            pairs=pairs,
            embeddings=tuple(self.embeddings(entity_name, names)),
            references=tuple(self.references(entity_name, names)),
            copies=(*self.mirrors(entity_name, names), *copies(self.situation.model, self.outline, entity_name, names)),
            computed=computed(self.situation.model, self.outline, entity_name, names),
        )

    def embeddings(self, entity: str, names: TakenNames) -> Iterator[Embedding]:
        for link in self.situation.children[entity]:
            if self.outline.homes.get(link.child) == link.name:
                form = self.form(link)
                bare = self.other_side(link) if link.name in self.situation.linked and self.is_bare(link) else None
                name = embedded_name(names, link)
                if bare is not None:
                    names.taken.discard(name)
                    name = ids_name(names, bare.parent_role or bare.parent, many=True)
                orphans = None
                if not self.situation.is_total(link):
                    orphans = self.names.free(f"{collection_name(link.child)}_orphans")
                bound = self.outline.overflows.get(link.name)
                overflow = (
                    Overflow(bound, self.names.free(f"{collection_name(link.child)}_overflow")) if bound else None
                )
                flags = overflow_flag(names, name, overflow)
                body = self.document(link.child, names if form is Form.INLINE else TakenNames())
                if self.outline.bare.get(link.name) and self.is_one_value(link, body):
                    form = Form.SCALARS
                yield Embedding(name, link.name, form, body, overflow=flags, orphans=orphans)

    def form(self, link: Relationship) -> Form:
        if link.name in self.outline.inline:
            return Form.INLINE
        if link.cardinality is Cardinality.ONE_TO_ONE:
            return Form.OBJECT
        return Form.SCALARS if link.name in self.situation.linked and self.is_bare(link) else Form.ARRAY

    def is_bare(self, link: Relationship) -> bool:
        """Whether rows of a junction store nothing but one id once they are embedded along `link`."""
        junction = self.situation.model.entity(link.child)
        left = [name for name in junction.attribute_names if name not in link.child_attributes]
        other = self.other_side(link)
        embeds = link.child in {self.situation.model.relationship(home).parent for home in self.outline.homes.values()}
        return (
            link.cardinality is Cardinality.ONE_TO_MANY
            and other is not None
            and len(left) == 1
            and left[0] in other.child_attributes
            and self.outline.bare.get(link.name, True)
            and not embeds
            and not self.listed(link.child)
            and not any(isinstance(part, CopiedAttribute) and part.holder == link.child for part in self.outline.kept)
        )

    def is_one_value(self, link: Relationship, body: Document) -> bool:
        """Whether children embedded along `link` as `body` store a single attribute and nothing else."""
        own = set(self.situation.model.entity(link.child).attribute_names) - set(link.child_attributes)
        references = tuple(each for each in body.references if each.holder is Holder.CHILD)
        return len(own) == 1 and body == Document(body.entity, body.fields, references=references)

    def listed(self, entity: str) -> bool:
        return any(Holder.PARENT in self.outline.held.get(link.name, ()) for link in self.around(entity))

    def around(self, entity: str) -> tuple[Relationship, ...]:
        return (*self.situation.parents[entity], *self.situation.children[entity])

    def other_side(self, link: Relationship) -> Relationship | None:
        both = self.situation.linked[link.name]
        name = both.right if link.name == both.left else both.left
        other = self.situation.model.relationship(name)
        return None if other is link else other

    def references(self, entity: str, names: TakenNames) -> Iterator[Reference]:
        for link in self.situation.children[entity]:
            if Holder.PARENT in self.outline.held.get(link.name, CHILD_HOLDS):
                many = link.cardinality is not Cardinality.ONE_TO_ONE
                yield Reference(link.name, Holder.PARENT, ids_name(names, link.child_role or link.child, many=many))
        for link in self.situation.parents[entity]:
            told = {self.outline.homes.get(entity), self.outline.absorbed.get(link.parent)}
            if link.name not in told and Holder.CHILD in self.outline.held.get(link.name, CHILD_HOLDS):
                yield Reference(link.name, Holder.CHILD)

    def mirrors(self, entity: str, names: TakenNames) -> Iterator[Copy]:
        """Ids of the other side of a many-to-many, stored here too: copies of the junction's other foreign key."""
        for link in self.situation.children[entity]:
            other = self.other_side(link) if link.name in self.outline.mirrored.values() else None
            if other is not None:
                name = ids_name(names, other.parent_role or other.parent, many=True)
                attribute = Field(other.child_attributes[0], other.child_attributes[0])
                yield Copy(name, (down(link),), (attribute,), Form.SCALARS, TRANSACTION)
