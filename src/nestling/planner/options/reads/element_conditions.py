"""Rows of the documents found: which documents hold some, and the conditions tested on them and on each element taken out."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from nestling.ir.paths.work import NO_WORK, Work
from nestling.planner.options.modes import Modes
from nestling.planner.options.structures.places import Home
from nestling.planner.work.conditions import has_some, of_any
from nestling.planner.work.first_access import asked_in_turn
from nestling.planner.work.stream import Condition

UNWINDING_STAGES = 1.0
"""Stages of a pipeline that takes rows out of documents, those that unwind not counted: what is a `find` elsewhere."""


def holding(modes: Modes, home: Home, rows: float) -> float:
    """The documents that hold so many rows of a home, which lie in them as chance has it."""
    count, each = modes.documents.count(home), modes.documents.per_document(home)
    return count * has_some(min(rows / modes.sizes.rows(home.entity), 1.0), each)


def work_of_tests(
    modes: Modes, conditions: Sequence[Condition], home: Home, documents: float, served: Collection[str] = ()
) -> Work:
    """The work of testing so many documents and the rows taken out of them; `served`: attributes that an index has tested."""
    rest = [each for each in conditions if each.path not in served]
    if home.own:
        return asked_in_turn(documents, rest)
    each, levels = modes.documents.per_document(home), modes.documents.levels(home)
    if not levels:  # sub-documents, or fields beside the parent's: a `find` shows them
        return asked_in_turn(documents * each, rest)
    before, count = NO_WORK, modes.documents.count(home)
    if rest:
        one = of_any(tuple(rest), each)
        before = asked_in_turn(documents, (one,))
        documents *= one.share
    rows = documents * each * modes.documents.longer(home) ** (1 - min(documents / count, 1.0))
    taken = Work(elements=rows * levels, passed=documents + rows * levels)
    above = home.bucket.by if home.bucket is not None else ()  # of a bucket itself, and of no event
    return taken + before + asked_in_turn(rows, [each for each in conditions if each.path not in above])


def unwinding(modes: Modes, home: Home) -> float:
    """Stages of the pipeline that takes rows out of a home's documents; none where a `find` shows them."""
    levels = modes.documents.levels(home)
    return UNWINDING_STAGES + levels if levels else 0.0
