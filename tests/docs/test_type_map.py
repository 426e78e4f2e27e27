"""Every row of the type map, loaded into a real MongoDB and unloaded again from real databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from pymongo.database import Database

from nestling import pipeline
from nestling.ir.rows import RowColumn as Wanted
from nestling.ir.rows import RowQuery
from nestling.sources.sql import open_database
from scripts.pages.type_map import COLUMNS

TABLE = "type_map_sample"


@pytest.fixture(params=COLUMNS)
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """A database with a column for every row of the page, one row in it: (dialect, URL)."""
    dialect = request.param
    fixture = {"mysql": "mariadb"}.get(dialect, dialect)
    url = f"sqlite:///{tmp_path}/types.db" if dialect == "sqlite" else request.getfixturevalue(fixture)
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        for statement in _statements(dialect):
            connection.exec_driver_sql(statement)
    yield dialect, url
    with engine.begin() as connection:
        connection.exec_driver_sql(f"DROP TABLE {TABLE}")
        if dialect == "postgresql":
            connection.exec_driver_sql("DROP TYPE mood")
    engine.dispose()


def _statements(dialect: str) -> Iterator[str]:
    if dialect == "postgresql":
        yield "CREATE TYPE mood AS ENUM ('glad', 'sad')"
    columns = ", ".join(f"c{number} {column.declared}" for number, column in enumerate(COLUMNS[dialect]))
    yield f"CREATE TABLE {TABLE} (id integer NOT NULL PRIMARY KEY, {columns})"
    yield f"INSERT INTO {TABLE} VALUES (1, {', '.join(column.literal for column in COLUMNS[dialect])})"
    yield f"INSERT INTO {TABLE} (id) VALUES (2)"


def test_the_page_is_true(source: tuple[str, str], database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """Conceptual type and BSON type are those the page names, NULL is missing, and the unloaded copy holds the same values."""
    dialect, url = source
    reading = pipeline.inspect(url)
    model = next(e for e in reading.model.entities if e.name == TABLE)
    expected = {f"c{number}": column for number, column in enumerate(COLUMNS[dialect])}
    assert {name: str(model.attribute(name).type) for name in expected} == {
        n: c.conceptual for n, c in expected.items()
    }
    proposal = pipeline.design(reading, "normalized")
    loaded = pipeline.load(proposal, url, database)
    assert loaded.verified is not None
    assert loaded.verified.equal, loaded.verified.differences
    types = {name: {"$type": f"${name}"} for name in expected}
    first, second = database[TABLE].aggregate([{"$sort": {"_id": 1}}, {"$project": {"_id": 0, **types}}])
    assert first == {name: column.bson for name, column in expected.items()}
    assert set(second.values()) == {"missing"}
    copy = f"sqlite:///{tmp_path}/copy.db"
    pipeline.unload(proposal, copy, database)
    query = RowQuery(TABLE, tuple(Wanted(name) for name in expected))
    originals = open_database(url, model=proposal.design.model).rows(query)
    copies = open_database(copy, model=proposal.design.model).rows(query)
    assert sorted(map(repr, copies)) == sorted(map(repr, originals))
