"""Links of several columns: to keys made of several, matched by the names of their parts and held against all rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice, product

from nestling.common.words_in_names import words
from nestling.executors.facts.linked import counted_link
from nestling.executors.facts.name_words import entity_words, last_name, subject, without_prefix
from nestling.executors.facts.row_hashes import HashedTable, ToldColumns
from nestling.ir.facts.nodes import NodeForm
from nestling.ir.facts.structure import Columns, Evidence, Key, Link, Steps

MOST_TRIED = 24
"""Ways tried to match a key's columns."""
LEAST_SHARE = 0.95
"""Rows that must be found."""

Ends = dict[tuple[str, Steps, Steps], tuple[str, Steps, Steps]]


def composite_links(tables: Sequence[HashedTable], keys: Sequence[Key], single: Sequence[Link]) -> Iterator[Link]:
    """Links to keys of several columns, longest first; shorter ones that a longer one implies are omitted."""
    ends = _ends(single)
    by_node = {(table.collection.name, table.node.steps): table for table in tables}
    told = {(key.collection, key.node): key.columns for key in keys if key.main}
    known: list[_Known] = []
    for key in sorted(keys, key=lambda key: -len(key.columns)):
        target = by_node[key.collection, key.node]
        is_row = target.node.form in (NodeForm.DOCUMENT, NodeForm.ARRAY)  # others are told by the document they lie in
        if not (key.main and is_row and target.whole) or len(key.columns) < 2:
            continue
        there = set(zip(*(target.cells(steps) for steps in key.columns), strict=True))
        for table in _referred_first(tables, known):
            if table is not target and not _lies_in(target, table):
                mine = [each for each in known if each.table is table or _lies_in(table, each.table)]
                used = [set(each.link.columns) for each in mine if _leads(each.to, target, known)]
                taken = {steps for each in mine for steps in each.link.columns}
                columns = tuple(dict.fromkeys(table.columns if _lies_in(table, target) else _told(table, told)))
                for link in _link(table, columns, target, key.columns, there, ends, used, taken):
                    known.append(_Known(table, target, link))
                    yield link


@dataclass(frozen=True, slots=True)
class _Known:
    """A link that was found, and the tables that it connects."""

    table: HashedTable
    to: HashedTable
    link: Link


def _referred_first(tables: Sequence[HashedTable], known: Sequence[_Known]) -> list[HashedTable]:
    """The tables, beginning with those that others refer to, because references are inherited from them."""
    referred = [id(each.to) for each in known]
    return sorted(tables, key=lambda table: id(table) not in referred)


def _leads(table: HashedTable, target: HashedTable, known: Sequence[_Known]) -> bool:
    """Whether a table's rows are inside the target's, or refer to them, possibly through others."""
    return _lies_in(table, target) or any(
        each.to is target or (each.to is not table and _leads(each.to, target, [k for k in known if k is not each]))
        for each in known
        if each.table is table
    )


def _ends(single: Sequence[Link]) -> Ends:
    """The target of each linked column."""
    return {
        (link.collection, link.node, link.columns[0]): (link.target, link.target_node, link.target_columns[0])
        for link in single
    }


def _lies_in(table: HashedTable, target: HashedTable) -> bool:
    """Whether a table's rows are inside the target's documents, which is equivalent to a link."""
    return any(each is target for each in table.around())


def _told(table: HashedTable, told: ToldColumns) -> Iterator[Steps]:
    """The columns a row has: its own, and the key of the row around."""
    yield from table.columns
    if table.above is not None and table.node.form is NodeForm.OBJECT:
        yield from _told(table.above, told)
    elif table.above is not None:
        yield from told.get(table.above.place, ())


def _link(
    table: HashedTable,
    known: Sequence[Steps],
    target: HashedTable,
    key: Columns,
    there: set[tuple[int | None, ...]],
    ends: Ends,
    used: Sequence[AbstractSet[Steps]],
    taken: AbstractSet[Steps],
) -> Iterator[Link]:
    """The link by columns `known` and not `taken` by another link, whose names have most in common; by none `used` to lead
    there already.
    """
    fitting = [[steps for steps in known if _fits(table, steps, target, part, ends)] for part in key]
    ways = sorted(
        islice(product(*fitting), MOST_TRIED), key=lambda columns: (len(taken & set(columns)), *_likeness(columns))
    )
    for columns in ways:
        own = [steps for steps in columns if steps in table.columns]
        together = table.collection is target.collection and set(columns) & set(
            key
        )  # of one document, not referring to it
        if len(set(columns)) < len(columns) or not own or together or any(each & set(columns) for each in used):
            continue
        rows = {row for row in zip(*(table.cells(steps) for steps in columns), strict=True) if None not in row}
        found = len(rows & there)
        if rows and found >= LEAST_SHARE * len(rows):
            yield counted_link(table, tuple(columns), target, key, len(rows), found, Evidence.NAME)
            return


def _likeness(columns: Columns) -> tuple[int, int]:
    """How alike columns' names are, lower is better: by how many words they begin with together, and how many they have."""
    names = [words(last_name(steps)) for steps in columns]
    alike = next((place for place, each in enumerate(zip(*names, strict=False)) if len(set(each)) > 1), 0)
    return -alike, sum(map(len, names))


def _fits(table: HashedTable, steps: Steps, target: HashedTable, part: Steps, ends: Ends) -> bool:
    """Whether a column may be a part of the key, by its name or by what both refer to."""
    mine, theirs = _end(table, steps, ends), _end(target, part, ends)
    if mine == theirs:
        return True
    name, other = last_name(steps), last_name(part)
    if name == "_id":
        return False
    if other == "_id":
        return _begins(subject(steps), entity_words(target.collection.name, part[:-1]))
    if words(name) == words(other) or without_prefix(name) == without_prefix(other):
        return True
    return without_prefix(name)[-2:] == without_prefix(other)[-2:] and bool(subject(part))


def _begins(about: tuple[str, ...], whose: tuple[str, ...]) -> bool:
    """Whether the last word of a name is how the word for rows begins: the `w` of `o_w_id`, of warehouses."""
    return bool(about and whose) and whose[-1].startswith(about[-1])


def _end(table: HashedTable, steps: Steps, ends: Ends) -> tuple[str, Steps, Steps]:
    """What a column stands for: the key that it refers to, or else itself."""
    while table.above is not None and steps not in table.columns:
        table = table.above
    place = (table.collection.name, table.node.steps, steps)
    for _ in range(4):
        if place not in ends or ends[place] == place:
            break
        place = ends[place]
    return place


def without_implied(links: Sequence[Link]) -> tuple[Link, ...]:
    """The links without those that others already tell: a part of a key refers to what the key's own row refers to.

    Only one all of whose rows are found tells it of every row.
    """
    several = [link for link in links if len(link.columns) > 1 and link.resolved == link.checked]
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
