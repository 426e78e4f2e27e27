"""What choosing a structure implies: structures that are certainly chosen with it, and those that cannot be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from nestling.ir.design_problem import DesignProblem

Names = frozenset[str]
Picks = Mapping[str, str]
"""Decisions for groups, by the group's name."""


class Implications:
    """The needs and groups of a problem, followed to their ends."""

    def __init__(self, problem: DesignProblem) -> None:
        self._needed: dict[str, list[str]] = defaultdict(list)
        for needs in problem.needs:
            if len(needs.any_of) == 1:
                self._needed[needs.structure].append(needs.any_of[0])
        self._groups: dict[str, list[str]] = defaultdict(list)
        for group in problem.groups:
            for name in group.among:
                self._groups[name].append(group.name)
        self._implied: dict[str, Names] = {}
        self._picks: dict[str, Picks | None] = {}

    def implied(self, structure: str) -> Names:
        """The structure and everything certainly chosen with it."""
        if structure not in self._implied:
            found, waiting = {structure}, [structure]
            while waiting:
                for name in self._needed.get(waiting.pop(), ()):
                    if name not in found:
                        found.add(name)
                        waiting.append(name)
            self._implied[structure] = frozenset(found)
        return self._implied[structure]

    def picks(self, structure: str) -> Picks | None:
        """The decisions that choosing the structure implies, by group; None if they contradict each other."""
        if structure not in self._picks:
            self._picks[structure] = self._picked(self.implied(structure))
        return self._picks[structure]

    def _picked(self, names: Iterable[str]) -> Picks | None:
        found: dict[str, str] = {}
        for name in names:
            for group in self._groups.get(name, ()):
                if found.setdefault(group, name) != name:
                    return None
        return found

    def together(self, structures: Iterable[str]) -> Picks | None:
        """The decisions of several structures in groups; None if they cannot be chosen together."""
        found: dict[str, str] = {}
        for structure in structures:
            picks = self.picks(structure)
            if picks is None:
                return None
            for group, name in picks.items():
                if found.setdefault(group, name) != name:
                    return None
        return found

    def allows(self, picks: Picks, structure: str) -> bool:
        """Whether a structure can be chosen where so much is decided."""
        other = self.picks(structure)
        if other is None:
            return False
        for group, name in other.items():  # noqa: SIM110 - asked by the hundred thousand, and `all` takes twice as long
            if picks.get(group, name) != name:
                return False
        return True
