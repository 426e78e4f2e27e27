"""A database that is dropped by force while its catalogue is read is told by our errors."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import NullPool, create_engine, make_url, text

from nestling.common.errors import NestlingError
from nestling.sources.sql import open_database

TABLE = "CREATE TABLE thing (id INTEGER PRIMARY KEY, name VARCHAR(20) UNIQUE)"


@pytest.mark.parametrize(("kind", "forced"), [("postgresql", " WITH (FORCE)"), ("mariadb", "")])
def test_a_database_that_is_dropped_by_force(
    kind: str, forced: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between its columns and its keys, which another connection reads."""
    url = request.getfixturevalue(f"{kind}_urls")[1]
    database = make_url(url).database
    driver = {"postgresql": "postgresql+psycopg", "mariadb": "mysql+pymysql"}[kind]
    server = create_engine(make_url(request.getfixturevalue(kind)).set(drivername=driver), poolclass=NullPool)
    own = create_engine(make_url(url).set(drivername=driver), poolclass=NullPool)
    with own.begin() as connection:
        connection.execute(text(TABLE))

    def run(statement: str) -> None:
        with server.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text(statement))

    def dropped(*args: Any, **named: Any) -> Any:
        run(f"DROP DATABASE {database}{forced}")
        return create_engine(*args, **named)

    monkeypatch.setattr("nestling.sources.sql.catalog_server.create_engine", dropped)
    with pytest.raises(NestlingError, match=r"(?i)database"):
        open_database(url).reading()
    run(f"CREATE DATABASE {database}")  # for the fixture to drop
