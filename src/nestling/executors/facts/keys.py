"""Finds what identifies the rows of a node."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from nestling.executors.facts.evidence import CHANCE, SURE_IDS
from nestling.executors.facts.name_words import (
    NameClarity,
    is_own_id,
    names_a_position,
    names_an_id,
    names_its_own,
    says,
)
from nestling.executors.facts.row_hashes import FIRST_HASH, HashedCell, HashedTable
from nestling.ir.facts import field_path
from nestling.ir.facts.nodes import ORPHANS_SUFFIX, NodeForm, is_paged, kinds, paged_by
from nestling.ir.facts.structure import Columns, Key, LackedId, Steps

LEAST_ROWS = 2
"""The number of rows below which no key is searched."""
MOST_TRIED = 6
"""Columns of which pairs are tried."""
LEAST_GIVEN = 0.5
"""Elements that have an id of their own, for it to be what tells them apart, though others lack it."""
_ID: Steps = ("_id",)
_KEYS = frozenset({"objectId", "string", "binData", "int", "long", "double", "decimal", "date"})


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What a whole database tells of the rows in one of its arrays.

    `ids`: the `_id`s of each collection's documents. `orphans`: the fields in each collection of orphans. `shared`: values of
    more than one column, apart from these `_id`s and from whole numbers, which occur everywhere; `named`: columns called ids.
    """

    ids: Mapping[str, AbstractSet[HashedCell]]
    orphans: tuple[AbstractSet[str], ...]
    shared: AbstractSet[HashedCell]
    named: tuple[tuple[HashedTable, Steps], ...]

    @classmethod
    def of(cls, tables: Sequence[HashedTable]) -> Elsewhere:
        """What the tables of all collections tell."""
        every = [each for each in tables if each.node.form is NodeForm.DOCUMENT]
        orphans = (each for each in every if each.collection.name.endswith(ORPHANS_SUFFIX))
        columns = [
            (table, steps)
            for table in tables
            for steps in table.columns
            if steps != _ID or table.node.form is not NodeForm.DOCUMENT
        ]
        times = Counter(cell for table, steps in columns for cell in {*table.columns[steps]} if _is_hashed(cell))
        return cls(
            {each.collection.name: set(each.columns[_ID]) for each in every if _ID in each.columns},
            tuple(frozenset(steps[-1].strip("_") for steps in each.columns) for each in orphans),
            {cell for cell, count in times.items() if count > 1},
            tuple((table, steps) for table, steps in columns if names_an_id(steps)),
        )

    def has_orphans(self, table: HashedTable) -> bool:
        """Whether a collection of orphans has the fields of a table's elements, which then lack the key of a document around."""
        mine = {steps[-1].strip("_") for steps in table.columns}
        return any(mine <= each for each in self.orphans)

    def refers_to(self, table: HashedTable, column: Steps) -> bool:
        """Whether other columns hold an id of a table's elements, or are called one."""
        if len(self.shared & {*table.cells(column)}) >= SURE_IDS:
            return True
        name, node = table.collection.name, table.node.steps
        others = (steps for each, steps in self.named if each is not table)
        return any(says(steps, name, node, column, own=False) is NameClarity.PLAINLY for steps in others)


def keys(tables: Sequence[HashedTable], known: Elsewhere) -> Iterator[Key]:
    """For each node, its key first, then its other unique columns; `known`: what the whole database tells."""
    found: dict[Steps, Columns] = {}
    for table in tables:
        above = tuple(found.get(each.node.steps, ()) for each in table.around())
        paged = table.above is not None and table.above.above is None and is_paged(table.above.node)
        key = _page_key(table, paged_by(table.above.node)) if paged and table.above else _key(table, above, known)
        if key:
            found[table.node.steps] = key
            yield _fact(table, key, main=True)
        yield from (_fact(table, each, main=False) for each in _others(table, key))


def _fact(table: HashedTable, columns: Columns, *, main: bool) -> Key:
    where = (table.collection.database, table.collection.name, table.node.steps)
    return Key(*where, columns, table.rows, main, _is_declared(table, columns))


def _is_declared(table: HashedTable, columns: Columns) -> bool:
    fields = {field_path(steps) for steps in columns}
    return any(index.unique and {name for name, _ in index.keys} == fields for index in table.collection.indexes)


def _key(table: HashedTable, above: Sequence[Columns], known: Elsewhere) -> Columns:
    """The key of a table's rows; `above` are the keys of the rows around, the nearest first."""
    nearest = above[0] if above else ()
    match table.node.form:
        case NodeForm.DOCUMENT:
            return tuple(steps for steps in table.columns if steps[0] == "_id")
        case NodeForm.OBJECT:
            return nearest
        case NodeForm.VALUES:
            value = (table.node.steps,)
            return (*nearest, *value) if nearest and is_unique(table, value, within=True) else ()
        case NodeForm.ARRAY:
            return _element_key(table, above, known)


