"""The problem while structures are dropped one after the other: which parts still mention each of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from nestling.ir.design_problem import DesignProblem, Mode
from nestling.optimizer.implications import Implications, Names, Picks


@dataclass(slots=True)
class OpenStep:
    """The modes left of a step, by each structure they need; `""` for those that need none. `needs`: of each by its identity."""

    modes: dict[str, list[Mode]]
    every: list[Mode]
    needs: dict[int, Names]

    def drop(self, mode: Mode) -> None:
        """Leave a mode out."""
        _remove(self.every, mode)
        for name in dict.fromkeys(mode.needs) or [""]:
            if name in self.modes:
                _remove(self.modes[name], mode)


def _remove(modes: list[Mode], gone: Mode) -> None:
    """Remove this very mode: comparing values would take long."""
    for place, mode in enumerate(modes):
        if mode is gone:
            del modes[place]
            return


Item = TypeVar("Item")


def _by_structure(pairs: Iterable[tuple[str, Item]]) -> dict[str, list[Item]]:
    """What speaks of each structure."""
    found: dict[str, list[Item]] = defaultdict(list)
    for name, item in pairs:
        found[name].append(item)
    return found


class OpenChoices:
    """Indexes over a weighted problem. `drop` leaves a structure out."""

    def __init__(self, problem: DesignProblem) -> None:
        self.known = Implications(problem)
        self.structures = {structure.id: structure for structure in problem.structures}
        self.groups = {group.name: group for group in problem.groups}
        self.members = {group.name: dict.fromkeys(group.among) for group in problem.groups}
        self.groups_of = _by_structure((name, group) for group in problem.groups for name in group.among)
        self.charges = _by_structure(
            (name, (charge.when, charge.cost)) for charge in problem.charges for name in charge.when
        )
        self.loads = {load.name: (load.base, dict(load.amounts)) for load in problem.loads}
        self.loads_of = _by_structure((name, load.name) for load in problem.loads for name, _ in load.amounts)
        self.limits_of = _by_structure(
            (name, (place, when, amount))
            for place, limit in enumerate(problem.limits)
            for when, amount in limit.amounts
            for name in when
        )
        self.needing: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)  # structure -> who may need it
        self.needs_of = _by_structure((needs.structure, needs.any_of) for needs in problem.needs)
        for needs in problem.needs:
            for name in needs.any_of:
                self.needing[name][needs.structure] = needs.any_of
        self.negative_loads = {load for step in problem.steps for m in step.modes for load, cost in m.loads if cost < 0}
        self.negative_loads |= {load.name for load in problem.loads if any(amount < 0 for _, amount in load.amounts)}
        self.also = {name for step in problem.steps for mode in step.modes for name, _ in mode.also}
        self.excluded = {name for step in problem.steps for mode in step.modes for name in mode.without}
        self.steps: list[OpenStep] = []
        self.steps_of: dict[str, list[OpenStep]] = defaultdict(list)
        for step in problem.steps:
            self._open(step.modes)
        self.left_out: set[str] = set()
        self._additions: dict[str, float | None] = {}
        self._certain: dict[tuple[str, ...], Names] = {}

    def _open(self, modes: tuple[Mode, ...]) -> None:
        possible = [mode for mode in modes if self.known.together(mode.needs) is not None]
        opened = OpenStep(defaultdict(list), possible, {id(mode): frozenset(mode.needs) for mode in possible})
        for mode in possible:
            for name in dict.fromkeys(mode.needs) or [""]:
                opened.modes[name].append(mode)
        self.steps.append(opened)
        for name in opened.modes:
            self.steps_of[name].append(opened)

    def alive(self, structure: str) -> bool:
        """Whether a structure can still be chosen."""
        return structure not in self.left_out

    def drop(self, structure: str) -> None:
        """Leave a structure out, and the modes that need it."""
        self.left_out.add(structure)
        for group in self.groups_of.get(structure, ()):
            self.members[group.name].pop(structure, None)
        for load in self.loads_of.get(structure, ()):
            self.loads[load][1].pop(structure, None)
        for step in self.steps_of.get(structure, ()):
            for mode in step.modes.pop(structure, ()):
                step.drop(mode)

    def near(self, structure: str) -> set[str]:
        """What may be beaten once a structure is left out: what its steps also need, and what it needs itself."""
        found = {name for step in self.steps_of.get(structure, ()) for name in step.modes}
        return found.union(*self.needs_of.get(structure, ())) - {"", structure}

    def needed(self, structure: str, instead: str | None) -> bool:
        """Whether something that can still be chosen may need it, and `instead` would not do."""
        return any(
            self.alive(other) and instead not in any_of for other, any_of in self.needing.get(structure, {}).items()
        )

    def most(self, load: str, picks: Picks) -> float:
        """At least what a load can come to where so much is decided: of one group only its largest member counts."""
        base, amounts = self.loads[load]
        total, largest = base, dict[str, float]()
        for name, amount in amounts.items():
            if amount > 0 and self.known.allows(picks, name):
                groups = self.groups_of.get(name)
                if groups:
                    largest[groups[0].name] = max(largest.get(groups[0].name, 0.0), amount)
                else:
                    total += amount
        return total + sum(largest.values())

    def least(self, load: str, certain: Names) -> float:
        """At most what a load comes to where these are chosen."""
        base, amounts = self.loads[load]
        return base + sum(amount for name, amount in amounts.items() if name in certain or amount < 0)

    def amount(self, load: str, structure: str | None) -> float:
        """The amount that a structure adds to a load."""
        return self.loads[load][1].get(structure, 0.0) if structure is not None else 0.0

    def certain(self, mode: Mode) -> Names:
        """The structures that are chosen wherever a mode is possible."""
        if mode.needs not in self._certain:
            self._certain[mode.needs] = frozenset[str]().union(*map(self.known.implied, mode.needs))
        return self._certain[mode.needs]

    def addition_upkeep(self, name: str) -> float | None:
        """What a structure costs at most that can be added anywhere; None for one that cannot."""
        if name not in self._additions:
            free = all(group.optional and len(group.among) == 1 for group in self.groups_of.get(name, ()))
            tied = self.loads_of.get(name) or self.limits_of.get(name) or self.needs_of.get(name)
            is_free = free and not tied and name not in self.also and name not in self.excluded
            upkeep = sum(max(cost, 0.0) for _, cost in self.charges.get(name, ()))
            self._additions[name] = upkeep if is_free else None
        return self._additions[name]

    def alternatives(self, structure: str) -> Iterator[str]:
        """What could take its place in the one group it is in: alternatives that need nothing and weigh on no load."""
        [group] = self.groups_of[structure]
        for name in self.members[group.name]:
            bound = self.needs_of.get(name) or self.loads_of.get(name) or name in self.also or name in self.excluded
            if name != structure and not bound and len(self.groups_of[name]) == 1:
                yield name
