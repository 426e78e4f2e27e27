"""Writes: an update, delete or insert of documents as the changes of rows it comes to, one SQL statement each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet

from nestling.ir.capture import CommandOperation, CommandShape
from nestling.ir.model import OnDelete, Relationship
from nestling.ir.storage.layout import Node
from nestling.sources.capture.sql.documents import New, Written
from nestling.sources.capture.sql.field_values import LeftOut, NotExpressible
from nestling.sources.capture.sql.inserts import inserts
from nestling.sources.capture.sql.searches import WriteSearch, search_of
from nestling.sources.capture.sql.sequence import in_order
from nestling.sources.capture.sql.statement_texts import delete
from nestling.sources.capture.sql.targets import inside, target, where
from nestling.sources.capture.sql.updates import updates


def writes(new: New, shape: CommandShape, grown: AbstractSet[str] = frozenset()) -> list[Written]:
    """The statements that a write becomes; raises LeftOut if there are none, NotExpressible if SQL cannot express one of them.

    `grown`: the arrays of the collection that updates were seen to add to.
    """
    clauses = shape.clauses
    match shape.operation:
        case CommandOperation.INSERT:
            made = list(inserts(new, shape.collection, clauses.get("documents", []), grown))
        case CommandOperation.DELETE:
            made = in_order(_deletes(new, shape.collection, search_of(shape)), as_given=True)
        case CommandOperation.FIND_AND_MODIFY if clauses.get("remove"):
            made = in_order(_deletes(new, shape.collection, search_of(shape)), as_given=True)
        case _:
            changes = clauses.get("u", clauses.get("update", {}))
            made = in_order(updates(new, shape.collection, search_of(shape), changes, clauses))
            _note_upsert(shape, made)
    if not made:
        raise LeftOut("it changes none of the model's attributes")
    if len(made) > 1 and any(draft.finds_one for _, _, draft in made):
        for _, _, draft in made:
            draft.notes.append("it becomes several statements, each of which picks one of the documents by itself")
    return made


def _note_upsert(shape: CommandShape, made: list[Written]) -> None:
    if not shape.clauses.get("upsert"):
        return
    if not made:
        raise NotExpressible("an upsert that only inserts and changes no existing document")
    for _, _, draft in made:
        draft.notes.append("it inserts if nothing matches; the SQL statement does not")


def _deletes(new: New, collection: str, search: WriteSearch) -> Iterator[Written]:
    """The rows embedded in the documents, where the model does not delete them by itself, and the documents' own."""
    yield from _deletes_inside(new, collection, search, new().store(collection).roots[0].children, ())
    draft = new()
    found = target(draft, collection, search)
    yield "", delete(found.row.entity, where(draft, found)), draft


def _deletes_inside(
    new: New, collection: str, search: WriteSearch, nodes: Iterable[Node], above: tuple[Relationship, ...]
) -> Iterator[Written]:
    """The innermost rows first, which refer to those around them."""
    for node in nodes:
        if node.embedding is None:
            continue
        draft = new()
        links = (*above, draft.design.model.relationship(node.embedding.relationship))
        yield from _deletes_inside(new, collection, search, node.children, links)
        if links[-1].on_delete is not OnDelete.CASCADE:
            found = target(draft, collection, search)
            yield node.entity, delete(links[-1].child, inside(draft, found, links)), draft
