"""Modes that another mode of the same step beats wherever they are possible are dropped."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from nestling.ir.design_problem import Group, Mode, StatementStep
from nestling.optimizer.implications import Names
from nestling.optimizer.presolve.reduced import Reduced

NO_STRUCTURES: Names = frozenset()


@dataclass(frozen=True, slots=True)
class _Simple:
    """A mode whose conditions are sets, and whose further costs depend on nothing it fixes itself."""

    mode: Mode
    needs: Names
    without: Names  # and what a needed structure excludes
    also: Mapping[str, float]


def dominance(reduced: Reduced) -> Reduced:
    """Drop impossible and beaten modes from every step; of equals the first stays."""
    problem = reduced.problem
    rivals = _rivals(problem.groups)
    steps = tuple(_undominated(step, rivals) for step in problem.steps)
    return replace(reduced, problem=replace(problem, steps=steps))


def _rivals(groups: tuple[Group, ...]) -> Mapping[str, Names]:
    """For every structure of a group, the structures that cannot be chosen beside it."""
    found: dict[str, set[str]] = defaultdict(set)
    for group in groups:
        for structure in group.among:
            found[structure].update(group.among)
    return {structure: frozenset(names - {structure}) for structure, names in found.items()}


def _undominated(step: StatementStep, rivals: Mapping[str, Names]) -> StatementStep:
    kept: list[_Simple] = []
    for mode in sorted(_simple_modes(step, rivals), key=lambda simple: (simple.mode.cost, len(simple.needs))):
        if not any(_beats(other, mode) for other in kept):
            kept.append(mode)
    return StatementStep(step.statement, step.name, tuple([simple.mode for simple in kept]))


def _simple_modes(step: StatementStep, rivals: Mapping[str, Names]) -> Iterator[_Simple]:
    for mode in step.modes:
        needs = frozenset(mode.needs)
        without = frozenset(mode.without).union(*[rivals.get(name, NO_STRUCTURES) for name in needs])
        if not needs.isdisjoint(without):
            continue  # impossible
        cost, also = mode.cost, dict[str, float]()
        for name, extra in mode.also:
            if name in needs:
                cost += extra
            elif extra and name not in without:
                also[name] = also.get(name, 0.0) + extra
        simple = Mode(mode.text, tuple(sorted(needs)), cost, tuple(sorted(also.items())), tuple(sorted(mode.without)))
        yield _Simple(simple, needs, without, also)


def _beats(one: _Simple, other: _Simple) -> bool:
    """Whether `one` is possible wherever `other` is, and costs no more there whatever else is chosen."""
    if not (one.needs <= other.needs and one.without <= other.without):
        return False
    if not one.also and not other.also:
        return one.mode.cost <= other.mode.cost
    extra = sum(cost for name, cost in one.also.items() if name in other.needs)
    open_names = (one.also.keys() | other.also.keys()) - other.needs - other.without
    worst = sum(max(0.0, one.also.get(name, 0.0) - other.also.get(name, 0.0)) for name in open_names)
    return one.mode.cost + extra + worst <= other.mode.cost
