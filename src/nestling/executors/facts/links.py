"""Links between rows: columns whose values are a key elsewhere, and what makes that more than chance.

A name is evidence, and so are values that would not all be a key by chance: ObjectIds, many texts, numbers from a sparse range.
Small whole numbers are found in every table, so without a name they are believed only when they are nearly all there is of one
table; what is found in several is unclear, and said to be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from nestling.executors.facts.linked import linked
from nestling.executors.facts.tables import Table
from nestling.executors.facts.words import Said, entity_words, is_generic, names_an_id, says
from nestling.ir.facts.nodes import PAGE, NodeForm, Steps, is_paged, kinds
from nestling.ir.facts.path import NUMBERS
from nestling.ir.facts.structure import Columns, Evidence, Key, Link, Unclear

LEAST_SHARE = 0.5
"""Values that must be found for a name alone to be believed."""
MOSTLY = 0.95
"""Values that must be found where the name is less clear."""
SURE_TEXTS, SURE_IDS = 20, 3
"""Different texts, and different ObjectIds, that are not all keys of another table by chance."""
CHANCE = 1e-6
"""How likely numbers may be to be keys by chance, and still be believed."""
LEAST_COVERED = 5
COVERED = 0.9
"""The share of a table's keys, and at least how many, that numbers must be of to be believed without a name."""


@dataclass(frozen=True, slots=True)
class Target:
    """A key of one column that others may refer to."""

    table: Table
    steps: Steps
    values: frozenset[int]
    is_main: bool


@dataclass(frozen=True, slots=True)
class _Match:
    target: Target
    found: int
    name: Said
    by_values: bool

    def rank(self, distinct: int) -> tuple[float, ...]:
        """The best has the clearest name, is what tells rows apart, and holds more of the values."""
        is_root = self.target.table.node.form is NodeForm.DOCUMENT
        return (self.name, self.found / distinct, self.target.is_main, is_root, self.found / len(self.target.values))


def targets(tables: Sequence[Table], keys: Sequence[Key]) -> tuple[Target, ...]:
    """What can be referred to: unique columns of nodes all of whose rows were looked at."""
    by_node = {(table.collection.name, table.node.steps): table for table in tables}
    found = []
    for key in keys:
        table = by_node[key.collection, key.node]
        if len(key.columns) == 1 and key.columns[0] in table.columns and table.whole:
            values = frozenset(cell for cell in table.columns[key.columns[0]] if cell is not None)
            found.append(Target(table, key.columns[0], values, key.main))
    return tuple(found)


def links(tables: Sequence[Table], keys: Sequence[Key], known: Sequence[Target]) -> Iterator[Link | Unclear]:
    """The links of one column each, and what looks like one and is not clear.

    What tells rows apart is looked at first. Of the other unique columns only those are referred to that refer to nothing
    themselves, and by nothing that already refers to the same rows.
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
    back = {(link.collection, link.columns[0]): link for each in sure for link in _told_back(each, tables)}
    yield from _one_way((back | first | second).values())


def _row(table: Table) -> tuple[str, Steps]:
    """The document or element a sub-document is part of."""
    while table.node.form is NodeForm.OBJECT and table.above is not None:
        table = table.above
    return table.collection.name, table.node.steps


def _told_back(link: Link, tables: Sequence[Table]) -> Iterator[Link]:
    """Where arrays list rows, each in one of them: the column by which these rows tell the array's document themselves."""
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
            yield linked(target, (steps,), table.above, (key[0],), len(values), len(there), Evidence.VALUES)
            return


def _one_way(found: Iterable[Link | Unclear]) -> Iterator[Link | Unclear]:
    """Of two keys that refer to each other, being equal, the one more referred to is the other's parent."""
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
    tables: Sequence[Table], told: Mapping[tuple[str, Steps], Columns], known: Sequence[Target]
) -> Iterator[tuple[tuple[str, Steps], Link | Unclear]]:
    for table in tables:
        for steps in table.columns:
            key = told.get((table.collection.name, table.node.steps), ())
            is_key = key == (steps,)
            is_page = steps[0] in ("_id", PAGE) and is_paged(table.node)
            found = _link(table, steps, known, is_key=is_key) if _kind(table, steps) and not is_page else None
            if found is not None and not (isinstance(found, Unclear) and steps in key):
                yield (table.collection.name, steps), found


def _kind(table: Table, steps: Steps) -> str:
    """The one kind of value a column mostly has, numbers being one; empty for what refers to nothing."""
    column = table.node.column(steps)
    if column is None:
        return ""
    counts = Counter[str]()
    for name, count in column.path.types:
        if name in kinds(column.path):
            counts["number" if name in NUMBERS else name] += count
    best = counts.most_common(1)
    name = best[0][0] if best else ""
    return name if name in ("number", "string", "objectId", "binData") else ""


