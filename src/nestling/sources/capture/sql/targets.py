"""The documents a write finds, and the rows that hang on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nestling.ir.storage.layout import NodeKind
from nestling.sources.capture.sql.documents import StatementDraft
from nestling.sources.capture.sql.entity_rows import Row
from nestling.sources.capture.sql.field_values import CannotSay, DocumentTree, RowAttribute
from nestling.sources.capture.sql.filters import conditions
from nestling.sources.capture.sql.query import RowsQuery
from nestling.sources.capture.sql.words import quoted

OWN = "\x04"
"""The alias of the row a statement changes, which goes without one."""


@dataclass(frozen=True, slots=True)
class WriteTarget:
    """The documents a write finds: a query of them, the tree of one, and the filter."""

    query: RowsQuery
    document: DocumentTree
    filter: dict[str, Any]

    @property
    def row(self) -> Row:
        """The row of the document itself."""
        return self.query.root

    def equal(self, attribute: str) -> str:
        """The parameter an attribute is said to equal; empty when it is not."""
        start = f"{RowAttribute(self.row, attribute).text} = :"
        found = next(
            (text for text in self.query.where if text.startswith(start) and " " not in text[len(start) :]), ""
        )
        return found[len(start) - 1 :]


def target(saying: StatementDraft, collection: str, condition: dict[str, Any], *, but: str = "") -> WriteTarget:
    """The documents; `but`: without the tests of this array, which are of the elements that change. Raises CannotSay."""
    if saying.store(collection).roots[0].kind is NodeKind.GROUP:
        raise CannotSay("a change of the buckets of events")
    query, document = saying.opened(collection)
    plain = {
        path: test for path, test in condition.items() if not but or (path != but and not path.startswith(f"{but}."))
    }
    query.keep(conditions(saying, document, plain))
    return WriteTarget(query, document, condition)


def where(saying: StatementDraft, found: WriteTarget) -> str:
    """The condition of a statement that changes the target's own rows; empty when it changes all."""
    named = [row for text in found.query.where for row in saying.rows.named(text)]
    if any(row is not found.row and found.query.holds(row) for row in named):
        raise CannotSay("a change of rows found by those they refer to")
    saying.rows.name(found.row, OWN)
    _, _, text = found.query.text([("one", "1")], saying.design.model).partition("\nWHERE ")
    return text.replace(f"{OWN}.", f"{quoted(found.row.entity)}." if "(SELECT" in text else "")


def children(saying: StatementDraft, found: WriteTarget, relationship: str) -> str:
    """The condition that a child's foreign key refers to one of the target's rows."""
    link = saying.design.model.relationship(relationship)
    pairs = [
        (own, found.equal(other)) for own, other in zip(link.child_attributes, link.parent_attributes, strict=True)
    ]
    if all(equal for _, equal in pairs):
        return " AND ".join(f"{quoted(own)} = {equal}" for own, equal in pairs)
    if len(pairs) > 1:
        raise CannotSay(f"a change of `{link.child}` rows by other than their parent's key")
    shown = [("key", RowAttribute(found.row, link.parent_attributes[0]).text)]
    return f"{quoted(link.child_attributes[0])} IN ({found.query.text(shown, saying.design.model)})"


def joined_row(saying: StatementDraft, found: WriteTarget, row: Row) -> str:
    """The condition of a change of a row joined to the target's by its foreign key."""
    if row.after is not found.row:
        raise CannotSay("a change of rows embedded two levels deep")
    own = tuple(attribute for attribute, _ in row.on)
    links = saying.design.model.parents_of(row.entity)
    link = next((each for each in links if (each.parent, each.child_attributes) == (found.row.entity, own)), None)
    if link is None:
        raise CannotSay("a change of rows that are referred to")
    return children(saying, found, link.name)
