"""PostgreSQL servers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from nestling.common.errors import NestlingError, PermissionDenied, Problem, SourceError
from nestling.ir.constraints.defaults import NUMBERED, Generated
from nestling.ir.rows import UndecodableText
from nestling.ir.statements.sql_dialects import POSTGRESQL
from nestling.ir.text.sql_quotes import sql_name
from nestling.ir.types import JSONB, MOMENTS, REAL, TypeName
from nestling.ir.value_forms.json_text import json_text
from nestling.ir.value_forms.odd_dates import FAR_DATE
from nestling.sources.sql.driver_parameters import undecodable
from nestling.sources.sql.engine import (
    CONNECT_SECONDS,
    Engine,
    connection_failed,
    login_failed,
    no_such_database,
    not_allowed,
)
from nestling.sources.sql.postgresql.types import exact_types
from nestling.sources.sql.refine import as_declared
from nestling.sources.sql.row_source import BATCH_ROWS
from nestling.sources.sql.statements import SourceRows, TooSlow
from nestling.sources.sql.table_ddl import declared, foreign_key_ddl, keyed_alike, quote, undeclared_defaults

if TYPE_CHECKING:
    from nestling.ir.model import Attribute, Entity, Model, Relationship
    from nestling.ir.rows import RowQuery
    from nestling.ir.types import Type
    from nestling.sources.sql.address import Address
    from nestling.sources.sql.catalog import ColumnFacts
    from nestling.sources.sql.driver_values import Converter
    from nestling.sources.sql.existing import Existing
    from nestling.sources.sql.measure import Connected
    from nestling.sources.sql.row_source import SqlDatabase
    from nestling.sources.sql.sink import SqlSink

_T = TypeName
_WORDS = {
    _T.BOOLEAN: "boolean", _T.INTEGER: "bigint", _T.DECIMAL: "numeric", _T.FLOAT: "double precision", _T.TEXT: "text",
    _T.BYTES: "bytea", _T.DATE: "date", _T.TIME: "text", _T.TIMESTAMP: "timestamp", _T.TIMESTAMPTZ: "timestamptz",
    _T.INTERVAL: "interval", _T.UUID: "uuid", _T.JSON: "json", _T.ENUM: "text", _T.BITS: "bit varying", _T.GEOMETRY: "text",
    _T.ANY: "text", _T.ARRAY: "text", _T.OBJECT_ID: "char(24)",
}  # fmt: skip
_OWN = frozenset((
    "bpchar", "cidr", "inet", "macaddr", "macaddr8", "money", "pg_lsn", "tsquery", "tsvector", "xml",
    "int4range", "int8range", "numrange", "daterange", "tsrange", "tstzrange",
    "int4multirange", "int8multirange", "nummultirange", "datemultirange", "tsmultirange", "tstzmultirange",
))  # fmt: skip
"""Types carried as text that every server has: those of extensions and of a database's own may be missing."""
_LAST_NUMBER = """
SELECT pg_sequence_last_value(name::regclass) FROM (SELECT pg_get_serial_sequence(%(table)s, %(column)s) AS name) AS own
WHERE has_sequence_privilege(name, 'USAGE, SELECT')"""
_NO_DATABASE = re.compile(r'database ".*" does not exist')
_NO_USER = re.compile(r'role ".*" (does not exist|is not permitted to log in)|authentication failed')
"""The messages with which a connection is refused, for which the driver reports no SQLSTATE."""
_LENGTHS = range(1, 10_485_761)
"""The lengths that `varchar(n)` accepts."""


_HIDDEN = """
SELECT n.nspname, c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'f') AND NOT has_any_column_privilege(c.oid, 'SELECT')
"""

