"""How modes compare wherever some structures are chosen: by how much one can cost more than another at most."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from nestling.ir.design_problem import Mode
from nestling.optimizer.implications import Names, Picks
from nestling.optimizer.presolve.open_choices import OpenChoices

CERTAIN = 1e-9
"""How much of what is compared has to be saved, so that rounding never decides."""


class PresolveContext:
    """The choices that have certain structures. `scale` grows with the numbers compared, to measure rounding against.

    Bounds are looked up once: nothing may be left out of the problem while a context is in use.
    """

    def __init__(self, open_choices: OpenChoices, chosen: Iterable[str]) -> None:
        self.open_choices, names = open_choices, list(chosen)
        self.picks: Picks = open_choices.known.together(names) or {}
        self.certain: Names = frozenset[str]().union(*map(open_choices.known.implied, names))
        self.scale = 0.0
        self._allowed: dict[str, bool] = {}
        self._most: dict[tuple[str, str], float] = {}
        self._least: dict[str, float] = {}

    def allows(self, name: str) -> bool:
        """Whether a structure can be chosen too."""
        found = self._allowed.get(name)
        if found is None:
            found = self._allowed[name] = self.open_choices.known.allows(self.picks, name)
        return found

    def more(self, other: Mode, mode: Mode, *, chosen: str = "", gone: str = "") -> float:
        """The most `other` costs more than `mode`, `other` where `chosen` is chosen too and `gone` is not any more."""
        self.scale = max(self.scale, abs(mode.cost), abs(other.cost))
        more = other.cost - mode.cost
        if other.also or mode.also:
            more += _more_also(other, mode)
        if not other.loads and not mode.loads:
            return more
        ours, theirs = dict(other.loads), dict(mode.loads)
        for load in ours | theirs:
            now, before = ours.get(load, 0.0), theirs.get(load, 0.0)
            bound = self._load_most(load, chosen) if now > before else self._load_least(load)
            more += (now - before) * bound - now * self.open_choices.amount(load, gone)
            self.scale = max(self.scale, abs(before * bound), abs(now * bound))
        return more

    def _load_most(self, load: str, chosen: str) -> float:
        key = load, chosen
        if key not in self._most:
            picks = {**self.picks, **(self.open_choices.known.picks(chosen) or {})} if chosen else self.picks
            self._most[key] = self.open_choices.most(load, picks)
        return self._most[key]

    def _load_least(self, load: str) -> float:
        if load not in self._least:
            self._least[load] = self.open_choices.least(load, self.certain)
        return self._least[load]


def _more_also(other: Mode, mode: Mode) -> float:
    """The most that further structures add to `other` more than to `mode`."""
    costs: dict[str, float] = defaultdict(float)
    for name, cost in other.also:
        costs[name] += cost
    for name, cost in mode.also:
        costs[name] -= cost
    return sum(max(cost, 0.0) for cost in costs.values())
