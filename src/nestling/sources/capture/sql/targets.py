"""The documents a write finds, and the rows that hang on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nestling.ir.model import Relationship
from nestling.ir.storage.layout import NodeKind
from nestling.sources.capture.sql.documents import StatementDraft
from nestling.sources.capture.sql.entity_rows import EntityRow
from nestling.sources.capture.sql.field_values import DocumentTree, NotExpressible, RowAttribute
from nestling.sources.capture.sql.filters import conditions
from nestling.sources.capture.sql.paths import find
from nestling.sources.capture.sql.query import RowsQuery
from nestling.sources.capture.sql.searches import WriteSearch
from nestling.sources.capture.sql.statement_texts import selected
from nestling.sources.capture.sql.words import quoted

OWN_ALIAS = "\x04"
"""A placeholder for the alias of the row that a statement changes, which in SQL has none."""
CHANGES_ALL = "it changes one of the matching documents; the SQL statement changes all"


@dataclass(frozen=True, slots=True)
class WriteTarget:
    """The documents a write finds: a query of them, and the tree of one."""

    query: RowsQuery
    document: DocumentTree

    @property
    def row(self) -> EntityRow:
        """The row of the document itself."""
        return self.query.root

    def equal(self, attribute: str) -> str:
        """The parameter that an attribute is compared with for equality; empty if there is none."""
        start = f"{RowAttribute(self.row, attribute).text} = :"
        found = next(
            (text for text in self.query.where if text.startswith(start) and " " not in text[len(start) :]), ""
        )
        return found[len(start) - 1 :]

    def equal_alone(self, attributes: tuple[str, ...]) -> tuple[str, ...]:
        """The parameters these attributes equal, when that is all the filter asks; else nothing."""
        equal = tuple(map(self.equal, attributes))
        texts = {f"{RowAttribute(self.row, own).text} = {text}" for own, text in zip(attributes, equal, strict=True)}
        return equal if all(equal) and set(self.query.where) == texts and not self.query.limit else ()


def target(draft: StatementDraft, collection: str, search: WriteSearch, *, but: str = "") -> WriteTarget:
    """The documents; `but`: without the tests of this array, which are of the elements that change. Raises NotExpressible."""
    if draft.store(collection).roots[0].kind is NodeKind.GROUP:
        raise NotExpressible("a change to the buckets of events")
    query, document = draft.opened(collection)
    query.keep(conditions(draft, document, without(search.condition, but)))
    found = WriteTarget(query, document)
    if search.one and not is_unique(draft, found):
        _choose(draft, found, search)
    return found


def without(condition: Mapping[str, Any], array: str) -> dict[str, Any]:
    """A filter without the tests of an array and what lies in it; an empty name takes nothing away."""
    return {
        path: test
        for path, test in condition.items()
        if not array or (path != array and not path.startswith(f"{array}."))
    }


def is_unique(draft: StatementDraft, found: WriteTarget) -> bool:
    """Whether the filter gives a key, or attributes that are unique, one value."""
    entity = draft.design.model.entity(found.row.entity)
    return any(all(map(found.equal, key)) for key in entity.unique_groups)


def _choose(draft: StatementDraft, found: WriteTarget, search: WriteSearch) -> None:
    """Have the query find the first document only, by its key."""
    if len(draft.design.model.entity(found.row.entity).key) != 1:
        draft.notes.append(CHANGES_ALL)
        return
    for path, way in search.order.items():
        value = find(found.document, path).value
        if not isinstance(value, RowAttribute):
            raise NotExpressible(f"the first document by `{path}`")
        found.query.order.append((value.text, way == -1))
    found.query.limit = "1"
    draft.finds_one = True


def where(draft: StatementDraft, found: WriteTarget) -> str:
    """The condition of a statement that changes the target's own rows; empty when it changes all."""
    if found.query.limit:
        (key,) = draft.design.model.entity(found.row.entity).key
        return f"{quoted(key)} IN ({_query(draft, found, key)})"
    named = [row for text in found.query.where for row in draft.rows.named(text)]
    if any(row is not found.row and found.query.holds(row) for row in named):
        raise NotExpressible("a change to rows found through the rows they refer to")
    draft.rows.name(found.row, OWN_ALIAS)
    _, _, text = found.query.text([("one", "1")], draft.design.model).partition("\nWHERE ")
    return text.replace(f"{OWN_ALIAS}.", f"{quoted(found.row.entity)}." if "(SELECT" in text else "")


def _query(draft: StatementDraft, found: WriteTarget, attribute: str) -> str:
    return found.query.text([("key", RowAttribute(found.row, attribute).text)], draft.design.model)


def children(draft: StatementDraft, found: WriteTarget, relationship: str) -> str:
    """The condition that a child belongs to one of the target's rows, by its foreign key; empty if it may belong to any."""
    return inside(draft, found, (draft.design.model.relationship(relationship),))


def inside(draft: StatementDraft, found: WriteTarget, links: Sequence[Relationship]) -> str:
    """The condition that a row some levels below is inside one of the target's rows.

    It uses the parts of their keys that the row has, or else the rows in between.
    """
    first, last = links[0], links[-1]
    own = first.child_attributes
    for link in links[1:]:
        known = dict(zip(link.parent_attributes, link.child_attributes, strict=True))
        own = tuple(known[each] for each in own if each in known)
    has_key = len(own) == len(first.child_attributes)
    if has_key and (equal := found.equal_alone(first.parent_attributes)):
        return " AND ".join(f"{quoted(name)} = {text}" for name, text in zip(own, equal, strict=True))
    if not found.query.where and not found.query.limit and all(map(draft.design.model.is_total, links)):
        return ""
    if has_key and len(own) == 1:
        return f"{quoted(own[0])} IN ({_query(draft, found, first.parent_attributes[0])})"
    if len(links) == 1 or len(last.child_attributes) > 1:
        raise NotExpressible(f"a change to `{last.child}` rows by something other than their parent's key")
    around = inside(draft, found, links[:-1])
    between = selected(last.parent, last.parent_attributes[0], around)
    return f"{quoted(last.child_attributes[0])} IN ({between})"


def joined_row(draft: StatementDraft, found: WriteTarget, row: EntityRow) -> str:
    """The condition of a change of a row joined to the target's by foreign keys: of it, or of a sub-document of it."""
    links: list[Relationship] = []
    while row is not found.row:
        if row.after is None:
            raise NotExpressible("a change to rows that are not joined to the document's")
        own, above = tuple(attribute for attribute, _ in row.on), row.after
        known = draft.design.model.parents_of(row.entity)
        link = next((each for each in known if (each.parent, each.child_attributes) == (above.entity, own)), None)
        if link is None:
            raise NotExpressible("a change to rows that other rows refer to")
        links.insert(0, link)
        row = above
    return inside(draft, found, links)
