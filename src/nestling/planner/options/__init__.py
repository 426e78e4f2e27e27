"""Options: how each step of each statement can be answered with the candidate structures, and how much work each way is.

`statements` holds what a statement says, such as its tree of visits, `sizes` how many rows and bytes there are, `structures` what
each kind of candidate costs and allows. `reads` and `writes` list the ways to do each step. `modes` prices a way, and `problem`
puts it all together.
"""

from nestling.planner.options.problem import home_group, options

__all__ = ["home_group", "options"]
