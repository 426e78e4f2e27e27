"""What an archive costs: statements that must look in both collections, and writes.

What it saves reads of later rows is in `starts`: they read fewer documents.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nestling.ir.candidate import Archived
from nestling.ir.design_problem import Charge, Mode
from nestling.ir.paths import work_of
from nestling.ir.paths.work import Work
from nestling.ir.workload import Access, Statement, StatementKind
from nestling.planner.options.modes import Modes
from nestling.planner.options.sizes.sizes import Sizes
from nestling.planner.options.structures.places import Home
from nestling.planner.work.archives import share_before

SECOND = Work(lookups=1, lookup_stages=3, index_seeks=1)
"""The work of asking a second collection, in a pipeline of its own."""
TAKEN_IN = 10.0
"""Operators, fields and constants parsed to make the rows of two collections alike."""
ALIKE_FIELDS = 4.0
"""Fields made of each row for that."""
CHANGED_TOO = work_of.request(3) + work_of.parse(25)
"""Rows that change looked for in the second collection."""
MOVED_TOO = work_of.request(3) * 3 + work_of.parse(35)
"""Rows that may go to the other collection: removed where they are, and put where they belong."""
PUT = work_of.request(3) * 2 + work_of.parse(40)
"""Which of both collections a new row belongs to, asked for either."""
KEY_TOO = work_of.request(3) + SECOND + work_of.parse(10)
"""Whether the key of a new row is in either."""
CHANGED_THERE = work_of.request() + Work(index_seeks=1)
"""A command for documents that may lie in the second collection."""


def recent(sizes: Sizes, archived: Archived) -> float:
    """The share of the rows that are not old."""
    return 1 - share_before(archived.entity, archived.rows, sizes.situation.statistics)


def looked_for_in_both(modes: Modes, statement: Statement, home: Home, rows: float, mode: Mode) -> Mode:
    """A way to find rows in a home, with what it costs more where old documents lie apart."""
    also = []
    for name, _ in modes.places.archives[home.root]:
        more = work_of.parse(TAKEN_IN) + work_of.project(rows, ALIKE_FIELDS) + work_of.pass_on(2 * rows)
        if name not in modes.places.later(statement):
            more += SECOND
        also.append((name, modes.price(more)))
    return replace(mode, also=(*mode.also, *also)) if also else mode


def looked_up_in_both(modes: Modes, home: Home, mode: Mode) -> Mode:
    """One lookup, which goes on in the second collection."""
    also = tuple((name, modes.price(SECOND)) for name, _ in modes.places.archives[home.root])
    return replace(mode, also=(*mode.also, *also)) if also else mode


def held_in_either(modes: Modes, home: Home, mode: Mode) -> Mode:
    """A command for a row's parent, which is another one where the parent is old."""
    also = tuple(
        (name, (1 - recent(modes.sizes, part)) * modes.price(CHANGED_THERE))
        for name, part in modes.places.archives[home.root]
    )
    return replace(mode, also=(*mode.also, *also)) if also else mode


def changed_in_both(modes: Modes, home: Home, mode: Mode, times: float) -> Mode:
    """A command for documents of a home, which another one says to those in the second collection."""
    also = tuple((name, times * modes.price(CHANGED_THERE)) for name, _ in modes.places.archives[home.root])
    return replace(mode, also=(*mode.also, *also)) if also else mode


def written_apart(modes: Modes, access: Access, home: Home) -> Iterator[tuple[str, float]]:
    """What a write to rows of a home costs more for each archive of its documents."""
    size = modes.sizes.row_bytes(home.root)
    for name, archived in modes.places.archives[home.root]:
        if access.kind is StatementKind.INSERT and home.own:
            yield name, modes.price_of(PUT + KEY_TOO + _moved_once(size), home.root)
        elif access.kind is StatementKind.UPDATE and home.own and archived.rows.attribute in access.attributes:
            yield name, modes.price(CHANGED_TOO + MOVED_TOO + work_of.insert(1, size, 0) + work_of.delete(1, 0))
        else:
            yield name, modes.price(CHANGED_TOO)


def moved_entries(modes: Modes, statement: Statement, access: Access, index: str) -> Iterator[Charge]:
    """An index's entry of a new row, removed and added again when the row has become old."""
    for name, _ in modes.places.archives[access.entity] if access.kind is StatementKind.INSERT else ():
        price = modes.price(Work(index_writes=2.0))
        yield Charge(statement.name, f"entries of {index} in {name}", (index, name), price)


def _moved_once(size: float) -> Work:
    """A row read, added and removed when it has become old, together with many others."""
    return work_of.fetch_by_index(1, size, seeks=0) + work_of.insert(1, size, 0) + work_of.delete(1, 0, changes=0)
