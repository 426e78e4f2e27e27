"""Connections to SQL databases: read-only sessions that hand over raw values, and errors that say what to do.

Drivers are used directly (SQLAlchemy builds the SQL): its result processors would turn, say, an interval of months into
days, and cost time on every value. Session settings make the same data arrive as the same values everywhere.
"""

from __future__ import annotations

import importlib
import sqlite3
import ssl
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from nestling.common.errors import (
    AuthenticationFailed,
    ConnectionFailed,
    NestlingError,
    PermissionDenied,
    Problem,
    SourceError,
)
from nestling.common.redaction import redact
from nestling.common.sql_dialects import MYSQL, POSTGRESQL, SQLITE
from nestling.sources.sql.address import Address

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from sqlalchemy.engine import Dialect

CONNECT_SECONDS = 10
"""How long a server may take to answer before it counts as unreachable."""
_MYSQL_REFUSALS = {1044, 1045, 1698}
_MYSQL_NOT_ALLOWED = {1142, 1143, 1227, 1290, 1792}
_MYSQL_UNREACHABLE = {2002, 2003, 2005, 2006, 2013, 1049}


def connect(address: Address, *, read_only: bool = True) -> Any:
    """Open a driver connection; raises ConnectionFailed, AuthenticationFailed, PermissionDenied or SourceError."""
    with typed_errors(address):
        if address.dialect == SQLITE:
            return _sqlite(address, read_only=read_only)
        if address.dialect == POSTGRESQL:
            return _postgresql(address, read_only=read_only)
        return _mysql(address, read_only=read_only)


def dialect_of(address: Address) -> Dialect:
    """The SQLAlchemy dialect that compiles statements for this database."""
    if address.dialect != SQLITE:
        driver(address)
    dialect: Dialect = address.url.get_dialect()()
    return dialect


def driver(address: Address) -> ModuleType:
    """The driver's module; raises SourceError naming the extra to install."""
    name = {SQLITE: "sqlite3", POSTGRESQL: "psycopg", MYSQL: "pymysql"}[address.dialect]
    try:
        return importlib.import_module(name)
    except ImportError:
        move = f"pip install 'nestling[{address.dialect}]'"
        raise SourceError(Problem(f"the driver `{name}` is not installed", next_move=move)) from None


def _sqlite(address: Address, *, read_only: bool) -> sqlite3.Connection:
    path = address.path
    if read_only and not path.is_file():
        what = "this is a directory, not a database file" if path.is_dir() else "there is no such file"
        raise SourceError(Problem(what, where=str(path), next_move="check the path (`sqlite:////absolute/path.db`)"))
    if not path.parent.is_dir():
        raise SourceError(
            Problem(f"there is no folder `{path.parent}`", where=str(path), next_move="make it, or name another file")
        )
    mode = "ro" if read_only else "rwc"
    connection = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?mode={mode}", uri=True, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _postgresql(address: Address, *, read_only: bool) -> Any:
    psycopg: Any = driver(address)
    from nestling.sources.sql.postgresql_loaders import register_loaders

    plain = address.url.set(
        drivername="postgresql", query={**address.url.query, "connect_timeout": str(CONNECT_SECONDS)}
    )
    connection = psycopg.connect(plain.render_as_string(hide_password=False), client_encoding="utf-8")
    try:
        for setting in (
            "TimeZone = 'UTC'",
            "IntervalStyle = 'iso_8601'",
            "DateStyle = 'ISO'",
            "cursor_tuple_fraction = 1",
        ):
            connection.execute(f"SET {setting}")
        register_loaders(connection)
        connection.commit()
        connection.read_only = read_only
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    except BaseException:
        connection.close()
        raise
    return connection


def _mysql(address: Address, *, read_only: bool) -> Any:
    pymysql: Any = driver(address)
    from nestling.sources.sql.mysql_decoders import decoders
    from nestling.sources.sql.mysql_options import mysql_options

    url = address.url
    who = {"user": url.username, "password": str(url.password or "")}
    connection = pymysql.connect(
        host=url.host or "localhost",
        port=url.port or 3306,
        database=url.database,
        charset="utf8mb4",
        conv=decoders(),
        connect_timeout=CONNECT_SECONDS,
        autocommit=True,
        **who | mysql_options(address),
    )
    with connection.cursor() as cursor:
        cursor.execute("SET time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_AUTO_VALUE_ON_ZERO'")
        if read_only:
            cursor.execute("SET SESSION TRANSACTION READ ONLY")
    return connection


@contextmanager
def typed_errors(address: Address) -> Iterator[None]:
    """Turn a driver's errors into ours, without passwords."""
    try:
        yield
    except NestlingError:
        raise
    except UnicodeDecodeError:  # SQLite's own message about a broken schema quotes it
        raise SourceError(Problem("its schema holds what is not UTF-8 text", where=address.origin)) from None
    except ssl.SSLError as error:
        what = f"a certificate or key of the address cannot be used: {error.reason or error.args[-1]}"
        raise SourceError(Problem(what, where=address.origin)) from None
    except Exception as error:
        kind = type(error).__module__.split(".")[0]
        if kind not in ("sqlite3", "psycopg", "pymysql"):
            raise
        raise _typed(error, address) from None  # the driver's own text may hold what has been redacted


def _typed(error: Exception, address: Address) -> NestlingError:
    said = redact(" ".join(str(part) for part in error.args)).strip().splitlines() or [type(error).__name__]
    problem = Problem(said[0], where=address.origin)
    refused = AuthenticationFailed(Problem("the server refuses this user or password", where=address.origin))
    if address.dialect == MYSQL:
        return _typed_mysql(error.args[0] if error.args else 0, problem, refused)
    if address.dialect == POSTGRESQL:
        return _typed_postgresql(error, problem, refused)
    if "not a database" in said[0]:
        return SourceError(Problem("this file is not a SQLite database", where=address.origin))
    return _not_allowed(problem) if "readonly" in said[0] else SourceError(problem)


def _typed_mysql(code: object, problem: Problem, refused: AuthenticationFailed) -> NestlingError:
    if code in _MYSQL_REFUSALS:
        return refused
    if code in _MYSQL_NOT_ALLOWED:
        return _not_allowed(problem)
    return _unreached(problem) if code in _MYSQL_UNREACHABLE else SourceError(problem)


def _typed_postgresql(error: Exception, problem: Problem, refused: AuthenticationFailed) -> NestlingError:
    state = getattr(error, "sqlstate", None)
    if state in ("28P01", "28000") or "authentication failed" in str(error):
        return refused
    if state in ("42501", "25006"):
        return _not_allowed(problem)
    unreachable = type(error).__name__ in ("OperationalError", "ConnectionTimeout") and state is None
    return _unreached(problem) if unreachable else SourceError(problem)


def _not_allowed(problem: Problem) -> PermissionDenied:
    move = "let the user SELECT from every table to read them, and create and fill tables to unload"
    return PermissionDenied(replace(problem, next_move=move))


def _unreached(problem: Problem) -> ConnectionFailed:
    move = "check that the server runs, its address, and that this machine may reach it"
    return ConnectionFailed(replace(problem, next_move=move))
