"""Options: how each step of each statement can be answered with the candidate structures, and how much work each way is.

`visits` makes a tree of hops of a statement's footprint, `sizes` and `documents` say how many rows and bytes, `reads` and
`writes` list the modes of each step, `upkeep` charges what copies and computed values cost writers, `options` joins it all.
"""

from nestling.planner.options.options import home_group, options

__all__ = ["home_group", "options"]
