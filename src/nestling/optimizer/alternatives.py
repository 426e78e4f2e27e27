"""The lowest cost of each rejected alternative of a decision, if the rest of the design adapts to it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from nestling.common import errors
from nestling.ir.design_problem import DesignProblem, Group, Limit, Solution
from nestling.optimizer.allowance import Allowance, allowance
from nestling.optimizer.components import components
from nestling.optimizer.corrections import MOST_ROUNDS, LookResult
from nestling.optimizer.evaluate import evaluate
from nestling.optimizer.solve import attempt


@dataclass(frozen=True, slots=True)
class OtherChoice:
    """An alternative choice for a group: a structure, or None for none of its structures.

    `cost`: of the whole design, None if the choice is not allowed. `chosen`: the structures of the best design with it, in the
    part of the problem that touches the group. `checked`: whether its queries were examined.
    """

    structure: str | None
    cost: float | None
    proved: bool
    chosen: frozenset[str] = frozenset()
    checked: bool = True


def alternatives(
    problem: DesignProblem, solution: Solution, group: str, *, allowed: Allowance | None = None
) -> tuple[OtherChoice, ...]:
    """The alternatives of a group that were not chosen, cheapest first, those not allowed last.

    Only the part of the problem that touches the group is solved again. Alternatives beyond the allowance `allowed` are
    omitted.
    """
    return alternatives_within(part_of(problem, group), solution, group, allowed or allowance())


def alternatives_within(
    part: DesignProblem, solution: Solution, group: str, allowed: Allowance, *, by_queries: bool = True
) -> tuple[OtherChoice, ...]:
    """The alternatives of a group that were not chosen, given a connected part of the problem and its solution.

    `by_queries`: whether they are priced by their compiled queries.
    """
    decision = group_named(part, group)
    others: list[str | None] = [name for name in decision.among if name not in solution.chosen]
    if decision.optional and choice(decision, solution.chosen) is not None:
        others.append(None)
    if not others or not allowed.suffices(part):
        return ()
    here = frozenset(structure.id for structure in part.structures)
    found = [_alternative(part, decision, other, allowed, by_queries) for other in others]
    now = evaluate(allowed.corrections.applied(part), solution.chosen & here)
    assert now is not None, "the solution is one of this problem"
    elsewhere = solution.cost - now.cost
    known = [
        replace(each, cost=each.cost + elsewhere if each.cost is not None else None)
        for each in found
        if each is not None
    ]
    return tuple(sorted(known, key=lambda found: (found.cost is None, found.cost, found.structure or "")))


def _alternative(
    part: DesignProblem, group: Group, structure: str | None, allowed: Allowance, by_queries: bool
) -> OtherChoice | None:
    """One alternative with the part's cost, by the prices of its queries; None if the allowance is not enough."""
    found: OtherChoice | None = None
    for _ in range(MOST_ROUNDS):
        problem = allowed.corrections.applied(part)
        seconds = allowed.take(problem)
        if seconds is None:
            break
        try:
            solution = attempt(
                problem_with_forced(problem, group, structure),
                limit_seconds=seconds,
                any_of_equals=True,
                solved=allowed.solved,
            )
        except errors.SearchError:
            break
        if solution is None:
            return OtherChoice(structure, None, proved=True)
        check = allowed.corrections.check(part, solution.chosen) if by_queries else LookResult.NO_TIME
        found = OtherChoice(
            structure, solution.cost, solution.proved, solution.chosen, checked=check is LookResult.FINE
        )
        if check is not LookResult.DEARER:
            break
    return found


def problem_with_forced(problem: DesignProblem, group: Group, structure: str | None) -> DesignProblem:
    """The problem with one structure of a group forced, or with none of them."""
    if structure is not None:
        return replace(problem, groups=(*problem.groups, Group(f"{group.name}: {structure}", (structure,))))
    none = Limit(f"none of {group.name}", tuple(((name,), 1.0) for name in group.among), 0.0)
    return replace(problem, limits=(*problem.limits, none))


def group_named(problem: DesignProblem, name: str) -> Group:
    """The group with that name. Raises `SearchError` if there is none."""
    for group in problem.groups:
        if group.name == name:
            return group
    raise errors.SearchError(errors.unknown("decision", name, [group.name for group in problem.groups]))


def part_of(problem: DesignProblem, group: str) -> DesignProblem:
    """The connected part a group belongs to."""
    decision = group_named(problem, group)
    return next(part for part in components(problem) if decision in part.groups)


def choice(group: Group, chosen: frozenset[str]) -> str | None:
    """A solution's choice for a group."""
    return next((name for name in group.among if name in chosen), None)
