"""`$lookup` as rows joined when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from nestling.ir.storage.bson_classes import never_equal
from nestling.ir.storage.layout import Node
from nestling.sources.capture.sql.documents import FOLLOWED, StatementDraft
from nestling.sources.capture.sql.elements import is_one
from nestling.sources.capture.sql.entity_rows import TOKEN, EntityRow
from nestling.sources.capture.sql.expressions import value
from nestling.sources.capture.sql.field_values import (
    DocumentTree,
    FieldValue,
    Many,
    NotExpressible,
    RowAttribute,
    Sql,
    Unmapped,
)
from nestling.sources.capture.sql.paths import PathTarget, find
from nestling.sources.capture.sql.prefilters import Stage
from nestling.sources.capture.sql.projections import place
from nestling.sources.capture.sql.query import RowsQuery

_Inner = Callable[[StatementDraft, FieldValue, list[Stage], dict[str, FieldValue]], tuple[list[str], FieldValue]]
"""Carries out a `$lookup`'s pipeline: the conditions it comes to, and what is left of the document."""


def lookup(draft: StatementDraft, query: RowsQuery, document: DocumentTree, body: Stage, inner: _Inner) -> Many:
    """The array a `$lookup` adds; raises NotExpressible."""
    if not isinstance(body.get("from"), str):
        raise NotExpressible("a `$lookup` without a collection")
    names = {name: value(draft, document, each) for name, each in body.get("let", {}).items()}
    local = find(document, body["localField"]) if "localField" in body else None
    if local is not None and isinstance(local.value, Unmapped):
        raise NotExpressible(local.value.why)
    after = document.row if document.row is not None and query.holds(document.row) else query.root
    made = _Lookup(draft, draft.store(body["from"]).roots[0], local, body, query, after, names, inner)
    return Many(str(body["as"]), made.join, made.element, always=True)


