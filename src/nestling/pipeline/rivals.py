"""The designs a design is measured against."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from nestling.ir.proof import ADVISED, YARDSTICKS
from nestling.ir.proposal import Costs, Proposal
from nestling.ir.quantity_words import first_of
from nestling.ir.reading import Reading
from nestling.pipeline.designing import PosedProblem, design, posed_problem, read_proposal, with_users
from nestling.pipeline.least_cost_indexes import with_least_cost_indexes

if TYPE_CHECKING:
    from nestling.cost import Profile
    from nestling.ir.design_problem import DesignProblem, Solution
    from nestling.optimizer.alternatives import OtherChoice

CLOSEST, DEAREST = 2, 3
"""Runner-ups (decisions taken the other way at the least cost) and ablations (at the highest) that are tried."""
WEIGHING_SECONDS = 30.0
"""How long the alternatives of all decisions may be weighed."""
SOLVING_SECONDS = 60.0
"""How long one search may take."""


def rivals(
    reading: Reading,
    proposal: Proposal,
    *,
    files: Iterable[Path | str] = (),
    variants: bool = True,
    random: int = 0,
    seed: int = 0,
    profile: Profile | None = None,
) -> Mapping[str, Proposal]:
    """Return `proposal` and the designs to measure it against, by name. No two of them are the same design.

    - `chosen`: `proposal` itself.
    - `normalized`, `embedded` and `tree`, with the indexes that cost the workload least.
    - a design file under its name (`expert.design.yaml` is `expert`).
    - with `variants`, `runner-up: …` and `ablation: …`: one decision is made another way (named after the colon), and the rest is
      adapted to it. The runner-up is the alternative that matters least by cost, the ablation the one that matters most.
    - `random 1` and so on: other valid designs.

    Raises `InputError` if a file's design has another model.
    """
    found = {ADVISED: proposal}
    asked = any(statement.accesses for statement in reading.workload.statements)
    choices = _Choices(posed_problem(reading, None, profile)) if asked else None
    for name in YARDSTICKS:
        made = design(reading, name)
        if choices is not None:
            made = with_least_cost_indexes(made, choices.posed, limit_seconds=SOLVING_SECONDS)
        _add(found, name, made)
    for path in map(Path, files):
        _add(found, path.stem.removesuffix(".design"), of_the_model(read_proposal(path), reading, path))
    if proposal.costs is not None and choices is not None:
        for name, other in choices.others() if variants else ():
            _add(found, name, other)
        for number, other in enumerate(choices.sampled(random, seed), start=1):
            _add(found, f"random {number}", other)
    return found


MOST_NAMED = 2
"""Most structures named that come with another choice."""


def _add(found: dict[str, Proposal], name: str, proposal: Proposal) -> None:
    """Add a design unless it is there already. Designs in place and designs yet to be built have different indexes."""
    there = [(other.design, other.is_in_place) for other in found.values()]
    if (proposal.design, proposal.is_in_place) not in there:
        found[name if name not in found else f"{name} (file)"] = proposal


def of_the_model(proposal: Proposal, reading: Reading, path: Path) -> Proposal:
    """Return the proposal with the reading's statistics and requirements.

    Raises `InputError` if its design has other entities than the reading.
    """
    from nestling.common.errors import InputError, Problem

    theirs = {entity.name: set(entity.attribute_names) for entity in proposal.design.model.entities}
    ours = {entity.name: set(entity.attribute_names) for entity in reading.model.entities}
    if theirs != ours:
        other = sorted(name for name in {*theirs, *ours} if theirs.get(name) != ours.get(name))
        what = f"is a design of a different model: {', '.join(f'`{name}`' for name in other[:5])} differ"
        move = "give a design made from the same source; if this one was, the source has changed since: inspect and design again"
        raise InputError(Problem(what, where=str(path), next_move=move))
    return replace(proposal, statistics=reading.statistics, requirements=reading.workload.requirements)


@dataclass(frozen=True, slots=True)
class _Choices:
    """Choices other than the best one for a reading."""

    posed: PosedProblem

    @property
    def problem(self) -> DesignProblem:
        """What there is to choose, with the price of each way."""
        return self.posed.problem

    def others(self) -> Iterator[tuple[str, Proposal]]:
        """Runner-ups and ablations."""
        from nestling.optimizer import solve

        solution = solve(self.problem, limit_seconds=SOLVING_SECONDS)
        weighed = sorted(self._reversed(solution), key=lambda each: (each[1].cost or 0.0, each[0]))
        closest, dearest = weighed[:CLOSEST], weighed[CLOSEST:][-DEAREST:]
        for kind, some in (("runner-up", closest), ("ablation", reversed(dearest))):
            for name, other in some:
                part = frozenset(structure for structure in self._part(name, other))
                chosen = (solution.chosen - part) | other.chosen
                yield f"{kind}: {self._reversal(solution, name, other, chosen)}", self.proposal(chosen)

    def _part(self, group: str, other: OtherChoice) -> Iterator[str]:
        from nestling.optimizer.alternatives import part_of

        yield from (structure.id for structure in part_of(self.problem, group).structures)
        yield from other.chosen

    def _reversed(self, solution: Solution) -> Iterator[tuple[str, OtherChoice]]:
        """Yield the cheapest alternative to each decision, if there is one and time allows."""
        from nestling.optimizer.allowance import allowance
        from nestling.optimizer.alternatives import alternatives, choice

        left = allowance(WEIGHING_SECONDS)
        for group in self.problem.groups:
            if choice(group, solution.chosen) is not None and (len(group.among) > 1 or group.optional):
                found = alternatives(self.problem, solution, group.name, allowed=left)
                yield from ((group.name, other) for other in found[:1] if other.cost is not None)

    def sampled(self, count: int, seed: int) -> Iterator[Proposal]:
        """Random valid designs, `count` of them."""
        from nestling.optimizer.sampled import sampled

        return map(self.proposal, sampled(self.problem, count, seed))

    def proposal(self, chosen: frozenset[str]) -> Proposal:
        """Return the design of a choice, with its cost by the model."""
        from nestling.ir.design_problem import Solution
        from nestling.optimizer.evaluate import evaluate
        from nestling.optimizer.weigh import statement_costs
        from nestling.strategies import assembled

        found = evaluate(self.problem, chosen)
        assert found is not None, "only allowed choices are asked for"
        solution = Solution(chosen, found.modes, found.cost, 0.0, 0.0, proved=False)
        names = {statement.name for statement in self.posed.situation.reading.workload.statements}
        each = tuple((name, cost) for name, cost in statement_costs(self.problem, chosen) if name in names)
        costs = Costs(found.cost, 0.0, self.posed.profile.name, each)
        candidates = with_users(self.posed.candidates, self.problem, solution)
        return assembled(self.posed.situation, candidates, solution, (), costs)

    def _reversal(self, solution: Solution, group: str, other: OtherChoice, chosen: frozenset[str]) -> str:
        """Say what replaces what, and what else moves because of it: the other decisions are optimal for the new choice."""
        from nestling.ir.candidate import INDEXES
        from nestling.optimizer.alternatives import choice, group_named

        taken = choice(group_named(self.problem, group), solution.chosen)
        said = f"{other.structure} instead of {taken}" if other.structure is not None else f"without {taken}"
        come = chosen - solution.chosen - {other.structure}
        found = (each for each in self.posed.candidates if not isinstance(each.part, INDEXES))
        more = [each.id for each in found if each.id in come]
        return f"{said}, with {first_of(more, MOST_NAMED)}" if more else said
