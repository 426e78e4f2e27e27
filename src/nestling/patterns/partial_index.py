"""Partial index (D5): an index over only those few rows that a constant in statements selects.

For `status = 'open' AND owner = :owner`, an index on the owner of open tasks is small because these are few, and writes of
other rows do not touch it. The constant must be in the statement's text, because the server uses such an index only for a query
that contains the condition; a parameter can have any value. Not proposed for one of very many values, which is probably just an
example, or for points in time, which rows pass (use an archive for them).
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import Indexed, IndexKeys, Suggestion
from nestling.ir.situation import Situation
from nestling.ir.situation.shares import share_of
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.ir.workload import Access
from nestling.patterns.compound_index import finds, wanted_keys

MOST_SHARE = 0.5
"""If it covered a larger share of the rows, an index over all rows would hardly be larger."""
MOST_VALUES = 100
"""If an attribute has more distinct values than this, a constant is probably just an example."""


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """One for each way in which statements find rows that are few because of their constants."""
    motives: dict[tuple[str, IndexKeys, tuple[Clause, ...]], list[str]] = {}
    for statement in situation.reading.workload.statements:
        for access in statement.accesses:
            for rows in _few(situation, access):
                for keys in _keys(situation, access, rows):
                    motives.setdefault((access.entity, keys, rows), []).append(statement.name)
    for (entity, keys, rows), statements in motives.items():
        text = ", ".join(name if direction > 0 else f"-{name}" for name, direction in keys)
        name = f"index of {entity} on {text} where {' and '.join(map(str, rows))}"
        yield Suggestion(name, Indexed(entity, keys, rows), tuple(dict.fromkeys(statements)))


def _few(situation: Situation, access: Access) -> Iterator[tuple[Clause, ...]]:
    """Yield the conditions with constants, together and one by one, if few rows satisfy them."""
    useful = tuple(sorted((each for each in access.constants if _is_kind(situation, access, each)), key=str))
    known = situation.statistics.entity(access.entity)
    for rows in dict.fromkeys((useful, *((each,) for each in useful))):
        share = share_of(known, rows) if rows else None
        if share is not None and share <= MOST_SHARE:
            yield rows


def _is_kind(situation: Situation, access: Access, constant: Clause) -> bool:
    """Whether a constant selects a kind of rows rather than a single row."""
    entity = situation.model.entity(access.entity)
    links = (link.child_attributes for link in situation.parents[access.entity])
    if any(constant.name in group for group in (entity.key, *entity.uniques, *links)):
        return constant.comparison in (ClauseOperator.NULL, ClauseOperator.PRESENT)
    distinct = situation.statistics.entity(access.entity).attribute(constant.name).distinct
    return constant.comparison is not ClauseOperator.EQUAL or (distinct is not None and distinct.value <= MOST_VALUES)


def _keys(situation: Situation, access: Access, rows: tuple[Clause, ...]) -> Iterator[IndexKeys]:
    """Yield the keys that serve the access best among these rows, without attributes that the constants fix."""
    told = {each.name for each in rows}
    key = situation.model.entity(access.entity).key
    own = key[0] if len(key) == 1 else ""
    joined = [link.child_attributes for link in situation.parents[access.entity] if link.name == access.via]
    asked = [*wanted_keys(situation, access), *(tuple((name, 1) for name in group) for group in joined)]
    ordered = {name for name, _ in access.order}
    for keys in dict.fromkeys(asked):
        left = tuple(key for key in keys if key[0] not in told - ordered)
        if (left or keys)[0][0] == own:
            continue  # as `_id` finds them
        if finds(situation, access.entity, left or keys):
            yield left or keys
