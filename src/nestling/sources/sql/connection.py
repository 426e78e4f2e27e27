"""Connections to SQL databases: read-only sessions that return raw values, and errors that say what to do.

Drivers are used directly (SQLAlchemy only builds the SQL): its result processors would, for example, turn an interval of months
into days, and cost time for every value. Session settings make equal data arrive as equal values everywhere.
"""

from __future__ import annotations

import ssl
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nestling.common.errors import NestlingError, Problem, SourceError
from nestling.common.redaction import redact
from nestling.sources.sql.address import Address
from nestling.sources.sql.engines import engine_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import Dialect


def connect(address: Address, *, read_only: bool = True) -> Any:
    """Open a driver connection; raises ConnectionFailed, AuthenticationFailed, PermissionDenied or SourceError."""
    with typed_errors(address):
        return engine_of(address.dialect).connect(address, read_only=read_only)


def dialect_of(address: Address) -> Dialect:
    """The SQLAlchemy dialect that compiles statements for this database."""
    return engine_of(address.dialect).compiler(address)


@contextmanager
def typed_errors(address: Address) -> Iterator[None]:
    """Turn a driver's errors into ours, without passwords."""
    try:
        yield
    except NestlingError:
        raise
    except UnicodeDecodeError:  # SQLite's own message about a broken schema quotes it
        raise SourceError(Problem("its schema contains text that is not UTF-8", where=address.origin)) from None
    except ssl.SSLError as error:
        what = f"a certificate or key in the address cannot be used: {error.reason or error.args[-1]}"
        raise SourceError(Problem(what, where=address.origin)) from None
    except Exception as raised:
        own = getattr(raised, "orig", None) or raised  # what SQLAlchemy has of the driver
        engine = engine_of(address.dialect)
        if type(own).__module__.split(".")[0] not in (engine.error_modules or (engine.module,)):
            raise
        raise _typed(own, address) from None  # the driver's own text may hold what has been redacted


def _typed(error: Exception, address: Address) -> NestlingError:
    said = redact(" ".join(str(part) for part in error.args)).strip().splitlines() or [type(error).__name__]
    return engine_of(address.dialect).typed(error, Problem(said[0], where=address.origin))
