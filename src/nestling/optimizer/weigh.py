"""Compares the alternatives of every decision of a solution: their costs and the flip points, as far as time allows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from nestling.ir.design_problem import CHANGE, DesignProblem, Group, Solution, Turn, Weighing
from nestling.ir.rate import factor_between
from nestling.optimizer.allowance import Allowance, allowance
from nestling.optimizer.alternatives import OtherChoice, alternatives_within, choice
from nestling.optimizer.components import components, structures_touched
from nestling.optimizer.corrections import Corrections, Look, nothing_to_look_at
from nestling.optimizer.evaluate import TOLERANCE, applies, best_mode, evaluate, load_values
from nestling.optimizer.flips import Corners, known_corners, near_flips, rate_flips
from nestling.optimizer.surroundings import Surroundings


@dataclass(frozen=True, slots=True)
class WeighResult:
    """The result of weighing, the groups that exceeded the allowance, and whether time ran out.

    `nearby`: groups whose alternatives change only their surroundings.
    """

    weighings: tuple[Weighing, ...]
    left_out: tuple[str, ...]
    time_was_up: bool
    nearby: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on what could not be compared."""
        every = len(self.weighings) + len(self.left_out)
        found = []
        if self.left_out:
            found.append(
                f"{len(self.left_out)} of {every} decisions have no prices for their alternatives, which would take"
                " too long to compute (those that matter most come first); what is chosen does not depend on it"
            )
        if self.nearby:
            found.append(
                f"for {len(self.nearby)} of {every} decisions, an alternative is priced with only its surroundings"
                " chosen anew: the best design with it may cost less, and when these decisions would flip is not"
                " known"
            )
        if self.time_was_up:
            found.append("time ran out while alternatives were weighed: raise --time-limit to see more of them")
        return tuple(found)


SOLVES = 12
"""Solves spent on each side of one quantity's flips."""
LEAST_FLIP_SHARE = 1e-6
"""A flip point below this share of the present rate counts as none."""
MOST_MODES_SOLVED_AGAIN = 1_000
"""Parts with more modes than this are not solved again for each alternative."""
MODES = 400_000.0
"""Modes solved over for all alternatives: some seconds."""
NOTHING_BUILT: Mapping[str, frozenset[str]] = MappingProxyType({})
FLIP_SHARE = 0.1
"""The share of `MODES` that may be solved over additionally for all flip points."""


def weigh(
    problem: DesignProblem,
    solution: Solution,
    groups: Iterable[str],
    *,
    limit_seconds: float,
    modes: float = MODES,
    built: Mapping[str, frozenset[str]] = NOTHING_BUILT,
    look: Look = nothing_to_look_at,
) -> WeighResult:
    """Weigh the groups as far as the allowance goes.

    First come the alternatives, beginning with what was chosen, most expensive first; then the flip points, for decisions that
    have an alternative and where something was chosen. `limit_seconds` is a last resort: as long as it suffices, the results
    depend only on `modes`. `look` says what the queries of a choice cost beyond the problem's prices. `built`: structures that
    exist whatever is chosen, each with those that replace it if chosen. In a large part, an alternative changes only its
    surroundings, no queries are examined and no flip points are computed.
    """
    wanted = dict.fromkeys(groups)
    parts = {group.name: (group, part) for part in components(problem) for group in part.groups}
    chosen = {name for name in wanted if choice(parts[name][0], solution.chosen) is not None}
    nearby = {name for name in wanted if is_large(parts[name][1])}
    around = _Around(solution.chosen)
    corrections = Corrections(solution.chosen, look)
    left = allowance(limit_seconds, modes=modes, corrections=corrections)
    costs = _paid_through(problem, solution.chosen)
    weighed: dict[str, Weighing] = {}
    for name in sorted(wanted, key=lambda name: (name not in chosen, -costs[name])):
        group, part = parts[name]
        whole = around.of(part, group) if name in nearby else part
        others = alternatives_within(whole, solution, name, left, by_queries=name not in nearby)
        if name in nearby:  # what is not allowed with all else as it is may be with more of it changed
            others = tuple(each for each in others if each.cost is not None)
        if others:
            weighed[name] = _weighing(group, corrections.applied(whole), solution, others, built)
    weighed = {name: weighed[name] for name in sorted(wanted, key=lambda name: name not in chosen) if name in weighed}
    flips = _FlipPoints(solution, chosen, corrections, replace(left, modes=modes * FLIP_SHARE))
    for name, weighing in weighed.items():
        if name not in nearby:
            weighed[name] = flips.added(parts[name][1], weighing)
    left_out = tuple(name for name in wanted if name not in weighed)
    out_of_time = left.time_was_up or flips.left.time_was_up
    return WeighResult(
        tuple(weighed.values()), left_out, out_of_time, tuple(name for name in weighed if name in nearby)
    )


