"""Bad addresses and unreachable databases get typed errors that show no password."""

from __future__ import annotations

import subprocess
import sys
import uuid
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymysql import OperationalError
from pymysql.cursors import Cursor
from sqlalchemy import make_url

from nestling import pipeline
from nestling.common.errors import AuthenticationFailed, ConnectionFailed, NestlingError, PermissionDenied, SourceError
from nestling.common.redaction import redact
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.types import INTEGER
from nestling.sources.sql import SqlDatabase, open_database
from nestling.sources.sql.address import parse_address
from nestling.sources.sql.connection import connect
from nestling.sources.sql.sink import SqlSink
from tests.beside_mariadb import cursor_of


def test_a_source_of_no_known_kind() -> None:
    """What there is to name is told, a live MongoDB among it."""
    with pytest.raises(SourceError, match=r"http://x: not a kind of source nestling knows\n.*sqlite:///.*mongodb://…"):
        pipeline.inspect("http://x")


@pytest.mark.parametrize(
    ("url", "error", "said"),
    [
        ("sqlite:////no/such/file.db", SourceError, "no such file"),
        ("sqlite:////tmp", SourceError, "directory"),
        ("oracle://u:secret@h/d", SourceError, "not the address of a SQL database"),
        ("mongo://h/d", SourceError, "a MongoDB is `mongodb://host/database`"),
        ("sqlite://", SourceError, "names no database"),
        ("postgresql://u:secret@127.0.0.1:1/d", ConnectionFailed, ""),
        ("postgres://u:secret@127.0.0.1:1/d", ConnectionFailed, ""),
        ("mysql://u:secret@127.0.0.1:1/d", ConnectionFailed, ""),
        ("mariadb://u:secret@127.0.0.1:1/d", ConnectionFailed, ""),
    ],
)
def test_what_cannot_be_opened_says_why(url: str, error: type[NestlingError], said: str) -> None:
    """The error's type tells what kind of trouble it is; the password is never in its text."""
    with pytest.raises(error) as caught:
        open_database(url)
    assert said in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    """A text file is named as what it is not."""
    path = tmp_path / "notes.db"
    path.write_text("no database " * 100)
    with pytest.raises(SourceError, match="not a SQLite database"):
        open_database(f"sqlite:///{path}")


def test_a_wrong_password_is_refused(mariadb: str) -> None:
    """MariaDB's refusal is an authentication failure."""
    url = make_url(mariadb).set(drivername="mysql", username="nobody", password="secret", database="x")
    with pytest.raises(AuthenticationFailed) as caught:
        open_database(url.render_as_string(hide_password=False))
    assert "secret" not in str(caught.value)


def test_a_missing_postgresql_database(postgresql: str) -> None:
    """A database that does not exist cannot be reached; the error names it, and sends nobody to look whether the server runs."""
    _check_missing(postgresql, "postgresql")


def test_a_missing_mariadb_database(mariadb: str) -> None:
    """As one of PostgreSQL."""
    _check_missing(mariadb, "mysql")


def test_unloading_into_a_missing_mariadb_database(mariadb: str) -> None:
    """The catalogue is read by other means there, which say the same."""
    url = make_url(mariadb).set(drivername="mysql", database="no_such_database")
    sink = SqlSink(parse_address(url.render_as_string(hide_password=False)))
    with pytest.raises(ConnectionFailed, match="name a database that exists on the server"):
        sink.begin(Model("m", (Entity("t", (Attribute("id", INTEGER, nullable=False),), ("id",)),)))


def test_a_user_without_rights_on_a_mariadb_database(mariadb: str) -> None:
    """Is known to the server, with this password: a grant is missing."""
    url, name = make_url(mariadb), f"u{uuid.uuid4().hex[:12]}"
    with cursor_of(mariadb) as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
        cursor.execute(f"CREATE USER {name}@'%' IDENTIFIED BY 'secret'")
        own = url.set(drivername="mysql", username=name, password="secret", database=name)
        with pytest.raises(PermissionDenied, match="SELECT on every table"):
            open_database(own.render_as_string(hide_password=False))
        cursor.execute(f"DROP USER {name}@'%'")
        cursor.execute(f"DROP DATABASE {name}")


