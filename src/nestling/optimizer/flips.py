"""Flip points: the nearest value of a quantity, below and above, at which another alternative is best.

The best cost as a function of a rate is the lower envelope of straight lines, one per choice, so it is concave. Where the lines
of two known choices cross, either nothing is cheaper, and the crossing is a corner of the envelope, or something is, and the
question splits in two [Eisner and Severance]. So every corner is found and proved by finitely many solves, and the nearest one
at which the decision changes is the answer. The queries of the choices on the way, and of those just before and beyond the
answer, are examined, and their extra costs are used in all solves: corrections only add cost, so a choice that pays none of
them stays the best. For quantities whose costs are not straight lines, crossings are found by bisection. Every answer is still
checked by solving, but a corner in between may be missed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

from nestling.common import errors
from nestling.ir.design_problem import Charge, DesignProblem, Solution, StatementStep, Turn
from nestling.ir.rate import factor_between
from nestling.optimizer.allowance import Allowance, allowance
from nestling.optimizer.alternatives import choice, group_named, problem_with_forced
from nestling.optimizer.components import structures_touched
from nestling.optimizer.corrections import MOST_ROUNDS, LookResult
from nestling.optimizer.evaluate import evaluate
from nestling.optimizer.preference import tie_limit
from nestling.optimizer.solve import attempt, is_proved

HALVINGS = 60
"""Enough to find a crossing to the last digits of a number."""

STRAIGHT = 1e-6
"""How close to zero the crossing of two straight lines must be, relative to the costs' difference at the ends."""

FACTOR = 1e3
"""How many times the present rate is looked up to."""

LOOKED_AROUND_SHARE = 0.02
"""How far before and beyond a flip the queries of both choices are looked at, as a share of its rate."""

LOOKED_BEYOND_SHARE = 0.02
"""How much further than where a known choice overtakes the present one the decision is looked at, as a share of that rate."""


class Impossible:
    """Where no choice is allowed."""


@dataclass(frozen=True, slots=True)
class Corner:
    """A value of the quantity, and the best choice there; `before`: the best one up to there, where another begins.

    `checked`: whether their queries were looked at.
    """

    at: float
    chosen: frozenset[str]
    before: frozenset[str] = frozenset()
    checked: bool = True


@dataclass(slots=True)
class FlipSearch:
    """Results so far: the best choice by the quantity's value, and the cost of each examined choice there.

    `revision`: the number of corrections at that time. `ends`: values up to which the search went.
    """

    best: dict[float, Corner] = field(default_factory=dict)
    costs: dict[tuple[float, frozenset[str]], float] = field(default_factory=dict)
    revision: int = 0
    ends: set[float] = field(default_factory=set)


Corners = dict[str, FlipSearch]
"""Results for a part, by statement."""


def known_corners(part: DesignProblem, chosen: frozenset[str]) -> Corners:
    """The present rates, at which the best choice is known."""
    here = frozenset(structure.id for structure in part.structures) & chosen
    return {statement: FlipSearch({rate: Corner(rate, here)}) for statement, rate in part.rates.items()}


def flip(
    problem_at: Callable[[float], DesignProblem],
    now: float,
    group: str,
    *,
    quantity: str,
    low: float,
    high: float,
    solves: int = 40,
    allowed: Allowance | None = None,
    known: FlipSearch | None = None,
) -> tuple[Turn, ...]:
    """The nearest flips of a decision below and above `now`; none if it does not change down to `low` or up to `high`.

    `problem_at` gives the problem at a value of the quantity. `allowed` is for both sides, `solves` for each; a side that needs
    more is omitted. `known` keeps results.
    """
    found = []
    left, known = allowed or allowance(), FlipSearch() if known is None else known
    for end in (low, high):
        search = _Search(problem_at, group, left, solves, known, now)
        if end != now and (corner := search.confirmed(end)) is not None:
            found.append(Turn(quantity, now, corner.at, search.choice(corner), corner.checked))
    return tuple(found)


