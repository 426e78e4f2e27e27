"""Index entries that a write of one row adds and removes: of an index over all rows, or over those that fulfil its conditions.

Where the write's text does not say whether the row fulfils them: the share of rows that do counts for a row whose values stay as
they are, and for a new one while no statement changes them later. What is changed is taken to fulfil them, before and after.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from nestling.ir.candidate import Indexed, IndexedAcross
from nestling.ir.statements.clause import Clause
from nestling.ir.workload import Access, StatementKind
from nestling.planner.options.modes import Modes


def entries_written(modes: Modes, access: Access, index: Indexed) -> float:
    """Entries for one row, on average; one for each element of an array."""
    elements = prod(
        found.each for name, _ in index.keys if (found := modes.sizes.elements(index.entity, name)) is not None
    )
    return elements * sum(_written(modes, access, each) for each in modes.places.with_beside(index))


def entries_across(modes: Modes, access: Access, index: IndexedAcross) -> float:
    """Entries for one row, of an index over rows and their parents: a parent's change is one of all its children."""
    changed, found = set(access.attributes), 0.0
    links = [modes.situation.model.relationship(name) for name in index.links]
    if access.entity == index.entity:
        own = {each.attribute for each in index.keys if not each.along}
        is_moved = bool(changed & own.union(*(link.child_attributes for link in links)))
        found += 2.0 * is_moved if access.kind is StatementKind.UPDATE else 1.0
    for link in links if access.kind is StatementKind.UPDATE else ():
        if access.entity == link.parent and changed & {
            each.attribute for each in index.keys if each.along == link.name
        }:
            found += 2.0 * modes.sizes.children(link)
    return found


def _written(modes: Modes, access: Access, index: Indexed) -> float:
    match access.kind:
        case StatementKind.INSERT:
            return prod(_new(modes, access, each) for each in index.rows)
        case StatementKind.UPDATE if not set(access.attributes) & _named(index):
            return 0.0
        case StatementKind.UPDATE:
            before = prod(_before(modes, access, each) for each in index.rows)
            return before + prod(_after(modes, access, each) for each in index.rows)
        case _:
            return prod(_before(modes, access, each) for each in index.rows)


def _named(index: Indexed) -> set[str]:
    return {*(name for name, _ in index.keys), *(each.name for each in index.rows)}


def _new(modes: Modes, access: Access, asked: Clause) -> float:
    """How likely a new row fulfils a condition."""
    told = _told(access.sets, asked)
    if told is not None:
        return told
    is_changed = (access.entity, asked.name) in modes.places.changed
    return 1.0 if is_changed else modes.sizes.share_of(access.entity, (asked,))


def _before(modes: Modes, access: Access, asked: Clause) -> float:
    """How likely a row does that is found to be changed or removed."""
    told = _told(access.constants, asked)
    if told is not None:
        return told
    is_set = access.kind is StatementKind.UPDATE and asked.name in access.attributes
    return 1.0 if is_set else modes.sizes.share_of(access.entity, (asked,))


def _after(modes: Modes, access: Access, asked: Clause) -> float:
    """How likely it does once it is changed."""
    if asked.name not in access.attributes:
        return _before(modes, access, asked)
    told = _told(access.sets, asked)
    return 1.0 if told is None else told


def _told(given: Iterable[Clause], asked: Clause) -> float | None:
    """What a statement's text says of it: 1 for yes, 0 for no, None for nothing."""
    given = tuple(given)
    if any(each.implies(asked) for each in given):
        return 1.0
    return 0.0 if any(each.excludes(asked) for each in given) else None
