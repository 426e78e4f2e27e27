"""A reading made ready for deciding: fan-outs, footprints, sizes, thresholds; gathered once, read by patterns and strategies."""

from nestling.ir.situation.changed import changed_entities, looked_for, taking_along
from nestling.ir.situation.growth import is_only_added_to, rows_per_day
from nestling.ir.situation.outgrown import is_outgrown, outgrown
from nestling.ir.situation.same_key import ReadBySameKey, read_by_same_key
from nestling.ir.situation.situation import Situation, situation
from nestling.ir.situation.thresholds import Thresholds

__all__ = [
    "ReadBySameKey",
    "Situation",
    "Thresholds",
    "changed_entities",
    "is_only_added_to",
    "is_outgrown",
    "looked_for",
    "outgrown",
    "read_by_same_key",
    "rows_per_day",
    "situation",
    "taking_along",
]
