"""Fan-out as the strategies see it: the distribution's upper end and its growth, never the mean alone (A12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from nestling.common.errors import name_list
from nestling.ir.model import Cardinality, Relationship
from nestling.ir.quantity_words import counted, short
from nestling.ir.reading import Reading
from nestling.ir.situation.growth import growth_origin, net_rows_per_day
from nestling.ir.situation.thresholds import Thresholds
from nestling.ir.statistics import Origin, Quantity, RelationshipStatistics
from nestling.ir.storage.bounds import largest_fan_out
from nestling.ir.workload import Statement

YEAR_DAYS = 365
DOUBLED = 2.0
"""Sets of children grow without bound when they become so many times as large and even the usual one passes an array of ids."""
TELLING_ROWS = 10
"""So many measured children tell how many a parent has, even where most parents have none."""


@dataclass(frozen=True, slots=True)
class FanOut:
    """Children of one parent. `largest` is None if only the mean is known; `projected` includes `growth_days` of growth.

    `growth_from` says in words where the growth comes from; so does `assumed`, if nobody measured or declared it and it matters
    much.
    """

    mean: float | None
    p99: float | None
    largest: float | None
    projected: float | None
    grows: bool  # declared or measured to, or seems to and is not few
    declared_to_grow: bool
    growth_days: int
    growth_from: str = ""
    assumed: str = ""

    @property
    def text(self) -> str:
        """The numbers in words: "p99 12, at most 31"."""
        told = f" ({self.growth_from})" if self.growth_from else ""
        if self.largest is None:
            return f"mean {short(self.mean)}, maximum unknown" if self.mean is not None else f"fan-out unknown{told}"
        parts = [f"p99 {self.p99:,.0f}"] if self.p99 is not None else []
        parts.append(f"at most {self.largest:,.0f}")
        if self.projected is not None and round(self.projected) > self.largest:
            parts.append(f"{self.projected:,.0f} {self.with_growth}{told}")
        return ", ".join(parts)

    @property
    def with_growth(self) -> str:
        """A suffix for a number that includes growth: the period."""
        period = "a year" if self.growth_days == YEAR_DAYS else counted(self.growth_days, "day")
        return f"with the growth expected in {period}"


def fan_out(
    reading: Reading, link: Relationship, thresholds: Thresholds, statements_of: Mapping[str, tuple[Statement, ...]]
) -> FanOut:
    """The fan-out of a relationship as far as known; 1 for a 1:1, and unknown for a child without rows, or with next to none.

    `statements_of`: the statements that touch each entity. Growth that is only inferred counts from `few` on: below that, a
    guess does not outweigh a short array.
    """
    if link.cardinality is Cardinality.ONE_TO_ONE:
        return FanOut(1.0, 1.0, 1.0, 1.0, grows=False, declared_to_grow=False, growth_days=thresholds.growth_days)
    known = reading.statistics.relationship(link.name)
    child, parent = reading.statistics.entity(link.child), reading.statistics.entity(link.parent)
    grows = known.grows.origin if known.grows is not None and known.grows.value else None
    if grows is Origin.INFERRED and _is_still(reading, link.child):
        grows = None
    mean = _value(known.mean)
    if mean is None and _value(parent.count) and _value(child.count) is not None:
        mean = (_value(child.count) or 0.0) / (_value(parent.count) or 1.0)
    beyond_mean = any(q is not None for q in (known.maximum, known.p999, known.p99, known.p95))
    largest = largest_fan_out(known) if beyond_mean else None
    p99 = _value(known.p99)
    if (not _value(child.count) and not largest) or _is_hardly_used(child.count, parent.count, known):
        largest = p99 = None
    growing = _Growing(reading, link, thresholds, statements_of)
    growth = 1.0 if _is_bounded(known) else growing.times
    limit = None if growth == 1.0 and largest is not None else growing.limit
    is_limited = limit is not None and (largest is None or limit.children < largest * growth)
    if limit is not None and is_limited and largest:
        growth = max(1.0, limit.children / largest)
    projected = None if largest is None else largest * growth
    endless = largest is None and not _is_bounded(known) and not is_limited and growing.is_endless
    declared = grows is Origin.DECLARED
    guessed = None if _is_bounded(known) else grows
    seems_to = guessed is Origin.INFERRED and (projected or 0.0) >= thresholds.few
    usual = (p99 or mean or 0.0) * growth
    outgrows = growth >= DOUBLED and usual >= thresholds.array_ids
    counts = declared or guessed is Origin.MEASURED or seems_to or outgrows or endless
    origin = growing.origin(is_counted=not endless) if growth > 1 or endless else ""
    if limit is not None and is_limited and growth > 1:
        origin = limit.why
    is_assumed = (growth >= DOUBLED or endless) and child.growth_per_day is None and not is_limited
    assumed = growing.origin(is_counted=False) if is_assumed else ""
    if seems_to and not assumed:
        many = short(largest or 0.0)
        assumed = f"`{link.child}` has a time column, and one `{link.parent}` has {many} of them, far above the mean"
    return FanOut(mean, p99, largest, projected, counts, declared, thresholds.growth_days, origin, assumed)


def _is_hardly_used(children: Quantity | None, parents: Quantity | None, known: RelationshipStatistics) -> bool:
    """Whether a handful of rows was counted, fewer than there are parents: that no parent has two of them says nothing."""
    if known.maximum is not None and known.maximum.value > 1:
        return False
    if children is None or parents is None or _is_bounded(known) or children.origin is not Origin.MEASURED:
        return False
    return children.value < min(TELLING_ROWS, parents.value)


def _is_still(reading: Reading, entity: str) -> bool:
    """Whether somebody has declared that it gets no more rows."""
    told = reading.statistics.entity(entity).growth_per_day
    return entity in reading.workload.requirements.read_only or (told is not None and told.value <= 0)


def _is_bounded(known: RelationshipStatistics) -> bool:
    """Whether somebody declared how many children one parent has at most, or that it gets no more: no guess overrules that."""
    if known.grows is not None and known.grows.origin is Origin.DECLARED:
        return not known.grows.value
    return known.maximum is not None and known.maximum.origin is Origin.DECLARED


@dataclass(frozen=True, slots=True)
class _Limit:
    """The most children of one parent if they are unique together with other parents, and who these are."""

    children: float
    why: str


@dataclass(frozen=True, slots=True)
class _Growing:
    """How a parent's set of children grows: by what is known of both entities, or else by the statements that write them."""

    reading: Reading
    link: Relationship
    thresholds: Thresholds
    statements_of: Mapping[str, tuple[Statement, ...]]

    @property
    def times(self) -> float:
        """The factor by which the set grows if children grow faster than parents; 1 if the rows were not counted."""
        children, parents = self._counts()
        if not children or not parents:
            return 1.0
        more_children, more_parents = (self.thresholds.growth_days * each for each in self._rows_per_day())
        return max(1.0, (children + more_children) / children / ((parents + more_parents) / parents))

    @property
    def is_endless(self) -> bool:
        """Whether so many more children than parents are inserted, without known counts, that no array can hold them."""
        if all(self._counts()):
            return False
        more_children, more_parents = self._rows_per_day()
        return more_children > self.thresholds.array_ids * more_parents

    def origin(self, *, is_counted: bool) -> str:
        """Where the growth comes from, in words."""
        return growth_origin(self.reading.statistics, self.link, self.statements_of, is_counted=is_counted)

    @property
    def limit(self) -> _Limit | None:
        """The lowest limit from the key or a UNIQUE of the child; None without one, or if the parents were not counted."""
        child = self.reading.model.entity(self.link.child)
        found = (self._limit(group) for group in filter(None, (child.key, *child.uniques)))
        return min((each for each in found if each is not None), key=lambda each: each.children, default=None)

    def _limit(self, group: tuple[str, ...]) -> _Limit | None:
        """One child for each of the other parents, if only non-NULL foreign keys identify the children."""
        model = self.reading.model
        child, left = model.entity(self.link.child), set(group) - set(self.link.child_attributes)
        others = [
            each
            for each in model.parents_of(child.name)
            if each is not self.link and each.enforced and left & set(each.child_attributes)
        ]
        told = {name for each in others for name in each.child_attributes}
        later = [self._later(each.parent) for each in others]
        if not left <= told or not all(map(child.always_has, group)) or not others or None in later:
            return None
        names = name_list(dict.fromkeys(each.parent for each in others))
        why = f"no more than one for each {names}, as {name_list(group)} are unique together"
        return _Limit(prod(each or 0.0 for each in later), why)

    def _later(self, entity: str) -> float | None:
        """The rows of an entity after the expected growth; None if they were not counted."""
        count = _value(self.reading.statistics.entity(entity).count)
        return None if count is None else count + self.thresholds.growth_days * self._more(entity)

    def _counts(self) -> tuple[float | None, float | None]:
        """The present numbers of children and parents."""
        statistics = self.reading.statistics
        return _value(statistics.entity(self.link.child).count), _value(statistics.entity(self.link.parent).count)

    def _rows_per_day(self) -> tuple[float, float]:
        """New children and new parents a day."""
        return self._more(self.link.child), self._more(self.link.parent)

    def _more(self, entity: str) -> float:
        """New rows of an entity a day."""
        told = self.statements_of if self.reading.workload.tells_growth else {}
        return net_rows_per_day(self.reading.statistics, entity, told.get(entity, ()))


def _value(quantity: Quantity | None) -> float | None:
    return None if quantity is None else quantity.value
