"""Which errors of the server's may pass by themselves."""

from __future__ import annotations

import pytest
from pymongo.errors import AutoReconnect, OperationFailure

from nestling.executors.errors.transient import is_transient


@pytest.mark.parametrize(
    ("error", "may_pass"),
    [
        (OperationFailure("Cannot run getMore on cursor 1, which was not created in a session, in session x", 50736), True),
        (OperationFailure("not primary", 10107), True),
        (AutoReconnect("connection closed"), True),
        (OperationFailure("Document failed validation", 121), False),
        (OperationFailure("not authorized", 13), False),
    ],
)  # fmt: skip
def test_what_may_pass(error: OperationFailure | AutoReconnect, may_pass: bool) -> None:
    """What an election leaves behind, a cursor opened without a session among it; no fault of a document or a user."""
    assert is_transient(error) is may_pass
