"""Foreign keys that share columns, decided together: each column has one value that satisfies all of them.

They are handled one after the other. The values that one fixes are given for the next, which searches for parents with these
values. If it has no parent, or finds none, NULL goes into one nullable column, and the others are left free. The search needs
the numbers of the parents by these values, so its memory grows with the parents.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial

from nestling.common.errors import Problem, SourceError, name_list
from nestling.ir.model import Cardinality
from nestling.sources.generated.generated_table import GeneratedTable, NthValue
from nestling.sources.generated.links import REMEMBERED, GeneratedLink, Parent
from nestling.sources.generated.overlaps import shared_with_itself
from nestling.sources.generated.permutations import salt, scattered

MOST_TRIES = 200
"""How many other parents are tried in place of one with which no row satisfies all of its foreign keys."""
OWN_ROWS = "use your own rows (`prove` without --scale), or remove from the model what generated rows cannot satisfy"
"""What to do if no rows can be generated."""


@dataclass(slots=True)
class Strand:
    """A foreign key of a knot; `nullable` are its columns that may be NULL."""

    link: GeneratedLink
    parent: GeneratedTable
    nullable: tuple[str, ...]
    _found: dict[tuple[str, ...], dict[tuple[object, ...], array[int]]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the relationship."""
        return self.link.relationship.name

    @property
    def columns(self) -> tuple[str, ...]:
        """The child's attributes in the foreign key."""
        return self.link.relationship.child_attributes

    def values(self, parent: int) -> dict[str, object]:
        """The values in the columns of a row that refers to this parent."""
        pairs = zip(self.columns, self.link.relationship.parent_attributes, strict=True)
        return {mine: self.parent.cells[theirs](parent) for mine, theirs in pairs}

    def parents_with(self, known: Mapping[str, object]) -> Sequence[int]:
        """The numbers of the parents that give the columns these values, in ascending order."""
        names = tuple(known)
        if names not in self._found:
            self._found[names] = self._by(names)
        return self._found[names].get(tuple(known.values()), array("q"))

    def _by(self, names: tuple[str, ...]) -> dict[tuple[object, ...], array[int]]:
        pairs = dict(zip(self.columns, self.link.relationship.parent_attributes, strict=True))
        looked_at = [pairs[name] for name in names]
        found: dict[tuple[object, ...], array[int]] = {}
        for number in range(self.parent.rows):
            values = tuple(self.parent.cells[theirs](number) for theirs in looked_at)
            found.setdefault(values, array("q")).append(number)
        return found


@dataclass(slots=True)
class _Row:
    """What is decided for a row: values by column, parents by relationship."""

    values: dict[str, object]
    parents: dict[str, Parent] = field(default_factory=dict)
    attempt: int = 0


