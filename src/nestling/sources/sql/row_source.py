"""A SQL database as a source of rows: consistent, read-only, in constant memory."""

from __future__ import annotations

import itertools
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from nestling.sources.sql.address import Address
from nestling.sources.sql.connection import connect, dialect_of, typed_errors
from nestling.sources.sql.driver_parameters import writer
from nestling.sources.sql.driver_values import convert_rows, converter
from nestling.sources.sql.engines import engine_of
from nestling.sources.sql.keyset import attribute_of, result_attributes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from nestling.ir.model import Model
    from nestling.ir.reading import Reading
    from nestling.ir.rows import RowQuery
    from nestling.sources.checks import ReadCheck
    from nestling.sources.sql.catalog import Catalog, CatalogNames
    from nestling.sources.sql.engine import Engine
    from nestling.sources.sql.reflect import JoinReader
    from nestling.sources.sql.row_sql import Tables

BATCH_ROWS = 5_000
"""Rows fetched at a time: enough that a round trip costs nothing, little enough that wide rows stay within a few megabytes."""
SAMPLED_ABOVE_ROWS = 1_000_000


class SqlDatabase:
    """An open SQL database: `reading` describes it, `rows` streams its rows. It is never written to."""

    def __init__(self, address: Address, model: Model | None = None) -> None:
        self.address = address
        self._model = model
        self._snapshot: Any = None
        self._numbers = itertools.count()
        self._whole: dict[RowQuery, tuple[str, Any]] = {}

    @property
    def dialect(self) -> str:
        """The dialect its statements are read as."""
        return self._engine.statements

    @property
    def model(self) -> Model:
        """The model whose names the queries use: the given one, or else what `reading` finds."""
        if self._model is None:
            self._model = self.reading().model
        return self._model

    @cached_property
    def catalog(self) -> Catalog:
        """The catalog of the database."""
        with self.connected() as connection, typed_errors(self.address):
            return self._engine.catalog(self.address, connection)

    @cached_property
    def names(self) -> CatalogNames:
        """The tables and columns of that, which is all that rows are read by."""
        if "catalog" in vars(self):
            return self.catalog.names
        with self.connected() as connection, typed_errors(self.address):
            return self._engine.names(self.address, connection)

    def reading(
        self,
        progress: Callable[[str], None] | None = None,
        *,
        sampled_above_rows: int = SAMPLED_ABOVE_ROWS,
        joined: JoinReader | None = None,
        read_check: ReadCheck | None = None,
    ) -> Reading:
        """Read model and statistics; tables above the bound are sampled; `progress` receives each table's name.

        `joined` adds undeclared relationships to the model; `read_check` parses CHECKs over rows.
        """
        from nestling.sources.sql.inspection import read_database

        with self.snapshot(), typed_errors(self.address):
            catalog = self.catalog  # names must be UTF-8, values need not
            self._engine.tolerate_any_text(self._snapshot)
            found = read_database(
                self.address, catalog, self._snapshot, sampled_above_rows, progress, joined, read_check
            )
        if self._model is None:
            self._model = found.model
        return found

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """See one state of the data in every query inside. MySQL streams without a unique order are outside it."""
        if self._snapshot is not None:
            yield
            return
        with self.connected() as connection:
            self._snapshot = connection
            try:
                yield
            finally:
                self._snapshot = None

    @contextmanager
    def connected(self) -> Iterator[Any]:
        """The snapshot's connection, or a new one in a transaction of its own."""
        if self._snapshot is not None:
            yield self._snapshot
            return
        connection = connect(self.address)
        try:
            self._engine.begin(connection)
            yield connection
        finally:
            connection.close()

    @cached_property
    def _tables(self) -> Tables:
        from nestling.sources.sql.row_sql import Tables

        return Tables.of(self.names, self.model, self.address.dialect)

    @property
    def _engine(self) -> Engine:
        return engine_of(self.address.dialect)

    def cursor_name(self) -> str:
        """A name no other cursor has."""
        return f"rows{next(self._numbers)}"

    @cached_property
    def _sql_dialect(self) -> Any:
        return dialect_of(self.address)

    def count(self, entity: str) -> int:
        """Rows of an entity, now."""
        import sqlalchemy as sa

        statement = sa.select(sa.func.count()).select_from(self._tables.table(entity))
        with self.connected() as connection, typed_errors(self.address):
            cursor = connection.cursor()
            cursor.execute(*self._compiled(statement))
            return int(cursor.fetchone()[0])

    def highest_number(self, entity: str, attribute: str) -> int | None:
        """The highest existing number, or the last one that the database generated."""
        import sqlalchemy as sa

        table = self._tables.table(entity)
        with self.connected() as connection, typed_errors(self.address):
            cursor = connection.cursor()
            cursor.execute(*self._compiled(sa.select(sa.func.max(table.c[attribute]))))
            there = cursor.fetchone()[0]
            given = self._engine.last_number(connection, table, attribute)
        return max((int(each) for each in (there, given) if each is not None), default=None)

    def rows(self, query: RowQuery) -> Iterator[tuple[object, ...]]:
        """Stream the rows of a query as conceptual values; several streams may be open at once."""
        for batch in self.batches(query):
            yield from batch

    def batches(self, query: RowQuery) -> Iterator[Sequence[tuple[object, ...]]]:
        """Yield the rows of a query in batches of some thousands."""
        query = self._raw_key(query)
        attributes = result_attributes(query, self.model)
        dialect = self.address.dialect
        converters = [None if attribute is None else converter(attribute, dialect) for attribute in attributes]
        raw = self._engine.batches(self, query)
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

    def statement(self, query: RowQuery, limit: int | None = None) -> tuple[str, Any]:
        """The text and the parameters of a query, at most `limit` rows of it."""
        from nestling.sources.sql.row_sql import compile_query

        if limit is not None or query.after is not None:
            return self._compiled(compile_query(self._tables, query, limit=limit))
        if query not in self._whole:  # whoever asks for all rows may ask again
            self._whole[query] = self._compiled(compile_query(self._tables, query))
        return self._whole[query]
