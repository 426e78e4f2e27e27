"""Statements that read a whole collection, as what they compare stands in a function, a negation or an OR."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nestling.common.errors import name_list
from nestling.ir.quantity_words import first_of
from nestling.ir.situation.situation import Situation
from nestling.ir.types import TypeName
from nestling.ir.workload import Access, Operator, Statement, StatementKind

FEW_ROWS = 100.0
"""Rows that are read as fast without an index."""
MOST = 3
"""Statements told of a longer list."""


_TEXT = re.compile(r"'(?:[^']|'')*'")
_CONDITION = re.compile(r"\b(?:where|on|having)\b", re.IGNORECASE)
_CASE = re.compile(r"\b(?:lower|upper)\s*\(", re.IGNORECASE)
_PATTERN = re.compile(r"\b(?:i?like|glob|regexp|rlike|similar\s+to)\b|!?~", re.IGNORECASE)
_BECAUSE = {
    "pattern": (
        "the condition is a pattern. Where it is the beginning of a text, keep that text in lower case in a column of its own and"
        " ask for a range of it (`>=` and `<`)"
    ),
    "case": "it compares `lower(…)` or `upper(…)` of a column. Keep that text in a column of its own and compare it",
    "array": (
        "it asks for elements of an array, on which no index is weighed. Where one is worth it, create it by hand on that column:"
        " it serves `= ANY(…)` and `@>`"
    ),
    "": "the condition holds no column compared by itself",
}
"""Why no index finds the rows of a condition of that kind, and what to do."""


def scanned(situation: Situation) -> Iterator[str]:
    """A sentence with all such statements of a kind, what they compare, and what to do."""
    told: dict[str, list[str]] = {kind: [] for kind in _BECAUSE}
    for statement in situation.reading.workload.statements:
        if text := _scans(statement, situation):
            told[_kind(statement, situation)].append(text)
    for kind, texts in told.items():
        if texts:
            found = f"no index finds the rows of {first_of(texts, MOST)}"
            yield f"{found}: each execution reads all documents, or all entries of an index, as {_BECAUSE[kind]}"


def _kind(statement: Statement, situation: Situation) -> str:
    """By the conditions alone: neither the columns shown nor a text say how rows are found."""
    conditions = " ".join(_CONDITION.split(_TEXT.sub("''", statement.sql))[1:])
    if _CASE.search(conditions):
        return "case"
    if _PATTERN.search(conditions):
        return "pattern"
    return "array" if all(_is_array(access, situation) for access in statement.accesses if access.filters) else ""


def _is_array(access: Access, situation: Situation) -> bool:
    entity = situation.model.entity(access.entity)
    return all(entity.attribute(each.attribute).type.name is TypeName.ARRAY for each in access.filters)


def _scans(statement: Statement, situation: Situation) -> str:
    """What it compares; empty where something else finds its rows, or there are few."""
    filters = [each for access in statement.accesses for each in access.filters]
    if not filters or any(each.operator is not Operator.OTHER for each in filters):
        return ""
    first = next((access for access in statement.accesses if _begins(access, situation)), None)
    if first is None:
        return ""
    columns = name_list(dict.fromkeys(each.attribute for each in first.filters))
    return f"`{statement.name}` ({columns} of `{first.entity}`)"


def _begins(access: Access, situation: Situation) -> bool:
    """Whether rows are sought there, of which there are many, or nobody knows how many."""
    count = situation.statistics.entity(access.entity).count
    is_large = count is None or count.value > FEW_ROWS
    return access.kind is not StatementKind.INSERT and bool(access.filters) and is_large
