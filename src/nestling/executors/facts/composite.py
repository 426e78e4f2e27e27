"""Links of several columns: to keys made of several, matched by the names of their parts and held against all rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product

from nestling.executors.facts.linked import linked
from nestling.executors.facts.tables import Table
from nestling.executors.facts.words import last_name, subject, without_prefix, words
from nestling.ir.facts.nodes import NodeForm, Steps
from nestling.ir.facts.structure import Columns, Evidence, Key, Link

MOST_TRIED = 24
"""Ways tried to match a key's columns."""
LEAST_SHARE = 0.95
"""Rows that must be found."""

Ends = dict[tuple[str, Steps, Steps], tuple[str, Steps, Steps]]


def composite_links(tables: Sequence[Table], keys: Sequence[Key], single: Sequence[Link]) -> Iterator[Link]:
    """Links to the keys of several columns."""
    ends = _ends(single)
    by_node = {(table.collection.name, table.node.steps): table for table in tables}
    for key in keys:
        target = by_node[key.collection, key.node]
        is_row = target.node.form in (NodeForm.DOCUMENT, NodeForm.ARRAY)  # others are told by the document they lie in
        if not (key.main and is_row and target.whole) or len(key.columns) < 2:
            continue
        there = set(zip(*(target.cells(steps) for steps in key.columns), strict=True))
        for table in tables:
            if table is not target and not _lies_in(table, target) and not _lies_in(target, table):
                yield from _link(table, target, key.columns, there, ends)


def _ends(single: Sequence[Link]) -> Ends:
    """What each linked column refers to."""
    return {
        (link.collection, link.node, link.columns[0]): (link.target, link.target_node, link.target_columns[0])
        for link in single
    }


def _lies_in(table: Table, target: Table) -> bool:
    """Whether a table's rows lie inside the target's documents, which says the same as a link."""
    above = table.above
    while above is not None:
        if above is target:
            return True
        above = above.above
    return False


def _link(table: Table, target: Table, key: Columns, there: set[tuple[int | None, ...]], ends: Ends) -> Iterator[Link]:
    known = list(dict.fromkeys(table.known()))
    fitting = [[steps for steps in known if _fits(table, steps, target, part, ends)] for part in key]
    for columns in islice(product(*fitting), MOST_TRIED):
        own = [steps for steps in columns if steps in table.columns]
        together = table.collection is target.collection and set(columns) & set(
            key
        )  # of one document, not referring to it
        if len(set(columns)) < len(columns) or not own or together:
            continue
        rows = {row for row in zip(*(table.cells(steps) for steps in columns), strict=True) if None not in row}
        found = len(rows & there)
        if rows and found >= LEAST_SHARE * len(rows):
            yield linked(table, tuple(columns), target, key, len(rows), found, Evidence.NAME)
            return


def _fits(table: Table, steps: Steps, target: Table, part: Steps, ends: Ends) -> bool:
    """Whether a column may be a part of the key, by its name or by what both refer to."""
    mine, theirs = _end(table, steps, ends), _end(target, part, ends)
    if mine == theirs:
        return True
    name, other = last_name(steps), last_name(part)
    if words(name) == words(other) or without_prefix(name) == without_prefix(other):
        return name != "_id"
    return (
        name != "_id"
        and other != "_id"
        and without_prefix(name)[-2:] == without_prefix(other)[-2:]
        and bool(subject(part))
    )


def _end(table: Table, steps: Steps, ends: Ends) -> tuple[str, Steps, Steps]:
    """What a column stands for: the key it refers to, else itself."""
    while table.above is not None and steps not in table.columns:
        table = table.above
    place = (table.collection.name, table.node.steps, steps)
    for _ in range(4):
        if place not in ends or ends[place] == place:
            break
        place = ends[place]
    return place


def without_implied(links: Sequence[Link]) -> tuple[Link, ...]:
    """The links without those that others already tell: a part of a key refers to what the key's own row refers to."""
    several = [link for link in links if len(link.columns) > 1]
    kept = []
    for link in links:
        steps = link.columns[0]
        over = (
            other
            for other in several
            if len(link.columns) == 1
            and (other.collection, other.node) == (link.collection, link.node)
            and steps in other.columns
        )
        if not any(_tells(other, link, links) for other in over):
            kept.append(link)
    return tuple(kept)


def _tells(other: Link, link: Link, links: Sequence[Link]) -> bool:
    """Whether following `other` leads to what `link` refers to: it is that key, or refers to it."""
    part = other.target_columns[other.columns.index(link.columns[0])]
    goal = (link.target, link.target_columns[0])
    seen = {(other.target, part)}
    while goal not in seen:
        more = {
            (each.target, each.target_columns[each.columns.index(steps)])
            for each in links
            for name, steps in seen
            if each is not link and each.collection == name and steps in each.columns
        }
        if more <= seen:
            return False
        seen |= more
    return True
