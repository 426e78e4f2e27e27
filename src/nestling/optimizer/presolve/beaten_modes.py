"""Drops modes that are never best, because an addition makes a better one: a scan, where an index costs less than it saves.

Where a choice uses such a mode, adding the structure of the better one saves more in this step than it costs elsewhere. So no
best choice uses it.
"""

from __future__ import annotations

from nestling.ir.design_problem import Mode
from nestling.optimizer.presolve.context import CERTAIN, PresolveContext
from nestling.optimizer.presolve.open_choices import OpenChoices, OpenStep


def drop_beaten_modes(open_choices: OpenChoices) -> None:
    """Drop the modes that an addition beats."""
    contexts: dict[tuple[str, ...], PresolveContext] = {}
    for step in open_choices.steps:
        for mode in [mode for mode in step.every if _is_beaten(open_choices, step, mode, contexts)]:
            step.drop(mode)


def _is_beaten(
    open_choices: OpenChoices, step: OpenStep, mode: Mode, contexts: dict[tuple[str, ...], PresolveContext]
) -> bool:
    known = open_choices.certain(mode)
    for other in step.modes.get(mode.needs[0] if mode.needs else "", ()):
        missing = step.needs[id(other)] - known
        upkeep = open_choices.addition_upkeep(*missing) if len(missing) == 1 else None
        if upkeep is None or not set(other.without) <= set(mode.without):
            continue
        if mode.needs not in contexts:
            contexts[mode.needs] = PresolveContext(open_choices, mode.needs)
        context = contexts[mode.needs]
        context.scale = upkeep
        if context.more(other, mode) + upkeep < -CERTAIN * context.scale:
            return True
    return False
