"""Columns that repeat the target of a link, and columns that count the rows that link to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from nestling.common.words_in_names import singular, singular_words, words
from nestling.executors.facts.agreement import Agreement, agreement
from nestling.executors.facts.name_words import entity_words, last_name, subject
from nestling.executors.facts.row_hashes import HashedCell, HashedTable
from nestling.ir.facts.nodes import NodeForm
from nestling.ir.facts.structure import Counted, Link, RepeatedColumn, Steps
from nestling.ir.freshness import Level

LEAST_EQUAL = 0.5
"""Rows that must be equal for a column whose name says so to be a copy, though a stale one …"""
LEAST_DIFFERENT = 10
"""Different values in which a column whose name says nothing must agree …"""
LEAST_COUNTS = 4
"""… and different numbers in which a column must agree that counts rows, unless nearly all rows agree."""
ALL_EQUAL = 0.98
LEAST_PARENTS = 3
_LEVELS = frozenset((str(level),) for level in Level)
"""What may follow a parent's name in that of a document of its copies: `product_async` beside `product`."""
_COUNTS = frozenset({"count", "counts", "total", "number", "num", "n"})


def repeats(tables: Sequence[HashedTable], links: Sequence[Link]) -> Iterator[RepeatedColumn]:
    """The columns next to a link, or in a sub-document next to it, that repeat a column of its target."""
    by_node = {(table.collection.name, table.node.steps): table for table in tables}
    taken = {(link.collection, steps) for link in links for steps in link.columns}
    for link in links:
        table, target = by_node[link.collection, link.node], by_node[link.target, link.target_node]
        objects = [each for each in tables if each.above is table and each.node.form is NodeForm.OBJECT]
        for beside in (table, *objects):
            if target.whole and beside not in (target, target.above):
                yield from _repeats(beside, target, link, taken)


def _repeats(
    table: HashedTable, target: HashedTable, link: Link, taken: AbstractSet[tuple[str, Steps]]
) -> Iterator[RepeatedColumn]:
    places = _places(target, link)
    rows = list(zip(*(table.cells(steps) for steps in link.columns), strict=True))
    matched = [(row, places[key]) for row, key in enumerate(rows) if key in places]
    about = subject(link.columns[0])
    for steps, cells in table.columns.items():
        if (table.collection.name, steps) in taken or steps[0] == "_id":
            continue
        best: RepeatedColumn | None = None
        for other, originals in target.columns.items():
            if other in link.target_columns:
                continue
            found = agreement(cells, originals, matched)
            whose = _says_whose(steps, other, about)
            is_named = whose or words(last_name(steps)) == words(last_name(other))
            by_values = found.is_beyond_chance(LEAST_DIFFERENT)
            is_repeat = by_values or (is_named and _repeats_by_name(found, cells))
            if is_repeat and (best is None or found.equal > best.equal):
                where = (link.database, link.collection, table.node.steps, steps, link.columns)
                to = (link.target, link.target_node, other)
                best = RepeatedColumn(*where, *to, found.checked, found.equal, named=whose, by_values=by_values)
        if best is not None:
            yield best


def _places(target: HashedTable, link: Link) -> dict[tuple[HashedCell, ...], int]:
    keys = zip(*(target.cells(steps) for steps in link.target_columns), strict=True)
    return {key: place for place, key in enumerate(keys)}


def _repeats_by_name(found: Agreement, cells: Sequence[HashedCell]) -> bool:
    return found.checked > 0 and found.equal >= LEAST_EQUAL * found.checked and len(set(cells)) > 1


def _says_whose(steps: Steps, other: Steps, about: tuple[str, ...]) -> bool:
    """Whether a name combines the subject of the link with the name of the repeated field."""
    mine, theirs = words(last_name(steps)), words(last_name(other))
    around = words(last_name(steps[:-1])) if len(steps) > 1 else ()
    whose = around[:-1] if around[-1:] in _LEVELS else around
    return mine == (*about, *theirs) or (mine == theirs and bool(whose) and singular_words(whose) == about)


def counted(tables: Sequence[HashedTable], links: Sequence[Link]) -> Iterator[Counted]:
    """The columns that equal, in most rows, the number of rows that link to it, or of elements in its array."""
    by_node = {(table.collection.name, table.node.steps): table for table in tables}
    for link in links:
        child, parent = by_node[link.collection, link.node], by_node[link.target, link.target_node]
        if not link.whole or child is parent:
            continue
        counts = Counter(zip(*(child.cells(steps) for steps in link.columns), strict=True))
        expected = [counts[key] for key in zip(*(parent.cells(steps) for steps in link.target_columns), strict=True)]
        for each in _counting(parent, child, expected):
            yield replace(each, child_columns=link.columns, key=link.target_columns)
    for table in tables:
        if table.above is not None and table.whole and table.node.form in (NodeForm.ARRAY, NodeForm.VALUES):
            elements = Counter(table.parents)
            yield from _counting(table.above, table, [elements[row] for row in range(table.above.rows)], is_inside=True)


def _counting(
    parent: HashedTable, child: HashedTable, expected: Sequence[int], *, is_inside: bool = False
) -> Iterator[Counted]:
    """The columns that mostly have the expected value and whose names suggest a count."""
    if parent.rows < LEAST_PARENTS or len(set(expected)) < 2:
        return
    about = set(entity_words(child.collection.name, child.node.steps))
    for steps, cells in parent.columns.items():
        if not {singular(word) for word in words(last_name(steps))} & (_COUNTS | about):
            continue
        found = agreement([mine or 0 for mine in cells], expected, [(row, row) for row in range(parent.rows)])
        by_values = found.is_beyond_chance(LEAST_COUNTS)
        if (by_values or found.equal >= ALL_EQUAL * parent.rows) and not (is_inside and _is_cut(cells, expected)):
            where = (parent.collection.database, parent.collection.name, parent.node.steps, steps)
            yield Counted(
                *where, child.collection.name, child.node.steps, (), parent.rows, found.equal, by_values=by_values
            )


def _is_cut(cells: Sequence[HashedCell], expected: Sequence[int]) -> bool:
    """Whether a column differs only where the array is as long as any: it counts more than the elements that are kept there."""
    most = max(expected)
    differing = [(mine or 0, size) for mine, size in zip(cells, expected, strict=True) if (mine or 0) != size]
    return bool(differing) and all(size == most < mine for mine, size in differing)
