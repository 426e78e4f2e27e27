"""How far a pipeline has come."""

from __future__ import annotations

from dataclasses import dataclass

from nestling.sources.capture.sql.documents import StatementDraft
from nestling.sources.capture.sql.field_values import DocumentTree, FieldValue, RowAttribute, Sql
from nestling.sources.capture.sql.query import RowsQuery


@dataclass(slots=True)
class StatementState:
    """A statement being said: its query in the making, and the document the query's rows give."""

    draft: StatementDraft
    query: RowsQuery
    document: FieldValue

    def settle(self) -> None:
        """See that what follows may still join, filter or group: what has been limited or grouped becomes a query of its own."""
        query = self.query
        if query.limit or query.offset or query.grouped or query.distinct:
            self.query = query.wrapped()
            self.document = _exported(self.document, self.query)


def _exported(found: FieldValue, query: RowsQuery) -> FieldValue:
    """What a document is to a query that reads from the one it was of: calculated values are columns there."""
    match found:
        case Sql(text, name, may_be_null):
            column = query.export(text, name)
            return RowAttribute(query.root, column, may_be_null) if text else found
        case DocumentTree(fields, row, key):
            return DocumentTree({name: _exported(inner, query) for name, inner in fields.items()}, row, key)
        case _:
            return found
