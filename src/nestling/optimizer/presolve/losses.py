"""What a change of one structure for another can cost at most, whatever else is chosen."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from nestling.ir.options import Mode
from nestling.optimizer.implications import Picks
from nestling.optimizer.presolve.open_choices import Names, OpenChoices, OpenStep

NEVER = float("inf")


@dataclass(frozen=True, slots=True)
class Change:
    """`gone` is left out, and `instead`, unless None, chosen."""

    gone: str
    instead: str | None


def losses(open_choices: OpenChoices, change: Change) -> tuple[float, float] | None:
    """The most a change can add to the cost, and the size of what was compared; None when there may be no way left."""
    return _Losses(open_choices, change).total()


@dataclass(slots=True)
class _Losses:
    """One change; the bounds of loads where `gone` is chosen are found once."""

    open_choices: OpenChoices
    change: Change
    picks: Picks = field(init=False)
    certain: Names = field(init=False)
    scale: float = 0.0
    _most: dict[tuple[str, str], float] = field(default_factory=dict)
    _least: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.picks = self.open_choices.known.picks(self.change.gone) or {}
        self.certain = self.open_choices.known.implied(self.change.gone)

    def total(self) -> tuple[float, float] | None:
        """The sum over charges and steps, with the cheapest additions."""
        if self.open_choices.known.picks(self.change.gone) is None:
            return -1.0, 0.0  # it can never be chosen
        loss = self._charged()
        plain: list[float] = []
        added: dict[str, dict[int, float]] = defaultdict(dict)
        for step in self.open_choices.steps_of.get(self.change.gone, ()):
            modes = step.modes.get(self.change.gone)
            if modes:
                worst, by_addition = self._step(step, modes)
                for name, cost in by_addition.items():
                    added[name][len(plain)] = cost
                plain.append(worst)
        for name, costs in sorted(added.items(), key=lambda item: item[0]):
            upkeep = self._upkeep(name)
            saved = sum(plain[place] - cost for place, cost in costs.items() if cost < plain[place])
            if saved > upkeep:
                loss += upkeep
                for place, cost in costs.items():
                    plain[place] = min(plain[place], cost)
        total = loss + sum(plain)
        return (total, self.scale) if total < NEVER else None

    def _charged(self) -> float:
        """Charges that come less those that go."""
        loss = 0.0
        for when, cost in self.open_choices.charges.get(self.change.gone, ()):
            if self.certain.issuperset(when):
                loss -= cost
            elif cost < 0 and all(map(self.open_choices.alive, when)):
                loss -= cost
            self.scale = max(self.scale, abs(cost))
        for when, cost in self.open_choices.charges.get(self.change.instead or "", ()):
            if cost > 0 or set(when) <= {self.change.instead}:
                loss += cost
            self.scale = max(self.scale, abs(cost))
        return loss

    def _upkeep(self, name: str) -> float:
        """What an addition costs at most, wherever it was not chosen."""
        return sum(max(cost, 0.0) for _, cost in self.open_choices.charges.get(name, ()))

    def _step(self, step: OpenStep, modes: list[Mode[float]]) -> tuple[float, dict[str, float]]:
        """The most a step loses, without an addition and with each; below zero only where it cannot go on as it did."""
        others = any(
            self.change.gone not in mode.needs and all(self._allowed(need) for need in mode.needs)
            for mode in step.every
        )
        floor = 0.0 if others else -NEVER
        worst, by_addition = floor, dict[str, float]()
        found = [self._mode(step, mode) for mode in modes]
        names = {name for _, additions in found for name in additions}
        for direct, _ in found:
            worst = max(worst, direct)
        for name in names:
            by_addition[name] = max(floor, *(min(direct, additions.get(name, NEVER)) for direct, additions in found))
        return worst, by_addition

    def _allowed(self, name: str) -> bool:
        return self.open_choices.known.allows(self.picks, name)

    def _mode(self, step: OpenStep, mode: Mode[float]) -> tuple[float, dict[str, float]]:
        """What answering by the best other mode costs more than by this one: without addition, and with each."""
        known = frozenset[str]().union(self.certain, *map(self.open_choices.known.implied, mode.needs))
        known = known - {self.change.gone} | ({self.change.instead} if self.change.instead is not None else set())
        best, additions = NEVER, dict[str, float]()
        by_group: dict[str, dict[str, float]] = defaultdict(dict)
        for other in self._candidates(step, known):
            if self.change.gone in other.needs or not self._stays_possible(other, mode):
                continue
            missing = [name for name in other.needs if name not in known]
            if len(missing) > 1:
                continue
            more = self._more(other, mode, missing[0] if missing else "")
            if not missing:
                best = min(best, more)
            elif self._is_addition(missing[0]):
                additions[missing[0]] = min(additions.get(missing[0], NEVER), more)
            else:
                for group in self.open_choices.groups_of.get(missing[0], ()):
                    costs = by_group[group.name]
                    costs[missing[0]] = min(costs.get(missing[0], NEVER), more)
        for group_name, costs in by_group.items():
            best = min(best, self._whichever(group_name, costs))
        return best, additions

    def _candidates(self, step: OpenStep, known: Names) -> list[Mode[float]]:
        """Modes that may be possible: for swaps those near at hand, for mere removals all."""
        if self.change.instead is None:
            return step.every
        near = [mode for name in ("", *sorted(known)) for mode in step.modes.get(name, ())]
        return list({id(mode): mode for mode in near}.values())

    def _stays_possible(self, other: Mode[float], mode: Mode[float]) -> bool:
        """Whether nothing that `other` excludes can be chosen where `mode` was possible."""
        return all(
            name in mode.without or name == self.change.gone or not self.open_choices.alive(name)
            for name in other.without
        )

    def _is_addition(self, name: str) -> bool:
        """Whether a structure can be added anywhere at no more than its charges."""
        known = self.open_choices
        groups = known.groups_of.get(name, ())
        free = all(group.optional and len(group.among) == 1 for group in groups)
        weightless = not known.loads_of.get(name) and not known.limits_of.get(name) and name not in known.also
        return free and weightless and not known.needs_of.get(name) and name not in known.excluded

    def _whichever(self, group_name: str, costs: dict[str, float]) -> float:
        """The worst over all alternatives of an exact group that may be chosen; without end when one has no way."""
        group = self.open_choices.groups[group_name]
        if group.optional:
            return NEVER
        members = self.open_choices.members[group_name]
        possible = [name for name in members if name != self.change.gone and self._allowed(name)]
        return max((costs.get(name, NEVER) for name in possible), default=NEVER)

    def _more(self, other: Mode[float], mode: Mode[float], chosen: str) -> float:
        """The most `other` costs more than `mode`."""
        self.scale = max(self.scale, abs(mode.cost), abs(other.cost))
        more = other.cost - mode.cost + self._more_also(other, mode)
        if not other.loads and not mode.loads:
            return more
        ours, theirs = dict[str, float](), dict[str, float]()
        for load, cost in other.loads:
            ours[load] = ours.get(load, 0.0) + cost
        for load, cost in mode.loads:
            theirs[load] = theirs.get(load, 0.0) + cost
        for load in dict.fromkeys((*ours, *theirs)):
            now, before = ours.get(load, 0.0), theirs.get(load, 0.0)
            bound = self._load_most(load, chosen) if now > before else self._load_least(load)
            more += (now - before) * bound - now * self.open_choices.amount(load, self.change.gone)
            self.scale = max(self.scale, abs(before * bound), abs(now * bound))
        return more

    def _more_also(self, other: Mode[float], mode: Mode[float]) -> float:
        """The same of what other structures add; what is not certain is taken at its worst."""
        if not other.also and not mode.also:
            return 0.0
        costs: dict[str, float] = defaultdict(float)
        for name, cost in other.also:
            costs[name] += cost
        for name, cost in mode.also:
            costs[name] -= cost
        return sum(max(cost, 0.0) for cost in costs.values())

    def _load_most(self, load: str, chosen: str) -> float:
        if (load, chosen) not in self._most:
            picks = self.picks if not chosen else {**self.picks, **(self.open_choices.known.picks(chosen) or {})}
            self._most[load, chosen] = self.open_choices.most(load, picks)
        return self._most[load, chosen]

    def _load_least(self, load: str) -> float:
        if load not in self._least:
            self._least[load] = self.open_choices.least(load, self.certain)
        return self._least[load]
