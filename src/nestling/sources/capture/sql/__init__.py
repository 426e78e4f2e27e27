"""Captured shapes said as SQL over the conceptual model, by the design the documents follow.

A `Query` (`query`) is what a statement has come to: rows of entities and how they join, conditions, groups, order. Documents of a
collection are trees of values (`documents`): a field is a column of a row, an embedded array is rows joined when they are asked
for, a copy is a column of the row it is of. Filters (`filters`), expressions (`expressions`) and stages (`stages`) work on these
values; `writes` says changes. What cannot be said raises `NotExpressible`, and becomes a gap.
"""
