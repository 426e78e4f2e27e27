"""Changes of an array as a whole: rows added and removed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from nestling.ir.capture.masks import NULL_SHAPE
from nestling.sources.capture.sql.documents import New, StatementDraft, Written
from nestling.sources.capture.sql.elements import is_one
from nestling.sources.capture.sql.entity_rows import TOKEN, EntityRow
from nestling.sources.capture.sql.field_values import FieldValue, Many, NotExpressible, RowAttribute
from nestling.sources.capture.sql.filters import conditions, element_conditions
from nestling.sources.capture.sql.inserts import rows_within
from nestling.sources.capture.sql.paths import find
from nestling.sources.capture.sql.query import RowsQuery
from nestling.sources.capture.sql.searches import WriteSearch
from nestling.sources.capture.sql.statement_texts import delete, insert, insert_selected
from nestling.sources.capture.sql.targets import OWN_ALIAS, WriteTarget, joined_row, target
from nestling.sources.capture.sql.words import quoted

PULLED = "$pull"
"""What the places of the sample values of a `$pull` begin with."""


@dataclass(frozen=True, slots=True)
class ArrayChange:
    """An operator, the path it changes, its operand."""

    operator: str
    path: str
    operand: Any

    @property
    def empties(self) -> bool:
        """Whether it leaves nothing of what was there."""
        return self.operator == "$unset" or (self.operator == "$set" and self.operand in (NULL_SHAPE, []))


def is_home(array: Many) -> bool:
    """Whether the elements are the rows themselves, and no copies of them."""
    return array.limit is None and not array.own and not array.join(False)[1].is_copy


def change_of_array(
    new: New, collection: str, search: WriteSearch, field: str, change: ArrayChange
) -> Iterator[Written]:
    """The statements a change of a whole array comes to."""
    if change.path != field:
        raise NotExpressible(f"`{change.operator}` of the array `{change.path}`")
    match change.operator:
        case "$push" | "$addToSet":
            operand = change.operand
            listed = isinstance(operand, dict) and "$each" in operand
            yield _added(new, collection, search, change, operand["$each"] if listed else [operand])
        case "$pull" | "$pullAll":
            yield _removed(new, collection, search, change)
        case "$unset" | "$set" if change.empties:
            yield _removed(new, collection, search, change)
        case "$set" if isinstance(change.operand, list):
            yield _removed(new, collection, search, change)
            yield _added(new, collection, search, change, change.operand)
        case _:
            raise NotExpressible(f"`{change.operator}` of the array `{field}`")


def own_texts(draft: StatementDraft, row: EntityRow, texts: list[str]) -> list[str]:
    """Conditions on the row that a statement changes, which has no alias."""
    row.after, row.on = None, ()  # the statement is of these rows alone
    if any(other is not row for text in texts for other in draft.rows.named(text)):
        raise NotExpressible(f"a change to `{row.entity}` rows found through the rows joined to them")
    query = RowsQuery(draft.rows, row)
    draft.rows.name(row, OWN_ALIAS)
    named = map(query.named, texts)
    return [text.replace(f"{OWN_ALIAS}.", f"{quoted(row.entity)}." if "(SELECT" in text else "") for text in named]


def _removed(new: New, collection: str, search: WriteSearch, change: ArrayChange) -> Written:
    draft = new()
    found = target(draft, collection, search)
    array = find(found.document, change.path).value
    assert isinstance(array, Many)
    row = array.join(False)[1]
    element = array.element(row)
    parent = joined_row(draft, found, row)
    texts = own_texts(draft, row, _pulled(draft, element, change))
    return change.path, delete(row.entity, " AND ".join(filter(None, [parent, *texts]))), draft


def _pulled(draft: StatementDraft, element: FieldValue, change: ArrayChange) -> list[str]:
    """Which elements go."""
    if change.operator in ("$set", "$unset"):
        return []
    if change.operator == "$pullAll":
        if not isinstance(element, RowAttribute):
            raise NotExpressible(f"`$pullAll` from `{change.path}`, whose elements are documents")
        draft.notes.append("`$pullAll` removes every value of its list; the SQL statement removes one")
        return element_conditions(draft, element, change.path, {"$eq": next(iter(change.operand), NULL_SHAPE)})
    if not isinstance(change.operand, dict):
        raise NotExpressible(f"`$pull` from `{change.path}`")
    if isinstance(element, RowAttribute):
        with draft.parameters.inside(PULLED):
            return element_conditions(draft, element, change.path, change.operand)
    with draft.parameters.inside(f"{PULLED}.{change.path}"):
        return conditions(draft, element, change.operand)


def _added(new: New, collection: str, search: WriteSearch, change: ArrayChange, each: list[Any]) -> Written:
    """New elements: rows with the key of the document they are added to."""
    draft = new()
    found = target(draft, collection, search)
    array = find(found.document, change.path).value
    assert isinstance(array, Many)
    row = array.join(False)[1]
    keys = _keys(draft, found, row)
    if not keys or not each:
        raise NotExpressible(f"`{change.operator}` of the array `{change.path}`")
    element = array.element(row)
    given = _given(draft, element, row, change, each)
    _note_several(draft, change)
    if change.operator == "$addToSet" and not (isinstance(element, RowAttribute) and is_one(draft, row, given)):
        draft.notes.append("`$addToSet` adds nothing if an equal element exists; the SQL statement adds a row anyway")
    ending = " ON CONFLICT DO NOTHING" if change.operator == "$addToSet" and isinstance(element, RowAttribute) else ""
    if ending and not is_one(draft, row, given):
        ending = ""
    return change.path, f"{_insert(draft, found, row, keys, given)}{ending}", draft


def _given(
    draft: StatementDraft, element: FieldValue, row: EntityRow, change: ArrayChange, each: list[Any]
) -> dict[str, str]:
    """The parameters of the attributes that a new element has."""
    if isinstance(element, RowAttribute):
        if not isinstance(each[0], str):
            raise NotExpressible(f"`{change.operator}` of a document or list to `{change.path}`")
        return {element.attribute: draft.parameters.new(element.attribute, f"{change.path} {change.operator}")}
    if not all(isinstance(one, dict) for one in each):
        raise NotExpressible(f"`{change.operator}` of a value to `{change.path}`, whose elements are documents")
    own, *others = rows_within(element, row, each)
    draft.notes += [f"left out: {why}" for why in own.left]
    draft.notes += [f"left out: `{change.path}.{one.path}`, whose elements are separate rows" for one in others]
    foreign = {name for name, _ in row.on}
    return {
        attribute: draft.parameters.new(attribute, f"{change.path}.{path} {change.operator}")
        for attribute, path in own.columns.items()
        if attribute not in foreign
    }


def _note_several(draft: StatementDraft, change: ArrayChange) -> None:
    operand = change.operand
    if change.operator == "$set":
        draft.notes.append("it writes a row for each element of the list; the SQL statement writes one")
    elif isinstance(operand, dict) and "$each" in operand:
        draft.notes.append("`$each` adds a row for each of its values; the SQL statement adds one")
        if "$slice" in operand:
            draft.notes.append("`$slice` then removes the rows beyond its limit; the SQL statement removes none")


def _keys(draft: StatementDraft, found: WriteTarget, row: EntityRow) -> dict[str, tuple[str, str]]:
    """Where each attribute by which a row is joined comes from in the document's row: the text and the attribute there.

    Rows of a sub-document in between hand on what they have of the document's key. Nothing if one does not.
    """
    keys: dict[str, tuple[str, str]] = {}
    for own, joined in row.on:
        text, place = joined, TOKEN.fullmatch(joined)
        while place is not None and (between := draft.rows.known[int(place[1])]) is not found.row:
            text = dict(between.on).get(place[2], "")
            place = TOKEN.fullmatch(text)
        if place is None:
            return {}
        keys[own] = text, place[2]
    return keys


def _insert(
    draft: StatementDraft, found: WriteTarget, row: EntityRow, keys: dict[str, tuple[str, str]], given: dict[str, str]
) -> str:
    if equal := found.equal_alone(tuple(attribute for _, attribute in keys.values())):
        same = dict(zip(keys, equal, strict=True))
        return insert(row.entity, [*same, *given], [*same.values(), *given.values()])
    shown = [*((own, text) for own, (text, _) in keys.items()), *given.items()]
    return insert_selected(row.entity, [own for own, _ in shown], found.query.text(shown, draft.design.model))
