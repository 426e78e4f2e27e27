"""Covered index (D2): an index that holds everything a statement reads, so that no document is fetched."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import Indexed, IndexKeys, Suggestion
from nestling.ir.situation import Situation
from nestling.ir.storage.collations import begins_collated, by_expression
from nestling.ir.workload import Access, Statement
from nestling.patterns.compound_index import MOST_KEYS, fits, wanted_keys

MOST_SHARE = 0.5
"""An index with more than this share of a row's bytes would be a second copy of the collection."""


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """For each statement over one entity: the keys that find its rows, followed by the attributes that it reads."""
    motives: dict[tuple[str, IndexKeys], list[str]] = {}
    for statement in situation.reading.workload.statements:
        for access in _only(statement):
            for keys in wanted_keys(situation, access):
                more = _shown(situation, access, keys)
                if more is not None:
                    motives.setdefault((access.entity, (*keys, *more)), []).append(statement.name)
    for (entity, keys), statements in motives.items():
        text = ", ".join(name if direction > 0 else f"-{name}" for name, direction in keys)
        part, served = Indexed(entity, keys), tuple(dict.fromkeys(statements))
        yield Suggestion(f"index of {entity} on {text}", part, served)


def _only(statement: Statement) -> tuple[Access, ...]:
    """Return the access of a read that has only one."""
    alone = len(statement.accesses) == 1 and not statement.kind.writes
    return statement.accesses if alone and not statement.accesses[0].any_of else ()


def _shown(situation: Situation, access: Access, keys: IndexKeys) -> IndexKeys | None:
    """Return what the index must hold besides its keys; None if that is nothing, too much, or impossible to index."""
    asked = (*access.attributes, *(each.attribute for each in access.filters))
    more = tuple((name, 1) for name in dict.fromkeys(asked) if name not in dict(keys))
    whole = (*keys, *more)
    entity = situation.model.entity(access.entity)
    if access.asks_for_null:
        return None
    if begins_collated(entity.attribute(name) for name, _ in whole):
        return None
    if any(by_expression(entity.attribute(each.attribute)) for each in access.filters):
        return None
    if not more or len(whole) > MOST_KEYS or not fits(situation, access.entity, whole):
        return None
    return more if _share(situation, access.entity, {name for name, _ in whole}) <= MOST_SHARE else None


def _share(situation: Situation, entity: str, names: set[str]) -> float:
    """Return the share of a row's bytes that these attributes have, or 1 if a width is unknown."""
    known = situation.statistics.entity(entity)
    found = {name: known.attribute(name).average_bytes for name in situation.model.entity(entity).attribute_names}
    widths = {name: width.value for name, width in found.items() if width is not None}
    total = sum(widths.values())
    return sum(widths[name] for name in names) / total if names <= widths.keys() and total > 0 else 1.0
