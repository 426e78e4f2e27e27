"""Random SELECT statements over a model whose rows are known, with the constructs each uses.

`ground` (what they speak of), `hand` (the draws of one statement), `expressions`, `conditions`, `sources` (FROM), `selects` (one
SELECT), `queries` (set operations, CTEs, recursion, order and limit).
"""

from tests.generators.statements.ground import Ground, ground_of
from tests.generators.statements.queries import statements
from tests.generators.statements.statement import Statement

__all__ = ["Ground", "Statement", "ground_of", "statements"]
