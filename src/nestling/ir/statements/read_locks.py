"""What a read that locks its rows does at the source, and the note about it."""

from __future__ import annotations

from enum import StrEnum


class ReadLock(StrEnum):
    """What becomes of rows that another transaction has locked: they are waited for (or an error), or left out."""

    HELD = "held"
    SKIPPED = "skipped"

    @property
    def note(self) -> str:
        """The note that a user gets about such a read."""
        return _NOTES[self]


_NOTES = {
    ReadLock.HELD: (
        "it locks rows in the source, but reads them without a lock here: MongoDB locks a document when it is written. Of two"
        " `Store.transaction`s that read a row and then change it, one starts again; if a row is only read, change a row that"
        " both change"
    ),
    ReadLock.SKIPPED: (
        "it skips rows that others have locked in the source, but reads them here, as MongoDB locks a document when it is"
        " written: concurrent reads get the same rows. Of two `Store.transaction`s that read a row and then change it, one"
        " starts again and reads what the other left. To claim a row without a transaction, write"
        " `UPDATE … WHERE id = (SELECT … FOR UPDATE SKIP LOCKED) RETURNING id`"
    ),
}
