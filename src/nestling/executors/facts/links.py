"""Links between rows: columns whose values are keys elsewhere, if that is more than chance.

Small whole numbers occur in every table, so without a name they are believed only if they are nearly all keys of one table; if
several tables match, the link is unclear, and reported as such.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from nestling.executors.facts.evidence import (
    COVERED,
    LEAST_COVERED,
    LEAST_SHARE_IF_UNCLEAR,
    KeyColumn,
    KeyMatch,
    counts_up,
    is_believed,
    is_clear,
    kind_of,
    match_of,
)
from nestling.executors.facts.implied_links import namesakes, siblings
from nestling.executors.facts.linked import counted_link
from nestling.executors.facts.name_words import (
    NameClarity,
    entity_words,
    names_a_reference,
    names_an_id,
    names_its_own,
    names_rows,
    says,
    subject,
)
from nestling.executors.facts.references import HARDLY_ANY, are_targets_too
from nestling.executors.facts.row_hashes import HashedTable, ToldColumns
from nestling.ir.facts import steps_text
from nestling.ir.facts.nodes import PAGE, NodeForm, is_paged
from nestling.ir.facts.structure import Columns, Evidence, FieldPlace, Key, Link, Steps, Unclear


def targets(tables: Sequence[HashedTable], keys: Sequence[Key]) -> tuple[KeyColumn, ...]:
    """Possible targets of references: unique columns of nodes whose rows were all read."""
    by_node = {(table.collection.name, table.node.steps): table for table in tables}
    found = []
    for key in keys:
        table = by_node[key.collection, key.node]
        if len(key.columns) == 1 and key.columns[0] in table.columns and table.whole:
            values = frozenset(cell for cell in table.columns[key.columns[0]] if cell is not None)
            found.append(KeyColumn(table, key.columns[0], values, key.main, key.declared))
    named = {
        ("".join(subject(steps)), table.collection.name)
        for table in tables
        for steps in table.columns
        if names_an_id(steps)
    }
    return tuple(replace(each, is_addressed=_is_addressed(each.table, named)) for each in found)


def _is_addressed(table: HashedTable, named: Collection[tuple[str, str]]) -> bool:
    """Whether a column of another collection is called an id of a table's rows. `named`: such words, and where they are used."""
    mine = "".join(entity_words(table.collection.name, table.node.steps))
    return any(about == mine and where != table.collection.name for about, where in named)


def links(tables: Sequence[HashedTable], keys: Sequence[Key], known: Sequence[KeyColumn]) -> Iterator[Link | Unclear]:
    """The single-column links, and columns that look like one but are unclear.

    Key columns are considered first. Other unique columns are targets only if they refer to nothing themselves, and only of
    columns that do not refer to the same rows already. Their values may differ by chance, and then prove nothing: if all hosts
    are among the guests by name, that makes no reference.
    """
    told = {(key.collection, key.node): key.columns for key in keys if key.main}
    main = [target for target in known if target.is_main]
    first = dict(_links(tables, told, main))
    sure = [link for link in first.values() if isinstance(link, Link)]
    rows = {(table.collection.name, table.node.steps): _row(table) for table in tables}
    ends = [(rows[link.collection, link.node], rows[link.target, link.target_node]) for link in sure]
    linked_rows = {*ends, *((target, holder) for holder, target in ends)}
    sources = {(link.collection, link.columns[0]) for link in sure}
    others = [
        each
        for each in known
        if not each.is_main
        and each.table.node.form is not NodeForm.VALUES
        and (each.table.collection.name, each.steps) not in sources
    ]
    second = {
        place: link
        for place, link in _links(tables, told, others)
        if isinstance(link, Link)
        and not isinstance(first.get(place), Link)
        and link.collection != link.target  # what lies together repeats itself without referring to itself
        and (rows[link.collection, link.node], rows[link.target, link.target_node]) not in linked_rows
    }
    sure_of = {
        (each.table.collection.name, each.table.node.steps, (each.steps,)) for each in others if each.is_declared
    }
    by_node = {each.place: each for each in tables}
    by_chance = {
        place: link
        for place, link in second.items()
        if not (_is_told(link, sure_of) or _repeats_rows(link, second.values(), by_node))
    }
    second = _by_one_column({place: link for place, link in second.items() if place not in by_chance}, rows)
    back = {(link.collection, link.columns[0]): link for each in sure for link in _told_back(each, tables)}
    found = back | first | second
    found |= dict(siblings(tables, told, found, main))
    found |= dict(namesakes(tables, told, found, main))
    yield from _one_way(found.values())
    yield from (_maybe(link) for place, link in _by_one_column(by_chance, rows).items() if place not in found)


