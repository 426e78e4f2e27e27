"""When lookups at the start of a pipeline pay in the server's faster engine (6.0 and later).

That engine finds by an index what a `$lookup` without a pipeline of its own asks for, or reads a small collection once and
finds it there. It gives all that is found in one array, and takes longer to begin.
"""

from __future__ import annotations

from dataclasses import dataclass

LEAST_FASTER_ROWS = 5
"""Rows from which on it is faster (3 to 5 on MongoDB 6.0.5: 0.1 ms to begin, 0.03 ms saved for each lookup)."""
FEW_FOUND = 40
"""Rows found on average up to which it is faster: each is held once more (0.6 µs), and a lookup is 30 µs faster."""
ROWS_A_LOOKUP = 40
"""Documents that are read once in the time of one lookup by an index in the usual engine (some 40 µs)."""
_HASHED_DOCUMENTS, _HASHED_BYTES = 10_000, 100 * 1024 * 1024
ARRAY_BYTES = 4 * 1024 * 1024
"""Bytes of the largest array that is made: what is found may grow to 25 times as much before the server refuses it (100 MB)."""


def is_read_once(documents: float, document_bytes: float) -> bool:
    """Whether the server reads a collection without an index once for all lookups: the bounds are its own."""
    return documents <= _HASHED_DOCUMENTS and documents * document_bytes <= _HASHED_BYTES


@dataclass(frozen=True, slots=True)
class FoundRows:
    """What lookups find: so many documents on average, `most` for one row, so many bytes each, of so many in the collection."""

    mean: float
    most: float
    document_bytes: float
    documents: float
    by_index: bool

    @property
    def pays(self) -> bool:
        """Whether the faster engine is faster, and holds what is found."""
        few = self.mean <= FEW_FOUND if self.by_index else is_read_once(self.documents, self.document_bytes)
        return few and self.most * self.document_bytes <= ARRAY_BYTES
