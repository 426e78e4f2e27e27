"""Errors that may pass by themselves: elections, broken connections, writes that were in each other's way."""

from __future__ import annotations

from pymongo.errors import (
    BulkWriteError,
    ConnectionFailure,
    CursorNotFound,
    OperationFailure,
    PyMongoError,
    WTimeoutError,
)

LABELS = ("ResumableChangeStreamError", "RetryableWriteError", "TransientTransactionError")
CODES = frozenset(
    {
        6,  # HostUnreachable
        7,  # HostNotFound
        43,  # CursorNotFound
        63,  # StaleShardVersion
        64,  # WriteConcernTimeout
        89,  # NetworkTimeout
        91,  # ShutdownInProgress
        112,  # WriteConflict
        133,  # FailedToSatisfyReadPreference
        134,  # ReadConcernMajorityNotAvailableYet
        189,  # PrimarySteppedDown
        202,  # NetworkInterfaceExceededTimeLimit
        234,  # RetryChangeStream
        237,  # CursorKilled
        239,  # SnapshotTooOld
        246,  # SnapshotUnavailable
        262,  # ExceededTimeLimit
        317,  # ConnectionPoolExpired
        9001,  # SocketException
        10107,  # NotWritablePrimary
        11600,  # InterruptedAtShutdown
        11602,  # InterruptedDueToReplStateChange
        13388,  # StaleConfig
        13435,  # NotPrimaryNoSecondaryOk
        13436,  # NotPrimaryOrSecondary
    }
)


def is_transient(error: PyMongoError) -> bool:
    """Whether the same may succeed when it is tried again."""
    if isinstance(error, ConnectionFailure | CursorNotFound | WTimeoutError) or error.timeout:
        return True
    if any(error.has_error_label(label) for label in LABELS):
        return True
    if isinstance(error, BulkWriteError):
        details = error.details or {}
        codes = [each.get("code") for each in details.get("writeErrors", ())]
        codes += [each.get("code") for each in details.get("writeConcernErrors", ())]
        return bool(codes) and CODES.issuperset(codes)
    return isinstance(error, OperationFailure) and error.code in CODES