def _is_told(link: Link, declared: Container[tuple[str, Steps, Columns]]) -> bool:
    """Whether more than values says that a link leads to a column that is no key of rows: an index or a name does."""
    if link.evidence is Evidence.COVERAGE or (link.target, link.target_node, link.target_columns) in declared:
        return True
    where = link.columns[0], link.target, link.target_node, link.target_columns[0]
    by_id = names_an_id(link.columns[0]) and says(*where, own=False) > NameClarity.NOT
    return by_id or names_rows(*where)


def _repeats_rows(link: Link, others: Iterable[Link], by_node: Mapping[FieldPlace, HashedTable]) -> bool:
    """Whether many rows share a value, and another column leads from each to the same row: comments with e-mail and name."""
    ends = link.collection, link.node, link.target, link.target_node
    beside = (e for e in others if e is not link and (e.collection, e.node, e.target, e.target_node) == ends)
    return not link.sole and any(_lead_to_the_same(link, each, by_node) for each in beside)


def _lead_to_the_same(one: Link, other: Link, by_node: Mapping[FieldPlace, HashedTable]) -> bool:
    table, target = by_node[one.collection, one.node], by_node[one.target, one.target_node]
    if one.target_columns == other.target_columns:
        return False
    rows = [{cell: row for row, cell in enumerate(target.cells(each.target_columns[0]))} for each in (one, other)]
    cells = zip(table.cells(one.columns[0]), table.cells(other.columns[0]), strict=True)
    led = [(rows[0][mine], rows[1][theirs]) for mine, theirs in cells if mine in rows[0] and theirs in rows[1]]
    return sum(mine == theirs for mine, theirs in led) >= LEAST_SHARE_IF_UNCLEAR * max(len(led), 1)


def _maybe(link: Link) -> Unclear:
    """A possible but uncertain reference."""
    target = f"{link.target}.{steps_text(link.target_columns[0])}"
    return Unclear(link.database, link.collection, link.columns, (target,), link.checked, link.resolved, named=False)


def _by_one_column(found: Mapping[FieldPlace, Link], rows: Mapping[FieldPlace, FieldPlace]) -> dict[FieldPlace, Link]:
    """Of several links between the same rows, the one that finds most; the others just repeat the row."""
    best: dict[tuple[FieldPlace, FieldPlace], Link] = {}
    for link in found.values():
        ends = rows[link.collection, link.node], rows[link.target, link.target_node]
        if ends not in best or best[ends].resolved < link.resolved:
            best[ends] = link
    told = {(ends, link.target_columns) for ends, link in best.items()}
    return {
        place: link
        for place, link in found.items()
        if ((rows[link.collection, link.node], rows[link.target, link.target_node]), link.target_columns) in told
    }


def _row(table: HashedTable) -> FieldPlace:
    """The document or element a sub-document is part of."""
    while table.node.form is NodeForm.OBJECT and table.above is not None:
        table = table.above
    return table.collection.name, table.node.steps


def _told_back(link: Link, tables: Sequence[HashedTable]) -> Iterator[Link]:
    """For arrays that list each row once: the column by which the rows refer to the array's document themselves."""
    by_node = {(table.collection.name, table.node.steps): table for table in tables}
    table, target = by_node[link.collection, link.node], by_node[link.target, link.target_node]
    if not link.sole or table.node.form is not NodeForm.VALUES or table.above is None or target.above is not None:
        return
    key = [steps for steps in table.above.columns if steps == ("_id",)]
    if not key or not target.whole:
        return
    told = dict(zip(table.cells(link.columns[0]), table.cells(key[0]), strict=True))
    for steps, cells in target.columns.items():
        pairs = zip(target.cells(link.target_columns[0]), cells, strict=True)
        held = [(told[row], value) for row, value in pairs if row in told]
        if steps not in link.target_columns and len(set(cells)) > 1 and all(mine == theirs for mine, theirs in held):
            values = {value for value in cells if value is not None}
            there = values & set(table.above.cells(key[0]))
            yield counted_link(target, (steps,), table.above, (key[0],), len(values), len(there), Evidence.VALUES)
            return


def _one_way(found: Iterable[Link | Unclear]) -> Iterator[Link | Unclear]:
    """Of two keys with equal values, which refer to each other, the one with more references is the parent."""
    every = list(found)
    times = Counter((each.target, each.target_node) for each in every if isinstance(each, Link))
    ends = {_ends(each): each for each in every if isinstance(each, Link)}
    for each in every:
        back = ends.get(_ends(each)[::-1]) if isinstance(each, Link) else None
        if back is None or back is each or not isinstance(each, Link):
            yield each
            continue
        here, there = (each.target, each.target_node), (back.target, back.target_node)
        if (times[here], there) > (times[there], here):
            yield each


def _ends(link: Link) -> tuple[tuple[str, Steps, Columns], tuple[str, Steps, Columns]]:
    return (link.collection, link.node, link.columns), (link.target, link.target_node, link.target_columns)


