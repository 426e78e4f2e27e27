"""Rows written to a SQL database: tables made from a model, filled in batches, checked, and visible all at once."""

from __future__ import annotations

from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

from nestling.common.errors import Problem, SourceError
from nestling.common.sql_dialects import MYSQL, POSTGRESQL, SQLITE
from nestling.ir.defaults import Generated
from nestling.ir.rows import UndecodableText
from nestling.sources.sql.address import Address
from nestling.sources.sql.connection import connect, dialect_of, typed_errors
from nestling.sources.sql.literals import writer
from nestling.sources.sql.table_ddl import (
    create_table,
    foreign_key_ddl,
    keyed_alike,
    place_of,
    quote,
    undeclared_defaults,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from nestling.ir.model import Entity, Model, Relationship

MYSQL_CANNOT = 1005
"""MySQL's error for a foreign key it cannot make, as over columns whose types differ."""


class SqlSink:
    """A target for rows. `broken` lists, after `finish`, the relationships some rows do not keep."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.broken: tuple[str, ...] = ()
        self._model: Model | None = None

    @cached_property
    def _connection(self) -> Any:
        connection = connect(self.address, read_only=False)
        if self.address.dialect == SQLITE:
            connection.execute("PRAGMA foreign_keys = OFF")  # cycles and dangling rows are loaded as they are
            connection.execute("BEGIN IMMEDIATE")
        elif self.address.dialect == MYSQL:
            connection.cursor().execute("SET foreign_key_checks = 0")
            connection.cursor().execute("SET SESSION sql_mode = CONCAT(@@sql_mode, ',NO_AUTO_VALUE_ON_ZERO')")
            connection.autocommit(False)
        return connection

    @cached_property
    def _preparer(self) -> Any:
        return dialect_of(self.address).identifier_preparer

    def begin(self, model: Model) -> None:
        """Create the tables; raises SourceError when one of them exists and holds rows."""
        self._model = model
        with typed_errors(self.address):
            self._refuse_rows(model)
            for schema in sorted(
                {schema for e in model.entities if (schema := place_of(e.name, self.address.dialect)[0])}
            ):
                self._run(f"CREATE SCHEMA IF NOT EXISTS {quote(schema, self._preparer)}")
            for entity in model.entities:
                self._run(f"DROP TABLE IF EXISTS {self._table(entity)}{' CASCADE' if self._is(POSTGRESQL) else ''}")
                links = model.parents_of(entity.name)
                self._run(create_table(keyed_alike(entity, model), links, self.address.dialect, self._preparer))

    def write(self, entity: Entity, rows: Sequence[tuple[object, ...]]) -> None:
        """Add rows, each a tuple of conceptual values in attribute order."""
        writers = [writer(attribute, self.address.dialect) for attribute in entity.attributes]
        with typed_errors(self.address):
            try:
                written = [tuple(write(v) for write, v in zip(writers, row, strict=True)) for row in rows]
            except ValueError as error:
                raise SourceError(Problem(str(error), where=f"table {entity.name}")) from None
            self._insert(entity, written)

    def finish(self) -> tuple[str, ...]:
        """Add the foreign keys, note those that do not hold, have numbers go on behind the highest, and commit."""
        assert self._model is not None, "begin comes first"
        with typed_errors(self.address):
            if self._is(SQLITE):
                found = self._connection.execute("PRAGMA foreign_key_check").fetchall()
                self.broken = tuple(sorted({f"{child} -> {parent}" for child, _, parent, _ in found}))
            elif self._is(POSTGRESQL):
                self.broken = tuple(link.name for link in self._model.relationships if not self._add(link))
                self._go_on_counting(self._model)
            self._connection.commit()
            if self._is(MYSQL):
                self.broken = tuple(link.name for link in self._model.relationships if not self._add(link))
        self.close()
        return tuple(self._left_out(self._model))

    def close(self) -> None:
        """Give up what has not been finished."""
        self._connection.close()

    def _go_on_counting(self, model: Model) -> None:
        """PostgreSQL's identities start behind the highest number there is."""
        for entity in model.entities:
            left = undeclared_defaults(keyed_alike(entity, model), self.address.dialect)
            for each in entity.attributes:
                if each.default is Generated.NUMBER and each.name not in left:
                    table, column = self._table(entity), quote(each.name, self._preparer)
                    highest = self._run(f"SELECT max({column}) FROM {table}").fetchone()[0]  # noqa: S608 - quoted
                    if highest is not None and highest > 0:
                        self._run(f"ALTER TABLE {table} ALTER COLUMN {column} RESTART WITH {highest + 1}")

    def _left_out(self, model: Model) -> Iterator[str]:
        """What of the model the tables do not declare."""
        for name in self.broken:
            yield f"the foreign key `{name}` is not declared, or not kept by all rows"
        for entity in model.entities:
            if left := undeclared_defaults(keyed_alike(entity, model), self.address.dialect):
                named = ", ".join(f"`{name}`" for name in left)
                yield f"`{entity.name}`: the default of {named} is not declared; an INSERT has to give a value"

    def _is(self, dialect: str) -> bool:
        return self.address.dialect == dialect

    def _run(self, statement: str) -> Any:
        cursor = self._connection.cursor()
        cursor.execute(statement)
        return cursor

    def _table(self, entity: Entity) -> str:
        schema, name = place_of(entity.name, self.address.dialect)
        quoted = quote(name, self._preparer)
        return f"{quote(schema, self._preparer)}.{quoted}" if schema else quoted

    def _refuse_rows(self, model: Model) -> None:
        from sqlalchemy import NullPool, create_engine, inspect

        if self._is(SQLITE):
            existing: set[tuple[str | None, str]] = {
                (None, row[0]) for row in self._run("SELECT name FROM sqlite_master WHERE type = 'table'")
            }
        else:
            engine = create_engine(self.address.url, poolclass=NullPool)
            inspector = inspect(engine)
            schemas = {place_of(entity.name, self.address.dialect)[0] for entity in model.entities}
            known = {None, *inspector.get_schema_names()}
            existing = {(schema, n) for schema in schemas & known for n in inspector.get_table_names(schema=schema)}
            engine.dispose()
        taken = [e for e in model.entities if place_of(e.name, self.address.dialect) in existing]
        full = [e.name for e in taken if self._run(f"SELECT 1 FROM {self._table(e)} LIMIT 1").fetchone()]  # noqa: S608 - quoted
        if full:
            what = f"the target already holds rows in {', '.join(f'`{name}`' for name in full)}"
            raise SourceError(
                Problem(what, where=self.address.origin, next_move="name a new file or an empty database")
            )

    def _insert(self, entity: Entity, rows: list[tuple[Any, ...]]) -> None:
        names = ", ".join(quote(attribute, self._preparer) for attribute in entity.attribute_names)
        if self._is(POSTGRESQL):
            with self._connection.cursor().copy(f"COPY {self._table(entity)} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            return
        mark = "?" if self._is(SQLITE) else "%s"
        insert = f"INSERT INTO {self._table(entity)} ({names}) VALUES "  # noqa: S608 - quoted
        if self._is(MYSQL):
            insert = insert.replace("%", "%%")
        cursor = self._connection.cursor()
        for odd, run in groupby(rows, key=_has_undecodable):
            if odd:
                self._insert_undecodable(insert, run)
            else:
                cursor.executemany(f"{insert}({', '.join([mark] * len(entity.attributes))})", list(run))

    def _insert_undecodable(self, insert: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """SQLite takes text that is not UTF-8 only as bytes that are told to be text."""
        for row in rows:
            marks = ", ".join("CAST(? AS TEXT)" if type(value) is UndecodableText else "?" for value in row)
            self._connection.execute(f"{insert}({marks})", row)

    def _add(self, link: Relationship) -> bool:
        """Add a foreign key; False when the rows do not keep it."""
        assert self._model is not None
        statement = foreign_key_ddl(link, self._model, self.address.dialect, self._preparer)
        cursor = self._connection.cursor()
        if self._is(POSTGRESQL):
            cursor.execute("SAVEPOINT foreign_key")
        else:
            cursor.execute("SET foreign_key_checks = 1")
        try:
            cursor.execute(statement)
        except Exception as error:
            if (
                "IntegrityError" not in [kind.__name__ for kind in type(error).__mro__]
                and error.args[0] != MYSQL_CANNOT
            ):
                raise
            if self._is(POSTGRESQL):
                cursor.execute("ROLLBACK TO SAVEPOINT foreign_key")
            return False
        return True


def _has_undecodable(row: tuple[Any, ...]) -> bool:
    return any(type(value) is UndecodableText for value in row)