class Knot:
    """Foreign keys of one table that share columns.

    `late`: those whose parents may depend on this table's rows. Each has a separate stage after that of all `early` ones, so
    that what it needs from other rows is decided by then. `given`: columns that others generate, which must match; `plain`
    generates values for columns that no foreign key decides in a row.
    """

    def __init__(
        self,
        table: GeneratedTable,
        early: Sequence[Strand],
        late: Sequence[Strand],
        *,
        given: frozenset[str],
        plain: Mapping[str, NthValue],
        seed: int,
    ) -> None:
        self._table, self._given, self._plain = table, given, plain
        self._shared = {
            name for each in late for name in shared_with_itself(each.link.relationship) if name not in given
        }
        self._settled = {name for each in early for name in each.columns} | self._shared
        implied = [each for each in late if not each.nullable and self._settled.union(given).issuperset(each.columns)]
        self._early = early = (*early, *implied)
        late = [each for each in late if each not in implied]
        self._late = sorted(late, key=lambda each: any(name not in self._settled for name in each.nullable))
        self._strands = (*early, *self._late)
        single = (each.columns for each in early if each.link.relationship.cardinality is Cardinality.ONE_TO_ONE)
        groups = (table.entity.key, *table.entity.uniques, *single)
        decided = self._settled - given
        self._groups = list(dict.fromkeys(group for group in groups if group and decided.issuperset(group)))
        self._keys = {each.name: salt(seed, each.name, "knot") for each in self._strands}
        self._last = self._last_stages()
        theirs = {name for each in implied for name in each.link.relationship.parent_attributes}
        if theirs & self._last.keys() - given or any(given.issuperset(each.columns) for each in self._strands):
            raise self._torn()  # they would have to agree with what they decide of other rows
        self._stages = [lru_cache(REMEMBERED)(self._begun)]
        for number, each in enumerate(self._late, start=1):
            self._stages.append(lru_cache(REMEMBERED)(partial(self._after, number, each)))

    def cells(self) -> dict[str, NthValue]:
        """The functions of all columns but the given ones."""
        return {name: _value(self._stages[last], name) for name, last in self._last.items() if name not in self._given}

    def links(self) -> dict[str, GeneratedLink]:
        """The links with the parents that rows have in the end."""
        certain = [each.name for each in self._early if not each.nullable]  # no later stage takes their parents away
        stages = {each.name: self._stages[0 if each.name in certain else -1] for each in self._strands}
        return {
            each.name: GeneratedLink(each.link.relationship, _parent(stages[each.name], each.name))
            for each in self._strands
        }

    def first(self) -> str | None:
        """The relationship along which all rows have a parent, whatever the others do; None if there is none."""
        made = any(not self._given.isdisjoint(each.columns) for each in self._early)
        return next((each.name for each in self._early[:1] if not each.nullable and not made), None)

    def _last_stages(self) -> dict[str, int]:
        """The stage after which a column does not change any more."""
        last = dict.fromkeys(sorted(self._settled), 0)
        for stage, each in enumerate(self._late, start=1):
            own = [name for name in each.columns if name not in self._settled]
            last.update(dict.fromkeys(own, stage))
            if not any(name in each.nullable for name in own):
                last.update(dict.fromkeys(each.nullable, stage))
        return last

    def _begun(self, number: int) -> _Row:
        attempt = self._attempts.get(number, 0)
        row = next(self._tries(number, attempt), None)
        if row is None:
            raise self._torn()
        return row

    def _tries(self, number: int, first: int = 0) -> Iterator[_Row]:
        """Possible rows that satisfy the early foreign keys, from one attempt on."""
        start = {name: self._plain[name](number) for name in self._shared} | self._made(self._early, number)
        for attempt in range(first, MOST_TRIES):
            row = _Row(dict(start), attempt=attempt)
            if all(self._follow(each, row, number) for each in self._early):
                yield self._filled(row, number, self._early, 0)

    @cached_property
    def _attempts(self) -> dict[int, int]:
        """The rows that need another attempt, because foreign keys alone must be unique."""
        found: dict[int, int] = {}
        seen: set[tuple[object, ...]] = set()
        for number in range(self._table.rows if self._groups else 0):
            for tried, row in enumerate(self._tries(number)):
                values = [(group, *(row.values[name] for name in group)) for group in self._groups]
                if seen.isdisjoint(values):
                    seen.update(each for each in values if None not in each)
                    if tried:
                        found[number] = row.attempt
                    break
        return found

    def _after(self, stage: int, each: Strand, number: int) -> _Row:
        before = self._stages[stage - 1](number)
        row = _Row(before.values | self._made([each], number), dict(before.parents), before.attempt)
        if not self._follow(each, row, number):
            raise self._torn()
        return self._filled(row, number, [each], stage)

    def _made(self, strands: Sequence[Strand], number: int) -> dict[str, object]:
        return {
            name: self._table.cells[name](number) for each in strands for name in each.columns if name in self._given
        }

    def _filled(self, row: _Row, number: int, strands: Sequence[Strand], stage: int) -> _Row:
        """The row with its undecided columns filled: with NULL, or else any value."""
        for each in strands:
            for name in each.columns:
                if name not in row.values and (not stage or self._last[name] <= stage):
                    row.values[name] = None if name in each.nullable else self._plain[name](number)
        return row

    def _follow(self, each: Strand, row: _Row, number: int) -> bool:
        """Decide the open columns of a foreign key; False if none is nullable and nothing matches."""
        known = {name: row.values[name] for name in each.columns if name in row.values}
        if any(value is None for value in known.values()):
            return True
        is_checked = each.link.relationship.enforced
        if len(known) == len(each.columns) and not is_checked:
            return True
        found = self._chosen(each, known, row, number)
        values = each.values(found[0]) if found is not None else {}
        if found is not None and None not in values.values():
            row.values.update(values)
            row.parents[each.name] = found
            return True
        return self._released(each, row) or not is_checked

    def _chosen(self, each: Strand, known: Mapping[str, object], row: _Row, number: int) -> Parent | None:
        """The parent of a row along a foreign key, among those with the known values."""
        here = each.link.parent(number)
        if not known:
            if here is None or not row.attempt:
                return here
            return scattered(number, self._keys[each.name] + row.attempt) % each.parent.rows, number + self._table.rows
        if here is None and any(name not in known for name in each.nullable):
            return None
        among = each.parents_with(known)
        if len(known) == len(each.columns):
            return (among[0], number) if among else None
        if each.link.relationship.is_self:
            return self._before(each, among, number, is_root=here is not None and here[0] == number)
        start, place = next(iter(row.parents.values()), (number, 0))
        return (among[(scattered(start, self._keys[each.name]) + place) % len(among)], number) if among else None

    def _before(self, each: Strand, among: Sequence[int], number: int, *, is_root: bool) -> Parent | None:
        """An earlier row, so that none is above itself; in a chain the last one; if one is required, itself."""
        count = bisect_left(among, number)
        if not count or is_root:
            is_among = count < len(among) and among[count] == number
            return (number, number) if is_among and not each.nullable else None
        if each.link.relationship.cardinality is Cardinality.ONE_TO_ONE:
            return among[count - 1], number
        return among[scattered(number, self._keys[each.name]) % count], number

    def _released(self, each: Strand, row: _Row) -> bool:
        """Satisfy a foreign key by putting NULL into one of its columns, preferably an open one."""
        if not each.nullable:
            return False
        users = Counter(name for strand in self._strands for name in strand.columns)
        name = min(each.nullable, key=lambda name: (name in row.values, name in self._settled, users[name]))
        row.values[name] = None
        for other in self._strands:
            if name in other.columns:
                row.parents.pop(other.name, None)
        return True

    def _torn(self) -> SourceError:
        names = name_list([each.name for each in self._strands])
        what = f"no rows can be generated that satisfy all of its foreign keys {names}: no combination of parents fits"
        return SourceError(Problem(what, where=f"table {self._table.entity.name}", next_move=OWN_ROWS))


def _value(rows: Callable[[int], _Row], name: str) -> NthValue:
    return lambda number: rows(number).values[name]


def _parent(rows: Callable[[int], _Row], name: str) -> Callable[[int], Parent | None]:
    return lambda number: rows(number).parents.get(name)
