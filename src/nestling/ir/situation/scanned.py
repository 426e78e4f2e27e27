"""Statements that read a whole collection, because they compare by a pattern, in a function, a negation or an OR."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.common.errors import name_list
from nestling.ir.design import Design
from nestling.ir.indexes.case_lookups import case_lookups, texts_asked
from nestling.ir.quantity_words import first_of
from nestling.ir.situation.shares import share_of
from nestling.ir.situation.situation import Situation
from nestling.ir.storage.collations import attributes_sought
from nestling.ir.types import TEXTS
from nestling.ir.workload import Access, AttributeFilter, Operator, Statement, StatementKind

FEW_ROWS = 100.0
"""Rows that are read as fast without an index."""
HALF = 0.5
"""If a condition keeps more than this share of the rows, an index does not help."""
MOST_STATEMENTS_NAMED = 3
"""Most statements named in a note."""

_BECAUSE = {
    Operator.FOLDED: "it compares `lower(…)` or `upper(…)` of a column. Store that text in a separate column and compare it",
    Operator.PATTERN: (
        "the condition is a pattern. If it is a prefix, store the text in lower case in a separate column and"
        " query a range of it (`>=` and `<`)"
    ),
    Operator.EACH: "a subquery returns a different value for each row",
    Operator.LACKS: "each row is compared with the result of a subquery (NOT IN)",
    Operator.OTHER: (
        "no column is compared by itself for equality or a range: it is in a negation, in an expression, or in an OR with a side"
        " that compares nothing else"
    ),
    Operator.EQUALITY: (
        "the source compares that column's texts by NOCASE or RTRIM, which no MongoDB index does. Store that text in"
        " lower case, or without trailing blanks, in a separate column and compare it"
    ),
}
"""Why no index helps with that kind of condition, and what to do; if a statement has several, the first is reported."""


def scanned(situation: Situation, design: Design, *, weighed: bool) -> Iterator[str]:
    """A sentence for all such statements of a kind, with what they compare, and what to do.

    `weighed`: the design's indexes were chosen by cost, so that a statement may lack an index that would be possible.
    """
    told: dict[Operator, list[str]] = {kind: [] for kind in _BECAUSE}
    for statement in situation.reading.workload.statements:
        is_served = _is_served(statement, situation, design, weighed=weighed) or _is_either_served(statement, design)
        if not is_served and (text := _scans(statement, situation)):
            told[_kind(statement)].append(text)
    for kind, texts in told.items():
        if texts:
            found = f"no index finds the rows of {first_of(texts, MOST_STATEMENTS_NAMED)}"
            read = "each execution reads all or most documents, or their index entries"
            yield f"{found}: {read}, as {_BECAUSE[kind]}"


def _kind(statement: Statement) -> Operator:
    """Of conditions on whole values, which an index would serve but for how the source compares them: equality."""
    found = {each.operator for access in statement.accesses for each in access.filters}
    kinds = {Operator.FOLDED if each is Operator.CASED else each for each in found}
    return next((kind for kind in _BECAUSE if kind in kinds), Operator.EQUALITY)


def _is_served(statement: Statement, situation: Situation, design: Design, *, weighed: bool) -> bool:
    """Whether an index finds its rows regardless of case, for statements about one table without an order by text."""
    for access in statement.accesses if len(statement.accesses) == 1 else ():
        entity = situation.model.entity(access.entity)
        equal, cased = access.compared(Operator.EQUALITY), access.compared(Operator.CASED)
        if any(entity.attribute(name).type.name in TEXTS for name, _ in access.order):
            continue
        if any(each.serves(equal, cased) for each in case_lookups(design, entity)):
            return True
        if weighed and texts_asked(entity, access, situation.reading.dialect_of(statement)):
            return True
    return False


def _is_either_served(statement: Statement, design: Design) -> bool:
    """Whether indexes were chosen for an OR over several tables, whose columns are in one document then."""
    of_several = any(each.any_of and not each.sides for each in statement.accesses)
    return of_several and any(statement.name in index.serves for index in design.indexes)


def _is_sought(access: Access, situation: Situation) -> bool:
    """Whether an index finds rows by one of the conditions; unique groups have one that compares as the source does."""
    entity = situation.model.entity(access.entity)
    if access.sides and all(_is_sought(side, situation) for side in access.sides):
        return True
    asked = [each.attribute for each in _telling(access, situation) if each.operator.seeks]
    return bool(attributes_sought(entity, asked)) or any((name,) in (entity.key, *entity.uniques) for name in asked)


def _telling(access: Access, situation: Situation) -> tuple[AttributeFilter, ...]:
    """The selective conditions, without those that most rows meet, such as `deleted_at IS NULL`."""
    known = situation.statistics.entity(access.entity)
    own = {each.attribute: [c for c in access.constants if c.name == each.attribute] for each in access.filters}
    shares = {name: share_of(known, constants) for name, constants in own.items() if constants}
    most = {name for name, share in shares.items() if share is not None and share > HALF}
    return tuple(each for each in access.filters if each.attribute not in most)


def _scans(statement: Statement, situation: Situation) -> str:
    """What it compares; "" if something else finds its rows, or there are few."""
    if any(_is_sought(access, situation) for access in statement.accesses):
        return ""
    first = next((access for access in statement.accesses if _begins(access, situation)), None)
    if first is None:
        return ""
    columns = name_list(dict.fromkeys(each.attribute for each in _telling(first, situation)))
    return f"`{statement.name}` ({columns} of `{first.entity}`)"


def _begins(access: Access, situation: Situation) -> bool:
    """Whether the access searches many rows, or an unknown number."""
    count = situation.statistics.entity(access.entity).count
    is_large = count is None or count.value > FEW_ROWS
    return access.kind is not StatementKind.INSERT and bool(_telling(access, situation)) and is_large
