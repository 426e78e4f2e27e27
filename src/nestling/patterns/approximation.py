"""Approximation (C8): a count in the parent that is written only once per step, for readers that tolerate the difference.

The tolerated difference is a requirement (`tolerance`) on the relationship or on the counted attribute. The stored number is
the exact one rounded down to a multiple of the step, so it is never further off. Most changes of children then read the parent
but do not write it, which pays if its document is large. Only counts are approximated: one row may change a sum by any amount.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nestling.ir.candidate import Aggregate, Suggestion
from nestling.ir.rows import AggregateKind
from nestling.ir.situation import Situation
from nestling.ir.tolerance import tolerated
from nestling.patterns.computed import candidates as exact


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """One for each count over a parent's children that a statement asks for and that may be approximate."""
    off_by = tolerated(situation.model, situation.requirements).off_by
    for each in exact(situation) if off_by else ():
        part = each.part
        if isinstance(part, Aggregate) and part.function is AggregateKind.COUNT:
            child = situation.model.relationship(part.relationship).child
            step = off_by.get((child, part.attribute or ""), 1)
            if step > 1:
                rough = replace(part, step=step)
                yield Suggestion(f"{each.id}, in steps of {step:,}", rough, each.motives)
