"""What a change of one structure for another can cost at most, whatever else is chosen."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from nestling.ir.design_problem import Mode
from nestling.optimizer.implications import Names
from nestling.optimizer.presolve.context import CERTAIN, PresolveContext
from nestling.optimizer.presolve.open_choices import OpenChoices, OpenStep

NO_WAY = float("inf")
ByAddition = dict[str, float]
"""The most a step loses when a structure is added, by that structure."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """`gone` is left out, and `instead`, unless None, chosen."""

    gone: str
    instead: str | None


def losses(open_choices: OpenChoices, change: Exchange) -> tuple[float, float]:
    """An upper bound on what a change adds to the cost, infinite if no way may be left, and the size of what was compared.

    If the bound is above zero, it may be less than the most: the search for more then stops.
    """
    return _Losses(open_choices, change).total()


class _Losses:
    """One change."""

    def __init__(self, open_choices: OpenChoices, change: Exchange) -> None:
        self.open_choices, self.change = open_choices, change
        self.context = PresolveContext(open_choices, [change.gone])

    def total(self) -> tuple[float, float]:
        """The sum over charges and steps, with the additions that pay.

        Steps that may gain come first; of the others none has a loss below nothing, so that enough of it ends the sum.
        """
        loss = least = self._charged()
        plain: list[float] = []
        added: dict[str, dict[int, float]] = defaultdict(dict)
        for loses, step in self._in_order():
            most = CERTAIN * self.context.scale - least if loses else NO_WAY
            worst, by_addition = self._step(step, loses=loses, most=most)
            if worst == NO_WAY and not by_addition:
                return NO_WAY, 0.0
            lost = min((worst, *by_addition.values()))
            least += lost
            if lost > most:
                return least, max(self.context.scale, least)
            for name, cost in by_addition.items():
                added[name][len(plain)] = cost
            plain.append(worst)
        for name in sorted(added):
            loss += self._add(name, added[name], plain)
        return loss + sum(plain), max(self.context.scale, abs(loss))

    def _in_order(self) -> list[tuple[bool, OpenStep]]:
        """The steps that what goes may answer, each with whether it can only lose; a short one tells sooner of no way."""
        steps = [step for step in self.open_choices.steps_of.get(self.change.gone, ()) if step.modes[self.change.gone]]
        found = [(self._can_do_without(step), step) for step in steps]
        return sorted(found, key=lambda each: (each[0], len(each[1].every)))

    def _charged(self) -> float:
        """Charges that come less those that go."""
        loss = 0.0
        for when, cost in self.open_choices.charges.get(self.change.gone, ()):
            if cost < 0 or self.context.certain.issuperset(when):
                loss -= cost
        for when, cost in self.open_choices.charges.get(self.change.instead or "", ()):
            if cost > 0 or len(when) == 1:
                loss += cost
        return loss

    def _add(self, name: str, costs: dict[int, float], plain: list[float]) -> float:
        """Add a structure if that pays: the losses become smaller; gives its upkeep."""
        upkeep = self.open_choices.addition_upkeep(name)
        assert upkeep is not None, "only additions are tried"
        if sum(max(plain[place] - cost, 0.0) for place, cost in costs.items()) <= upkeep:
            return 0.0
        for place, cost in costs.items():
            plain[place] = min(plain[place], cost)
        return upkeep

    def _step(self, step: OpenStep, *, loses: bool, most: float) -> tuple[float, ByAddition]:
        """The most a step loses, without an addition and with each; below zero only where it cannot go on as it did.

        `loses`: it can go on so. A loss above `most` need not be the most there is.
        """
        found = list[tuple[float, ByAddition]]()
        for mode in step.modes[self.change.gone]:
            direct, more = self._mode(step, mode)
            if (least := min((direct, *more.values()))) > most or least == NO_WAY:
                return least, {}
            found.append((direct, more))
        worst = max(direct for direct, _ in found)
        names = {name for _, additions in found for name in additions}
        by_addition = {name: max(min(direct, more.get(name, NO_WAY)) for direct, more in found) for name in names}
        if loses:
            worst, by_addition = max(worst, 0.0), {name: max(cost, 0.0) for name, cost in by_addition.items()}
        return worst, {name: cost for name, cost in by_addition.items() if cost < worst}

    def _can_do_without(self, step: OpenStep) -> bool:
        """Whether a step may have been answered without what goes: then nothing is certain to be saved in it."""
        gone, allows = self.change.gone, self.context.allows
        return any(gone not in mode.needs and all(map(allows, mode.needs)) for mode in step.every)

    def _mode(self, step: OpenStep, mode: Mode) -> tuple[float, ByAddition]:
        """What answering by the best other mode costs more than by this one: without addition, and with each."""
        gone = self.change.gone
        known = self.open_choices.certain(mode) - {gone}
        if self.change.instead is not None:
            known |= {self.change.instead}
        best, additions = NO_WAY, ByAddition()
        by_group: dict[str, dict[str, float]] = defaultdict(dict)
        for other in self._candidates(step, known):
            missing = step.needs[id(other)] - known
            if len(missing) > 1 or gone in missing or not self._stays_possible(other, mode):
                continue
            chosen = next(iter(missing), "")
            more = self.context.more(other, mode, chosen=chosen, gone=gone)
            if not missing:
                best = min(best, more)
            elif self.open_choices.addition_upkeep(chosen) is not None:
                additions[chosen] = min(additions.get(chosen, NO_WAY), more)
            else:
                for group in self.open_choices.groups_of.get(chosen, ()):
                    costs = by_group[group.name]
                    costs[chosen] = min(costs.get(chosen, NO_WAY), more)
        for group_name, costs in by_group.items():
            best = min(best, self._whichever(group_name, costs))
        return best, additions

    def _candidates(self, step: OpenStep, known: Names) -> list[Mode]:
        """Modes that may be possible: for swaps those near at hand, for mere removals all."""
        if self.change.instead is None:
            return step.every
        near = [mode for name in ("", *known) for mode in step.modes.get(name, ())]
        return list({id(mode): mode for mode in near}.values()) if len(known) > 1 else near

    def _stays_possible(self, other: Mode, mode: Mode) -> bool:
        """Whether nothing that `other` excludes can be chosen where `mode` was possible."""
        return all(
            name in mode.without or name == self.change.gone or not self.open_choices.alive(name)
            for name in other.without
        )

    def _whichever(self, group_name: str, costs: dict[str, float]) -> float:
        """The worst over all alternatives of an exact group that may be chosen; without end when one has no way."""
        if self.open_choices.groups[group_name].optional:
            return NO_WAY
        members = self.open_choices.members[group_name]
        possible = [name for name in members if name != self.change.gone and self.context.allows(name)]
        return max((costs.get(name, NO_WAY) for name in possible), default=NO_WAY)
