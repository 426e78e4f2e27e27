"""Evidence that it is no coincidence if values are keys elsewhere.

A name is evidence, and so are values that would not all be keys by chance: ObjectIds, many texts, numbers from a sparse range.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from nestling.common.words_in_names import words
from nestling.executors.facts.name_words import (
    NameClarity,
    entity_words,
    is_generic,
    last_name,
    names_an_id,
    says,
)
from nestling.executors.facts.row_hashes import HashedTable, whole_numbers
from nestling.ir.facts.nodes import NodeForm, kinds
from nestling.ir.facts.path import NUMBERS
from nestling.ir.facts.structure import Steps

LEAST_SHARE = 0.5
"""Values that must be found for a name alone to be believed."""
LEAST_SHARE_IF_UNCLEAR = 0.95
"""Values that must be found where the name is less clear."""
SURE_TEXTS, SURE_IDS = 20, 3
"""The numbers of different texts, and of different ObjectIds, that are not all keys of another table by chance."""
CONVINCING_VALUES = 200
"""The number of values that is evidence even if half of them are not keys."""
CHANCE = 1e-6
"""How likely numbers may be to be keys by chance, and still be believed."""
NEIGHBOURS = 8
"""Keys on both sides of a number that tell how likely it is one."""
SIBLING_CHANCE = 1e-3
"""How likely few texts may be to be keys by chance where another column of the same rows refers there."""
LETTERS, WORDS_IN_USE = 26, 20_000
"""Letters a text may have at each place, and words in use: what texts are drawn from at least."""
TEXT_FRAME_BYTES = 5
SPANNING, LEAST_GAP = 1_000, 2.0
"""Ids that are keys, from the first to the last, and how far apart they must be in the mean to be no numbers of their own."""
LEAST_COVERED = 5
COVERED = 0.9
"""The share of a table's keys, and at least how many, that numbers or few texts must be of to be believed without a name."""


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """A key of one column that others may refer to. `is_declared`: a unique index keeps it one; `is_addressed`: columns of other
    collections are named after it.
    """

    table: HashedTable
    steps: Steps
    values: frozenset[int]
    is_main: bool
    is_declared: bool = False
    is_addressed: bool = False


@dataclass(frozen=True, slots=True)
class KeyMatch:
    """How many values are keys of a target, how clear the name is, and whether it is more than chance."""

    target: KeyColumn
    found: int
    name: NameClarity
    by_values: bool

    def rank(self, distinct: int) -> tuple[float, ...]:
        """The rank of a match: by clarity of the name, and of others' names where most values are found, by their share, whether
        the target identifies rows, and the share of it that is found.
        """
        is_root, share = self.target.table.node.form is NodeForm.DOCUMENT, self.found / distinct
        is_addressed = self.target.is_addressed and share >= COVERED
        return (self.name, is_addressed, share, self.target.is_main, is_root, self.found / len(self.target.values))


def match_of(
    table: HashedTable, steps: Steps, values: frozenset[int], target: KeyColumn, kind: str, *, is_key: bool
) -> KeyMatch | None:
    """How a column's values match a target; None if none is found, or if both are values of the same kind."""
    found = len(values & target.values)
    if not found:
        return None
    own = target.table is table
    if is_generic(steps) and target.table.above is not None and _alike(table, target.table):
        return None  # documents of one kind in several places, not rows that refer to each other
    name = says(steps, target.table.collection.name, target.table.node.steps, target.steps, own=own)
    if _names_another(steps, target):
        name = NameClarity.NOT
    if is_key and is_generic(steps):
        name = _extends(table, target.table)
    by_values = _not_by_chance(values, found, target, kind) or (
        spans(values, target)
        if kind == "number" and names_an_id(steps)
        else kind == "string" and not is_key and texts_by_chance(table, steps, values, target) < CHANCE
    )
    return KeyMatch(target, found, name, by_values)


def _alike(table: HashedTable, other: HashedTable) -> bool:
    mine = entity_words(table.collection.name, table.node.steps)
    return mine == entity_words(other.collection.name, other.node.steps)


def _names_another(steps: Steps, target: KeyColumn) -> bool:
    """Whether a column is called like a field of the target that is not its key: `task.number` is a task's `number`, no id."""
    named = words(last_name(steps))
    fields = (words(last_name(each)) for each in target.table.columns if each != target.steps)
    return is_generic(steps) and words(last_name(target.steps)) != named and named in fields


def _extends(table: HashedTable, other: HashedTable) -> NameClarity:
    """Whether a table that shares its key with another is, by its name, a part or kind of it: `film_text` of film."""
    mine = entity_words(table.collection.name, table.node.steps)
    theirs = entity_words(other.collection.name, other.node.steps)
    extends = mine != theirs and (mine[: len(theirs)] == theirs or mine[-len(theirs) :] == theirs)
    return NameClarity.IN_A_ROLE if extends else NameClarity.NOT


