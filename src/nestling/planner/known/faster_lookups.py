"""When lookups at the start of a pipeline pay in the server's faster engine (6.0 and later).

That engine finds by an index what a `$lookup` without a pipeline of its own asks for, or reads a small collection once and
finds it there. It gives all that is found in one array, and takes longer to begin.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

MANY = 5
"""Rows from which on it is faster (3 to 5 on MongoDB 6.0.5: 0.1 ms to begin, 0.03 ms saved for each lookup)."""
FEW_FOUND = 40
"""Rows found on average up to which it is faster: each is held once more (0.6 µs), and a lookup is 30 µs faster."""
ROWS_A_LOOKUP = 40
"""Documents that are read once in the time of one lookup by an index in the usual engine (some 40 µs)."""
HASHED_DOCUMENTS = 10_000
"""Documents of a collection without an index up to which the server reads it once (its own bound, as is 100 MB)."""
ARRAY_BYTES = 4 * 1024 * 1024
"""Bytes of the largest array that is made: what is found may grow to 25 times as much before the server refuses it (100 MB)."""


@dataclass(frozen=True, slots=True)
class FoundRows:
    """What lookups find: so many documents on average, `most` for one row, so many bytes each, of so many in the collection."""

    mean: float
    most: float
    document_bytes: float
    documents: float
    by_index: bool

    @property
    def is_hashed(self) -> bool:
        """Whether the server reads the collection once for all lookups."""
        return not self.by_index and self.documents <= HASHED_DOCUMENTS

    @property
    def pays(self) -> bool:
        """Whether the faster engine is faster, and holds what is found."""
        few = self.mean <= FEW_FOUND if self.by_index else self.is_hashed
        return few and self.most * self.document_bytes <= ARRAY_BYTES


ONE = FoundRows(1.0, 1.0, 0.0, inf, by_index=True)
"""What a lookup of a parent finds."""
