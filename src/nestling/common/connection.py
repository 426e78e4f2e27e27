"""Reaching a MongoDB, with errors that say what to do and never show a password."""

from __future__ import annotations

import re
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pymongo import MongoClient
from pymongo.errors import (
    BulkWriteError,
    ConfigurationError,
    ConnectionFailure,
    NetworkTimeout,
    OperationFailure,
    PyMongoError,
)
from pymongo.uri_parser import parse_uri

from nestling.common.errors import (
    AuthenticationFailed,
    ConnectionFailed,
    DiskFull,
    PermissionDenied,
    Problem,
    WriteConflict,
)
from nestling.common.redaction import redact
from nestling.common.server_codes import (
    ATLAS_REFUSES,
    AUTHENTICATION_FAILED,
    OUT_OF_DISK_SPACE,
    TRANSIENT_TRANSACTION,
    UNAUTHORIZED,
)
from nestling.common.unauthorized import unauthorized

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pymongo.asynchronous.database import AsyncDatabase
    from pymongo.database import Database

LONGEST_DATABASE_NAME = 63
"""Bytes of a database's name at most."""
SELECTION_SECONDS = 5.0
"""How long to look for a server before saying it cannot be reached; the driver's own 30 s look like a hang."""
NOT_IN_DNS = ("NXDOMAIN", "NoAnswer")
"""What the driver's resolver raises for a name without records."""
SELECTION_OPTION = "serverselectiontimeoutms"
NO_SPACE = "No space left on device"
"""What the server passes on from its system, under a code that may mean anything, where it makes files."""
SRV = re.compile(r"^mongodb\+srv://")
"""The scheme of names that are looked up in DNS. To parse a URI without that, it is replaced."""
OF_ANOTHER_MAKE = "You appear to be connected to"
"""How the driver's remark begins about a server that only speaks MongoDB's protocol; the URI is not at fault."""


def connect(uri: str, *, selection_seconds: float = SELECTION_SECONDS, **options: Any) -> MongoClient[dict[str, Any]]:
    """Return a client of a server that has just answered; `options` are the driver's own.

    Raises ConnectionFailed, AuthenticationFailed or PermissionDenied. Later errors are the driver's: wrap work in
    `typed_errors` to get the same treatment.
    """
    _refuse_raw_characters(uri)
    if SELECTION_OPTION not in uri.casefold():
        options = {SELECTION_OPTION: round(selection_seconds * 1000), **options}
    with typed_errors(uri):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", UserWarning)  # an option's value the driver would leave out
                warnings.filterwarnings("default", OF_ANOTHER_MAKE, UserWarning)
                client: MongoClient[dict[str, Any]] = MongoClient(uri, appname="nestling", **options)
        except (ValueError, OSError, UserWarning) as error:  # a port or option that cannot be, a certificate not there
            raise _unusable(error, redact(uri)) from None
        try:
            client.admin.command("ping")
        except BaseException:
            client.close()
            raise
        return client


@contextmanager
def typed_errors(uri: str) -> Iterator[None]:
    """Turn the driver's errors about connection, user, rights, full disks and lasting conflicts into ours; others pass."""
    try:
        yield
    except PyMongoError as error:
        ours = _typed(error, redact(uri))
        if ours is None:
            raise
        raise ours from None  # the driver's own text may hold what has been redacted


def _typed(error: PyMongoError, where: str) -> ConnectionFailed | PermissionDenied | DiskFull | WriteConflict | None:
    said = redact(str(error))
    match error:
        case _ if (conflict := write_conflict(error, where)) is not None:
            return conflict
        case ConfigurationError():
            return _unresolved(error, where) or _unusable(error, where)
        case ConnectionFailure():
            move = "check that the server is running, its address, and that this machine can reach it"
            return ConnectionFailed(Problem(f"cannot reach the server: {_first(said)}", where=where, next_move=move))
        case OperationFailure(code=code) if code in (AUTHENTICATION_FAILED, ATLAS_REFUSES):
            move = "check the user, the password, and the database the user belongs to (authSource)"
            return AuthenticationFailed(
                Problem("the server refuses this user or password", where=where, next_move=move)
            )
        case OperationFailure(code=code) if code == UNAUTHORIZED:
            return PermissionDenied(unauthorized(_first(said), where))
        case OperationFailure() if disk_is_full(error):
            move = "free some space, then run the command again: it continues where it stopped (a load with `--resume`)"
            return DiskFull(Problem("the server's disk is full", where=where, next_move=move))
    return None


def write_conflict(error: PyMongoError, where: str) -> WriteConflict | None:
    """Our error where the server aborted a transaction each time until the driver gave up.

    The driver calls that a timeout, as if the server had not answered, and keeps the server's answer as its cause.
    """
    reason = error.__cause__
    if not isinstance(error, NetworkTimeout) or not isinstance(reason, OperationFailure):
        return None
    if not reason.has_error_label(TRANSIENT_TRANSACTION):
        return None
    what = (
        "the transaction was retried for two minutes, and the server aborted it each time "
        f"({_first(redact(str(reason)))}): other writes change the same documents, or it changes too many at once"
    )
    move = (
        "stop other writes to these documents and run it again; if there are none, change fewer rows at once, or make the "
        "copies it keeps `async` in the design"
    )
    return WriteConflict(Problem(what, where=where, next_move=move))


