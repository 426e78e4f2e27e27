"""The server's codes of errors, and the labels it puts on them: each under one name, and each name for one."""

from __future__ import annotations

# --- who may do what -------------------------------------------------------------------------------------------------

UNAUTHORIZED = 13
AUTHENTICATION_FAILED = 18
ATLAS_REFUSES = 8000
NOT_PERMITTED = (UNAUTHORIZED, ATLAS_REFUSES)

# --- what is there ---------------------------------------------------------------------------------------------------

NAMESPACE_NOT_FOUND = 26
NAMESPACE_EXISTS = 48
IS_A_VIEW = 166
INDEX_CONFLICTS = frozenset((85, 86))
"""The codes for an index whose keys or name another index has."""
NO_SUCH_STAGE = (16436, 40324)
NOT_YET_INITIALIZED = 94
"""No replica set yet, of a server that was started for one."""
ILLEGAL_OPERATION = 20
"""Among others: "Transaction numbers are only allowed on a replica set member or mongos"."""
NO_CHANGE_STREAMS = 40573
"""The server is standalone."""

# --- what is refused -------------------------------------------------------------------------------------------------

DUPLICATE_KEY = 11000
NOT_VALID = 121
"""A validator refuses the document."""
NOT_CONVERTED = 241
"""The code for a value that is not in the range of the type it is to become."""
NO_SUCH_YEAR = frozenset({18537, 31034, 40523})
"""Codes for a date outside the years the server writes and makes: as a text, of a month too far away, of a year."""
OF_EXPRESSIONS = 15_000
"""From here on the server's codes are of places in its own code, most of them in expressions."""

# --- what is too much ------------------------------------------------------------------------------------------------

OBJECT_TOO_LARGE = 10334
DOCUMENT_TOO_LARGE = frozenset({OBJECT_TOO_LARGE, 13548, 16493, 17419, 17420, 4568})
"""Codes for a document over 16 MiB: one that is sent, one that is built, a text, the matches of one `$lookup`."""
EXCEEDED_MEMORY = 146
OUT_OF_MEMORY = frozenset({EXCEEDED_MEMORY, 292, 40099, 5414201, 5414204})
"""Codes for a stage over its 100 MB: in general, without disk, `$graphLookup`, window functions."""
OUT_OF_DISK_SPACE = 14031
MAX_TIME_EXPIRED = (50, 262)

# --- change streams --------------------------------------------------------------------------------------------------

HISTORY_LOST = (286, 280, 136)
"""ChangeStreamHistoryLost, ChangeStreamFatalError, CappedPositionLost."""
UNUSABLE_TOKEN = (260, 50811, 50988)
NOT_RESUMABLE = "NonResumableChangeStreamError"
"""The label of errors after which a change stream cannot go on."""

# --- what may pass by itself -----------------------------------------------------------------------------------------

TRANSIENT_TRANSACTION = "TransientTransactionError"
"""The label of errors after which the driver begins a transaction again."""
TRANSIENT_LABELS = ("ResumableChangeStreamError", "RetryableWriteError", TRANSIENT_TRANSACTION)
TRANSIENT_CODES = frozenset(
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
        50736,  # a cursor of no session, opened in an election's moments without one, read on in one
    }
)
