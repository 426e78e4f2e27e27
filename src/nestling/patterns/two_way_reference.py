"""Two-way reference (A5, A11): both sides of a many-to-many relationship hold ids, one of them as copies."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import Mirror, Suggestion
from nestling.ir.situation import Situation


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """For each many-to-many relationship without attributes: the side that does not embed the junction stores ids as well."""
    for both in situation.model.many_to_many:
        junction = situation.model.entity(both.through)
        left, right = situation.model.relationship(both.left), situation.model.relationship(both.right)
        bare = set(junction.attribute_names) <= {*left.child_attributes, *right.child_attributes}
        if not bare or left.parent == right.parent or len(left.child_attributes) > 1 or len(right.child_attributes) > 1:
            continue
        for link, other in ((left, right), (right, left)):
            if link.is_self or (situation.fan_outs[link.name].projected or 0) > situation.thresholds.array_ids:
                continue
            motives = tuple(statement.name for statement in situation.joined_by[link.name])
            text = f"ids of {other.parent} in {link.parent} by {both.name}"
            yield Suggestion(text, Mirror(both.name, link.name), motives)
