"""The same tables in a database of each dialect: a SQLite file, and new databases of PostgreSQL and MariaDB."""

from __future__ import annotations

import sqlite3
import uuid
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.planner.reads.beside_postgresql import created

DIALECTS = ("sqlite", "postgresql", "mysql")


def address_of(dialect: str, tables: str, request: pytest.FixtureRequest, folder: Path) -> str:
    """The address of a database of the dialect that holds the tables; its server is started where it is the first to need it."""
    if dialect == "postgresql":
        return created(request.getfixturevalue("postgresql"), tables)[1]
    if dialect == "mysql":
        server = sa.make_url(request.getfixturevalue("mariadb"))
        url = server.set(database=f"tables_{uuid.uuid4().hex[:8]}")
        with sa.create_engine(server).begin() as connection:
            connection.exec_driver_sql(f"CREATE DATABASE {url.database}")
        with sa.create_engine(url).begin() as connection:
            for each in filter(str.strip, tables.split(";")):
                connection.exec_driver_sql(each)
        return url.render_as_string(hide_password=False)
    path = folder / "tables.db"
    with closing(sqlite3.connect(path)) as file, file:
        file.executescript(tables)
    return f"sqlite:///{path}"
