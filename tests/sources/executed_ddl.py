"""A database that executes the statements of a DDL text, and what a reading says of tables: of both, to be compared."""

from __future__ import annotations

import re
import sqlite3
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from nestling.ir.constraints.defaults import ComputedAttribute, OtherDefault
from nestling.ir.model import Attribute, Entity, Relationship
from nestling.ir.reading import Reading
from nestling.sources.ddl import read_ddl
from nestling.sources.sql import open_database
from tests.planner.reads.beside_postgresql import created

DIALECTS = ("sqlite", "postgresql", "mysql")
_END = re.compile(r";\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Executing:
    """A new, empty database. `run` executes a statement and says why it is refused; empty where it is not."""

    dialect: str
    url: str
    run: Callable[[str], str]

    def reading(self) -> Reading:
        """What is read of the database."""
        return open_database(self.url).reading()


@contextmanager
def executing(dialect: str, request: pytest.FixtureRequest, folder: Path) -> Iterator[Executing]:
    """An empty database of the dialect; its server is started where this is the first to need it."""
    if dialect == "sqlite":
        path = folder / f"{uuid.uuid4().hex}.db"
        with closing(sqlite3.connect(path, isolation_level=None)) as file:
            file.execute("PRAGMA synchronous = OFF")
            yield Executing(dialect, f"sqlite:///{path}", lambda sql: _refusal(file.execute, sql, sqlite3.Error))
        return
    engine = sa.create_engine(_new(dialect, request), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection, closing(connection.connection.cursor()) as cursor:
        url = engine.url.render_as_string(hide_password=False)
        yield Executing(dialect, url, lambda sql: _refusal(cursor.execute, sql, Exception))
    engine.dispose()


def _new(dialect: str, request: pytest.FixtureRequest) -> sa.URL:
    if dialect == "postgresql":
        return sa.make_url(created(request.getfixturevalue("postgresql"), "")[1])
    server = sa.make_url(request.getfixturevalue("mariadb"))
    url = server.set(database=f"executed_{uuid.uuid4().hex[:8]}")
    with sa.create_engine(server).begin() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {url.database}")
    return url


def _refusal(execute: Callable[[str], Any], sql: str, errors: type[Exception]) -> str:
    try:
        execute(sql)
    except errors as error:
        return str(error) or type(error).__name__
    return ""


def statements_of(text: str) -> list[str]:
    """The statements of a text, each of which ends a line."""
    return [each.strip() for each in _END.split(text) if each.strip()]


def read_text(statements: list[str], dialect: str) -> Reading:
    """What is read of a file with these statements."""
    return read_ddl("".join(f"{each};\n" for each in statements), "executed", dialect=dialect, origin="executed.sql")


def facts_of(reading: Reading) -> dict[str, dict[str, Any]]:
    """What a reading says of every table: its columns in order, its keys, its foreign keys."""
    links: dict[str, set[Any]] = {}
    for each in reading.model.relationships:
        links.setdefault(each.child, set()).add(_link(each))
    return {
        entity.name: {**_entity(entity, reading.dialect), "links": links.get(entity.name, set())}
        for entity in reading.model.entities
    }


def _entity(entity: Entity, dialect: str) -> dict[str, Any]:
    return {
        "columns": [_column(each, is_nullable=_is_nullable(each, entity, dialect)) for each in entity.attributes],
        "key": entity.key,
        "uniques": {frozenset(each) for each in entity.uniques},
        "names": {
            each for each in entity.constraint_names if len(each[1]) == 1
        },  # others in another order have other names
    }


def _is_nullable(attribute: Attribute, entity: Entity, dialect: str) -> bool:
    """SQLite lets NULL stand in keys, which a file is not read to say."""
    return attribute.nullable and not (dialect == "sqlite" and attribute.name in entity.key)


def _column(attribute: Attribute, *, is_nullable: bool) -> tuple[Any, ...]:
    default: object = attribute.default
    if isinstance(default, OtherDefault | ComputedAttribute):  # servers write expressions in their own way
        default = type(default)
    return (attribute.name, attribute.type, is_nullable, default, attribute.collation, attribute.allowed)


def _link(link: Relationship) -> tuple[Any, ...]:
    sides = (link.child_attributes, link.parent, link.parent_attributes)
    return (*sides, link.cardinality, link.required, link.enforced, link.on_delete, link.on_update)
