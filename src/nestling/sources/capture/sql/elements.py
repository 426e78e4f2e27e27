"""The elements of an array as rows of a query of their own; the only one, as a row beside that of the array."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from nestling.sources.capture.sql.documents import StatementDraft
from nestling.sources.capture.sql.entity_rows import TOKEN, EntityRow, token
from nestling.sources.capture.sql.field_values import FieldValue, Many, NotExpressible
from nestling.sources.capture.sql.query import RowsQuery


def elements(draft: StatementDraft, value: Many) -> tuple[RowsQuery, FieldValue]:
    """A query of an array's elements, for use within the query that has the array."""
    first, last = value.join(False)
    element = value.element(last)
    query = RowsQuery(draft.rows, first, wanted=[last])
    query.where += [f"{token(first, attribute)} = {text}" for attribute, text in first.on]
    query.where += first.conditions
    first.on, first.after, first.conditions = (), None, []
    return query, element


_EQUAL = re.compile(rf"({TOKEN.pattern}|:\w+) = ({TOKEN.pattern}|:\w+)")


def only(draft: StatementDraft, value: Many) -> FieldValue:
    """The element of an array that has one at most, as a row that may lack; raises NotExpressible."""
    row = draft.single.get(value.join)
    if row is None:
        first, row = value.join(True)
        if value.own or first is not row or not is_one(draft, row):
            raise NotExpressible(f"one element of `{value.name}`, which may have several")
        draft.single[value.join] = row
    return value.element(row)


def is_one(draft: StatementDraft, row: EntityRow, known: Iterable[str] = ()) -> bool:
    """Whether no two rows of the entity meet what the row is joined by and have the same values of the attributes known."""
    entity = draft.design.model.entity(row.entity)
    fixed = {*known, *(attribute for attribute, _ in row.on), *_equal(row)}
    sure = [each for each in entity.uniques if not any(entity.attribute(name).nullable for name in each)]
    return any(key and fixed.issuperset(key) for key in (entity.key, *sure))


def _equal(row: EntityRow) -> Iterator[str]:
    """The attributes the further conditions of a join say the values of."""
    for sides in filter(None, map(_EQUAL.fullmatch, row.conditions)):
        own = [TOKEN.fullmatch(side) for side in sides.group(1, 4)]
        mine = [each[2] for each in own if each is not None and int(each[1]) == row.number]
        if len(mine) == 1:
            yield mine[0]
