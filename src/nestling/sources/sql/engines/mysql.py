"""MySQL and MariaDB servers."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from uuid import UUID

import sqlalchemy as sa

from nestling.common.errors import NestlingError, Problem, SourceError
from nestling.ir.constraints.allowed import Allowed
from nestling.ir.constraints.defaults import NUMBERED, Generated
from nestling.ir.quantity_words import counted, first_of
from nestling.ir.rows import UndecodableText
from nestling.ir.statements.operators import Collation
from nestling.ir.statements.sql_dialects import MYSQL
from nestling.ir.types import BOOLEAN, MOMENTS, TEXTS, Type, TypeName, bit_count
from nestling.ir.value_forms.json_text import json_text
from nestling.ir.value_forms.odd_dates import ZERO_DATE
from nestling.sources.sql.driver_parameters import array_text, none_or, undecodable
from nestling.sources.sql.driver_values import bits, by_type, for_integers, moment
from nestling.sources.sql.engine import (
    CONNECT_SECONDS,
    Engine,
    connection_failed,
    login_failed,
    no_such_database,
    not_allowed,
)
from nestling.sources.sql.keyset import is_paged
from nestling.sources.sql.mysql.columns import (
    KEY_CHARACTERS,
    digits_kept,
    enum_words,
    fitting,
    moment_words,
    text_words,
)
from nestling.sources.sql.refine import as_declared
from nestling.sources.sql.row_source import BATCH_ROWS
from nestling.sources.sql.statements import SourceRows, TooSlow
from nestling.sources.sql.table_ddl import declared, foreign_key_ddl

if TYPE_CHECKING:
    from nestling.ir.model import Attribute, Entity, Model, Relationship
    from nestling.ir.rows import RowQuery
    from nestling.sources.sql.address import Address
    from nestling.sources.sql.catalog import Catalog, CatalogTable, ColumnFacts
    from nestling.sources.sql.driver_values import Converter
    from nestling.sources.sql.measure import Connected, TableMeasures
    from nestling.sources.sql.row_source import SqlDatabase
    from nestling.sources.sql.row_sql import Tables
    from nestling.sources.sql.sink import SqlSink

_T = TypeName
_WORDS = {
    _T.BOOLEAN: "tinyint(1)", _T.INTEGER: "bigint", _T.DECIMAL: "decimal(65,30)", _T.FLOAT: "double",
    _T.BYTES: "longblob", _T.DATE: "date", _T.TIME: "varchar(20)",
    _T.INTERVAL: "varchar(80)", _T.UUID: "char(36)", _T.JSON: "longtext",
    _T.BITS: "bit(64)", _T.ARRAY: "longtext", _T.GEOMETRY: "longblob", _T.ANY: "longtext", _T.OBJECT_ID: "char(24)",
}  # fmt: skip
_UNSIGNED = "bigint unsigned"
_REFUSALS = {1045, 1698}
_NOT_ALLOWED = {1044, 1142, 1143, 1227, 1290, 1792}
_UNREACHABLE = {2002, 2003, 2005, 2006, 2013}
_NO_DATABASE = 1049
MARIADB = "MariaDB"
_STOPPED = {1969, 3024}
"""The errors of MariaDB and MySQL for a statement that took longer than it may."""
_NEXT_NUMBER = re.compile(r"\bAUTO_INCREMENT=(\d+)[^\n]*\Z")
"""What stands behind the columns of a table's DDL."""
_NAMED = 4
"""Values a note names of many."""
_TYPES = """
SELECT column_name, CONCAT(column_type, IF(character_set_name IS NULL, '',
  CONCAT(' CHARACTER SET ', character_set_name, ' COLLATE ', collation_name)), ' NULL')
FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = %s"""
_STORAGE = """
SELECT t.engine FROM information_schema.tables t LEFT JOIN information_schema.engines e ON e.engine = t.engine
WHERE t.table_schema = DATABASE() AND t.table_name = %s AND COALESCE(e.transactions, 'NO') <> 'YES'"""
_CANNOT = 1005
"""The error for a foreign key that cannot be made, as over columns whose types differ."""


