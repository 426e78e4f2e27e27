"""Child reference (A3): the parent lists the ids of its children.

Proposed if statements read only the ids of the children: these are then answered without reading the children. The children
keep their own collection and the id of their parent (A11). If statements read more, ids do not help: an index on the parent's
id finds the children as well as a list of ids would.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import Suggestion
from nestling.ir.situation import Situation
from nestling.patterns.copied_children import shown_children


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """One for each relationship of whose children statements read only the ids."""
    for part, statements in shown_children(situation):
        if part.is_bare(situation.model):
            link = situation.model.relationship(part.relationship)
            yield Suggestion(f"ids of {link.child} in {link.parent} by {link.name}", part, statements)
