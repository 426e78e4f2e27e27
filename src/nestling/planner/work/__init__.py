"""The work of read and write plans: how many documents, keys, elements and rows each of its steps handles, from statistics.

`average_documents` says what a collection's documents look like on average. `first_access` says which index the server takes
for what a plan reads first. `estimate` counts the steps of a read, `writes` those of a write.
"""

from nestling.planner.work.average_documents import documents_of
from nestling.planner.work.estimate import estimate
from nestling.planner.work.writes import estimate_write

__all__ = ["documents_of", "estimate", "estimate_write"]
