"""Operations of a write outside its open transaction, such as incrementing a counter.

Another operation, such as renaming a collection, may wait for the transaction to end, and block all later commands. This one
would then wait until the server ends the transaction after a minute. So it waits only briefly, and then the transaction begins
again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pymongo
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.client_session import ClientSession
from pymongo.errors import PyMongoError, ServerSelectionTimeoutError

from nestling.common.server_codes import TRANSIENT_TRANSACTION

MOMENT_SECONDS = 1.0


@contextmanager
def apart(session: ClientSession | AsyncClientSession | None) -> Iterator[None]:
    """Give operations inside a short timeout if the session has an open transaction."""
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
        raise PyMongoError("somebody waits for this transaction to end", [TRANSIENT_TRANSACTION]) from error
