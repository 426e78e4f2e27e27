"""A reading made ready for deciding: fan-outs, footprints, sizes, thresholds; gathered once, read by patterns and strategies."""

from nestling.ir.situation.changed import changed_entities, looked_for
from nestling.ir.situation.growth import rows_per_day
from nestling.ir.situation.outgrown import is_outgrown, outgrown
from nestling.ir.situation.same_key import read_by_same_key
from nestling.ir.situation.situation import Situation, situation
from nestling.ir.situation.thresholds import Thresholds

__all__ = [
    "Situation",
    "Thresholds",
    "changed_entities",
    "is_outgrown",
    "looked_for",
    "outgrown",
    "read_by_same_key",
    "rows_per_day",
    "situation",
]
