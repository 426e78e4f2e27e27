"""What a write does outside of its transaction while that is open, such as raising a counter.

Somebody may wait for the transaction to end, as one who renames a collection does, and all later commands wait for him: this one
would until the server ends the transaction, after a minute. So it waits for a moment only, and then the transaction begins anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pymongo
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.client_session import ClientSession
from pymongo.errors import PyMongoError, ServerSelectionTimeoutError

MOMENT_SECONDS = 1.0
ANEW = "TransientTransactionError"
"""What the driver begins a transaction anew for."""


@contextmanager
def apart(session: ClientSession | AsyncClientSession | None) -> Iterator[None]:
    """Have what is done inside end in a moment where the session's transaction is open."""
    if session is None or not session.in_transaction:
        yield
        return
    try:
        with pymongo.timeout(MOMENT_SECONDS):
            yield
    except ServerSelectionTimeoutError:
        raise
    except PyMongoError as error:
        if not error.timeout:
            raise
        raise PyMongoError("somebody waits for this transaction to end", [ANEW]) from error
