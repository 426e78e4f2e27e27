"""Workload files: SQL statements over the model, each under a `-- name: …, rate: …` line, and requirements.

::

    -- freshness: product.name async(5s)
    -- window: 5400.0 s

    -- name: product_page, rate: 900/s
    -- params: {"id": 7}
    SELECT name, price FROM product WHERE id = :id;

`blocks` cuts the file, `rates` says whose a rate is, `placeholders` makes parameters `:name`, `footprint` finds out what each
statement accesses, `requirements` reads the comment lines that say what any design must keep (its docstring has their grammar),
`undeclared` finds the relationships that statements join along and no foreign key declares, `hand_written` what the statements of
a model file touch. `-- window` says how long statements were watched, where their rates were counted; those of less than an hour
tell nothing of growth.
"""

from nestling.sources.statements.hand_written import with_footprints
from nestling.sources.statements.placeholders import normalise
from nestling.sources.statements.read import check_workload, is_about_weight, is_mistake_in, parse_workload
from nestling.sources.statements.undeclared import NamedSql, named_statements, with_joined

__all__ = [
    "NamedSql",
    "check_workload",
    "is_about_weight",
    "is_mistake_in",
    "named_statements",
    "normalise",
    "parse_workload",
    "with_footprints",
    "with_joined",
]
