"""Entries of the indexes every design has for its keys and foreign keys (`ir/indexes/planned_indexes.py`), whatever is chosen.

A chosen index that begins with a foreign key takes the place of its index, and the index of a unique group that of a chosen one
that is its beginning. Buckets have indexes of their own, which `buckets.py` counts.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.design_problem import Mode, StatementStep
from nestling.ir.paths.work import Work
from nestling.ir.workload import Access, Statement, StatementKind
from nestling.planner.options.modes import Modes
from nestling.planner.options.structures.places import Home


def built_indexes(
    modes: Modes, statement: Statement, access: Access, position: int, rows: float
) -> Iterator[StatementStep]:
    """A step for each index that is built for a row's entity in some home; `rows`: how many are written."""
    situation, places = modes.situation, modes.places
    entity = situation.model.entity(access.entity)
    for group in entity.unique_groups:
        same = tuple(
            name
            for name, index in places.indexes[entity.name]
            if tuple(key for key, _ in index.keys) == group[: len(index.keys)]
        )
        homes = [home for home in places.homes[entity.name] if keeps_unique(modes, home, group)]
        text = f"{position}: the unique index of {access.entity} on {', '.join(group)}"
        yield from _step(modes, statement, access, text, group, homes, same, rows)
    for link in situation.parents[entity.name]:
        few = (name for name, index in places.partial[entity.name] if places.leads_along(index, link))  # pay for both
        same = (*places.indexes_on(entity.name, link), *few)
        own, there = link.child_attributes, places.homes[entity.name]
        begun = [  # whose unique index finds them as well
            group for group in entity.unique_groups if set(group[: len(own)]) == set(own)
        ]
        homes = [home for home in there if _refers(modes, home, own)]
        homes = [home for home in homes if not (home.own and any(keeps_unique(modes, home, each) for each in begun))]
        text = f"{position}: the index of {access.entity} by {link.name}"
        yield from _step(modes, statement, access, text, own, homes, same, rows)


def _step(
    modes: Modes,
    statement: Statement,
    access: Access,
    text: str,
    group: tuple[str, ...],
    homes: list[Home],
    same: tuple[str, ...],
    rows: float,
) -> Iterator[StatementStep]:
    """What the index on a group costs where rows lie in one of these homes, unless one of the `same` stands for it."""
    times = _times(access, group)
    if not homes or not times:
        return
    places, price = modes.places, modes.price(Work(index_writes=times * rows))
    found = [Mode(home.id, (home.id,), 0.0) for home in places.homes[access.entity] if home not in homes]
    found += [Mode(name, (name,), 0.0) for name, _ in places.absorbed[access.entity]]
    for home in homes:
        found.append(Mode(home.id, (home.id,), price, without=same))
        found += [Mode(f"{home.id}, {name}", (home.id, name), 0.0) for name in same]
    yield StatementStep(statement.name, text, tuple(found))


def _times(access: Access, group: tuple[str, ...]) -> float:
    """Entries a row's write adds and removes."""
    if access.kind is not StatementKind.UPDATE:
        return 1.0
    return 2.0 if set(access.attributes) & set(group) else 0.0


def keeps_unique(modes: Modes, home: Home, group: tuple[str, ...]) -> bool:
    """Whether an index of its own keeps the group unique among the rows of a home."""
    if home.bucket is not None or home.overflow is not None:
        return False
    entity = modes.situation.model.entity(home.entity)
    if home.own:
        return group != entity.key
    arrays, told = modes.documents.levels(home), home.links[0].child_attributes
    is_there = not arrays or all(map(entity.always_has, group))
    return is_there and not set(group) & set(told) and (len(group) == 1 or arrays < 2)


def _refers(modes: Modes, home: Home, attributes: tuple[str, ...]) -> bool:
    """Whether an index finds the rows of a home by a foreign key: it is stored there, and does not begin the `_id`."""
    key = modes.situation.model.entity(home.entity).key
    if home.bucket is not None:
        return False
    if home.own:
        return set(key[: len(attributes)]) != set(attributes)
    return not set(attributes) & set(home.links[0].child_attributes)
