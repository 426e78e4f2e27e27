"""A strategy's result: where each entity is stored and who holds which ids, with the decisions that explain it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from nestling.ir.candidate import Bucketed, Candidate, Part
from nestling.ir.primitives import Holder
from nestling.ir.proposal import Alternative, Choice, Decision, Reason
from nestling.ir.rules import OUTWEIGHS

CHILD_HOLDS = frozenset({Holder.CHILD})


@dataclass(frozen=True, slots=True)
class Outline:
    """Homes, ids and decisions.

    - `homes`: child entity to the relationship along which it is embedded.
    - `held`: who holds the ids of a relationship that is not embedded (by default the child).
    - `mirrored`: many-to-many to the relationship of its junction whose *parent* also stores the ids of the other side.
    - `overflows`: array bounds of embeddings whose further rows go to pages. `buckets`: entities stored in buckets.
    - `kept`: copies, computed values and cold attributes.
    - `indexes`: chosen candidates in addition to unique indexes; None: one for every reference and every equality filter.
    - `inline`: embeddings of subtypes next to their supertype's fields. `bare`: embeddings whose rows are bare values if they
      store a single one, or are not although these are ids of a many-to-many.
    - `absorbed`: entities whose home are copies in their children, with the relationship to these.
    """

    decisions: tuple[Decision, ...]
    homes: Mapping[str, str] = field(default_factory=dict)
    held: Mapping[str, frozenset[Holder]] = field(default_factory=dict)
    mirrored: Mapping[str, str] = field(default_factory=dict)
    overflows: Mapping[str, int] = field(default_factory=dict)
    buckets: Mapping[str, Bucketed] = field(default_factory=dict)
    kept: tuple[Part, ...] = ()
    indexes: tuple[Candidate, ...] | None = None
    inline: frozenset[str] = frozenset()
    bare: Mapping[str, bool] = field(default_factory=dict)
    absorbed: Mapping[str, str] = field(default_factory=dict)

    def without(self, link: str, decided_as: str, why: Reason) -> Outline:
        """The outline without the embedding along `link`: its child gets its own collection, and `decided_as` says why."""
        decisions = tuple(_moved_out(each, why) if each.relationship == decided_as else each for each in self.decisions)
        homes = {child: home for child, home in self.homes.items() if home != link}
        mirrored = {both: side for both, side in self.mirrored.items() if both != decided_as}
        return replace(self, homes=homes, mirrored=mirrored, decisions=decisions)


def _moved_out(decision: Decision, why: Reason) -> Decision:
    kept = tuple(each for each in decision.alternatives if each.choice is not Choice.PARENT_REFERENCE)
    return replace(
        decision,
        choice=Choice.PARENT_REFERENCE,
        patterns=(str(Choice.PARENT_REFERENCE),),
        reasons=(*(each for each in decision.reasons if each.rule != OUTWEIGHS), why),
        alternatives=(Alternative(Choice.EMBED, why.text), *kept),
    )
