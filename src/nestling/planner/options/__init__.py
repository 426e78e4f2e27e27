"""Options: how each step of each statement can be answered with the candidate structures, and how much work each way is.

`visits` makes a tree of hops of a statement's footprint. `sizes` and `document_sizes` say how many rows and bytes there are.
`reads` and `write_steps` list the ways to do each step. `upkeep` counts what copies and computed values cost writers. `options`
puts it all together.
"""

from nestling.planner.options.options import home_group, options

__all__ = ["home_group", "options"]
