"""Approximation (C8): a count kept in the parent that is written only when it has grown by a step, where less than that may lack.

How much may lack is a requirement (`tolerance`), on the relationship or on the attribute that is counted. The stored number is
the exact one rounded down to a multiple of the step, never further off. Most changes of the children then look at the parent
and leave it as it is, which pays where its document is large. Only counts: nobody knows how far one row takes a sum.
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
    """One for each count a statement asks over the children of a parent that need not be exact."""
    off_by = tolerated(situation.model, situation.requirements).off_by
    for each in exact(situation) if off_by else ():
        part = each.part
        if isinstance(part, Aggregate) and part.function is AggregateKind.COUNT:
            child = situation.model.relationship(part.relationship).child
            step = off_by.get((child, part.attribute or ""), 1)
            if step > 1:
                rough = replace(part, step=step)
                yield Suggestion(f"{each.id}, in steps of {step:,}", rough, each.motives)
