"""The documents of a collection as trees of values, by the design's layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from nestling.ir.design import Design
from nestling.ir.model import Relationship
from nestling.ir.primitives import Copy, Document, Form, Holder, Reference, Variant
from nestling.ir.rows import AggregateKind, Hop
from nestling.ir.statistics import Statistics
from nestling.ir.storage.layout import Node, NodeKind, Role, StoredCollection
from nestling.sources.capture.sql.entity_rows import EntityRow, EntityRows, token
from nestling.sources.capture.sql.field_values import (
    Discriminator,
    DocumentTree,
    FieldValue,
    Many,
    NotExpressible,
    OfOtherKind,
    RowAttribute,
    Sql,
    Unmapped,
)
from nestling.sources.capture.sql.query import RowsQuery
from nestling.sources.capture.sql.words import Parameters

_Fields = dict[str, FieldValue]
MOST_LISTED = 50
"""Values a list is written with at most."""
FOLLOWED = "_followed"
"""How the array of a join is called that the application makes itself."""
_NO_ROWS = {
    Role.PAGES: "overflow pages of an array",
    Role.ARCHIVE: "archived rows",
    Role.PART: "split-off attributes",
}


@dataclass(slots=True)
class StatementDraft:
    """One statement being written: the design, its rows and parameters so far, and the notes about it.

    `listed`: how many values its lists have together, on average, and `lists`: how many lists there are. `single`: the rows of
    arrays with at most one element, by how they are joined. `kind`: the value its filter compares a discriminator with; empty
    if unknown. `beside`: the rows of subtypes whose fields are beside those of a row, by that row and the relationship.
    `finds_one`: it finds one of several documents by a query. `statistics`: of the documents, as far as they are known.
    """

    design: Design
    parameters: Parameters
    listed: float = 1
    lists: int = 1
    kind: str = ""
    rows: EntityRows = field(default_factory=EntityRows)
    notes: list[str] = field(default_factory=list)
    single: dict[Callable[[bool], tuple[EntityRow, EntityRow]], EntityRow] = field(default_factory=dict)
    beside: dict[tuple[int, str], EntityRow] = field(default_factory=dict)
    finds_one: bool = False
    statistics: Statistics = field(default_factory=Statistics)

    def list_length(self, place: str) -> int:
        """The number of values that the list at a place is written with."""
        average, known = self.listed / max(self.lists, 1), self.parameters.sampled(place)
        number = known if known and self.lists > 1 else min(max(round(average), 1), MOST_LISTED)
        if self.listed != round(self.listed):
            self.notes.append(f"its lists vary in length: {average:.1f} values on average, written with {number}")
        elif self.lists > 1 and not known:
            self.notes.append(
                f"its {self.lists} lists have {self.listed:.0f} values together; each is written with {number}"
            )
        return number

    def store(self, collection: str) -> StoredCollection:
        """The collection of that name; raises NotExpressible."""
        found = next((store for store in self.design.stores if store.name == collection), None)
        if found is None:
            raise NotExpressible(f"`{collection}` is not a collection of the design")
        if found.role in _NO_ROWS:
            raise NotExpressible(f"`{collection}` holds {_NO_ROWS[found.role]}")
        if len(found.roots) != 1:
            raise NotExpressible(
                f"`{collection}` holds several kinds of rows, and the value that distinguishes them is not captured"
            )
        return found

    def opened(self, collection: str) -> tuple[RowsQuery, DocumentTree]:
        """A query of the collection's rows, and its documents."""
        store = self.store(collection)
        node, variant = store.roots[0], store.collection.variant
        row = self.rows.new(node.entity)
        document = self.document(node, row)
        if variant is not None and variant.subtypes:
            told = {variant.discriminator: self._discriminator(variant, row)}
            document = DocumentTree(told | self._of_kind(document.fields, variant, row), document.row, document.key)
        return RowsQuery(self.rows, row), document

    def _of_kind(self, fields: Mapping[str, FieldValue], variant: Variant, row: EntityRow) -> _Fields:
        """The fields of a document, those of other kinds than the one that is asked for told apart; all where no kind is."""
        others = [self.beside[row.number, name] for name, value in variant.subtypes if self.kind not in ("", value)]
        return {
            name: OfOtherKind(f"`{name}` belongs to a kind other than {self.kind}") if _is_of(value, others) else value
            for name, value in fields.items()
        }

    def _discriminator(self, variant: Variant, row: EntityRow) -> Discriminator:
        """The field that tells which subtypes a row has."""
        rows = {value: self.beside[row.number, relationship] for relationship, value in variant.subtypes}
        kinds = {value: self.column(each, self._present(each)) for value, each in rows.items()}
        why = (
            f"`{variant.discriminator}` distinguishes the kinds {', '.join(kinds)}: write one statement for each queried kind"
            f", with a join of the kind's table to `{row.entity}`"
        )
        return Discriminator(why, kinds)

    def column(self, row: EntityRow, attribute: str) -> RowAttribute:
        """An attribute of a row."""
        return RowAttribute(row, attribute, self.design.model.entity(row.entity).attribute(attribute).nullable)

    def child(self, row: EntityRow, link: Relationship, *, outer: bool) -> EntityRow:
        """A row joined from its parent."""
        pairs = zip(link.child_attributes, link.parent_attributes, strict=True)
        return self.rows.new(link.child, tuple((own, token(row, other)) for own, other in pairs), row, outer=outer)

    def parent(self, row: EntityRow, link: Relationship, *, outer: bool) -> EntityRow:
        """A row joined from its child; one that is always there needs no outer join."""
        outer = outer and (row.may_lack or not self.design.model.is_total(link))
        pairs = zip(link.parent_attributes, link.child_attributes, strict=True)
        return self.rows.new(link.parent, tuple((own, token(row, other)) for own, other in pairs), row, outer=outer)

    def hop(self, row: EntityRow, hop: Hop, *, outer: bool) -> EntityRow:
        """A row along a step of a path."""
        link = self.design.model.relationship(hop.relationship)
        return self.parent(row, link, outer=outer) if hop.up else self.child(row, link, outer=outer)

    def document(self, node: Node, row: EntityRow) -> DocumentTree:
        """A node's document, which stands for a row."""
        fields: _Fields = {}
        if node.kind is NodeKind.GROUP:
            return self._group(node, row)
        for each in node.stored:
            _put(fields, each.path, self.column(row, each.attribute))
        for pairs in node.body.pairs:
            _put(fields, pairs.field, Unmapped("attributes stored as name-value pairs"))
        for child in node.children:
            self._embedded(fields, child, row)
        self._related(fields, node.body, row)
        key = self.design.model.entity(node.entity).key
        return DocumentTree(fields, row, key[0] if key else self.design.model.entity(node.entity).attribute_names[0])

    def _group(self, node: Node, row: EntityRow) -> DocumentTree:
        """A bucket: its header repeats what its events share, so it is expressed by these."""
        fields: _Fields = {}
        for each in node.stored:
            _put(fields, each.path, self.column(row, each.attribute))
        for event in node.children:
            element = partial(self._same, self.document(event, row))
            _put(fields, event.field, Many(event.field, lambda _: (row, row), element, own=True))
        return DocumentTree(fields, row)

    @staticmethod
    def _same(found: FieldValue, _: EntityRow) -> FieldValue:
        return found

    def _embedded(self, fields: _Fields, node: Node, row: EntityRow) -> None:
        assert node.embedding is not None
        link = self.design.model.relationship(node.embedding.relationship)
        if node.form is Form.PATH:
            _put(fields, node.field, Unmapped("a path stored as one text"))
        elif node.form.to_many:
            _put(fields, node.field, self._array(node, link, row))
        else:
            its = self.child(row, link, outer=True)
            inner = self.document(node, its)
            if node.form is Form.INLINE:
                self.beside[row.number, link.name] = its
                _beside(fields, inner.fields)
            else:
                _put(fields, node.field, inner)
        if node.embedding.overflow is not None:
            _put(fields, node.embedding.overflow.flag, Unmapped("whether an array has overflowed"))

    def _array(self, node: Node, link: Relationship, row: EntityRow) -> Many:
        def element(inner: EntityRow) -> FieldValue:
            found = self.document(node, inner)
            return self.column(inner, node.stored[0].attribute) if node.form is Form.SCALARS else found

        return Many(node.field, lambda outer: _twice(self.child(row, link, outer=outer)), element)

    def _related(self, fields: _Fields, body: Document, row: EntityRow) -> None:
        """References held by the parent, copies and computed values."""
        for reference in body.references:
            if reference.holder is Holder.PARENT:
                _put(fields, reference.field, self._ids(reference, row))
        for copy in body.copies:
            self._copied(fields, copy, row)
        for computed in body.computed:
            _put(fields, computed.field, self._computed(computed.path, computed.function, computed.attribute, row))
            if computed.stamp:
                _put(fields, computed.stamp, Unmapped("when a value was computed"))

    def _ids(self, reference: Reference, row: EntityRow) -> FieldValue:
        link = self.design.model.relationship(reference.relationship)
        model = self.design.model
        through = model.link_through(link.child)
        shown = model.entity(link.child).key
        if through is not None:  # the ids are those of the other side
            other = model.relationship(through.right if through.left == link.name else through.left)
            shown = other.child_attributes

        def element(inner: EntityRow) -> FieldValue:
            if reference.copied:
                made: _Fields = {}
                for each in reference.copied:
                    _put(made, each.path, self.column(inner, each.attribute))
                return DocumentTree(made, inner, shown[0])
            if len(shown) == 1:
                return self.column(inner, shown[0])
            return DocumentTree({name: self.column(inner, name) for name in shown}, inner, shown[0])

        if link.cardinality.value == "1:1":
            return element(self.child(row, link, outer=True))
        return Many(
            reference.field, lambda outer: _twice(self.child(row, link, outer=outer)), element, refers=through is None
        )

    def _copied(self, fields: _Fields, copy: Copy, row: EntityRow) -> None:
        if copy.closure or copy.form is Form.PATH:
            _put(fields, copy.name, Unmapped("the ancestors of a row"))
            return

        def joined(outer: bool) -> tuple[EntityRow, EntityRow]:
            first = at = self.hop(row, copy.path[0], outer=outer)
            for hop in copy.path[1:]:
                at = self.hop(at, hop, outer=outer)
            at.is_copy = True
            return first, at

        def element(inner: EntityRow) -> FieldValue:
            made: _Fields = {}
            for each in copy.attributes:
                _put(made, each.path, self.column(inner, each.attribute))
            return (
                self.column(inner, copy.attributes[0].attribute)
                if copy.form is Form.SCALARS
                else DocumentTree(made, inner)
            )

        if copy.form.to_many:
            _put(fields, copy.name, Many(copy.name, joined, element, copy.order, copy.limit))
            return
        one = element(joined(True)[1])
        assert isinstance(one, DocumentTree)
        if copy.form is Form.INLINE:
            _beside(fields, one.fields)
        else:
            _put(fields, copy.name, one)

    def _computed(
        self, path: tuple[Hop, ...], function: AggregateKind, attribute: str | None, row: EntityRow
    ) -> FieldValue:
        first, *rest = path
        top = at = self.hop(row, first, outer=False)
        query = RowsQuery(self.rows, top, where=[])
        for own, other in top.on:
            query.where.append(f"{token(top, own)} = {other}")
        top.on, top.after = (), None
        for hop in rest:
            at = self.hop(at, hop, outer=False)
        inner = token(at, attribute) if attribute is not None else token(at, self._present(at))
        shown = f"{function.value.upper()}({inner})"
        return Sql(f"({query.text([('value', shown)], self.design.model)})", function.value, may_be_null=True)

    def _present(self, row: EntityRow) -> str:
        """An attribute no row lacks, or else any."""
        entity = self.design.model.entity(row.entity)
        return entity.key[0] if entity.key else entity.attribute_names[0]


