"""Published designs beside nestling's: every structure an expert chose is proposed, and the least-cost design costs no more.

`REWRITE_CASES=1 pytest tests/test_expert_cases.py` writes what comes of each into the cases; review the difference, and then
`python -m scripts.pages`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from nestling.cost import default_profile, price
from nestling.ir.design_problem import DesignProblem, Group, Solution
from nestling.ir.situation import Thresholds, situation
from nestling.ir.words.work_words import work_rate
from nestling.optimizer import solve
from nestling.optimizer.evaluate import evaluate
from nestling.optimizer.weigh import statement_costs
from nestling.patterns import propose
from nestling.planner.options import design_problem
from tests.cases.expert_case import FOLDER, ExpertCase, expert_cases

LIMIT_SECONDS = 20.0
_NUMBER = re.compile(r"\(?(under )?[\d,.]+(e-\d+)?( ms/s|%)( \(.*?\))?( more| less)?\)?")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("case", expert_cases(), ids=lambda case: case.name)
def test_an_experts_design(case: ExpertCase, tmp_path: Path) -> None:
    """What the case says came of it is what comes of it; the expert's design is possible and never cheaper."""
    reading = case.reading(tmp_path)
    known = situation(reading, Thresholds())
    problem = design_problem(known, propose(known), partial(price, profile=default_profile()))
    proposed = {structure.id for structure in problem.structures}
    assert set(case.expert) <= proposed, sorted(proposed)
    best = solve(problem, limit_seconds=LIMIT_SECONDS)
    outcome = "\n".join(_outcome(case, problem, best)) + "\n"
    if os.environ.get("REWRITE_CASES"):
        (FOLDER / f"{case.name}.md").write_text(case.with_outcome(outcome), encoding="utf-8")
    assert _verdicts(outcome) == _verdicts(case.blocks.get("Outcome", ""))


def _outcome(case: ExpertCase, problem: DesignProblem, best: Solution) -> Iterator[str]:
    """The two costs, then a line for each structure of the expert's: chosen too, or what it would cost more and why."""
    theirs = _with(problem, case.expert)
    assert theirs.cost >= best.cost * (1 - 1e-9), "the least cost is the least"
    more = theirs.cost - best.cost
    yield f"least cost    {work_rate(best.cost)}"
    yield f"the expert's  {work_rate(theirs.cost)} ({more / best.cost:.2%} more)"
    for structure in case.expert:
        if structure in best.chosen:
            yield f"agrees        {structure}"
            continue
        forced = _with(problem, [structure])
        added = forced.cost - best.cost
        if added <= 1e-7 * best.cost:
            yield f"as good       {structure}"
            continue
        yield f"differs       {structure}: {work_rate(added)} more{_because(problem, best, forced)}"


def _with(problem: DesignProblem, structures: Iterable[str]) -> Solution:
    """The best design that has these structures."""
    certain = tuple(Group(f"the expert's {name}", (name,)) for name in structures)
    return solve(replace(problem, groups=(*problem.groups, *certain)), limit_seconds=LIMIT_SECONDS)


def _because(problem: DesignProblem, best: Solution, forced: Solution) -> str:
    """The statement that pays most for a structure."""
    now = dict(statement_costs(problem, best.chosen))
    differences = {
        name: problem.rates[name] * (cost - now[name]) for name, cost in statement_costs(problem, forced.chosen)
    }
    assert evaluate(problem, forced.chosen) is not None
    largest = max(differences, key=lambda name: differences[name])
    return f" ({largest} {work_rate(differences[largest])} more)" if differences[largest] > 0 else ""


def _verdicts(outcome: str) -> list[str]:
    """The lines without their numbers: those move whenever a coefficient is measured anew."""
    return [_NUMBER.sub("…", line) for line in outcome.splitlines()]
