"""PostgreSQL servers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from nestling.common.errors import NestlingError, Problem, SourceError
from nestling.common.sql_dialects import POSTGRESQL
from nestling.ir.json_text import json_text
from nestling.ir.rows import UndecodableText
from nestling.ir.types import TypeName
from nestling.sources.sql.engine import CONNECT_SECONDS, Engine, not_allowed, refused, unreached
from nestling.sources.sql.literals import undecodable
from nestling.sources.sql.refine import as_declared
from nestling.sources.sql.rows import BATCH_ROWS

if TYPE_CHECKING:
    from nestling.ir.model import Attribute, Entity
    from nestling.ir.rows import RowQuery
    from nestling.ir.types import Type
    from nestling.sources.sql.address import Address
    from nestling.sources.sql.catalog import Catalog, ColumnFacts
    from nestling.sources.sql.rows import SqlDatabase
    from nestling.sources.sql.values import Converter

_T = TypeName


class Postgresql(Engine):
    """PostgreSQL."""

    name = statements = POSTGRESQL
    url_driver = "postgresql+psycopg"
    module = "psycopg"
    enforces_checks = True
    texts_to_compare = (_T.JSON, _T.ARRAY, _T.ANY, _T.TEXT)  # json, and xml carried as text

    def connect(self, address: Address, *, read_only: bool) -> Any:
        """Connect with settings that make the same data arrive as the same values everywhere."""
        psycopg: Any = self.driver()
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

    def typed(self, error: Exception, problem: Problem) -> NestlingError:
        """By its SQLSTATE, which a server that is not there cannot say."""
        state = getattr(error, "sqlstate", None)
        if state in ("28P01", "28000") or "authentication failed" in str(error):
            return refused(problem)
        if state in ("42501", "25006"):
            return not_allowed(problem)
        unreachable = type(error).__name__ in ("OperationalError", "ConnectionTimeout") and state is None
        return unreached(problem) if unreachable else SourceError(problem)

    def catalog(self, address: Address, connection: Any) -> Catalog:
        """By its system tables."""
        from nestling.sources.sql.catalog_server import read_server_catalog

        return read_server_catalog(address, connection)

    def batches(self, database: SqlDatabase, query: RowQuery) -> Iterator[Sequence[tuple[Any, ...]]]:
        """A cursor of the server's."""
        with database.connected() as connection, connection.cursor(name=database.cursor_name()) as cursor:
            cursor.execute(*database.statement(query))
            while batch := cursor.fetchmany(BATCH_ROWS):
                yield batch

    def converter(self, attribute: Attribute) -> Converter | None:
        """The connection's loaders have done it."""
        return None

    def writers(self, kind: Type) -> Mapping[type, Callable[[Any], Any]]:
        """The driver writes all but what is no text."""
        return {UndecodableText: undecodable}

    def type_writer(self, kind: Type) -> Callable[[Any], Any] | None:
        """Arrays of JSON."""
        element = kind.element
        if kind.name is not _T.ARRAY:
            return None

        def write(value: Any) -> Any:
            if not isinstance(value, list) or element is None or element.name is not _T.JSON:
                return value
            return [None if item is None else json_text(item) for item in value]

        return write

    def by_code_point(self, text: Any) -> Any:
        """An enum too."""
        return sa.cast(text, sa.Text).collate("C")

    def probes(self, name: TypeName, column: Any) -> Iterator[tuple[str, Any]]:
        """Dates that Python has not, and digits of seconds."""
        from nestling.sources.sql.probes import counted, digits, odd_dates

        if name in (_T.DATE, _T.TIMESTAMP, _T.TIMESTAMPTZ):
            yield "odd", counted(odd_dates(column, "%BC"))
        if name in (_T.TIMESTAMP, _T.TIMESTAMPTZ):
            yield from digits(column)

    def refined(self, attribute: Attribute, column: ColumnFacts, found: Mapping[str, Any]) -> Attribute:
        """As declared."""
        return as_declared(attribute, found)

    def sample(
        self,
        table: Any,
        entity: Entity,
        *,
        rowid: bool,
        share: float,
        rows: int,
        fetch: Callable[[Any], Sequence[Any]],
    ) -> Any:
        """The server's own, always with the same seed."""
        return sa.tablesample(table, sa.func.system(share * 100), seed=sa.literal_column("1"))


ENGINE = Postgresql()
