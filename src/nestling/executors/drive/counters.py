"""The server's own counters around a block: bytes written to its journal, and transactions by outcome."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pymongo.database import Database
from pymongo.errors import OperationFailure


@dataclass(frozen=True, slots=True)
class Counters:
    """Bytes in the journal, transactions committed and aborted (those tried again are among them), since the server started."""

    journal_bytes: int = 0
    committed: int = 0
    aborted: int = 0

    def __sub__(self, earlier: Counters) -> Counters:
        return Counters(
            self.journal_bytes - earlier.journal_bytes,
            self.committed - earlier.committed,
            self.aborted - earlier.aborted,
        )

    def __add__(self, other: Counters) -> Counters:
        return Counters(
            self.journal_bytes + other.journal_bytes, self.committed + other.committed, self.aborted + other.aborted
        )


def counters(database: Database[Any]) -> Counters:
    """The current values; zeros if the user may not ask."""
    with suppress(OperationFailure):
        status: dict[str, Any] = database.client.admin.command("serverStatus")
        journal = status.get("wiredTiger", {}).get("log", {}).get("log bytes written", 0)
        transactions = status.get("transactions", {})
        return Counters(
            int(journal), int(transactions.get("totalCommitted", 0)), int(transactions.get("totalAborted", 0))
        )
    return Counters()