def rate_flips(
    part: DesignProblem,
    group: str,
    *,
    statements: Iterable[str] | None = None,
    solves: int = 40,
    allowed: Allowance | None = None,
    corners: Corners | None = None,
) -> tuple[Turn, ...]:
    """The flips of a decision of a connected part by the rate of each statement that touches it, nearest first.

    Rates are executions per second. Whatever exceeds `allowed` is omitted. `corners` keeps results for other decisions of this
    part.
    """
    found, allowed = list[Turn](), allowed or allowance()
    for statement in statements if statements is not None else touching(allowed.corrections.applied(part), group):
        now = part.rates[statement]

        def at(rate: float, statement: str = statement) -> DesignProblem:
            return allowed.corrections.applied(part).with_rate(statement, rate)

        found += flip(
            at,
            now,
            group,
            quantity=f"rate of {statement}",
            low=0.0,
            high=(now or 1.0) * FACTOR,
            solves=solves,
            allowed=allowed,
            known=corners.setdefault(statement, FlipSearch()) if corners is not None else None,
        )
    return tuple(sorted(found, key=lambda flip: (factor_between(flip.now, flip.at), flip.quantity)))


def near_flips(
    part: DesignProblem,
    group: str,
    crossings: Mapping[str, float],
    *,
    solves: int,
    allowed: Allowance,
    corners: Corners,
) -> tuple[Turn, ...]:
    """The flips between the present rates and just beyond the point where a known choice overtakes the present one, by statement.

    At that point another choice may be better than both: only a decision that has changed by then is reported, at the nearest
    proved corner.
    """
    found = []
    for statement, crossing in crossings.items():
        now, known = part.rates[statement], corners.setdefault(statement, FlipSearch())

        def at(rate: float, statement: str = statement) -> DesignProblem:
            return allowed.corrections.applied(part).with_rate(statement, rate)

        search = _Search(at, group, allowed, solves, known, now)
        end = crossing * (1 + (LOOKED_BEYOND_SHARE if crossing > now else -LOOKED_BEYOND_SHARE))
        corner = search.confirmed(end)
        near, far = search.best(now), search.best(end)
        if corner is None and near is not None and far is not None and search.choice(near) != search.choice(far):
            corner = replace(far, at=crossing, before=near.chosen, checked=False)
        if corner is not None:
            found.append(Turn(f"rate of {statement}", now, corner.at, search.choice(corner), corner.checked))
    return tuple(found)


def touching(problem: DesignProblem, group: str) -> tuple[str, ...]:
    """The statements that cost something else depending on the decision."""
    among = frozenset(group_named(problem, group).among)
    priced: chain[StatementStep | Charge] = chain(problem.steps, problem.charges)
    loads = {load.name: tuple(structures_touched(load)) for load in problem.loads}
    found = {element.statement for element in priced if not among.isdisjoint(structures_touched(element, loads))}
    return tuple(sorted(found & problem.statements))


