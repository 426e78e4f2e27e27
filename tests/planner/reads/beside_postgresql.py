"""Tables of PostgreSQL in a database of their own, loaded by a design, and its answers beside MongoDB's."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

import pytest
import sqlalchemy as sa
from pymongo import MongoClient
from pymongo.database import Database

from nestling import pipeline
from nestling.emitters.mql.read import compiled_read
from nestling.executors.run import run_read
from nestling.ir.programs.compiled import NotCompiled
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.statements.algebra import Query
from nestling.planner.reads import plan_read
from nestling.planner.sql import translate
from tests.least_cost import designed


@dataclass(frozen=True)
class Beside:
    """The tables in PostgreSQL and in MongoDB."""

    engine: sa.Engine
    url: str
    reading: Reading
    proposal: Proposal
    database: Database[Any]

    def theirs(self, sql: str, values: Mapping[str, object] | None = None) -> list[tuple[object, ...]]:
        """PostgreSQL's answer."""
        asked = re.sub(r"(?<!:):(\w+)", r"%(\1)s", sql) if values else sql
        with self.engine.begin() as connection:
            connection.exec_driver_sql("SET TIME ZONE 'UTC'")
            rows = connection.exec_driver_sql(asked, dict(values) if values else None)
            return [tuple(map(written, row)) for row in rows] if rows.returns_rows else []

    def ours(self, sql: str, values: Mapping[str, object] | None = None) -> list[tuple[object, ...]]:
        """MongoDB's."""
        query = translate(sql, self.proposal.design.model, "postgresql")
        assert isinstance(query, Query)
        read = compiled_read(plan_read(query, self.proposal.design, statistics=self.proposal.statistics))
        return [tuple(map(written, row)) for row in run_read(self.database, read, values or {})]

    def gap(self, sql: str) -> str:
        """Why the statement is a gap; empty where it is none."""
        found = pipeline.convert(self.proposal, sql, dialect="postgresql")
        return found.gap.what if isinstance(found, NotCompiled) else ""


EVERY_LETTER = "ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8' TEMPLATE template0"
"""What makes a database that knows the case of all letters."""


def created(postgresql: str, tables: str, made: str = "") -> tuple[str, str, sa.Engine]:
    """A database of its own with the tables: its name, its address and an engine for it."""
    name = f"reads_{uuid.uuid4().hex}"
    with sa.create_engine(postgresql, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool).connect() as server:
        copied = (
            " STRATEGY file_copy" if (server.dialect.server_version_info or ()) >= (15,) else ""
        )  # in half the time
        server.exec_driver_sql(f"CREATE DATABASE {name} {made}{copied}")
    url = sa.make_url(postgresql).set(database=name).render_as_string(hide_password=False)
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.exec_driver_sql(tables)
    return name, url, engine


@contextmanager
def beside(
    postgresql: str, client: MongoClient[dict[str, Any]], tables: str, strategy: str = "normalized", made: str = ""
) -> Iterator[Beside]:
    """The tables, made by a script, in both; loaded by the strategy's design."""
    name, url, _ = created(postgresql, tables, made)
    reading = pipeline.inspect(url)
    proposal = designed(reading, strategy)
    database = client[name]
    pipeline.load(proposal, url, database, mode=pipeline.LoadMode.REPLACE)
    with _pooled(url) as engine:
        yield Beside(engine, url, reading, proposal, database)
    client.drop_database(name)


def beside_of(tables: str, *strategies: str, scope: Literal["function", "module"] = "function", made: str = "") -> Any:
    """A fixture: the same, by each strategy there is one for; once for a module whose tests leave the rows as they are."""

    @pytest.fixture(params=strategies or None, scope=scope)
    def found(
        request: pytest.FixtureRequest, postgresql: str, mongo_client: MongoClient[dict[str, Any]]
    ) -> Iterator[Beside]:
        with beside(postgresql, mongo_client, tables, getattr(request, "param", "normalized"), made) as both:
            yield both

    return found


@contextmanager
def _pooled(url: str) -> Iterator[sa.Engine]:
    """An engine that keeps its connection from one statement to the next: a new one takes PostgreSQL 10 ms."""
    engine = sa.create_engine(url, connect_args={"prepare_threshold": None})
    try:
        yield engine
    finally:
        engine.dispose()


def written(value: object) -> object:
    """Decimals by their digits, moments without what tells UTC."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    return str(value) if isinstance(value, Decimal) else value


STRATEGIES = ("normalized", "embedded", "tree", "optimal")
Served = tuple[sa.Engine, dict[str, tuple[Proposal, Database[Any]]]]
"""PostgreSQL, and by strategy the design and the database that is loaded by it."""


@contextmanager
def served_by_strategies(postgresql: str, client: MongoClient[dict[str, Any]], tables: str) -> Iterator[Served]:
    """The tables, made by a script, in PostgreSQL and loaded by each strategy's design."""
    name, url, _ = created(postgresql, tables)
    designs, reading = {}, pipeline.inspect(url)
    for strategy in STRATEGIES:
        database = client[f"{name}_{strategy}"]
        designs[strategy] = (designed(reading, strategy), database)
        pipeline.load(designs[strategy][0], url, database, mode=pipeline.LoadMode.REPLACE)
    with _pooled(url) as engine:
        yield engine, designs
    for strategy in STRATEGIES:
        client.drop_database(f"{name}_{strategy}")