class Mysql(Engine):
    """MySQL and MariaDB."""

    name = statements = MYSQL
    url_driver = "mysql+pymysql"
    module = "pymysql"
    has_row_comparisons = False  # which would not use an index
    is_nulls_first = True
    unordered = ()
    may_differ_in_letters = True  # to its older collations all texts are equal whatever blanks follow

    def connect(self, address: Address, *, read_only: bool) -> Any:
        """Connect with settings that make the same data arrive as the same values everywhere."""
        pymysql: Any = self.driver()
        from nestling.sources.sql.mysql.decoders import decoders
        from nestling.sources.sql.mysql.options import mysql_options

        url = address.url
        who = {"user": url.username, "password": str(url.password or "")}
        connection = pymysql.connect(
            host=url.host or "localhost",
            port=url.port or 3306,
            database=url.database,
            charset="utf8mb4",
            conv=decoders(),
            connect_timeout=CONNECT_SECONDS,
            autocommit=True,
            **who | mysql_options(address),
        )
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES'")
                if read_only:
                    cursor.execute("SET SESSION TRANSACTION READ ONLY")
        except BaseException:
            connection.close()
            raise
        return connection

    def typed(self, error: Exception, problem: Problem) -> NestlingError:
        """The driver's error as ours, by its number."""
        code = error.args[0] if error.args else 0
        if code in _REFUSALS:
            return login_failed(problem)
        if code in _NOT_ALLOWED:
            return not_allowed(problem)
        if code == _NO_DATABASE:
            return no_such_database(problem)
        return connection_failed(problem) if code in _UNREACHABLE else SourceError(problem)

    def begin(self, connection: Any) -> None:
        """Begin a transaction with InnoDB's consistent snapshot."""
        connection.cursor().execute("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")

    def batches(self, database: SqlDatabase, query: RowQuery) -> Iterator[Sequence[tuple[Any, ...]]]:
        """Yield pages of rows by key in the snapshot.

        Without a unique order, read one unbuffered cursor on a connection of its own.
        """
        if not is_paged(query, database.model):
            yield from self._unbuffered(database, query)
            return
        width = len(query.columns)
        query = replace(query, columns=(*query.columns, *query.order))
        with database.connected() as connection:
            while True:
                cursor = connection.cursor()
                cursor.execute(*database.statement(query, BATCH_ROWS))
                batch = cursor.fetchall()
                if batch:
                    yield [row[:width] for row in batch]
                if len(batch) < BATCH_ROWS:
                    return
                query = replace(query, after=batch[-1][width:])

    def _unbuffered(self, database: SqlDatabase, query: RowQuery) -> Iterator[Sequence[tuple[Any, ...]]]:
        cursors: Any = importlib.import_module("pymysql.cursors")
        connection = self.connect(database.address, read_only=True)
        try:
            cursor = connection.cursor(cursors.SSCursor)
            cursor.execute(*database.statement(query))
            while batch := cursor.fetchmany(BATCH_ROWS):
                yield batch
        finally:
            connection._force_close()  # an orderly close would first read the rest of the rows

    def converter(self, attribute: Attribute) -> Converter | None:
        """The function from raw values to conceptual ones: zero dates get one spelling, and bits arrive as bytes."""
        kind = attribute.type
        if kind.name is _T.INTEGER:
            return for_integers(attribute)
        if kind.name in MOMENTS:
            return moment(kind)
        return bits(bit_count(kind)) if kind.name is _T.BITS else by_type(kind)

    def in_milliseconds(self, column: Any) -> Any:
        """The time cut to milliseconds, by subtraction, since a cast rounds. A zero date stays one."""
        over = sa.func.mod(sa.func.microsecond(column), 1000)
        return sa.case((over == 0, column), else_=sa.func.timestampadd(sa.text("MICROSECOND"), -over, column))

    def writers(self, kind: Type) -> Mapping[type, Callable[[Any], Any]]:
        """The functions to the driver's parameters: texts for values that the driver does not write."""
        return {datetime: _naive, UUID: str, list: array_text, dict: json_text, UndecodableText: undecodable}

    def type_writer(self, kind: Type) -> Callable[[Any], Any] | None:
        """The function for all values of a type: bits are written as a number."""
        return none_or(_number) if kind.name is _T.BITS else None

    def letters(self, text: Any) -> Any:
        """The bytes of a text, which compare exactly."""
        return sa.cast(text, sa.LargeBinary)

    def by_code_point(self, text: Any) -> Any:
        """A text that is ordered by code point, whatever its character set."""
        return sa.func.convert(text.op("USING")(sa.literal_column("utf8mb4"))).collate("utf8mb4_bin")

    def as_double(self, column: Any) -> Any:
        """The column as a double: every version converts it if zero is added."""
        return column + sa.literal_column("0e0")

    def selected(self, column: Any, attribute: Attribute) -> Any:
        """The column as it is read; a FLOAT as a double, because it would be printed with six digits."""
        return self.as_double(column) if attribute.type.name is _T.FLOAT else column

    def byte_length(self, column: Any, name: TypeName) -> Any:
        """The length in bytes, of texts and of bytes."""
        return sa.func.octet_length(column)

    def probes(self, name: TypeName, column: Any, collation: str) -> Iterator[tuple[str, Any]]:
        """Measure zero dates, times outside a day, digits of seconds, and values that collations do not distinguish."""
        from nestling.sources.sql.mysql.texts import measures_of_texts
        from nestling.sources.sql.probes import counted as rows_where

        if name is _T.TEXT:
            yield from measures_of_texts(column, collation)

        if name is _T.TIME:
            yield "long", rows_where(sa.or_(column < "00:00:00", column >= "100:00:00"))

        if name in (_T.DATE, _T.TIMESTAMP, _T.TIMESTAMPTZ):
            yield (
                "odd",
                rows_where(sa.or_(*(part(column) == 0 for part in (sa.func.year, sa.func.month, sa.func.dayofmonth)))),
            )
        if name in (_T.TIMESTAMP, _T.TIMESTAMPTZ):
            yield "micro", rows_where(sa.func.microsecond(column) % 1000 != 0)
            yield "milli", rows_where(sa.func.microsecond(column) != 0)

    def refined(self, attribute: Attribute, column: ColumnFacts, found: Mapping[str, Any]) -> Attribute:
        """The attribute with its declared type, except that a TINYINT(1) with only 0 and 1 is a boolean."""
        refined = as_declared(attribute, found, ZERO_DATE)
        return replace(refined, type=BOOLEAN) if _is_flag(column) and _is_truth(found) else refined

    def value_notes(
        self, catalog: Catalog, measures: Mapping[str, TableMeasures], tables: Tables, database: Connected
    ) -> Iterator[str]:
        """Notes on texts that collations treat as equal, and on flags that are neither 0 nor 1."""
        from nestling.sources.sql.mysql.texts import notes_on_texts

        yield from notes_on_texts(catalog, measures)
        for table in catalog.tables:
            for column in filter(_is_flag, table.columns):
                found = measures[table.entity].columns[column.name]
                if found["values"] and not _is_truth(found):
                    yield _no_flag(table.entity, column.name, tables, database)

    def allow_deep_recursion(self, database: Connected) -> None:
        """Raise the recursion limit by the variables of MariaDB and MySQL."""
        cursor = database.connection.cursor()
        for variable in ("max_recursive_iterations", "cte_max_recursion_depth"):
            cursor.execute("SHOW VARIABLES LIKE %s", (variable,))
            if cursor.fetchone():
                cursor.execute(f"SET SESSION {variable} = 1000000")

    # --- the application's statements --------------------------------------------------------------------------------

    def ask(self, connection: Any, sql: str, values: Mapping[str, object], seconds: float) -> SourceRows:
        """The answer to a query with a time limit, which MariaDB takes in seconds and MySQL in milliseconds.

        Columns of FLOAT are printed with six digits.
        """
        pymysql: Any = self.driver()
        cursor = connection.cursor()
        is_mariadb = self.product(connection) == MARIADB
        variable, most = (
            ("max_statement_time", seconds) if is_mariadb else ("max_execution_time", round(seconds * 1000))
        )
        cursor.execute(f"SET SESSION {variable} = %s", (max(most, 0.001 if is_mariadb else 1),))
        try:
            cursor.execute(sql, dict(values))
            kinds = [column[1] for column in cursor.description]
            return SourceRows(
                list(cursor.fetchall()),
                frozenset(place for place, kind in enumerate(kinds) if kind == pymysql.constants.FIELD_TYPE.FLOAT),
            )
        except pymysql.MySQLError as error:
            if error.args and error.args[0] in _STOPPED:
                raise TooSlow(seconds) from None
            raise

    def product(self, connection: Any) -> str:
        """The product's name, derived from the version that the server reports."""
        return MARIADB if MARIADB in connection.get_server_info() else "MySQL"

    def last_number(self, connection: Any, table: sa.TableClause, column: str) -> int | None:
        """The last generated number, read from the table's DDL, because the catalogue may be a day old."""
        with connection.cursor() as cursor:
            cursor.execute("SHOW CREATE TABLE `{}`".format(table.name.replace("`", "``")))
            found = _NEXT_NUMBER.search(cursor.fetchone()[1])
        return int(found[1]) - 1 if found else None

    # --- tables and rows written -------------------------------------------------------------------------------------

    table_options = " CHARACTER SET utf8mb4"
    telling_collation = "utf8mb4_bin"
    commits_retyping = True
    bracketed_defaults = ("longtext",)
    columns_of_text = Engine.columns_of_text | {_T.JSON, _T.UUID, _T.OBJECT_ID}
    made_values = MappingProxyType(
        {
            (Generated.TIMESTAMP, _T.TIMESTAMPTZ): "(UTC_TIMESTAMP(6))",
            (Generated.DATE, _T.DATE): "(CURRENT_DATE)",
            (Generated.UUID, _T.UUID): "(UUID())",
        }
    )

    def column_words(self, attribute: Attribute, *, keyed: bool) -> str:
        """The column type; in keys one whose length fits an index."""
        kind = attribute.type
        if kind.name is _T.TEXT or (keyed and kind.name is _T.ENUM):
            return text_words(attribute, keyed=keyed)
        if kind.name is _T.ENUM:
            return enum_words(attribute)
        if kind.name in MOMENTS:
            return moment_words(attribute)
        if keyed and kind.name is _T.BYTES:
            return f"varbinary({KEY_CHARACTERS * 4})"
        if kind.name is _T.INTEGER and any(other.name is _T.DECIMAL for other in attribute.also):
            return _UNSIGNED
        if kind.name in (_T.DECIMAL, _T.BITS) and kind.numbers:
            return f"{_WORDS[kind.name].partition('(')[0]}({','.join(map(str, kind.numbers))})"
        return _WORDS[kind.name]

    def fitting(self, entity: Entity, groups: Sequence[Sequence[str]]) -> Entity:
        """The entity with declarations that fit: a key has at most 3,072 bytes, a row 65,535."""
        return fitting(entity, groups)

    def widened(self, attribute: Attribute, *, keyed: bool) -> Attribute:
        """The attribute with a column for texts of any length, except in keys, and for moments with all digits."""
        if attribute.type.name in MOMENTS:
            return replace(attribute, fraction=None)
        is_free = attribute.type.name is _T.TEXT and not keyed and text_words(attribute, keyed=False) != _WORDS[_T.ANY]
        return replace(attribute, type=replace(attribute.type, numbers=())) if is_free else attribute

    def retyped(self, table: str, column: str, kind: str, declared: str) -> str:
        """The statement that gives a column another type, which has to repeat everything declared about the column."""
        return f"ALTER TABLE {table} MODIFY COLUMN {declared}"

    def made_value(self, made: Generated, attribute: Attribute) -> str | None:
        """The expression for the generated default; the current time has as many digits as its column."""
        if (made, attribute.type.name) == (Generated.TIMESTAMP, _T.TIMESTAMP):
            digits = digits_kept(attribute)
            return f"CURRENT_TIMESTAMP({digits})" if digits else "CURRENT_TIMESTAMP"
        return super().made_value(made, attribute)

    def ranged(self, attribute: Attribute) -> Attribute:
        """The attribute with an unsigned column if its AUTO_INCREMENT numbers start at 0: such a column may have no CHECK."""
        low = attribute.allowed.minimum if attribute.allowed else None
        if attribute.type.name is not _T.INTEGER or attribute.default not in NUMBERED or low is None or low < 0:
            return attribute
        return replace(attribute, also=tuple(dict.fromkeys((*attribute.also, Type(_T.DECIMAL)))))

    def says_allowed(self, attribute: Attribute, declared: str) -> bool:
        """Whether the declaration implies the allowed values: UNSIGNED a minimum of 0, an ENUM its labels."""
        if declared.startswith("enum("):
            return attribute.allowed is None
        return declared == _UNSIGNED and attribute.allowed == Allowed(minimum=0)

    def takes_no_check(self, attribute: Attribute, entity: Entity, declared: str) -> bool:
        """Whether no CHECK may name the column: MariaDB and MySQL do not allow AUTO_INCREMENT in one."""
        return attribute.default in NUMBERED and self.numbered(attribute, entity, declared) is not None

    def column_collation(self, attribute: Attribute) -> str:
        """The column's collation: binary, or one that ignores case and accents."""
        if attribute.type.name not in TEXTS:
            return ""
        named = "unicode_520_ci" if attribute.collation is Collation.UNICODE_CI else "bin"
        return f"CHARACTER SET utf8mb4 COLLATE utf8mb4_{named}"

    def numbered(self, attribute: Attribute, entity: Entity, declared: str) -> str | None:
        """The clause for AUTO_INCREMENT, for the first such column that leads a key."""
        leading = {group[0] for group in (entity.key, *entity.uniques) if group}
        first = next(each.name for each in entity.attributes if each.default in NUMBERED)
        is_one = first == attribute.name in leading and declared.startswith("bigint") and not attribute.nullable
        return "AUTO_INCREMENT" if is_one else None

    def text_literal(self, text: str) -> str:
        """A text in a statement, with backslashes escaped."""
        return super().text_literal(text).replace("\\", "\\\\")

    def begin_writing(self, connection: Any) -> None:
        """Begin a transaction; foreign keys are added at the end."""
        connection.cursor().execute("SET foreign_key_checks = 0")
        connection.cursor().execute("SET SESSION sql_mode = CONCAT(@@sql_mode, ',NO_AUTO_VALUE_ON_ZERO')")
        connection.autocommit(False)

    def column_key(self, name: str) -> str:
        """The column name in lower case, because case does not count."""
        return name.lower()

    def found_types(self, sink: SqlSink, table: CatalogTable) -> Mapping[str, str]:
        """The columns' types, with their character sets. A TIMESTAMP is NOT NULL unless declared otherwise."""
        cursor = sink.connection.cursor()
        cursor.execute(_TYPES, (table.name,))
        return dict(cursor.fetchall())

    def not_undone(self, sink: SqlSink, table: str) -> str:
        """Why rows could not be taken back: some storage engines have no transactions."""
        cursor = sink.connection.cursor()
        cursor.execute(_STORAGE, (table,))
        found = cursor.fetchone()
        return f"its engine {found[0]} has no transactions: a failed unload could not be rolled back" if found else ""

    def undone(self, sink: SqlSink) -> None:
        """Drop the tables that were made, and empty those that were empty, because CREATE TABLE and ALTER TABLE commit."""
        connection = self.connect(sink.address, read_only=False)
        try:
            cursor = connection.cursor()
            cursor.execute("SET foreign_key_checks = 0")
            for entity in sink.made:
                cursor.execute(f"DROP TABLE {sink.table(entity)}")
            for existing in sink.existing.values() if sink.is_committed else ():
                cursor.execute(f"DELETE FROM {sink.table(existing.entity)}")  # noqa: S608 - quoted
        finally:
            connection.close()

    def emptying(self, temporary: str, create: str) -> tuple[str, ...]:
        """Statements that drop a temporary table and create it again.

        Deleted rows would keep their space until the end of the transaction, and TRUNCATE would end it.
        """
        return (f"DROP TEMPORARY TABLE {temporary}", create)

    def insert(self, connection: Any, into: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert many rows, of which the driver makes one statement."""
        if rows:
            insert = f"INSERT INTO {into} VALUES ".replace("%", "%%")  # noqa: S608 - quoted
            connection.cursor().executemany(f"{insert}({', '.join(['%s'] * len(rows[0]))})", rows)

    def finished(self, sink: SqlSink, model: Model) -> tuple[str, ...]:
        """Commit, and add the foreign keys; every ALTER TABLE commits."""
        sink.refuse_lost()
        sink.refuse_dangling()
        sink.connection.commit()
        sink.is_committed = True
        return tuple(link.name for link in declared(sink.links_made) if not _added(sink, link, model))


ENGINE = Mysql()


def _added(sink: SqlSink, link: Relationship, model: Model) -> bool:
    from pymysql import IntegrityError, MySQLError

    sink.run("SET foreign_key_checks = 1")
    try:
        sink.run(foreign_key_ddl(link, model, MYSQL, sink.preparer))
    except MySQLError as error:
        if not isinstance(error, IntegrityError) and error.args[0] != _CANNOT:
            raise
        return False
    return True


def _number(value: Any) -> Any:
    return int(value, 2) if isinstance(value, str) else value


def _is_flag(column: ColumnFacts) -> bool:
    return column.declared.startswith("tinyint(1)") and column.type.name is _T.INTEGER


def _is_truth(found: Mapping[str, Any]) -> bool:
    return int(found["least"]) >= 0 and int(found["most"]) <= 1


def _no_flag(entity: str, attribute: str, tables: Tables, database: Connected) -> str:
    """A note on a TINYINT(1) with other values than 0 and 1, which it names."""
    table = tables.table(entity)
    column = table.c[attribute]
    odd = (
        sa.select(column, sa.func.count())
        .select_from(table)
        .where(column.not_in([sa.literal_column("0"), sa.literal_column("1")]))
    )
    found = database.all(odd.group_by(column).order_by(column))
    values = first_of([f"{value} ({counted(int(rows), 'row')})" for value, rows in found], _NAMED)
    return (
        f"`{entity}.{attribute}` is tinyint(1) and holds {values}: it is read as an integer, not a boolean; "
        "to get a boolean, change these values in the source to 0 or 1"
    )


def _naive(value: datetime) -> datetime:
    return value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
