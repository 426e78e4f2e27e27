"""The work of a read plan: how many documents, keys, elements and rows each of its steps handles, from statistics.

`documents` says what a collection's documents look like on average, `selectivity` which share of rows a predicate keeps,
`leading` which index the server takes for what a plan reads first, `estimate` walks the steps.
"""

from nestling.planner.work.documents import Documents, documents_of
from nestling.planner.work.estimate import estimate

__all__ = ["Documents", "documents_of", "estimate"]
