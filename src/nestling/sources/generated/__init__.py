"""Rows at any scale, generated from statistics alone.

Every value is a function of its row's number, so rows are generated one after the other in constant memory, and are the same
for the same seed. `fan_out` decides which parent a child has, `knots` does so if foreign keys share columns, `nth_rows` makes
rows unique, and `nth_values` generates the rest.
"""

from nestling.sources.generated.generate import generate
from nestling.sources.generated.scaled import scaled
from nestling.sources.generated.statistics_check import StatisticsDifference, check_generated

__all__ = ["StatisticsDifference", "check_generated", "generate", "scaled"]
