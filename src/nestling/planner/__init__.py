"""From a design to access paths: pure, no database in sight.

`sql` makes a `Query` or `Write` of a statement's text. `homes` yields every row of an entity from wherever it is stored;
`reads` and `writes` plan a statement on those homes, `upkeep` the steps that keep copies and computed values, `routes` the way
from a changed document to those that follow from it, `checks` what `check` compares, `migration` how one design becomes
another. `work` counts what the steps of a plan handle, from what is `known` of the data; `options` does so for every way to
answer every statement, which is what the search chooses from.
"""
