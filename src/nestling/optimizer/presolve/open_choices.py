"""A problem while structures are left out of it one after the other: what still speaks of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from nestling.ir.options import Group, Mode, Problem
from nestling.optimizer.implications import Implications, Picks

Names = frozenset[str]


@dataclass(slots=True)
class OpenStep:
    """The modes left of a step, by each structure they need; `""` for those that need none."""

    modes: dict[str, list[Mode[float]]]
    every: list[Mode[float]]


class OpenChoices:
    """Indexes over a weighted problem. `drop` leaves a structure out."""

    def __init__(self, problem: Problem) -> None:
        self.known = Implications(problem)
        self.structures = {structure.id: structure for structure in problem.structures}
        self.groups = {group.name: group for group in problem.groups}
        self.members = {group.name: dict.fromkeys(group.among) for group in problem.groups}
        self.groups_of: dict[str, list[Group]] = defaultdict(list)
        for group in problem.groups:
            for name in group.among:
                self.groups_of[name].append(group)
        self.charges: dict[str, list[tuple[tuple[str, ...], float]]] = defaultdict(list)
        for charge in problem.charges:
            for name in charge.when:
                self.charges[name].append((charge.when, charge.cost))
        self.loads = {load.name: (load.base, dict(load.amounts)) for load in problem.loads}
        self.loads_of: dict[str, list[str]] = defaultdict(list)
        for load in problem.loads:
            for name, _ in load.amounts:
                self.loads_of[name].append(load.name)
        self.limits_of: dict[str, list[tuple[int, tuple[str, ...], float]]] = defaultdict(list)
        for place, limit in enumerate(problem.limits):
            for when, amount in limit.amounts:
                for name in when:
                    self.limits_of[name].append((place, when, amount))
        self.needing: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)  # structure -> who may need it
        self.needs_of: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        for needs in problem.needs:
            self.needs_of[needs.structure].append(needs.any_of)
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

    def _open(self, modes: tuple[Mode[float], ...]) -> None:
        possible = [mode for mode in modes if self.known.together(mode.needs) is not None]
        opened = OpenStep(defaultdict(list), possible)
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
                step.every.remove(mode)
                for other in set(mode.needs) - {structure}:
                    step.modes[other].remove(mode)

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
        """What a structure adds to a load."""
        return self.loads[load][1].get(structure, 0.0) if structure is not None else 0.0

    def alternatives(self, structure: str) -> Iterator[str]:
        """What could take its place in the one group it is in: alternatives that need nothing and weigh on no load."""
        [group] = self.groups_of[structure]
        for name in self.members[group.name]:
            if name != structure and not self.needs_of.get(name) and not self.loads_of.get(name):
                if len(self.groups_of[name]) == 1 and name not in self.also and name not in self.excluded:
                    yield name
