"""Today's schema as a design: the collections with what lies in their documents, of our primitives."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.facts.nodes import NodeForm
from nestling.ir.facts.structure import FieldPlace, Link
from nestling.ir.freshness import TRANSACTION
from nestling.ir.model import Model, Relationship
from nestling.ir.primitives import (
    Bucket,
    Collection,
    Computed,
    Copy,
    Document,
    Embedding,
    Field,
    Form,
    Holder,
    Overflow,
    Reference,
    Variant,
)
from nestling.ir.rows import AggregateKind, down, up
from nestling.ir.storage.names import join, stored_name
from nestling.sources.mongo.entities import EntityOf, flag
from nestling.sources.mongo.entity_names import free
from nestling.sources.mongo.relations import Entities, owner, relationship
from nestling.sources.mongo.seen import NodeRole, ObservedNode
from nestling.sources.mongo.survey import Survey, counts, flat_copies
from nestling.sources.mongo.taken import DerivedField

_FORMS = {NodeForm.OBJECT: Form.OBJECT, NodeForm.ARRAY: Form.ARRAY, NodeForm.VALUES: Form.SCALARS}


class Placing:
    """Where every entity of a model lives today; `taken`: what of that was taken to follow from others, once it was placed."""

    def __init__(self, model: Model, survey: Survey, found: Entities) -> None:
        self.model, self.survey, self.found = model, survey, found
        self.seen = tuple(survey.seen.values())
        self.taken: dict[tuple[str, str], DerivedField] = {}

    def collections(self) -> tuple[Collection, ...]:
        """The collections, each with all that lies in its documents."""
        return tuple(self._collection(each) for each in self.seen if each.above is None and self._is_home(each))

    def _is_home(self, seen: ObservedNode) -> bool:
        return seen.role in (NodeRole.ENTITY, NodeRole.BUCKET)

    def _collection(self, seen: ObservedNode) -> Collection:
        if seen.role is NodeRole.BUCKET:
            events = next(each for each in self.seen if each.above is seen and each.role is NodeRole.ENTITY)
            entity = self.found[events.place]
            return Collection(seen.collection.name, self._document(entity), bucket=self._bucket(events))
        entity = self.found[seen.place]
        return Collection(seen.collection.name, self._document(entity), entity.key, variant=self._variant(seen, entity))

    def _variant(self, seen: ObservedNode, entity: EntityOf) -> Variant | None:
        """The kinds of documents in a collection."""
        kinds = [each for each in self.found.values() if each.seen.kind and each.above is entity]
        links = (
            (relationship(self.model, entity.name, kind.name, tuple(kind.implied.values())), kind) for kind in kinds
        )
        subtypes = tuple((link.name, kind.seen.kind) for link, kind in links if link is not None)
        return Variant(seen.discriminator, subtypes=subtypes) if subtypes else None

    def _bucket(self, events: ObservedNode) -> Bucket:
        entity = self.found[events.place]
        by = tuple(each.name for each in entity.stored if len(each.column.steps) <= 1)
        lengths = events.collection.path(*events.node.steps[:-1])
        most = lengths.lengths.max if lengths is not None and lengths.lengths is not None else 1.0
        return Bucket(by, events.node.steps[-2], max(int(most), 1))

    def _document(self, entity: EntityOf) -> Document:
        return Document(
            entity.name,
            fields=tuple(_fields(entity)),
            embeddings=tuple(self._embeddings(entity)),
            references=tuple(self._references(entity)),
            copies=tuple(self._copies(entity)),
            computed=tuple(self._computed(entity)),
        )

    def _embeddings(self, entity: EntityOf) -> Iterator[Embedding]:
        children = ((seen, self.found.get(seen.place)) for seen in self.seen)
        inside = [(seen, child) for seen, child in children if child is not None and child.above is entity]
        fields = {_field(seen).casefold() for seen, _ in inside if not seen.kind}
        for seen, child in inside:
            link = relationship(self.model, entity.name, child.name, tuple(child.implied.values()))
            assert link is not None
            yield Embedding(
                free(seen.kind, fields) if seen.kind else _field(seen),  # no documents have a field for a kind
                link.name,
                Form.INLINE if seen.kind else _FORMS[seen.node.form],
                self._document(child),
                overflow=self._overflow(seen),
                orphans=next((each.collection.name for each in self.seen if _is(each, NodeRole.ORPHANS, seen)), None),
            )

    def _overflow(self, seen: ObservedNode) -> Overflow | None:
        pages = next((each for each in self.seen if _is(each, NodeRole.PAGES, seen)), None)
        path = seen.collection.path(*seen.node.steps[:-1])
        if pages is None or path is None or path.lengths is None:
            return None
        return Overflow(max(int(path.lengths.max), 1), pages.collection.name, flag(seen, self.survey))

    def _references(self, entity: EntityOf) -> Iterator[Reference]:
        lists = {each.place: each for each in self.seen if each.role is NodeRole.LISTED and each.above is entity.seen}
        for seen in lists.values():
            if (link := self._listed(seen)) is not None:
                of = f"the ids of the rows of `{link.child}` that refer to its document"
                self._take(
                    entity, _field(seen), DerivedField(seen.place, entity.name, of, "references", is_value=False)
                )
                yield Reference(link.name, Holder.PARENT, _field(seen))
        listed = set(entity.listed.values())
        for link in self.model.parents_of(entity.name):
            is_home = entity.above is not None and (link.parent, set(link.child_attributes)) == (
                entity.above.name,
                set(entity.implied.values()),
            )
            if not is_home and not set(link.child_attributes) & listed:
                yield Reference(link.name, Holder.CHILD)

    def _listed(self, seen: ObservedNode) -> Relationship | None:
        assert seen.link is not None
        assert seen.above is not None
        if seen.back is not None:
            return self._relationship(seen.back)
        child, parent = self.found[seen.link.target, seen.link.target_node], self.found[seen.above.place]
        columns = tuple(name for (at, _), name in child.listed.items() if at == seen.place)
        return relationship(self.model, parent.name, child.name, columns)

    def _copies(self, entity: EntityOf) -> Iterator[Copy]:
        for seen in self.seen:
            if seen.role is NodeRole.COPY and seen.above is entity.seen:
                yield from self._copied(entity, seen)
        yield from self._inline(entity)

    def _take(self, entity: EntityOf, path: str, taken: DerivedField) -> None:
        self.taken[entity.name, path] = taken

    def _copied(self, entity: EntityOf, seen: ObservedNode) -> Iterator[Copy]:
        """A sub-document or array that repeats rows which live elsewhere, its fields in the documents' order."""
        link = seen.link or self._link_of(seen)
        target = self._target(seen, link)
        model_link = self._relationship(link) if link is not None else None
        if target is None or model_link is None or link is None:
            return
        names = {each.column: each.target_column for each in seen.repeats}
        own = [column.steps for column in seen.node.columns]
        source = target.by_steps
        fields = []
        for steps in own:
            attribute = source.get(names.get(steps, target.seen.key[0] if target.seen.key else ()))
            if attribute is None:
                return
            fields.append(Field(attribute, ".".join(steps[len(seen.node.steps) :])))
        if seen.node.form is NodeForm.OBJECT:
            for steps, field in zip(own, fields, strict=True):
                of = f"`{target.name}.{field.attribute}` of the row it refers to"
                place = seen.collection.name, steps
                path = join(_field(seen), field.path)
                self._take(entity, path, DerivedField(place, entity.name, of, "copies", is_value=False))
            yield Copy(_field(seen), (up(model_link),), tuple(fields), Form.OBJECT, TRANSACTION)
        else:
            of = f"the rows of `{target.name}` that refer to its document"
            self._take(entity, _field(seen), DerivedField(seen.place, entity.name, of, "copies", is_value=False))
            yield Copy(_field(seen), (down(model_link),), tuple(fields), _FORMS[seen.node.form], TRANSACTION)

    def _link_of(self, seen: ObservedNode) -> Link | None:
        """The link a copied sub-document follows."""
        first = seen.repeats[0]
        return next(
            (
                link
                for link in self.survey.links
                if (link.collection, link.columns) == (first.collection, first.link)
                and (link.target, link.target_node) == (first.target, first.target_node)
            ),
            None,
        )

    def _target(self, seen: ObservedNode, link: Link | None) -> EntityOf | None:
        if link is None:
            return None
        at: FieldPlace = (link.target, link.target_node) if seen.link is None else (link.collection, link.node)
        return self.found.get(at)

    def _relationship(self, link: Link) -> Relationship | None:
        child, target = owner(link, self.survey, self.found), self.found.get((link.target, link.target_node))
        columns = child.names(link.columns) if child is not None else None
        if child is None or target is None or columns is None:
            return None
        return relationship(self.model, target.name, child.name, columns)

    def _inline(self, entity: EntityOf) -> Iterator[Copy]:
        """Fields that repeat the row a reference leads to, one copy for each reference."""
        found: dict[str, list[Field]] = {}
        links: dict[str, Relationship] = {}
        for repeat in flat_copies(self.survey):
            holder = self.survey.seen[repeat.collection, repeat.node]
            around = holder.around if holder.role is NodeRole.MERGED else holder
            target = self.found.get((repeat.target, repeat.target_node))
            columns = entity.names(repeat.link) if around is entity.seen else None
            if target is None or columns is None:
                continue
            link = relationship(self.model, target.name, entity.name, columns)
            attribute = target.by_steps.get(repeat.target_column)
            if link is not None and attribute is not None:
                links[link.name] = link
                path = ".".join(repeat.column[len(entity.seen.node.steps) :])
                of = f"`{target.name}.{attribute}` of the row it refers to"
                place = repeat.collection, repeat.column
                self._take(entity, path, DerivedField(place, entity.name, of, "copies", is_value=True))
                found.setdefault(link.name, []).append(Field(attribute, path))
        for name, fields in found.items():
            yield Copy(name, (up(links[name]),), tuple(fields), Form.INLINE, TRANSACTION)

    def _computed(self, entity: EntityOf) -> Iterator[Computed]:
        for each in counts(self.survey):
            child = self.found.get((each.child, each.child_node))
            columns = child.names(each.child_columns) if child is not None else None
            if (each.collection, each.node) != entity.seen.place or child is None or columns is None:
                continue
            link = relationship(self.model, entity.name, child.name, columns)
            if link is not None:
                path = ".".join(each.column[len(entity.seen.node.steps) :])
                of = f"the number of rows of `{child.name}` that refer to its document"
                place = each.collection, each.column
                self._take(entity, path, DerivedField(place, entity.name, of, "computed", is_value=True))
                yield Computed(path, (down(link),), AggregateKind.COUNT, TRANSACTION)


def _is(seen: ObservedNode, role: NodeRole, of: ObservedNode) -> bool:
    return seen.role is role and seen.of is of


def _field(seen: ObservedNode) -> str:
    """The field a node is, relative to the node above."""
    assert seen.above is not None
    if seen.kind:
        return seen.kind
    around = len(seen.above.node.steps)
    last = len(seen.node.steps) if seen.node.form is NodeForm.OBJECT else -1
    return ".".join(seen.node.steps[around:last] if last == -1 else seen.node.steps[around:])


def _fields(entity: EntityOf) -> Iterator[Field]:
    """Fields that are not called as their attributes; those in `_id` follow from the key."""
    for each in entity.stored:
        in_id = entity.seen.above is None and each.column.steps[0] == "_id"
        if each.path and each.path != stored_name(each.name) and not in_id:
            yield Field(each.name, each.path)