def _link(table: Table, steps: Steps, known: Sequence[Target], *, is_key: bool) -> Link | Unclear | None:
    values = frozenset(cell for cell in table.columns[steps] if cell is not None)
    kind = _kind(table, steps)
    if not values:
        return None
    matches = [
        match
        for target in known
        if not (target.table is table and (is_key or target.steps == steps))
        and _kind(target.table, target.steps) == kind
        if (match := _match(table, steps, values, target, kind, is_key=is_key)) is not None
    ]
    believed = sorted(
        (match for match in matches if _is_believed(match, len(values), is_key=is_key)),
        key=lambda match: match.rank(len(values)),
        reverse=True,
    )
    if believed and (len(believed) == 1 or _is_clear(believed, len(values))):
        return _made(table, steps, values, believed[0])
    if not names_an_id(steps) or is_key:
        return None
    return _covering(table, steps, values, matches)


def _match(
    table: Table, steps: Steps, values: frozenset[int], target: Target, kind: str, *, is_key: bool
) -> _Match | None:
    found = len(values & target.values)
    if not found:
        return None
    own = target.table is table
    if is_generic(steps) and target.table.above is not None and _alike(table, target.table):
        return None  # documents of one kind in several places, not rows that refer to each other
    name = says(steps, target.table.collection.name, target.table.node.steps, target.steps, own=own)
    if is_key and is_generic(steps):
        name = _extends(table, target.table)
    return _Match(target, found, name, _not_by_chance(values, found, target, kind))


def _alike(table: Table, other: Table) -> bool:
    mine = entity_words(table.collection.name, table.node.steps)
    return mine == entity_words(other.collection.name, other.node.steps)


def _extends(table: Table, other: Table) -> Said:
    """Whether a table that shares its key with another is, by its name, a part or kind of it: `film_text` of film."""
    mine = entity_words(table.collection.name, table.node.steps)
    theirs = entity_words(other.collection.name, other.node.steps)
    extends = mine != theirs and (mine[: len(theirs)] == theirs or mine[-len(theirs) :] == theirs)
    return Said.IN_A_ROLE if extends else Said.NOT


def _not_by_chance(values: frozenset[int], found: int, target: Target, kind: str) -> bool:
    match kind:
        case "objectId" | "binData":
            return found >= SURE_IDS
        case "string":
            return found >= SURE_TEXTS
        case _:
            low, high = min(values), max(values)
            inside = sum(low <= value <= high for value in target.values)
            density = min(inside / (high - low + 1), 1.0)
            return found >= SURE_IDS and density ** len(values) < CHANCE


def _is_believed(match: _Match, distinct: int, *, is_key: bool) -> bool:
    share = match.found / distinct
    if match.name is Said.PLAINLY and not is_key:
        return share >= LEAST_SHARE
    if match.by_values and not is_key and match.found >= MOSTLY * len(match.target.values):
        return share >= LEAST_SHARE  # all there is of a table is referred to
    if match.name >= Said.OWN or match.by_values:
        return share >= MOSTLY
    covers = match.found >= COVERED / 2 * len(match.target.values)
    return match.name is Said.IN_SHORT and share == 1.0 and not is_key and covers


def _is_clear(believed: Sequence[_Match], distinct: int) -> bool:
    """Whether the best is better than the next by its name, or by what it refers to."""
    first, second = believed[0].rank(distinct), believed[1].rank(distinct)
    return first[:4] != second[:4] or first[4] > second[4]


def _made(table: Table, steps: Steps, values: frozenset[int], match: _Match) -> Link:
    evidence = Evidence.NAME if match.name else Evidence.VALUES
    return linked(table, (steps,), match.target.table, (match.target.steps,), len(values), match.found, evidence)


def _covering(table: Table, steps: Steps, values: frozenset[int], matches: Sequence[_Match]) -> Link | Unclear | None:
    """A link to the one table whose keys the values nearly all are; else what they may refer to."""
    whole = [match for match in matches if match.found == len(values)]
    main = [match for match in whole if match.target.is_main] or whole
    covering = [match for match in main if match.found >= max(COVERED * len(match.target.values), LEAST_COVERED)]
    if len(covering) == 1:
        target = covering[0].target
        where = (target.table, (target.steps,), len(values), covering[0].found)
        return linked(table, (steps,), *where, Evidence.COVERAGE)
    if not main:
        return None
    names = tuple(sorted({match.target.table.collection.name for match in main}))
    return Unclear(table.collection.database, table.collection.name, (steps,), names, len(values), len(values))
