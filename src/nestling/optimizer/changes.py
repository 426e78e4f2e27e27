"""Steps from one choice to another, largest saving first: what to change in a design in use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nestling.ir.design_problem import Change, DesignProblem
from nestling.optimizer.evaluate import evaluate

DIGITS = 12
"""Decimals of seconds per second below which costs are the same."""
MOST_PAIRED = 40
"""Most decisions of which pairs are tried, because one may pay only with the other: a home with its index."""


@dataclass(frozen=True, slots=True)
class _Unit:
    """The change in one decision."""

    gone: frozenset[str]
    come: frozenset[str]


def changes(problem: DesignProblem, now: frozenset[str], then: frozenset[str]) -> tuple[Change, ...]:
    """The steps from `now` to `then`, each allowed by itself; decisions that depend on each other are made together.

    Removals that save nothing are the last step; an addition that saves nothing by itself is combined with what it prepares. If
    `now` itself is not allowed, nothing is priced.
    """
    current = evaluate(problem, now)
    units = [unit for group in problem.groups if (unit := _unit(group.among, now, then)) is not None]
    if current is None:
        return tuple(_change(unit) for unit in units)
    made: list[Change] = []
    chosen, cost = now, current.cost
    while units:
        possible = list(_steps(problem, units, chosen))
        if len(units) <= MOST_PAIRED:
            possible += _pairs(problem, units, chosen, cost)
        if not possible:
            return (*_joined(made), _rest(problem, units, chosen, cost))
        least, _, step = min(possible, key=lambda each: (round(each[0], DIGITS), len(each[2]), each[1]))
        if round(cost - least, DIGITS) <= 0 and not any(unit.come for unit in units):
            return (*_joined(made), _rest(problem, units, chosen, cost))
        whole = _together(step)
        made.append(_change(whole, cost - least))
        chosen, cost = _after(chosen, whole), least
        units = [unit for unit in units if unit not in step]
    return tuple(_joined(made))


def _joined(made: Sequence[Change]) -> Iterator[Change]:
    """Combine a step that saves nothing by itself with the following ones up to the first that saves something."""
    held: list[Change] = []
    for change in made:
        held.append(change)
        if round(change.gain or 0.0, DIGITS) > 0:
            whole = _together([_Unit(frozenset(each.gone), frozenset(each.come)) for each in held])
            yield _change(whole, sum(each.gain or 0.0 for each in held))
            held = []
    yield from held


def _rest(problem: DesignProblem, units: Sequence[_Unit], chosen: frozenset[str], cost: float) -> Change:
    """All that is left, in one step."""
    rest = _together(units)
    found = evaluate(problem, _after(chosen, rest))
    return _change(rest, cost - found.cost if found is not None else None)


def _change(unit: _Unit, gain: float | None = None) -> Change:
    return Change(tuple(sorted(unit.gone)), tuple(sorted(unit.come)), gain)


def _unit(among: Sequence[str], now: frozenset[str], then: frozenset[str]) -> _Unit | None:
    gone, come = frozenset(among) & (now - then), frozenset(among) & (then - now)
    return _Unit(gone, come) if gone or come else None


def _steps(
    problem: DesignProblem, units: Sequence[_Unit], chosen: frozenset[str]
) -> Iterator[tuple[float, int, tuple[_Unit, ...]]]:
    """The steps that are allowed next: cost after it, place, and the decisions it takes."""
    for place, unit in enumerate(units):
        step = _with_needed(problem, unit, units, chosen)
        found = evaluate(problem, _after(chosen, _together(step)))
        if found is not None:
            yield found.cost, place, step


def _pairs(
    problem: DesignProblem, units: Sequence[_Unit], chosen: frozenset[str], cost: float
) -> Iterator[tuple[float, int, tuple[_Unit, ...]]]:
    """The steps of a change and an addition that save more together than each by itself."""
    alone = {unit: evaluate(problem, _after(chosen, unit)) for unit in units}
    saved = {unit: cost - found.cost if found is not None else 0.0 for unit, found in alone.items()}
    added = [unit for unit in units if unit.come and not unit.gone]
    for place, unit in enumerate(units):
        for other in added if unit.gone else ():
            step = tuple(dict.fromkeys((*_with_needed(problem, unit, units, chosen), other)))
            found = evaluate(problem, _after(chosen, _together(step)))
            if found is not None and round(cost - found.cost - saved[unit] - saved[other], DIGITS) > 0:
                yield found.cost, place, step


def _with_needed(
    problem: DesignProblem, unit: _Unit, units: Sequence[_Unit], chosen: frozenset[str]
) -> tuple[_Unit, ...]:
    """A decision with those that it requires."""
    step = [unit]
    while True:
        after = _after(chosen, _together(step))
        broken = [
            need
            for need in problem.needs
            if need.structure in after and not any(other in after for other in need.any_of)
        ]
        more = [
            other
            for other in units
            if other not in step
            and any(need.structure in other.gone or set(need.any_of) & other.come for need in broken)
        ]
        if not more:
            return tuple(step)
        step += more


def _together(units: Sequence[_Unit]) -> _Unit:
    return _Unit(frozenset().union(*(u.gone for u in units)), frozenset().union(*(u.come for u in units)))


def _after(chosen: frozenset[str], unit: _Unit) -> frozenset[str]:
    return (chosen - unit.gone) | unit.come
