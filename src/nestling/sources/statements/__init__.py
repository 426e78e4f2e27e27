"""Workload files: SQL statements over the model, each under a `-- name: …, rate: …` line, and requirements.

::

    -- freshness: product.name async(5s)

    -- name: product_page, rate: 900/s
    -- params: {"id": 7}
    SELECT name, price FROM product WHERE id = :id;

`blocks` cuts the file, `placeholders` makes parameters `:name`, `footprint` finds out what each statement accesses,
`requirements` reads the comment lines that say what any design must keep (its docstring has their grammar).
"""

from nestling.sources.statements.read import parse_workload

__all__ = ["parse_workload"]
