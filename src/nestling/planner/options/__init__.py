"""Options: how each step of each statement can be answered with the candidate structures, and how much work each way is.

`statements` interprets a statement, for example as a tree of visits; `sizes` has the numbers of rows and bytes; `structures`
knows what each kind of candidate costs and allows. `reads` and `writes` list the ways to do each step. `modes` prices a way,
and `problem` combines everything.
"""

from nestling.planner.options.problem import design_problem

__all__ = ["design_problem"]