def _element_key(table: HashedTable, above: Sequence[Columns], known: Elsewhere) -> Columns:
    """A column of its own named like an id, if a unique index keeps it one, others refer to it, or rows lack a key around; else
    one, or two, that tell the elements of one array apart, with the key of the rows around that is enough; else one of any name
    that does so by more than chance. Nothing, where they have an id of their own that some lack: whatever else tells them apart
    today does so by chance.

    Ids that differ throughout without an index may repeat in another document tomorrow, and no index should have to refuse that.
    One called an id of these very rows comes first, then those with more different values: few elements differ in anything. The
    name decides where they are as many. Of those that are no id by name, a position comes before all others. The id of a document
    elsewhere tells elements apart within one array only, unless more of them differ than chance explains.
    """
    own = [steps for steps in table.columns if _may_be_key(table, steps)]
    named = sorted((steps for steps in own if names_an_id(steps)), key=lambda steps: _order(table, steps))
    for steps in named:
        if is_unique(table, (steps,)) and not _refers_by_chance(table, steps, known.ids):
            is_within = above and above[0] and not (_is_declared(table, (steps,)) or known.has_orphans(table))
            if not is_within or known.refers_to(table, steps):
                return (steps,)
    if not above or not above[0] or lacked_id(table) is not None:
        return ()
    pairs = combinations(own[:MOST_TRIED], 2) if len(named) > 1 else ()
    for columns in (*((steps,) for steps in named), *pairs):
        if is_unique(table, columns, within=True):
            return (*_enough(table, columns, above), *columns)
    within = _pairs(Counter(table.parents))
    others = (steps for steps in own if steps not in named)
    for steps in sorted(others, key=lambda steps: (not names_a_position(steps), *_order(table, steps))):
        if is_unique(table, (steps,), within=True) and not _by_chance(table, (steps,), within):
            return (*above[0], steps)
    return ()


def lacked_id(table: HashedTable) -> LackedId | None:
    """The id that most elements of an array have, each a different one, and some lack; None if there is no such id."""
    collection = table.collection
    for steps in table.columns if table.node.form is NodeForm.ARRAY else ():
        given = [cell for cell in table.cells(steps) if cell is not None]
        enough = LEAST_ROWS <= len(given) < table.rows and len(given) >= LEAST_GIVEN * table.rows
        is_id = _may_be_key(table, steps) and is_own_id(steps, collection.name, table.node.steps)
        if enough and is_id and len(set(given)) == len(given):
            lacking = table.rows - len(given)
            return LackedId(collection.database, collection.name, table.node.steps, steps, lacking, table.rows)
    return None


def _enough(table: HashedTable, columns: Columns, above: Sequence[Columns]) -> Columns:
    """The shortest key of enclosing rows within which these columns identify all elements, and not by chance."""
    shorter = sorted(
        {each for each in above[1:] if each and set(each) < set(above[0])}, key=lambda each: (len(each), each)
    )
    inside = _pairs(Counter(table.parents))
    for around in shorter:
        across = _pairs(Counter(zip(*(table.cells(steps) for steps in around), strict=True))) - inside
        if is_unique(table, (*around, *columns)) and not _by_chance(table, columns, across):
            return around
    return above[0]


def _by_chance(table: HashedTable, columns: Columns, pairs: int) -> bool:
    """Whether these pairs of rows may all differ only because there are few."""
    values = Counter(zip(*(table.cells(steps) for steps in columns), strict=True))
    return math.exp(-pairs * _pairs(values) / max(_pairs({(): table.rows}), 1)) >= CHANCE


def _refers_by_chance(table: HashedTable, steps: Steps, ids: Mapping[str, AbstractSet[HashedCell]]) -> bool:
    """Whether a column holds ids of documents elsewhere that may all differ only because there are few.

    Whole numbers are found elsewhere by chance.
    """
    values = set(table.cells(steps))
    if _is_declared(table, (steps,)) or not all(map(_is_hashed, values)):
        return False
    pairs = _pairs({(): table.rows})
    others = (each for name, each in ids.items() if name != table.collection.name and values <= each)
    return any(math.exp(-pairs / len(each)) >= CHANCE for each in others)


def _is_hashed(cell: HashedCell) -> bool:
    """Whether it is a value other than null and whole numbers."""
    return cell is not None and cell >= FIRST_HASH


def _pairs(counts: Mapping[Any, int]) -> int:
    """Pairs of rows that have the same value."""
    return sum(count * (count - 1) // 2 for count in counts.values())


def _page_key(table: HashedTable, by: Columns) -> Columns:
    """What identifies rows in numbered pages, whose own key says nothing about them."""
    own = [steps for steps in table.columns if _may_be_key(table, steps)]
    named = [steps for steps in own if names_an_id(steps)] or own
    tried = [*((steps,) for steps in named), *((*by, steps) for steps in named)]
    return next((columns for columns in tried if is_unique(table, columns)), ())


def _order(table: HashedTable, steps: Steps) -> tuple[bool, int, Steps]:
    is_own = names_its_own(steps, table.collection.name, table.node.steps)
    return not is_own, -len(set(table.cells(steps))), steps


def _others(table: HashedTable, key: Columns) -> Iterator[Columns]:
    """Further unique columns, which others may refer to."""
    for steps in table.columns:
        if (steps,) != key and _may_be_key(table, steps) and is_unique(table, (steps,)):
            yield (steps,)


def _may_be_key(table: HashedTable, steps: Steps) -> bool:
    column = table.node.column(steps)
    return column is not None and bool(kinds(column.path)) and kinds(column.path) <= _KEYS


def is_unique(table: HashedTable, columns: Columns, *, within: bool = False) -> bool:
    """Whether all rows (`within` one enclosing row) differ in these columns and none lacks a value."""
    if table.rows < LEAST_ROWS and table.node.form is not NodeForm.DOCUMENT:
        return False
    each: list[Sequence[HashedCell]] = [table.cells(steps) for steps in columns]
    if within:
        each.append(table.parents)
    seen = set(zip(*each, strict=True))
    return len(seen) == table.rows and not any(None in cells for cells in each)