def _not_by_chance(values: frozenset[int], found: int, target: KeyColumn, kind: str) -> bool:
    match kind:
        case "objectId" | "binData":
            return found >= SURE_IDS
        case "string":
            covers = found == len(values) and found >= max(COVERED * len(target.values), LEAST_COVERED)
            return found >= SURE_TEXTS or covers
        case _:
            return found >= SURE_IDS and numbers_by_chance(values, target) < CHANCE


def numbers_by_chance(values: frozenset[int], target: KeyColumn) -> float:
    """An upper bound on the probability that this many whole numbers are keys by chance (Chernoff's bound).

    A number is a key by chance in proportion to the density of keys around it: if numbers and keys both count up without gaps,
    all are, however far away a single key may be. Numbers before the first or after the last key are not evidence for the others.
    """
    keys = sorted(whole_numbers(target.values))
    drawn = sorted(value for value in whole_numbers(values) if keys and keys[0] <= value <= keys[-1])
    found = len(frozenset(drawn).intersection(keys))
    if not found:
        return 1.0
    share, density = found / len(drawn), sum(_density(value, keys) for value in drawn) / len(drawn)
    if share <= density:
        return 1.0
    missed = (1 - share) * math.log((1 - share) / (1 - density)) if share < 1 else 0.0
    return math.exp(-len(drawn) * (share * math.log(share / density) + missed))


def _density(value: int, keys: Sequence[int]) -> float:
    """The share of the numbers around one that are keys."""
    place = bisect_left(keys, value)
    first, last = max(place - NEIGHBOURS, 0), min(place + NEIGHBOURS, len(keys) - 1)
    return (last - first + 1) / (keys[last] - keys[first] + 1)


def texts_by_chance(table: HashedTable, steps: Steps, values: frozenset[int], target: KeyColumn) -> float:
    """How likely all these texts are keys by chance: they are drawn from as many as letters of their number can write, and
    from the words in use. 1 where not all are keys, or where they are too few to say anything.
    """
    column = table.node.column(steps)
    widths = column.path.widths if column is not None else None
    if widths is None or not target.is_main or len(values) < SURE_IDS or not values <= target.values:
        return 1.0
    vocabulary = min(float(LETTERS) ** max(widths.mean - TEXT_FRAME_BYTES, 1.0), WORDS_IN_USE)
    return float(min(len(target.values) / vocabulary, 1.0) ** len(values))


def spans(values: frozenset[int], target: KeyColumn) -> bool:
    """Whether ids with gaps are all keys, and begin and end where the keys do: rows numbered by others' numbers."""
    mine, keys = whole_numbers(values), whole_numbers(target.values)
    if not target.is_main or len(mine) < SPANNING or not values <= target.values:
        return False
    low, high = min(mine), max(mine)
    gap = (high - low) / len(mine)
    ends = max(low - min(keys), max(keys) - high)
    return gap >= LEAST_GAP and ends <= gap


def counts_up(values: frozenset[int]) -> bool:
    """Whether keys are the numbers from 0 or 1 on, with hardly a gap: ranks and positions are among them by chance."""
    numbers = whole_numbers(values)
    return bool(numbers) and min(numbers) in (0, 1) and len(numbers) >= COVERED * (max(numbers) - min(numbers) + 1)


def is_believed(match: KeyMatch, distinct: int, kind: str, *, is_key: bool) -> bool:
    """Whether the name, the values and how many of them are found say together that they refer to the target."""
    share = match.found / distinct
    if match.name is NameClarity.PLAINLY and not is_key:
        return share >= LEAST_SHARE
    are_all = match.found >= LEAST_SHARE_IF_UNCLEAR * len(match.target.values)
    are_many = kind != "number" and match.target.is_main and match.found >= CONVINCING_VALUES
    if match.by_values and not is_key and (are_all or are_many):
        return share >= LEAST_SHARE
    if match.name >= NameClarity.OWN or match.by_values:
        return share >= LEAST_SHARE_IF_UNCLEAR
    least = {NameClarity.IN_SHORT: COVERED / 2, NameClarity.BY_INITIAL: 1.0}.get(match.name)
    return least is not None and share == 1.0 and not is_key and match.found >= least * len(match.target.values)


def is_clear(believed: Sequence[KeyMatch], distinct: int) -> bool:
    """Whether the best match is better than the next by its name, or by its target."""
    first, second = believed[0].rank(distinct), believed[1].rank(distinct)
    return first[:-1] != second[:-1] or first[-1] > second[-1]


def kind_of(table: HashedTable, steps: Steps) -> str:
    """The dominant kind of value of a column, with all numbers as one kind; "" for values that refer to nothing."""
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
