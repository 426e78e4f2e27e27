"""Options counted in work to the same options in seconds: what the optimizer solves."""

from __future__ import annotations

from collections.abc import Callable

from nestling.cost.price import price
from nestling.cost.profile import Profile
from nestling.ir.options import Charge, Mode, Problem, Step, WorkOptions
from nestling.ir.work import Work

Price = Callable[[Work], float]


def priced(options: WorkOptions, profile: Profile) -> Problem:
    """The same structures, groups, needs, limits and rates, with every cost in seconds per execution."""

    def seconds(work: Work) -> float:
        return price(work, profile)

    return Problem(
        options.structures,
        options.groups,
        options.needs,
        tuple(_step(step, seconds) for step in options.steps),
        tuple(Charge(each.statement, each.text, each.when, seconds(each.cost)) for each in options.charges),
        options.limits,
        options.rates,
        options.loads,
    )


def _step(step: Step[Work], seconds: Price) -> Step[float]:
    return Step(step.statement, step.name, tuple(_mode(mode, seconds) for mode in step.modes))


def _mode(mode: Mode[Work], seconds: Price) -> Mode[float]:
    also = tuple((structure, seconds(work)) for structure, work in mode.also)
    loads = tuple((load, seconds(work)) for load, work in mode.loads)
    return Mode(mode.text, mode.needs, seconds(mode.cost), also, mode.without, loads)
