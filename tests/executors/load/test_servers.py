"""The same rows give the same documents, whichever database they come from and whatever its collation."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database
from sqlalchemy import make_url

from nestling.ir.rows import RowSource
from nestling.sources.sql import open_database, open_sink
from tests.executors.load.loads import load_source
from tests.executors.load.shops import DESIGN, MODEL, shop_rows
from tests.executors.load.test_restart import StoppedError, Stopping, contents, small_batches
from tests.sqlite_rows import sqlite_source

__all__ = ["small_batches"]
ORDERS = 60


@pytest.fixture
def on_postgresql(postgresql: str) -> Iterator[RowSource]:
    """The shop in a PostgreSQL database."""
    psycopg = pytest.importorskip("psycopg")
    server, name = make_url(postgresql).set(drivername="postgresql"), f"t_{uuid.uuid4().hex}"
    with psycopg.connect(server.render_as_string(hide_password=False), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0")
        yield filled(server.set(database=name).render_as_string(hide_password=False))
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def on_mariadb(mariadb: str) -> Iterator[RowSource]:
    """The shop in a MariaDB database, whose usual collation does not tell case."""
    pymysql = pytest.importorskip("pymysql")
    server, name = make_url(mariadb).set(drivername="mysql"), f"t_{uuid.uuid4().hex}"
    connection = pymysql.connect(
        host=server.host, port=server.port, user=server.username, password=str(server.password), autocommit=True
    )
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
    yield filled(server.set(database=name).render_as_string(hide_password=False))
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE {name}")
    connection.close()


def filled(url: str) -> RowSource:
    """The database at `url` with the shop in it."""
    sink, rows = open_sink(url), shop_rows(ORDERS)
    sink.begin(MODEL)
    for entity in MODEL.entities:
        sink.write(entity, rows[entity.name])
    sink.finish()
    return open_database(url, model=MODEL)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["on_postgresql", "on_mariadb"])
def test_the_same_documents_from_every_database(
    database: Database[Any], tmp_path: Path, request: pytest.FixtureRequest, name: str, small_batches: None
) -> None:
    """Also when the load is stopped and resumed on the way."""
    source = request.getfixturevalue(name)
    load_source(DESIGN, sqlite_source(tmp_path / "shop.db", MODEL, shop_rows(ORDERS)), database)
    expected = contents(database)
    with pytest.raises(StoppedError):
        load_source(DESIGN, Stopping(source, 700), database, replace=True)
    load_source(DESIGN, source, database, resume=True)
    assert contents(database) == expected
