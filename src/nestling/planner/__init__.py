"""From a design to access paths. Pure: nothing here uses a database.

`sql` turns the text of a statement into a `Query` or `Write`. `homes` yields every row of an entity from wherever it is stored.
`reads` and `writes` plan a statement on those homes. `upkeep` plans the steps that maintain copies and computed values,
`routes` the way from a changed document to those that depend on it, `checks` what `check` compares, and `migration` how one
design becomes another. `work` counts what the steps of a plan process, from what is `known` about the data; `options` does so
for every way to answer every statement, from which the search chooses.
"""