@dataclass(slots=True)
class _Lookup:
    draft: StatementDraft
    node: Node
    local: PathTarget | None
    body: Stage
    query: RowsQuery
    after: EntityRow
    names: dict[str, FieldValue]
    inner: _Inner
    documents: dict[int, FieldValue] = field(default_factory=dict)

    def join(self, outer: bool) -> tuple[EntityRow, EntityRow]:
        """The rows of the documents found: the first one joined, and that of the documents or of what they unwind."""
        if self.local is None:
            row = self.draft.rows.new(self.node.entity, (), self.after, outer=outer)
            return row, self._finish(row, self.draft.document(self.node, row), row)
        first, text, hangs_on = _way(self.local, outer=outer)
        after = hangs_on if hangs_on is not None and (first or self.query.holds(hangs_on)) else self.after
        if first is not None:
            self._note_repeated(first, text)
        row = self.draft.rows.new(self.node.entity, (), after, outer=outer)
        found = self.draft.document(self.node, row)
        foreign = find(found, self.body["foreignField"])
        if isinstance(foreign.value, Many):
            return self._join_within(after, text, first, outer=outer)
        if isinstance(foreign.value, Unmapped):
            raise NotExpressible(foreign.value.why)
        if not isinstance(foreign.value, RowAttribute) or foreign.value.row is not row:
            raise NotExpressible(f"a `$lookup` by `{self.body['foreignField']}`, which is nested inside the documents")
        self._refuse_other_types(foreign.value, text)
        row.on = ((foreign.value.attribute, text),)
        return first or row, self._finish(row, found, row)

    def _refuse_other_types(self, foreign: RowAttribute, local: str) -> None:
        """Raise NotExpressible where no value has the type of one it is compared with: SQL would find what MongoDB does not."""
        named = TOKEN.fullmatch(local)
        if named is None or str(self.body["as"]).startswith(FOLLOWED):  # where the application converts what it found
            return
        model, own = self.draft.design.model, self.draft.rows.known[int(named[1])]
        one = model.entity(own.entity).attribute(named[2])
        other = model.entity(foreign.row.entity).attribute(foreign.attribute)
        if never_equal(one, other):
            sides = f"`{own.entity}.{one.name}` ({one.type}) by `{foreign.row.entity}.{other.name}` ({other.type})"
            raise NotExpressible(f"a `$lookup` of {sides}: values of different BSON types are never equal")

    def _note_repeated(self, first: EntityRow, text: str) -> None:
        """Elements that have the same value find a document once; rows that have it find it each."""
        named = TOKEN.fullmatch(text)
        own = named is not None and int(named[1]) == first.number
        if named is None or not is_one(self.draft, first, (named[2],) if own else ()):
            self.draft.notes.append(
                f"`{self.body['localField']}` finds a document of `{self.body['from']}` only once, however many elements refer"
                " to it; a join returns it once per element"
            )

    def element(self, row: EntityRow) -> FieldValue:
        """The document of a row that was joined."""
        return self.documents[row.number]

    def _finish(self, row: EntityRow, document: FieldValue, joined: EntityRow) -> EntityRow:
        """Carry out the pipeline on a row's document; its conditions are those of the row that is joined."""
        texts, self.documents[row.number] = self.inner(self.draft, document, self.body.get("pipeline", []), self.names)
        known = [f"{RowAttribute(joined, attribute).text} = {text}" for attribute, text in joined.on]
        known += [f"{text} = {RowAttribute(joined, attribute).text}" for attribute, text in joined.on]
        for text in texts:
            if text not in known:
                self._ask(joined, text)
        return row

    def _ask(self, joined: EntityRow, text: str) -> None:
        """Add a condition to a row's: one that names rows hanging on it would have to be asked before a LEFT JOIN."""
        below = any(_hangs_on(row, joined) for row in self.draft.rows.named(text))
        if below and joined.outer:
            raise NotExpressible("a `$lookup` that may find nothing, with a condition on several rows")
        (joined.filters if below else joined.conditions).append(text)

    def _join_within(
        self, after: EntityRow, text: str, first: EntityRow | None, *, outer: bool
    ) -> tuple[EntityRow, EntityRow]:
        """Documents found by an element of an array that the pipeline unwinds: the element's row is joined, then those above."""
        path = self.body["foreignField"]
        arrays = [stage["$unwind"]["path"].lstrip("$") for stage in self.body.get("pipeline", []) if "$unwind" in stage]
        nodes = _nodes(self.node, path)
        field_of = ".".join(node.field for node in nodes)
        if field_of not in arrays:
            raise NotExpressible(f"a `$lookup` by `{path}`, the elements of an array that is not unwound")
        attribute = next((each.attribute for each in nodes[-1].stored if f"{field_of}.{each.path}" == path), None)
        if attribute is None:
            raise NotExpressible(f"a `$lookup` by `{path}`")
        row = self.draft.rows.new(nodes[-1].entity, ((attribute, text),), after, outer=outer)
        document = self._documents_around(nodes, row)
        return first or row, self._finish(row, document, row)

    def _documents_around(self, nodes: list[Node], row: EntityRow) -> DocumentTree:
        """The whole document around an element: each array on the way has the one row as its only element."""
        inner: FieldValue = self.draft.document(nodes[-1], row)
        at = row
        for depth in range(len(nodes) - 1, -1, -1):
            embedding = nodes[depth].embedding
            assert embedding is not None
            at = self.draft.parent(at, self.draft.design.model.relationship(embedding.relationship), outer=False)
            around = self.draft.document(nodes[depth - 1] if depth else self.node, at)
            fields = dict(around.fields)
            place(fields, nodes[depth].field, inner)
            inner = DocumentTree(fields, at, around.key)
        assert isinstance(inner, DocumentTree)
        return inner


def _hangs_on(row: EntityRow, other: EntityRow) -> bool:
    return row.after is not None and (row.after is other or _hangs_on(row.after, other))


def _nodes(node: Node, path: str) -> list[Node]:
    """The nodes of the arrays a path leads through."""
    for child in node.children:
        if child.embedding is not None and child.form.to_many and path.startswith(f"{child.field}."):
            return [child, *_nodes(child, path[len(child.field) + 1 :])]
    return []


def _way(local: PathTarget, *, outer: bool) -> tuple[EntityRow | None, str, EntityRow | None]:
    """The first row joined on the way to the local value (None: it is there), its text, and the row it is of."""
    match local.value:
        case RowAttribute(row):
            return None, local.value.text, row
        case Sql(text):
            return None, text, None
        case Many():
            first, last = local.value.join(outer)
            element = local.value.element(last)
            inner = find(element, local.rest).value if local.rest else element
            if isinstance(inner, RowAttribute):
                return first, inner.text, inner.row
        case DocumentTree() | Unmapped():
            pass
    raise NotExpressible("a `$lookup` by a document")
