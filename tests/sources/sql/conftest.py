"""Databases for the SQL source's tests: the torture schemas on each dialect."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import make_url

from nestling.sources.sql import SqlDatabase, open_database
from tests.sources.sql import torture

MULTI_STATEMENTS = 1 << 16


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The torture schema as a SQLite file."""
    path = tmp_path / "torture.db"
    connection = sqlite3.connect(path)
    connection.executescript(torture.SQLITE)
    connection.close()
    return f"sqlite:///{path}"


@pytest.fixture
def postgresql_urls(postgresql: str) -> Iterator[tuple[str, str]]:
    """A database with the torture schema, and an empty one."""
    psycopg = pytest.importorskip("psycopg")
    server = make_url(postgresql).set(drivername="postgresql")
    names = [f"t_{uuid.uuid4().hex}" for _ in range(2)]
    urls = [server.set(database=name).render_as_string(hide_password=False) for name in names]
    with psycopg.connect(server.render_as_string(hide_password=False), autocommit=True) as connection:
        for name in names:
            connection.execute(f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0")
        with psycopg.connect(urls[0]) as filled:
            filled.execute(torture.POSTGRESQL)
        yield urls[0], urls[1]
        for name in names:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def mariadb_urls(mariadb: str) -> Iterator[tuple[str, str]]:
    """A database with the torture schema, and an empty one."""
    pymysql = pytest.importorskip("pymysql")
    server = make_url(mariadb).set(drivername="mysql")
    names = [f"t_{uuid.uuid4().hex}" for _ in range(2)]
    connection = pymysql.connect(
        host=server.host,
        port=server.port,
        user=server.username,
        password=str(server.password),
        autocommit=True,
        client_flag=MULTI_STATEMENTS,
    )
    with connection.cursor() as cursor:
        for name in names:
            cursor.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
        cursor.execute(f"SET sql_mode = ''; USE {names[0]}; {torture.MARIADB}")
        while cursor.nextset():
            pass
    urls = [server.set(database=name).render_as_string(hide_password=False) for name in names]
    yield urls[0], urls[1]
    with connection.cursor() as cursor:
        for name in names:
            cursor.execute(f"DROP DATABASE {name}")
    connection.close()


@pytest.fixture
def torture_sqlite(sqlite_url: str) -> SqlDatabase:
    """The torture schema, opened."""
    return open_database(sqlite_url)
