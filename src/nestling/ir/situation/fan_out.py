"""Fan-out as the strategies see it: the distribution's upper end and its growth, never the mean alone (A12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nestling.ir.bounds import largest_fan_out
from nestling.ir.model import Cardinality, Relationship
from nestling.ir.quantity_words import counted, short
from nestling.ir.reading import Reading
from nestling.ir.situation.growth import growth_origin, net_rows_per_day
from nestling.ir.situation.thresholds import Thresholds
from nestling.ir.statistics import Origin, Quantity
from nestling.ir.workload import Statement

YEAR_DAYS = 365
DOUBLED = 2.0
"""Sets of children grow without bound when they become so many times as large and even the usual one passes an array of ids."""


@dataclass(frozen=True, slots=True)
class FanOut:
    """Children of one parent. `largest` is None where nothing but the mean is known; `projected` has `growth_days` of growth.

    `growth_from` says in words where the growth comes from; `assumed` does so too, where nobody has measured or declared it and
    it counts for much.
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
        if self.largest is None:
            return f"mean {short(self.mean)}, maximum unknown" if self.mean is not None else "fan-out unknown"
        parts = [f"p99 {self.p99:,.0f}"] if self.p99 is not None else []
        parts.append(f"at most {self.largest:,.0f}")
        if self.projected is not None and round(self.projected) > self.largest:
            told = f" ({self.growth_from})" if self.growth_from else ""
            parts.append(f"{self.projected:,.0f} {self.with_growth}{told}")
        return ", ".join(parts)

    @property
    def with_growth(self) -> str:
        """What to say of a number that includes growth: over which time."""
        period = "a year" if self.growth_days == YEAR_DAYS else counted(self.growth_days, "day")
        return f"with the growth expected in {period}"


def fan_out(
    reading: Reading, link: Relationship, thresholds: Thresholds, statements_of: Mapping[str, tuple[Statement, ...]]
) -> FanOut:
    """What is known of a relationship's fan-out; 1:1 is 1, and a child without rows teaches nothing.

    `statements_of`: the statements that touch each entity.

    Growth that was only inferred counts from `few` on: below, a guess does not outweigh a short array.
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
    if not _value(child.count) and not largest:
        largest = None
    growth = _growth(reading, link, thresholds.growth_days, statements_of)
    projected = None if largest is None else largest * growth
    known_to = grows in (Origin.DECLARED, Origin.MEASURED)
    seems_to = grows is Origin.INFERRED and (projected or 0.0) >= thresholds.few
    usual = (_value(known.p99) or mean or 0.0) * growth
    counts = known_to or seems_to or (growth >= DOUBLED and usual >= thresholds.array_ids)
    declared = grows is Origin.DECLARED
    origin = growth_origin(reading.statistics, link, statements_of) if growth > 1 else ""
    assumed = origin if growth >= DOUBLED and child.growth_per_day is None else ""
    if seems_to and not assumed:
        assumed = (
            f"`{link.child}` has a time, and one `{link.parent}` has {short(largest or 0.0)} of them, far over the mean"
        )
    return FanOut(
        mean, _value(known.p99), largest, projected, counts, declared, thresholds.growth_days, origin, assumed
    )


def _is_still(reading: Reading, entity: str) -> bool:
    """Whether somebody has said that it gets no more rows: what the data looks like says nothing against it."""
    told = reading.statistics.entity(entity).growth_per_day
    return entity in reading.workload.requirements.read_only or (told is not None and told.value <= 0)


def _growth(
    reading: Reading, link: Relationship, days: int, statements_of: Mapping[str, tuple[Statement, ...]]
) -> float:
    """How many times its present size a parent's set of children becomes, when children grow faster than parents."""
    children, parents = (_value(reading.statistics.entity(name).count) for name in (link.child, link.parent))
    if not children or not parents:
        return 1.0
    told = statements_of if reading.workload.tells_growth else {}
    more_children, more_parents = (
        days * net_rows_per_day(reading.statistics, name, told.get(name, ())) for name in (link.child, link.parent)
    )
    return max(1.0, (children + more_children) / children / ((parents + more_parents) / parents))


def _value(quantity: Quantity | None) -> float | None:
    return None if quantity is None else quantity.value