def _paid_through(problem: DesignProblem, chosen: frozenset[str]) -> Mapping[str, float]:
    """By group, the seconds a second of the steps and charges that depend on it, in a choice."""
    loads, members = (
        load_values(problem, chosen),
        {load.name: tuple(structures_touched(load)) for load in problem.loads},
    )
    paid: dict[str, float] = defaultdict(float)
    for step in problem.steps:
        best = best_mode(step, chosen, loads)
        seconds = problem.rates[step.statement] * best[1] if best is not None else 0.0
        for name in dict.fromkeys(structures_touched(step, members)):
            paid[name] += seconds
    for charge in problem.charges:
        for name in charge.when if applies(charge, chosen) else ():
            paid[name] += problem.rates[charge.statement] * charge.cost
    return {group.name: max((paid[name] for name in group.among), default=0.0) for group in problem.groups}


def _weighing(
    group: Group,
    part: DesignProblem,
    solution: Solution,
    others: tuple[OtherChoice, ...],
    built: Mapping[str, frozenset[str]],
) -> Weighing:
    """The alternatives of a group with their costs and causes; `part`: the priced part of the problem that they change."""
    return Weighing(
        group.name,
        tuple((each.structure, each.cost) for each in others),
        causes=tuple(_causes(part, solution, others)),
        come=tuple(come_instead(part, solution, other, group) for other in others),
        dropped=_dropped(part, solution, group, built),
        unchecked=tuple(each.structure for each in others if not each.checked),
    )


@dataclass
class _Around:
    """The surroundings of groups in large parts, by the name of the part's first group, which no other part has."""

    chosen: frozenset[str]
    parts: dict[str, Surroundings] = field(default_factory=dict)

    def of(self, part: DesignProblem, group: Group) -> DesignProblem:
        """What an alternative of the group changes of its part."""
        name = part.groups[0].name
        if name not in self.parts:
            self.parts[name] = Surroundings(part, self.chosen)
        return self.parts[name].of(group)


@dataclass
class _FlipPoints:
    """Finds flip points; the decisions of one part share the corners at which they flip (by the name of its first group)."""

    solution: Solution
    chosen: set[str]
    corrections: Corrections
    left: Allowance
    corners: dict[str, Corners] = field(default_factory=lambda: defaultdict(dict))

    def added(self, part: DesignProblem, weighing: Weighing) -> Weighing:
        """The weighing with its flip points, if an alternative has a cost."""
        if all(cost is None for _, cost in weighing.alternatives):
            return weighing
        known = self.corners[part.groups[0].name]
        if not known and self.solution.proved:
            known = self.corners[part.groups[0].name] = known_corners(part, self.solution.chosen)
        name, is_chosen = weighing.group, weighing.group in self.chosen
        turns = rate_flips(part, name, solves=SOLVES, allowed=self.left, corners=known) if is_chosen else ()
        missing = _crossings(self.corrections.applied(part), self.solution, weighing, turns)
        more = near_flips(part, name, missing, solves=SOLVES, allowed=self.left, corners=known)
        return replace(weighing, turns=(*turns, *more))


def is_large(part: DesignProblem) -> bool:
    """Whether a part is too large to be solved again for each alternative."""
    return sum(len(step.modes) for step in part.steps) > MOST_MODES_SOLVED_AGAIN