def _check_missing(server: str, driver: str) -> None:
    url = make_url(server).set(drivername=driver, database="no_such_database")
    with pytest.raises(ConnectionFailed, match="no_such_database") as caught:
        open_database(url.render_as_string(hide_password=False))
    assert "name a database that exists on the server" in str(caught.value)
    assert "server runs" not in str(caught.value)


@pytest.mark.parametrize("scheme", ["mysql", "mariadb", "postgresql", "postgres"])
@pytest.mark.parametrize("password", ["pa@ss#x", "pa@ss/x", "pa@ss?x", "p@a@ss", "pa@ss/x?y=1"])
def test_a_raw_password(scheme: str, password: str) -> None:
    """No part of a password is taken for a host, which the driver would name; what to do is said."""
    with pytest.raises(SourceError) as caught:
        open_database(f"{scheme}://u:{password}@127.0.0.1:1/d")
    assert "ss" not in str(caught.value).partition(": ")[2].replace("address", "").replace("password", "")
    assert "percent-encode" in str(caught.value)


@pytest.mark.parametrize("password", ["pa#ss", "pa/ss", "pa?ss"])
def test_raw_characters_that_end_nothing(password: str) -> None:
    """Without an @ in it the password is told from the host, and is not shown."""
    with pytest.raises(ConnectionFailed) as caught:
        open_database(f"mysql://u:{password}@127.0.0.1:1/d")
    assert password not in str(caught.value)
    assert "127.0.0.1" in str(caught.value)


def test_a_missing_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the driver the error says what to install."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(SourceError, match=r"pip install 'nestling\[postgresql\]'"):
        open_database("postgresql://h/d")


@pytest.mark.thorough
def test_reading_leaves_the_file_untouched(torture_sqlite: SqlDatabase) -> None:
    """Inspection writes nothing: same bytes, same time, no files beside it."""
    path = torture_sqlite.address.path
    before = path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir())
    torture_sqlite.reading()
    assert (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir())) == before


@pytest.mark.thorough
def test_importing_the_package_of_sources_loads_no_driver() -> None:
    """SQLAlchemy and the drivers are loaded when they are used."""
    code = "import sys, nestling.sources, nestling.sources.sql; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"sqlalchemy", "psycopg", "pymysql"} & set(loaded)


def test_a_user_postgresql_does_not_know(postgresql: str) -> None:
    """The server answers, so the hint is about the user and not about reaching it."""
    url = make_url(postgresql).set(drivername="postgresql", username="nobody_here")
    with pytest.raises(AuthenticationFailed, match="refuses this user or password") as caught:
        open_database(url.render_as_string(hide_password=False))
    said = str(caught.value)
    assert "give a user and password that the server accepts" in said
    assert redact(said) == said


def test_a_connection_whose_settings_are_refused_is_closed(mariadb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """None stays open on the server."""
    connections = list[Any]()

    def refuse(cursor: Cursor, _: str) -> None:
        connections.append(cursor.connection)
        raise OperationalError(1227, "Access denied")

    monkeypatch.setattr(Cursor, "execute", refuse)
    url = make_url(mariadb).set(drivername="mysql", query={})
    with pytest.raises(NestlingError, match="Access denied"):
        connect(parse_address(url.render_as_string(hide_password=False)))
    (connection,) = connections
    assert not connection.open


@pytest.mark.parametrize(("query", "seconds"), [("", 10), ("?connect_timeout=60", 60)])
def test_how_long_postgresql_is_waited_for(postgresql: str, query: str, seconds: int) -> None:
    """As long as the address says, or ten seconds."""
    url = make_url(postgresql).set(drivername="postgresql", query={})
    with closing(connect(parse_address(url.render_as_string(hide_password=False) + query))) as connection:
        assert int(connection.info.get_parameters()["connect_timeout"]) == seconds
