"""What may be embedded in what: a forest that grows one embedding at a time and refuses those that break an invariant."""

from __future__ import annotations

from collections.abc import Sequence

from nestling.ir.model import Cardinality, Relationship
from nestling.ir.proposal import Reason
from nestling.ir.situation.situation import Situation
from nestling.ir.storage.names import stored_name

SERVER_LEVELS = 45
"""MongoDB nests at most 100 levels; an array of documents takes two."""


class Nesting:
    """Which entity is embedded in which: `homes` maps a child entity to the relationship of its embedding."""

    def __init__(self, situation: Situation, *, levels: int = SERVER_LEVELS) -> None:
        self.situation = situation
        self.levels = levels
        self.homes: dict[str, Relationship] = {}
        self.bytes = dict(situation.row_bytes)  # of an entity's document with all that is embedded in it
        self.heights = dict.fromkeys(situation.row_bytes, 1)

    def root_of(self, entity: str) -> str:
        """The entity whose collection `entity` lives in."""
        while entity in self.homes:
            entity = self.homes[entity].parent
        return entity

    def embed(self, link: Relationship) -> None:
        """Add an embedding that was not refused."""
        self.homes[link.child] = link
        added, height, at = (
            self.situation.elements(link) * self.bytes[link.child],
            self.heights[link.child] + 1,
            link.parent,
        )
        while True:
            self.bytes[at] += added
            self.heights[at] = max(self.heights[at], height)
            if at not in self.homes:
                return
            home = self.homes[at]
            added, height, at = added * self.situation.elements(home), height + 1, home.parent

    def refusal(self, link: Relationship) -> Reason | None:
        """Why the child cannot be embedded along `link`; None if it can."""
        if link.is_self:
            return Reason("invariant", f"`{link.child}` cannot be embedded in itself: the tree has no fixed depth")
        if link.child in self.homes:
            home = self.homes[link.child]
            return Reason("invariant", f"`{link.child}` is already stored in `{home.parent}`, by `{home.name}`")
        if self.root_of(link.parent) == link.child:
            return Reason(
                "invariant", f"`{link.parent}` is already stored in `{link.child}`: a cycle cannot be embedded"
            )
        return self._of_rows(link) or self._of_fan_out(link) or self._of_size(link)

    def _of_rows(self, link: Relationship) -> Reason | None:
        """Rows that could not be stored in the parent."""
        situation = self.situation
        if blobs := situation.blobs[link.child]:
            what = f"`{blobs[0]}` does not fit in a document and goes to GridFS, which only a collection of its own can refer to"
            return Reason("invariant", what)
        if situation.may_be_respelled(link):
            return respelled(situation, link)
        if situation.may_be_alike(link.parent):
            return alike(link.parent)
        if situation.is_total(link):
            return None
        share = situation.lacking_share(link)
        if share is None:
            return Reason("invariant", f"one `{link.child}` may lack its `{link.parent}`, and how many do is not known")
        if share >= situation.thresholds.orphan_share and share > 0:
            what = f"{share:.1%} of `{link.child}` lack their `{link.parent}`; an orphans collection is only for a few"
            return Reason("invariant", what, share)
        if distinct_names(situation.model.entity(link.child).key):
            return None
        return Reason("invariant", f"key attributes of `{link.child}` differ only in characters that MongoDB reserves")

    def _of_fan_out(self, link: Relationship) -> Reason | None:
        """Arrays that have no bound, or pass it."""
        if link.cardinality is Cardinality.ONE_TO_ONE:
            return None
        if self.situation.fan_outs[link.name].declared_to_grow:
            return Reason("rule-4", f"declared to grow: one `{link.parent}` keeps getting `{link.child}` rows")
        bound, count = self.situation.requirements.array_bound, self.situation.elements(link)
        if bound is not None and count > bound:
            return Reason("A12", f"up to {count:,.0f} elements; the array bound is {bound:,}", count)
        return None

    def _of_size(self, link: Relationship) -> Reason | None:
        """Documents that nest too deep or become too large."""
        depth, at, elements = 1, link.parent, self.situation.elements(link)
        size = elements * self.bytes[link.child]
        while at in self.homes:
            size *= self.situation.elements(self.homes[at])
            depth, at = depth + 1, self.homes[at].parent
        levels = depth + self.heights[link.child]
        if levels > self.levels:
            return Reason("invariant", f"it would nest {levels} levels deep; the bound is {self.levels}", levels)
        size, bound = size + self.bytes[at], self.situation.requirements.document_bound_bytes
        if size > bound:
            what = (
                f"a document of `{at}` could reach {size:,.0f} bytes with up to {elements:,.0f} `{link.child}` in each"
            )
            return Reason("A12", f"{what} `{link.parent}`; the bound is {bound:,}", size)
        return None


def respelled(situation: Situation, link: Relationship) -> Reason:
    """Why nothing is stored together along a relationship whose rows may spell the key differently."""
    known = situation.statistics.relationship(link.name).respelled
    rows = known.value if known is not None else 0.0
    those = f"{rows:,.0f} `{link.child}` spell" if rows else f"`{link.child}` may spell"
    what = f"{those} the key of their `{link.parent}` differently (case, accents or blanks)"
    return Reason("invariant", f"{what}; documents are assembled by exactly equal keys", rows)


def alike(parent: str) -> Reason:
    """The reason why documents of an entity without a unique key hold nothing of other rows."""
    return Reason(
        "invariant", f"equal rows of `{parent}` cannot be told apart, so its documents hold nothing of other rows"
    )


def distinct_names(attributes: Sequence[str]) -> bool:
    """Whether the stored names of attributes differ, so that all can be in one `_id`."""
    return len({stored_name(name) for name in attributes}) == len(attributes)