def _crossings(
    part: DesignProblem, solution: Solution, weighing: Weighing, turns: Iterable[Turn]
) -> Mapping[str, float]:
    """By statement, the rate at which an alternative overtakes the present design.

    The nearest above and below, if no flip is known there; a design's cost is a straight line over a rate.
    """
    known, own = {turn.at > turn.now for turn in turns}, part.statements
    nearest: dict[bool, tuple[float, str, float]] = {}
    for (_, cost), differences in zip(weighing.alternatives, weighing.causes, strict=True):
        for statement, seconds in differences if cost is not None else ():
            if statement not in own:
                continue
            now = part.rates[statement]
            at = now * (1 - ((cost or 0.0) - solution.cost) / seconds) if seconds else 0.0
            if at > LEAST_FLIP_SHARE * now and (at > now) not in known:
                each = (factor_between(now, at), statement, at)
                nearest[at > now] = min(nearest.get(at > now, each), each)
    return {statement: at for _, statement, at in nearest.values()}


def _causes(
    part: DesignProblem, solution: Solution, others: tuple[OtherChoice, ...]
) -> Iterator[tuple[tuple[str, float], ...]]:
    """For each alternative, its extra cost per second by statement, largest difference first."""
    now = dict(statement_costs(part, solution.chosen))
    for other in others:
        then = statement_costs(part, other.chosen) if other.cost is not None else ()
        differences = [(name, part.rates[name] * (cost - now[name])) for name, cost in then if cost != now[name]]
        yield tuple(sorted(differences, key=lambda each: (-abs(each[1]), each[0])))


def come_instead(part: DesignProblem, solution: Solution, other: OtherChoice, weighed: Group) -> tuple[str, ...]:
    """The structures of an alternative that were not chosen.

    Any of several equal designs may be found: decisions that may as well stay as they were are taken as they were.
    """
    if other.cost is None:
        return ()
    left, now = other.chosen, evaluate(part, other.chosen)
    for group in part.groups:
        among = frozenset(group.among)
        if group == weighed or left & among == solution.chosen & among:
            continue
        as_before = (left - among) | (solution.chosen & among)
        then = evaluate(part, as_before)
        if now is not None and then is not None and then.cost <= now.cost * (1 + TOLERANCE):
            left = as_before
    return tuple(sorted(left - solution.chosen))


def _dropped(
    part: DesignProblem, solution: Solution, group: Group, built: Mapping[str, frozenset[str]]
) -> float | None:
    """The cost of the choice without its structure of the group, but with everything that is built anyway.

    The threshold for that change is not included. None if that is not allowed, or if the group's own structure is built anyway.
    """
    if built.keys() & set(group.among):
        return None
    both = [_there(part, chosen, built) for chosen in (solution.chosen, solution.chosen - set(group.among))]
    now, then = (evaluate(part, chosen) for chosen in both)
    if now is None or then is None:
        return None
    thresholds = [
        part.rates[CHANGE] * dict(statement_costs(part, chosen))[CHANGE] if CHANGE in part.rates else 0.0
        for chosen in both
    ]
    return solution.cost - now.cost + then.cost - (thresholds[1] - thresholds[0])


def _there(part: DesignProblem, chosen: frozenset[str], built: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The chosen structures, and those built anyway."""
    besides = {name for name, instead in built.items() if not instead & chosen}
    return (chosen | besides) & {structure.id for structure in part.structures}


def statement_costs(problem: DesignProblem, chosen: frozenset[str]) -> tuple[tuple[str, float], ...]:
    """Seconds per execution of each statement under a choice, in the problem's order."""
    found = dict.fromkeys(problem.rates, 0.0)
    loads = load_values(problem, chosen)
    for step in problem.steps:
        best = best_mode(step, chosen, loads)
        found[step.statement] += best[1] if best is not None else 0.0
    for charge in problem.charges:
        if applies(charge, chosen):
            found[charge.statement] += charge.cost
    return tuple(found.items())
