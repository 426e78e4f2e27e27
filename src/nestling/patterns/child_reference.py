"""Child reference (A3): the parent lists the ids of its children.

Proposed where statements show no more of the children than their ids: these then answer without the children. The children keep
their own collection and the id of their parent (A11). Where more is shown, ids do not help: an index on the parent's id finds the
children as well as a list of theirs does.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import Suggestion
from nestling.ir.situation import Situation
from nestling.patterns.copied_children import shown_children


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """One for each relationship whose children are shown by their ids alone."""
    for part, statements in shown_children(situation):
        if part.is_bare(situation.model):
            link = situation.model.relationship(part.relationship)
            yield Suggestion(f"ids of {link.child} in {link.parent} by {link.name}", part, statements)
