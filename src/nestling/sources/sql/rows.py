"""A SQL database as a source of rows: consistent, read-only, in constant memory."""

from __future__ import annotations

import importlib
import itertools
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from nestling.common.sql_dialects import MYSQL, POSTGRESQL, SQLITE
from nestling.ir.rows import UndecodableText
from nestling.sources.sql.address import Address
from nestling.sources.sql.connection import connect, dialect_of, typed_errors
from nestling.sources.sql.keyset import attribute_of, is_paged, result_attributes
from nestling.sources.sql.literals import writer
from nestling.sources.sql.values import convert_rows, converter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from nestling.ir.model import Model
    from nestling.ir.reading import Reading
    from nestling.ir.rows import RowQuery
    from nestling.sources.sql.catalog import Catalog
    from nestling.sources.sql.reflect import Joined
    from nestling.sources.sql.row_sql import Tables

BATCH_ROWS = 5_000
"""Rows fetched at a time: enough that a round trip costs nothing, little enough that wide rows stay within a few megabytes."""
SAMPLED_ABOVE_ROWS = 1_000_000


class SqlDatabase:
    """An open SQL database: `reading` says what is in it, `rows` streams it. It is never written to."""

    def __init__(self, address: Address, model: Model | None = None) -> None:
        self.address = address
        self._model = model
        self._snapshot: Any = None
        self._numbers = itertools.count()

    @property
    def model(self) -> Model:
        """The model whose names the queries use: the given one, else what `reading` finds."""
        if self._model is None:
            self._model = self.reading().model
        return self._model

    @cached_property
    def catalog(self) -> Catalog:
        """What the database says of itself."""
        from nestling.sources.sql.catalogs import read_catalog

        with self._connection() as connection, typed_errors(self.address):
            return read_catalog(self.address, connection)

    def reading(
        self,
        progress: Callable[[str], None] | None = None,
        *,
        sampled_above_rows: int = SAMPLED_ABOVE_ROWS,
        joined: Joined | None = None,
    ) -> Reading:
        """Read model and statistics; tables above the bound are sampled; `progress` hears each table's name.

        `joined` adds to the model what is not declared.
        """
        from nestling.sources.sql.inspection import read_database

        with self.snapshot(), typed_errors(self.address):
            catalog = self.catalog  # names must be UTF-8, values need not
            if self.address.dialect == SQLITE:
                self._snapshot.text_factory = _text  # the smallest of a column's values may be text that is not UTF-8
            found = read_database(self.address, catalog, self._snapshot, sampled_above_rows, progress, joined)
        if self._model is None:
            self._model = found.model
        return found

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """See one state of the data in every query inside. MySQL streams without a unique order are outside it."""
        if self._snapshot is not None:
            yield
            return
        with self._connection() as connection:
            self._snapshot = connection
            try:
                yield
            finally:
                self._snapshot = None

    @contextmanager
    def _connection(self) -> Iterator[Any]:
        """The snapshot's connection, or a fresh one in a transaction of its own."""
        if self._snapshot is not None:
            yield self._snapshot
            return
        connection = connect(self.address)
        try:
            begin = {SQLITE: "BEGIN", MYSQL: "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"}
            if statement := begin.get(self.address.dialect):
                connection.cursor().execute(statement)
            yield connection
        finally:
            connection.close()

    @cached_property
    def _tables(self) -> Tables:
        from nestling.sources.sql.row_sql import Tables

        places = {table.entity: (table.schema, table.name) for table in self.catalog.tables}
        return Tables(self.model, self.address.dialect, places)

    @cached_property
    def _sql_dialect(self) -> Any:
        return dialect_of(self.address)

    def count(self, entity: str) -> int:
        """Rows of an entity, now."""
        import sqlalchemy as sa

        statement = sa.select(sa.func.count()).select_from(self._tables.table(entity))
        with self._connection() as connection, typed_errors(self.address):
            cursor = connection.cursor()
            cursor.execute(*self._compiled(statement))
            return int(cursor.fetchone()[0])

    def rows(self, query: RowQuery) -> Iterator[tuple[object, ...]]:
        """Stream the rows of a query as conceptual values; several streams may be open at once."""
        for batch in self.batches(query):
            yield from batch

    def batches(self, query: RowQuery) -> Iterator[Sequence[tuple[object, ...]]]:
        """The same rows, some thousands at a time."""
        query = self._raw_key(query)
        attributes = result_attributes(query, self.model)
        dialect = self.address.dialect
        converters = [None if attribute is None else converter(attribute, dialect) for attribute in attributes]
        raw = {SQLITE: self._sqlite, POSTGRESQL: self._postgresql, MYSQL: self._mysql}[self.address.dialect](query)
        plain = not any(converters)
        with typed_errors(self.address):
            for batch in raw:
                yield batch if plain else convert_rows(batch, converters)

    def _raw_key(self, query: RowQuery) -> RowQuery:
        """The query with the key it starts after as the driver wants it."""
        if query.after is None:
            return query
        attributes = [attribute_of(query, column, self.model) for column in query.order]
        pairs = zip(attributes, query.after, strict=False)  # the key may be of the first columns only
        return replace(query, after=tuple(writer(attribute, self.address.dialect)(value) for attribute, value in pairs))

    def _compiled(self, statement: Any) -> tuple[str, Any]:
        compiled = statement.compile(dialect=self._sql_dialect, compile_kwargs={"render_postcompile": True})
        if compiled.positional:
            return str(compiled), tuple(compiled.params[name] for name in compiled.positiontup)
        return str(compiled), compiled.params

    def _statement(self, query: RowQuery, limit: int | None = None) -> tuple[str, Any]:
        from nestling.sources.sql.row_sql import compile_query

        return self._compiled(compile_query(self._tables, query, limit=limit))

    def _sqlite(self, query: RowQuery) -> Iterator[list[tuple[Any, ...]]]:
        """Read with the driver's fast text decoding; on text that is not UTF-8 go on from there with a tolerant one."""
        import sqlite3

        with self._connection() as connection:
            done = 0
            cursor = connection.execute(*self._statement(query))
            try:
                while batch := cursor.fetchmany(BATCH_ROWS):
                    yield batch
                    done += len(batch)
            except sqlite3.OperationalError as error:
                if "decode to UTF-8" not in str(error):
                    raise
                connection.text_factory = _text
                yield from _after_rows(connection.execute(*self._statement(query)), done)

    def _postgresql(self, query: RowQuery) -> Iterator[list[tuple[Any, ...]]]:
        with self._connection() as connection, connection.cursor(name=f"rows{next(self._numbers)}") as cursor:
            cursor.execute(*self._statement(query))
            while batch := cursor.fetchmany(BATCH_ROWS):
                yield batch

    def _mysql(self, query: RowQuery) -> Iterator[Sequence[tuple[Any, ...]]]:
        """Pages by key in the snapshot; without a unique order, one unbuffered cursor on a connection of its own."""
        if not is_paged(query, self.model):
            yield from self._mysql_unbuffered(query)
            return
        width = len(query.columns)
        query = replace(query, columns=(*query.columns, *query.order))
        with self._connection() as connection:
            while True:
                cursor = connection.cursor()
                cursor.execute(*self._statement(query, BATCH_ROWS))
                batch = cursor.fetchall()
                if batch:
                    yield [row[:width] for row in batch]
                if len(batch) < BATCH_ROWS:
                    return
                query = replace(query, after=batch[-1][width:])

    def _mysql_unbuffered(self, query: RowQuery) -> Iterator[Sequence[tuple[Any, ...]]]:
        cursors: Any = importlib.import_module("pymysql.cursors")
        connection = connect(self.address)
        try:
            cursor = connection.cursor(cursors.SSCursor)
            cursor.execute(*self._statement(query))
            while batch := cursor.fetchmany(BATCH_ROWS):
                yield batch
        finally:
            connection._force_close()  # an orderly close would first read the rest of the rows


def _text(raw: bytes) -> str | UndecodableText:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return UndecodableText(raw)


def _after_rows(cursor: Any, rows: int) -> Iterator[list[tuple[Any, ...]]]:
    """The batches of a cursor without its first rows, which in one transaction are the same every time."""
    while rows and (skipped := cursor.fetchmany(min(BATCH_ROWS, rows))):
        rows -= len(skipped)
    while batch := cursor.fetchmany(BATCH_ROWS):
        yield batch