@dataclass(slots=True)
class _Search:
    """One side's search; counts its solves. `way`: corners on the way to the last found at which the decision stays."""

    problem_at: Callable[[float], DesignProblem]
    group: str
    allowed: Allowance
    solves_left: int
    known: FlipSearch
    now: float
    way: list[Corner] = field(default_factory=list)

    def best(self, value: float) -> Corner | None:
        """Solve at a value; None if that cannot be proved within the remaining solves and time."""
        self._forget_dearer()
        if value not in self.known.best:
            self.solves_left -= 1
            problem = self.problem_at(value)
            seconds = self.allowed.take(problem) if self.solves_left >= 0 else None
            if seconds is None:
                return None
            try:
                solution = attempt(problem, limit_seconds=seconds, any_of_equals=True, solved=self.allowed.solved)
            except errors.SearchError:
                return None
            if solution is None or not solution.proved:
                return None
            self.known.best[value] = Corner(value, solution.chosen)
            self.known.costs[value, solution.chosen] = solution.cost
        return self.known.best.get(value)

    def _forget_dearer(self) -> None:
        """Forget results that new corrections make more expensive; all others are still the best.

        The present choice is kept, as are cheaper ones at an end: the point where one overtakes the present choice is examined
        again.
        """
        revision = self.allowed.corrections.revision
        if self.known.revision == revision:
            return
        before, now = self.known.costs, dict[tuple[float, frozenset[str]], float]()
        self.known.costs, self.known.revision = now, revision
        present = self.known.best.get(self.now)
        for value, corner in tuple(self.known.best.items()):
            cost, dearer = before.get((value, corner.chosen)), self._cost(value, corner)
            is_end = value in self.known.ends and present is not None and dearer < self._cost(value, present)
            if value != self.now and not is_end and (cost is None or tie_limit(cost) < dearer):
                del self.known.best[value]

    def confirmed(self, end: float) -> Corner | None:
        """The nearest corner up to a value at which the decision changes, with both choices examined next to it."""
        for _ in range(MOST_ROUNDS):
            self.way.clear()
            self.known.ends.add(end)
            near, far, revision = self.best(self.now), self.best(end), self.allowed.corrections.revision
            corner = self.nearest(near, far)
            if corner is not None and self.allowed.corrections.revision == revision:
                corner = self._looked_at(corner, beyond=LOOKED_AROUND_SHARE if end > self.now else -LOOKED_AROUND_SHARE)
            if self.allowed.corrections.revision == revision:
                return corner
        return None

    def _looked_at(self, corner: Corner, *, beyond: float) -> Corner | None:
        """Examine the corner: the choices on the way to it, and its own two, where they are best.

        None if the present decision costs the same beyond it.
        """
        there = corner.at * (1 + beyond)
        looked = [(corner.before, corner.at * (1 - beyond)), (corner.chosen, there)]
        looked += [(each.chosen, each.at) for each in self.way if (each.at < corner.at) == (beyond > 0)]
        checks = [self.allowed.corrections.check(self.problem_at(value), chosen) for chosen, value in looked]
        if LookResult.DEARER in checks:
            return corner
        kept = self._best_at(there, replace(corner, chosen=corner.before))
        if kept is None:
            return replace(corner, checked=False)
        if isinstance(kept, Solution):
            if is_proved(kept.bound, self._cost(there, corner)):
                return None
            checks.append(self.allowed.corrections.check(self.problem_at(there), kept.chosen))
        return replace(corner, checked=LookResult.NO_TIME not in checks)

    def _best_at(self, value: float, corner: Corner) -> Solution | Impossible | None:
        """The best choice with a corner's decision at a value; None if there was no time."""
        problem = self.problem_at(value)
        seconds = self.allowed.take(problem)
        if seconds is None:
            return None
        decided = problem_with_forced(problem, group_named(problem, self.group), self.choice(corner))
        try:
            solution = attempt(decided, limit_seconds=seconds, any_of_equals=True, solved=self.allowed.solved)
        except errors.SearchError:
            return None
        return solution if solution is not None else Impossible()

    def choice(self, corner: Corner) -> str | None:
        """The decision at a corner."""
        return choice(group_named(self.problem_at(corner.at), self.group), corner.chosen)

    def nearest(self, near: Corner | None, far: Corner | None) -> Corner | None:
        """The corner nearest to `near` at which the decision differs from there; None if none is found."""
        if near is None or far is None or near.chosen == far.chosen:
            return None  # one straight line at both ends of a concave curve is the whole curve
        at = self._crossing(near, far)
        if at is None:
            return None
        between = self.best(at)
        if between is None:
            return None
        if at in (near.at, far.at) or tie_limit(self._cost(at, between)) >= self._cost(at, near):
            turned = self.choice(far) != self.choice(near)
            return Corner(at, far.chosen, near.chosen) if turned else None
        first = self.nearest(near, between)
        if first is not None:
            return first
        self.way.append(between)
        return self.nearest(between, far)

    def _cost(self, value: float, corner: Corner) -> float:
        """The cost of a corner's choice at a value."""
        key = value, corner.chosen
        if key not in self.known.costs:
            found = evaluate(self.problem_at(value), corner.chosen)
            self.known.costs[key] = found.cost if found is not None else float("inf")
        return self.known.costs[key]

    def _crossing(self, near: Corner, far: Corner) -> float | None:
        """Where the choice at `far` becomes as cheap as the one at `near`; None if that is nowhere between."""

        def lead(value: float) -> float:
            return self._cost(value, far) - self._cost(value, near)

        start, end = near.at, far.at
        ahead, behind = lead(start), lead(end)
        if not ahead > 0 > behind:
            return None
        straight = start + (end - start) * ahead / (ahead - behind) if ahead < float("inf") else start
        if abs(lead(straight)) <= STRAIGHT * min(ahead, -behind):
            return straight
        for _ in range(HALVINGS):
            middle = (start + end) / 2
            start, end = (middle, end) if lead(middle) > 0 else (start, middle)
        return end
