"""The surroundings of a decision as a separate problem: everything further away stays as chosen.

The best choice there is a choice of the whole problem, so its cost is an upper bound of the least cost.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

from nestling.ir.design_problem import Charge, DesignProblem, Group, Limit, Load, Mode, Needs, StatementStep
from nestling.optimizer.components import Element, structures_touched

MODES = 400
"""Modes that are possible with what may change around a decision, at which no more structures are added."""
HOPS = 3
"""Most elements between a decision and what may change with it."""


@dataclass(slots=True)
class Surroundings:
    """The surroundings of decisions in one connected part, given what was chosen there."""

    part: DesignProblem
    chosen: frozenset[str]
    _touching: dict[str, list[int]] = field(init=False)
    _elements: list[Element] = field(init=False)
    _members: dict[str, tuple[str, ...]] = field(init=False)
    _needing: dict[str, list[int]] = field(init=False)
    _modes: list[Mode] = field(init=False)

    def __post_init__(self) -> None:
        part = self.part
        self._members = {load.name: tuple(structures_touched(load)) for load in part.loads}
        self._elements = [*part.groups, *part.needs, *part.steps, *part.charges, *part.limits]
        self._touching = defaultdict(list)
        for place, element in enumerate(self._elements):
            for name in dict.fromkeys(structures_touched(element, self._members)):
                self._touching[name].append(place)
        self._modes = [mode for step in part.steps for mode in step.modes]
        self._needing = defaultdict(list)
        for place, mode in enumerate(self._modes):
            for name in dict.fromkeys(mode.needs):
                self._needing[name].append(place)

    def of(self, group: Group) -> DesignProblem:
        """The problem around a group."""
        return self._fixed(self._free(group))

    def _free(self, group: Group) -> frozenset[str]:
        """The structures that may be chosen again: whole groups, nearest first.

        What answers a step together with a structure is nearest to it, such as an index on its rows: without that the structure
        would seem to cost what no design with it has to. Structures that are not chosen come first, as what answers with a chosen
        one was weighed by the search.
        """
        free, last = dict.fromkeys(group.among), list(group.among)
        possible = _Possible(self._modes, self._needing, self.chosen, free)
        for _ in range(HOPS):
            last.sort(key=self.chosen.__contains__)
            near = (name for each in last for place in self._needing[each] for name in self._modes[place].needs)
            further = (name for each in last for place in self._touching[each] for name in self._names(place))
            beside = dict.fromkeys(name for name in chain(near, further) if name not in free)
            last = []
            for name in beside:
                if possible.count >= MODES:
                    return frozenset(free)
                more = [each for each in self._with_its_groups(name) if each not in free]
                free.update(dict.fromkeys(more))
                possible.add(more)
                last += more
        return frozenset(free)

    def _names(self, place: int) -> Iterable[str]:
        return structures_touched(self._elements[place], self._members)

    def _with_its_groups(self, name: str) -> Iterator[str]:
        yield name
        for place in self._touching[name]:
            if isinstance(element := self._elements[place], Group):
                yield from element.among

    def _fixed(self, free: frozenset[str]) -> DesignProblem:
        """Everything that touches the free structures; other structures there are fixed as chosen or not."""
        places = sorted({place for name in free for place in self._touching[name]})
        elements = [self._elements[place] for place in places]
        named = frozenset(chain.from_iterable(structures_touched(each, self._members) for each in elements))
        here = free | (named & self.chosen)
        gone, elsewhere = named - here, self.chosen - here
        groups = [
            replace(each, among=tuple(name for name in each.among if name in here))
            for each in elements
            if isinstance(each, Group)
        ]
        held = [Group(f"{name}, as it is", (name,)) for name in sorted(here - free)]
        steps = tuple(_step(each, gone) for each in elements if isinstance(each, StatementStep))
        paid = {name for step in steps for mode in step.modes for name, _ in mode.loads}
        return replace(
            self.part,
            structures=tuple(each for each in self.part.structures if each.id in here),
            groups=(*groups, *held),
            needs=tuple(
                replace(each, any_of=tuple(name for name in each.any_of if name in here))
                for each in elements
                if isinstance(each, Needs) and each.structure in here
            ),
            steps=steps,
            charges=tuple(each for each in elements if isinstance(each, Charge) and gone.isdisjoint(each.when)),
            limits=tuple(_limit(each, here, elsewhere) for each in elements if isinstance(each, Limit)),
            loads=tuple(_load(each, here, elsewhere) for each in self.part.loads if each.name in paid),
        )


class _Possible:
    """How many modes need something free, and beside it only what is chosen."""

    def __init__(
        self, modes: list[Mode], needing: Mapping[str, list[int]], chosen: frozenset[str], free: Iterable[str]
    ) -> None:
        self.count = 0
        self._modes, self._needing, self._there = modes, needing, set(chosen)
        self._counted = set[int]()
        self.add(free)

    def add(self, free: Iterable[str]) -> None:
        """With these free as well."""
        added = list(free)
        self._there.update(added)
        places = {place for name in added for place in self._needing.get(name, ())} - self._counted
        found = {place for place in places if self._there.issuperset(self._modes[place].needs)}
        self._counted |= found
        self.count += len(found)


def _step(step: StatementStep, gone: frozenset[str]) -> StatementStep:
    """A step without the ways that are not there."""
    return replace(step, modes=tuple(_mode(mode, gone) for mode in step.modes if gone.isdisjoint(mode.needs)))


def _mode(mode: Mode, gone: frozenset[str]) -> Mode:
    return replace(
        mode,
        without=tuple(name for name in mode.without if name not in gone),
        also=tuple((name, cost) for name, cost in mode.also if name not in gone),
    )


def _limit(limit: Limit, here: frozenset[str], elsewhere: frozenset[str]) -> Limit:
    """A limit less the amounts of structures chosen elsewhere."""
    amounts = [(when, amount) for when, amount in limit.amounts if (here | elsewhere).issuperset(when)]
    fixed = sum(amount for when, amount in amounts if elsewhere.issuperset(when))
    left = tuple(
        (tuple(name for name in when if name in here), amount)
        for when, amount in amounts
        if not elsewhere.issuperset(when)
    )
    return replace(limit, amounts=left, at_most=limit.at_most - fixed)


def _load(load: Load, here: frozenset[str], elsewhere: frozenset[str]) -> Load:
    """A load with the amounts of structures chosen elsewhere in its base."""
    base = load.base + sum(amount for name, amount in load.amounts if name in elsewhere)
    return replace(load, amounts=tuple((name, amount) for name, amount in load.amounts if name in here), base=base)