def _is_of(value: FieldValue, rows: Sequence[EntityRow]) -> bool:
    """Whether a field is of one of these rows."""
    match value:
        case RowAttribute(row=row):
            return row in rows
        case DocumentTree(fields, row):
            return row in rows or (bool(fields) and all(_is_of(each, rows) for each in fields.values()))
        case _:
            return False


def _twice(row: EntityRow) -> tuple[EntityRow, EntityRow]:
    return row, row


def _beside(fields: _Fields, others: Mapping[str, FieldValue]) -> None:
    """Put other fields beside a document's own, which stay where both have one; sub-documents that both have become one."""
    for name, other in others.items():
        known = fields.get(name)
        if isinstance(known, DocumentTree) and isinstance(other, DocumentTree):
            inner = dict(known.fields)
            _beside(inner, other.fields)
            fields[name] = DocumentTree(inner, known.row, known.key)
        else:
            fields.setdefault(name, other)


def _put(fields: _Fields, path: str, value: FieldValue) -> None:
    """Put a value under a dotted path."""
    first, _, rest = path.partition(".")
    if not rest:
        known = fields.get(first)
        if isinstance(known, DocumentTree) and isinstance(value, DocumentTree):
            fields[first] = DocumentTree(
                {**known.fields, **value.fields}, value.row or known.row, value.key or known.key
            )
        else:
            fields[first] = value
        return
    known = fields.get(first)
    inner = dict(known.fields) if isinstance(known, DocumentTree) else {}
    _put(inner, rest, value)
    fields[first] = (
        DocumentTree(inner, known.row, known.key) if isinstance(known, DocumentTree) else DocumentTree(inner)
    )


New = Callable[[], StatementDraft]
Written = tuple[str, str, StatementDraft]
"""What distinguishes the statement from the others of its command, its SQL, and what was noted of it."""
