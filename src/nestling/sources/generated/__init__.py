"""Rows at any scale, made from what is known of the data alone.

Every value is a function of its row's number, so rows are made one after the other in constant memory, and the same for the same
seed. `fan_out` says which parent a child has, `knots` which where foreign keys share columns, `nth_rows` what makes a row unique,
`nth_values` the rest.
"""

from nestling.sources.generated.generate import generate
from nestling.sources.generated.scaled import scaled
from nestling.sources.generated.statistics_check import StatisticsDifference, check_generated

__all__ = ["StatisticsDifference", "check_generated", "generate", "scaled"]