def _links(
    tables: Sequence[HashedTable], told: ToldColumns, known: Sequence[KeyColumn]
) -> Iterator[tuple[FieldPlace, Link | Unclear]]:
    for table in tables:
        for steps in table.columns:
            key = told.get((table.collection.name, table.node.steps), ())
            is_key = key == (steps,)
            is_page = steps[0] in ("_id", PAGE) and is_paged(table.node)
            found = _link(table, steps, known, is_key=is_key) if kind_of(table, steps) and not is_page else None
            if found is not None and not (isinstance(found, Unclear) and steps in key):
                yield (table.collection.name, steps), found


def _link(table: HashedTable, steps: Steps, known: Sequence[KeyColumn], *, is_key: bool) -> Link | Unclear | None:
    values = frozenset(cell for cell in table.columns[steps] if cell is not None)
    kind = kind_of(table, steps)
    if not values:
        return None
    matches = [
        match
        for target in known
        if not (target.table is table and (is_key or target.steps == steps))
        and not _repeats_its_row(table, steps, target)
        and kind_of(target.table, target.steps) == kind
        if (match := match_of(table, steps, values, target, kind, is_key=is_key)) is not None
    ]
    believed = sorted(
        (match for match in matches if is_believed(match, len(values), kind, is_key=is_key)),
        key=lambda match: match.rank(len(values)),
        reverse=True,
    )
    if believed and (len(believed) == 1 or is_clear(believed, len(values))):
        if kind != "number" and (others := _others(values, believed[0].target, known)):
            where = table.collection.database, table.collection.name, (steps,)
            names = (believed[0].target.table.collection.name, *others)
            return Unclear(*where, tuple(sorted(names)), len(values), len(values))
        return _made(table, steps, values, believed[0])
    if not names_an_id(steps) or (is_key and names_its_own(steps, table.collection.name, table.node.steps)):
        return None
    return _covering(table, steps, values, matches, is_key=is_key)


def _others(values: frozenset[int], target: KeyColumn, known: Sequence[KeyColumn]) -> list[str]:
    """The other collections whose documents have most of the keys that the target lacks, and these are many: a reference to any
    of several.

    Not those that share their keys with the target, such as the profiles of users.
    """
    there, missing = values & target.values, values - target.values
    found = {
        each.table.collection.name: missing & each.values
        for each in known
        if each.is_main
        and each.table.node.form is NodeForm.DOCUMENT
        and not missing.isdisjoint(each.values)
        and len(there & each.values) <= HARDLY_ANY * len(there)
    }
    elsewhere = frozenset[int]().union(*found.values())
    return [*found] if are_targets_too(len(elsewhere), len(missing), len(values)) else []


def _repeats_its_row(table: HashedTable, steps: Steps, target: KeyColumn) -> bool:
    """Whether a column leads to no other row than its own: it says the row's own key again."""
    if _row(table) != _row(target.table):
        return False
    here = next((each for each in (table, *table.around()) if target.steps in each.columns), None)
    if here is None:
        return False
    pairs = zip(table.cells(steps), table.cells(target.steps), strict=True)
    return not any(value is not None and value != own and value in target.values for value, own in pairs)


def _made(table: HashedTable, steps: Steps, values: frozenset[int], match: KeyMatch) -> Link:
    evidence = Evidence.NAME if match.name else Evidence.VALUES
    return counted_link(table, (steps,), match.target.table, (match.target.steps,), len(values), match.found, evidence)


def _covering(
    table: HashedTable, steps: Steps, values: frozenset[int], matches: Sequence[KeyMatch], *, is_key: bool
) -> Link | Unclear | None:
    """A link to the one table whose keys the values nearly all are, or which alone holds them and is named, if only in short;
    else what they may refer to. A key refers only to what it is named after.
    """
    whole = [match for match in matches if match.found == len(values)]
    main = [match for match in whole if match.target.is_main] or whole
    covering = [
        match
        for match in main
        if match.found >= max(COVERED * len(match.target.values), LEAST_COVERED)
        and (
            match.name
            or names_a_reference(steps)
            or not (kind_of(table, steps) == "number" and counts_up(match.target.values))
        )
    ]
    if len(covering) == 1 and not is_key:
        target = covering[0].target
        where = (target.table, (target.steps,), len(values), covering[0].found)
        return counted_link(table, (steps,), *where, Evidence.COVERAGE)
    if len(main) == 1 and main[0].name >= NameClarity.IN_SHORT and main[0].found >= LEAST_COVERED:
        return _made(table, steps, values, main[0])
    if not main:
        return None
    names = tuple(sorted({match.target.table.collection.name for match in main}))
    return Unclear(table.collection.database, table.collection.name, (steps,), names, len(values), len(values))