_PLAN_JOINS = """
SELECT set_config('enable_nestloop', CASE WHEN min(reltuples) > 0 THEN 'on' ELSE 'off' END, true)
FROM pg_class WHERE oid = ANY (%(tables)s::text[]::regclass[])"""


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
        from nestling.sources.sql.postgresql.loaders import register_loaders

        plain = address.url.set(
            drivername="postgresql", query={"connect_timeout": str(CONNECT_SECONDS), **address.url.query}
        )
        connection = psycopg.connect(plain.render_as_string(hide_password=False), client_encoding="utf-8")
        try:
            for setting in (
                "TimeZone = 'UTC'",
                "IntervalStyle = 'iso_8601'",
                "DateStyle = 'ISO'",
                "cursor_tuple_fraction = 1",
                "row_security = off",  # a policy then refuses the user, instead of hiding rows
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
        """The driver's error as ours, by its SQLSTATE; an unreachable server gives none."""
        state = getattr(error, "sqlstate", None)
        if state in ("28P01", "28000") or _NO_USER.search(str(error)):
            return login_failed(problem)
        if state == "42501" and "row-level security" in str(error):
            move = "connect as the tables' owner or a user with BYPASSRLS: a policy would hide rows from this user"
            return PermissionDenied(Problem(problem.what, where=problem.where, next_move=move))
        if state in ("42501", "25006"):
            return not_allowed(problem)
        if state == "3D000" or _NO_DATABASE.search(str(error)):
            return no_such_database(problem)
        unreachable = type(error).__name__ in ("OperationalError", "ConnectionTimeout") and state is None
        return connection_failed(problem) if unreachable else SourceError(problem)

    def hidden_tables(self, connection: Any) -> frozenset[tuple[str, str]]:
        """The (schema, name) of tables of which the user may not read any column."""
        return frozenset(connection.execute(_HIDDEN).fetchall())

    def batches(self, database: SqlDatabase, query: RowQuery) -> Iterator[Sequence[tuple[Any, ...]]]:
        """Yield the rows of a query, some thousands at a time, from a server-side cursor."""
        with database.connected() as connection, connection.cursor(name=database.cursor_name()) as cursor:
            cursor.execute(*database.statement(query))
            while batch := cursor.fetchmany(BATCH_ROWS):
                yield batch

    def converter(self, attribute: Attribute) -> Converter | None:
        """The function that removes the padding of a `char`; the connection's loaders have converted everything else."""
        kind = attribute.type.element or attribute.type
        return _without_blanks if kind.is_char else None

    def in_milliseconds(self, column: Any) -> Any:
        """A moment, cut to milliseconds; infinity stays infinity."""
        return sa.func.date_trunc("milliseconds", column)

    def writers(self, kind: Type) -> Mapping[type, Callable[[Any], Any]]:
        """The function for texts that are not valid in the encoding; the driver writes all other values itself."""
        return {UndecodableText: undecodable}

    def type_writer(self, kind: Type) -> Callable[[Any], Any] | None:
        """The function for all values of a type: arrays of JSON need one."""
        element = kind.element
        if kind.name is not _T.ARRAY:
            return None

        def write(value: Any) -> Any:
            if not isinstance(value, list) or element is None or element.name is not _T.JSON:
                return value
            return [None if item is None else json_text(item) for item in value]

        return write

    def by_code_point(self, text: Any) -> Any:
        """A text or an enum that is ordered by code point."""
        return sa.cast(text, sa.Text).collate("C")

    def probes(self, name: TypeName, column: Any, collation: str) -> Iterator[tuple[str, Any]]:
        """Measure NaN and infinity, dates beyond Python's, digits of seconds, and arrays that are not plain lists of elements."""
        from nestling.sources.sql.probes import counted, digits, odd_dates

        if name in (_T.FLOAT, _T.DECIMAL):
            yield "nan", counted(sa.cast(column, sa.Text) == "NaN")
        if name in (_T.DATE, _T.TIMESTAMP, _T.TIMESTAMPTZ):
            yield "infinite", counted(~sa.func.isfinite(column))
            yield "odd", counted(odd_dates(column, "%BC"))
        if name in (_T.TIMESTAMP, _T.TIMESTAMPTZ):
            yield from digits(column)
        if name is _T.ARRAY:
            yield "odd", counted(sa.cast(column, sa.Text).like("[%"))
            yield "nested", counted(sa.func.array_ndims(column) > 1)
            yield "elements", sa.func.sum(sa.func.cardinality(column))

    def measures_of_elements(self, name: TypeName, source: Any, column: Any) -> Iterator[tuple[str, Any]]:
        """Measure the number of distinct elements."""
        if name is _T.ARRAY:
            element = sa.func.unnest(column).table_valued("value").render_derived()
            different = sa.func.count(sa.distinct(sa.cast(element.c.value, sa.Text)))
            yield "distinct_elements", sa.select(different).select_from(source.join(element, sa.true()))

    def refined(self, attribute: Attribute, column: ColumnFacts, found: Mapping[str, Any]) -> Attribute:
        """The attribute with its declared type."""
        return as_declared(attribute, found, FAR_DATE)

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
        """A sample by the server's own TABLESAMPLE, always with the same seed."""
        return sa.tablesample(table, sa.func.system(share * 100), seed=sa.literal_column("1"))

    def plan_joins(self, database: Connected, tables: Sequence[sa.TableClause]) -> None:
        """No nested loops over tables that were never analyzed, such as those restored just now: they seem to have one row."""
        database.connection.execute(_PLAN_JOINS, {"tables": [_registered(table) for table in tables]})

    # --- the application's statements --------------------------------------------------------------------------------

    def ask(self, connection: Any, sql: str, values: Mapping[str, object], seconds: float) -> SourceRows:
        """Ask in a savepoint, so that the snapshot outlives an error. Values are written as literals."""
        psycopg: Any = self.driver()
        connection.execute("SELECT 1")  # begins the transaction, unless it has begun
        try:
            with connection.transaction(), psycopg.ClientCursor(connection) as cursor:
                cursor.execute(f"SET LOCAL statement_timeout = {max(1, round(seconds * 1000))}")
                cursor.execute(sql, dict(values))
                return SourceRows(cursor.fetchall())
        except psycopg.errors.QueryCanceled:
            raise TooSlow(seconds) from None

    def product(self, connection: Any) -> str:
        """The name "PostgreSQL"."""
        return "PostgreSQL"

    def last_number(self, connection: Any, table: sa.TableClause, column: str) -> int | None:
        """The last number of the column's own sequence, if the user may read it."""
        found = connection.cursor().execute(_LAST_NUMBER, {"table": _registered(table), "column": column}).fetchone()
        return None if found is None else found[0]

    def language_orders(self, connection: Any) -> Iterator[str]:
        """Notes on the collations of the catalogue that order texts by the rules of a language."""
        from nestling.sources.sql.postgresql.collations import orders_of_languages

        yield from orders_of_languages(connection.cursor())

    # --- tables and rows written -------------------------------------------------------------------------------------

    has_schemas = True
    has_booleans = True
    has_infinite_moments = True
    numbers_too = " OVERRIDING SYSTEM VALUE"
    telling_collation = "C"
    made_values = MappingProxyType(
        {
            (Generated.TIMESTAMP, _T.TIMESTAMP): "CURRENT_TIMESTAMP",
            (Generated.TIMESTAMP, _T.TIMESTAMPTZ): "CURRENT_TIMESTAMP",
            (Generated.DATE, _T.DATE): "CURRENT_DATE",
            (Generated.UUID, _T.UUID): "gen_random_uuid()",
        }
    )

    def column_words(self, attribute: Attribute, *, keyed: bool) -> str:
        """The column type in PostgreSQL."""
        if _is_long(attribute.type):
            return f"varchar({attribute.type.numbers[0]})"
        return f"{_words(attribute.type, attribute.also)}{_digits(attribute)}"

    def widened(self, attribute: Attribute, *, keyed: bool) -> Attribute:
        """The attribute with a column for texts of any length and moments with all digits.

        A source may not enforce the lengths that it declares.
        """
        if attribute.type.name in MOMENTS:
            return replace(attribute, fraction=None)
        return replace(attribute, type=replace(attribute.type, numbers=())) if _is_long(attribute.type) else attribute

    def numbered(self, attribute: Attribute, entity: Entity, declared: str) -> str | None:
        """The clause for an identity column."""
        if declared != "bigint" or attribute.nullable:
            return None
        how = "ALWAYS" if attribute.default is Generated.IDENTITY else "BY DEFAULT"
        return f"GENERATED {how} AS IDENTITY"

    def begin_writing(self, connection: Any) -> None:
        """Do nothing: the driver begins a transaction by itself, and foreign keys are added at the end."""

    def held_for(self, sink: SqlSink, existing: Existing, name: str) -> str | None:
        """A temporary table for the rows of a table with foreign keys; None for other tables.

        PostgreSQL checks foreign keys after each statement, so one statement moves the rows of all such tables.
        """
        if not existing.table.foreign_keys:
            return None
        held = quote(name, sink.preparer)
        sink.run(f"CREATE TEMPORARY TABLE {held} (LIKE {sink.table(existing.entity)} INCLUDING ALL)")
        return held

    def insert(self, connection: Any, into: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert rows by COPY."""
        with connection.cursor().copy(f"COPY {into} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)

    def exact_types(self, sink: SqlSink, entity: Entity, model: Model) -> Mapping[str, str]:
        """Give columns of enums and times their types, now that all rows are there."""
        return exact_types(sink, entity, model)

    def finished(self, sink: SqlSink, model: Model) -> tuple[str, ...]:
        """Add the foreign keys, each in a savepoint, and let identities continue above the highest existing number."""
        _move_held(sink)
        sink.refuse_lost()
        broken = tuple(link.name for link in declared(sink.links_made) if not _added(sink, link, model))
        for existing in sink.existing.values():
            for name in existing.entity.attribute_names:
                _number_on(sink, sink.table(existing.entity), name)
        for entity in sink.made:
            left = undeclared_defaults(keyed_alike(entity, model, self.name), self.name)
            for each in entity.attributes:
                if each.default in NUMBERED and each.name not in left:
                    table, column = sink.table(entity), quote(each.name, sink.preparer)
                    highest = sink.run(f"SELECT max({column}) FROM {table}").fetchone()[0]  # noqa: S608 - quoted
                    if highest is not None and highest > 0:
                        sink.run(f"ALTER TABLE {table} ALTER COLUMN {column} RESTART WITH {highest + 1}")
        sink.connection.commit()
        return broken


def _without_blanks(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_blanks(item) for item in value]
    return value.rstrip(" ") if isinstance(value, str) else value


def _is_long(kind: Type) -> bool:
    """Whether it is a text of at most so many characters, which blanks do not fill up."""
    return kind.name is _T.TEXT and not kind.carried and len(kind.numbers) == 1 and kind.numbers[0] in _LENGTHS


def _digits(attribute: Attribute) -> str:
    """The digits of a second that a column of moments keeps, where it does not keep all of them."""
    kept = attribute.fraction
    if attribute.type.name not in MOMENTS or kept is None or kept.source_is_finer:
        return ""
    return f"({kept.digits})" if attribute.type.fraction_digits <= kept.digits else ""


def _words(kind: Type, also: tuple[Type, ...]) -> str:
    if kind.element is not None:
        return f"{_words(kind.element, ()).removesuffix('[]')}[]"
    if kind.carried in _OWN and not also:
        return kind.carried
    if kind.carried == JSONB or REAL in kind.carried.split():
        return JSONB if kind.carried == JSONB else REAL
    if kind.name is _T.INTEGER and any(other.name is _T.DECIMAL for other in also):
        return "numeric(20,0)"
    is_sized = kind.name in (_T.DECIMAL, _T.BITS) or kind.is_char
    numbers = f"({','.join(map(str, kind.numbers))})" if kind.numbers and is_sized else ""
    return (kind.carried if kind.is_char else _WORDS[kind.name]) + numbers


def _added(sink: SqlSink, link: Relationship, model: Model) -> bool:
    from psycopg import IntegrityError, errors

    sink.run("SAVEPOINT foreign_key")
    try:
        sink.run(foreign_key_ddl(link, model, POSTGRESQL, sink.preparer))
    except (IntegrityError, errors.InvalidForeignKey, errors.DatatypeMismatch):  # the latter of a parent that was there
        sink.run("ROLLBACK TO SAVEPOINT foreign_key")
        return False
    return True


def _move_held(sink: SqlSink) -> None:
    """Fill the tables whose rows were held back, all in one statement."""
    from psycopg import IntegrityError

    moves = [
        f"moved_{number} AS (INSERT INTO {sink.table(sink.existing[name].entity)} ({passage.columns}) "  # noqa: S608 - quoted
        f"OVERRIDING SYSTEM VALUE SELECT {passage.columns} FROM {passage.into})"
        for number, (name, passage) in enumerate(sink.held.items())
    ]
    try:
        if moves:
            sink.run(f"WITH {', '.join(moves)} SELECT 1")
        sink.run("SET CONSTRAINTS ALL IMMEDIATE")
    except IntegrityError as error:
        what = " ".join(filter(None, (error.diag.message_primary, error.diag.message_detail)))
        where = f"table {error.diag.table_name}"
        move = "fix these rows in MongoDB, or drop the constraint from the table"
        raise SourceError(Problem(what, where=where, next_move=move)) from None


def _number_on(sink: SqlSink, table: str, column: str) -> None:
    """Let the sequence of a column, if it has one, continue above the highest existing number."""
    found = sink.connection.execute("SELECT pg_get_serial_sequence(%s, %s)", (table, column)).fetchone()[0]
    if found is None:
        return
    quoted = quote(column, sink.preparer)
    highest = sink.run(f"SELECT max({quoted}) FROM {table}").fetchone()[0]  # noqa: S608 - quoted
    if highest is not None and highest > 0:
        sink.connection.execute("SELECT setval(%s::regclass, %s)", (found, highest))


def _registered(table: sa.TableClause) -> str:
    """The table's name as `regclass` reads it."""
    return ".".join(sql_name(part) for part in (table.schema, table.name) if part)


ENGINE = Postgresql()