def disk_is_full(error: OperationFailure) -> bool:
    """Whether that is why the server did not do it, or one of the writes of a bulk."""
    writes = (error.details or {}).get("writeErrors", ()) if isinstance(error, BulkWriteError) else ()
    said = (_first(str(error)), *(each.get("errmsg", "") for each in writes))  # and never what a refused document holds
    codes = (error.code, *(each.get("code") for each in writes))
    return OUT_OF_DISK_SPACE in codes or any(NO_SPACE in each for each in said)


def _refuse_raw_characters(uri: str) -> None:
    """Raise for a password with a / or ? in it: the driver would take what comes before it for a host, and name that."""
    hosts, _, rest = uri.partition("://")[2].partition("/")
    if "@" in rest.partition("?")[0] or "@" in hosts.partition("?")[2]:
        raise _unusable(ValueError("there is an @ after the / or ? that ends the host names"), redact(uri))


def _unresolved(error: ConfigurationError, where: str) -> ConnectionFailed | None:
    """The error of a `mongodb+srv` address that DNS knows nothing of, or cannot be asked about; None of other errors."""
    cause = type(error.__cause__)
    if not where.startswith("mongodb+srv://") or cause.__module__.partition(".")[0] != "dns":
        return None
    host = re.split("[/?]", where.removeprefix("mongodb+srv://"), maxsplit=1)[0].rpartition("@")[2]
    if cause.__name__ in NOT_IN_DNS:
        what = f"`{host}` was not found in DNS: it has no record `_mongodb._tcp.{host}`"
        move = "check the name; if it is a single server, write mongodb:// instead of mongodb+srv://"
    else:
        what, move = (
            f"the DNS lookup of `{host}` failed: {redact(str(error))}",
            "check that this machine can reach its DNS server",
        )
    return ConnectionFailed(Problem(what, where=where, next_move=move))


def _unusable(error: Exception, where: str) -> ConnectionFailed:
    encode = "check the URI; percent-encode the characters : / ? # [ ] @ in user and password"
    if "://" not in where and not where.startswith("mongodb"):
        move = f"write mongodb://{where}"
    elif meant := _database_first(where):
        move = f"name the database before the options: {meant}"
    elif str(error).startswith("Bad database name"):
        move = "choose a name without blanks, dots, quotes, slashes and $"
    else:
        move = encode
    return ConnectionFailed(Problem(f"the URI cannot be used: {redact(str(error))}", where=where, next_move=move))


def _database_first(uri: str) -> str:
    """The URI with what was put behind its options as the database before them; "" if that cannot be used either."""
    before, _, options = uri.partition("?")
    options, _, name = options.rpartition("/")
    meant = f"{before}{name}?{options}"
    try:
        parsed = parse_uri(SRV.sub("mongodb://", meant), validate=True)
    except (ConfigurationError, ValueError):
        return ""
    return meant if before.endswith("/") and parsed["database"] == name else ""


def _first(said: str) -> str:
    """Keep the sentence and drop the driver's dump of its topology or of the whole reply."""
    return re.split(r" \(configured timeouts: |, Timeout: |, full error: |, Topology Description: ", said, maxsplit=1)[
        0
    ]


def address(database: Database[Any] | AsyncDatabase[Any]) -> str:
    """The address of a database without user and password: the servers that answer, or all that were named if none does."""
    known = database.client.nodes or database.client.topology_description.server_descriptions()
    hosts = ",".join(host if port is None else f"{host}:{port}" for host, port in sorted(known, key=str))
    return f"{hosts}/{database.name}"


def database_name(uri: str, default: str) -> str:
    """Return the database a URI names, or the default; raises ConnectionFailed if it is not a MongoDB URI."""
    _refuse_raw_characters(uri)
    # A +srv name would be looked up in DNS just to be parsed; the database does not depend on it.
    plain = SRV.sub("mongodb://", uri)
    try:
        parsed = parse_uri(plain, validate=False)
    except (ConfigurationError, ValueError) as error:
        raise _unusable(error, redact(uri)) from None
    if parsed["collection"]:  # how the driver reads what is behind a dot
        what = f"`{parsed['database']}.{parsed['collection']}` is not a database name: it contains a dot"
        raise ConnectionFailed(
            Problem(what, where=redact(uri), next_move="write a name without a dot: mongodb://host/database")
        )
    name = parsed["database"] or default
    if (length := len(name.encode())) > LONGEST_DATABASE_NAME:
        what = f"`{name[:20]}…` is too long for a database name: {length} bytes"
        known = f"MongoDB allows {LONGEST_DATABASE_NAME}"
        raise ConnectionFailed(Problem(what, where=redact(uri), known=known, next_move="choose a shorter name"))
    return name
