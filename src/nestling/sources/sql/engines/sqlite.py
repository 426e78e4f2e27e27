"""SQLite files. Values carry their own types, and a text may be any bytes."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import groupby
from time import perf_counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from uuid import UUID

import sqlalchemy as sa

from nestling.common.errors import NestlingError, PermissionDenied, Problem, SourceError
from nestling.ir.constraints.defaults import Generated
from nestling.ir.model import Attribute
from nestling.ir.rows import UndecodableText
from nestling.ir.statements.operators import Collation
from nestling.ir.statements.sql_dialects import SQLITE
from nestling.ir.types import FLOAT, INTEGER, TEXT, TEXTS, Type, TypeName
from nestling.ir.value_forms.json_text import json_text
from nestling.ir.value_forms.numeral import INT64
from nestling.sources.affinity import is_numeric
from nestling.sources.sql.driver_parameters import array_text
from nestling.sources.sql.driver_values import by_type, for_integers, from_text, timestamp_writer
from nestling.sources.sql.engine import Engine
from nestling.sources.sql.row_source import BATCH_ROWS
from nestling.sources.sql.sampling import integer_key, windows
from nestling.sources.sql.statements import SourceRows, TooSlow

if TYPE_CHECKING:
    from sqlalchemy.engine import Dialect

    from nestling.ir.model import Entity, Model
    from nestling.ir.rows import RowQuery
    from nestling.sources.sql.address import Address
    from nestling.sources.sql.catalog import Catalog, CatalogNames, ColumnFacts
    from nestling.sources.sql.driver_values import Converter
    from nestling.sources.sql.measure import Connected, TableMeasures
    from nestling.sources.sql.row_source import SqlDatabase
    from nestling.sources.sql.row_sql import Tables
    from nestling.sources.sql.sink import SqlSink

_T = TypeName
_DAY = "[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]"
_CLOCK = f"{_DAY} [0-2][0-9]:[0-5][0-9]:[0-5][0-9]"
_UUID = "-".join("[0-9a-f]" * digits for digits in (8, 4, 4, 4, 12))
_FORMATS = {"day": _DAY, "second": _CLOCK, "milli": f"{_CLOCK}.[0-9][0-9][0-9]", "micro": _CLOCK + "." + "[0-9]" * 6}
"""Canonical texts of dates and timestamps, by their precision, as GLOB patterns."""
_FRACTION = 21
"""Where the digits of a second begin in the text of a moment."""
_MILLISECONDS = _FRACTION + 2
"""Characters of such a text up to its milliseconds."""
_DATES = (_T.DATE, _T.TIMESTAMP, _T.TIMESTAMPTZ)
_STORED = {"integer": INTEGER, "real": FLOAT, "text": TEXT, "blob": Type(_T.BYTES)}
_FITTING = {_T.INTEGER: "integer", _T.FLOAT: "real", _T.TEXT: "text", _T.BYTES: "blob", _T.BOOLEAN: "integer"}
_BY_PRECISION = {"day": Type(_T.DATE), "second": Type(_T.TIMESTAMP), "milli": Type(_T.TIMESTAMP, (3,)),
                 "micro": Type(_T.TIMESTAMP, (6,))}  # fmt: skip

# In SQLite a type word decides the affinity. Words with TEXT in them keep the digits of a decimal and the zeros of bits;
# no word may hold INT by accident, which would make the column a number (so an interval is a DURATION).
_WORDS = {
    _T.BOOLEAN: "BOOLEAN", _T.INTEGER: "INTEGER", _T.DECIMAL: "DECIMAL_TEXT", _T.FLOAT: "REAL", _T.TEXT: "TEXT",
    _T.BYTES: "BLOB", _T.DATE: "DATE", _T.TIME: "TIME_TEXT", _T.TIMESTAMP: "TIMESTAMP", _T.TIMESTAMPTZ: "TIMESTAMPTZ",
    _T.INTERVAL: "DURATION_TEXT", _T.UUID: "UUID_TEXT", _T.JSON: "JSON_TEXT", _T.ENUM: "TEXT", _T.BITS: "BITS_TEXT",
    _T.ARRAY: "JSON_TEXT", _T.GEOMETRY: "", _T.ANY: "", _T.OBJECT_ID: "OBJECTID_TEXT",
}  # fmt: skip
# Where a column also holds what that affinity would change, words with BLOB in them, and neither INT nor TEXT, let all be.
_MIXED_WORDS = {
    _T.BOOLEAN: "BOOLEAN_BLOB", _T.INTEGER: "NUMBER_BLOB", _T.DECIMAL: "DECIMAL_BLOB", _T.FLOAT: "FLOAT_BLOB",
    _T.TEXT: "STRING_BLOB", _T.BYTES: "BLOB", _T.DATE: "DATE_BLOB", _T.TIME: "TIME_BLOB", _T.TIMESTAMP: "TIMESTAMP_BLOB",
    _T.TIMESTAMPTZ: "TIMESTAMPTZ_BLOB", _T.INTERVAL: "DURATION_BLOB", _T.UUID: "UUID_BLOB", _T.JSON: "JSON_BLOB",
    _T.ENUM: "STRING_BLOB", _T.BITS: "BITS_BLOB", _T.ARRAY: "JSON_BLOB", _T.GEOMETRY: "", _T.ANY: "",
    _T.OBJECT_ID: "OBJECTID_BLOB",
}  # fmt: skip
_KEPT = {_T.BOOLEAN: "integer", _T.INTEGER: "integer", _T.DATE: "integer", _T.TIMESTAMP: "integer", _T.TIMESTAMPTZ: "integer",
         _T.FLOAT: "real", _T.BYTES: "any", _T.GEOMETRY: "any", _T.ANY: "any"}  # fmt: skip
"""What beside blobs the affinity of `_WORDS` leaves as it is, where that is not text."""

_WRITABLE = (
    "allow writing to the file and its folder; to read a database in WAL mode, SQLite makes files beside it: without that right "
    "copy the database elsewhere"
)
_REACHABLE = "check that the file may be read, and that files may be made in its folder"

STEPS = 10_000
"""Instructions of SQLite's virtual machine between two looks at the clock."""


class Sqlite(Engine):
    """SQLite."""

    name = statements = SQLITE
    url_driver = "sqlite"
    module = "sqlite3"
    is_nulls_first = True
    unordered = ()
    enforces_types = enforces_keys = False
    measures_all_widths = True

    def connect(self, address: Address, *, read_only: bool) -> sqlite3.Connection:
        """Open the file by its URI, which can open it read-only."""
        from nestling.sources.sql.sqlite.texts import tell_utf8

        path = address.path
        if read_only and not path.is_file():
            what = "this is a directory, not a database file" if path.is_dir() else "there is no such file"
            raise SourceError(
                Problem(what, where=str(path), next_move="check the path (`sqlite:////absolute/path.db`)")
            )
        if not path.parent.is_dir():
            raise SourceError(
                Problem(
                    f"there is no folder `{path.parent}`",
                    where=str(path),
                    next_move="create it, or choose another path",
                )
            )
        mode = "ro" if read_only else "rwc"
        connection = sqlite3.connect(
            f"file:{quote(str(path.absolute()))}?mode={mode}", uri=True, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            tell_utf8(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def compiler(self, address: Address) -> Dialect:
        """SQLAlchemy's own dialect for SQLite."""
        dialect: Dialect = address.url.get_dialect()()
        return dialect

    def typed(self, error: Exception, problem: Problem) -> NestlingError:
        """The driver's error as ours, by the words of its message; SQLite gives nothing else."""
        if "not a database" in problem.what:
            return SourceError(Problem("this file is not a SQLite database", where=problem.where))
        if "readonly" in problem.what:
            return PermissionDenied(replace(problem, next_move=_WRITABLE))
        return SourceError(replace(problem, next_move=_REACHABLE) if "unable to open" in problem.what else problem)

    def begin(self, connection: Any) -> None:
        """Begin a transaction, which autocommit mode does not do by itself."""
        connection.execute("BEGIN")

    def tolerate_any_text(self, connection: Any) -> None:
        """Make the connection return text that is not UTF-8, since the smallest of a column's values may be such."""
        connection.text_factory = _text

    def model_name(self, address: Address) -> str:
        """The name of the file, without its suffix."""
        return address.path.stem

    def catalog(self, address: Address, connection: Any) -> Catalog:
        """The catalogue, read by pragmas."""
        from nestling.sources.sql.sqlite.catalog import read_sqlite_catalog

        return read_sqlite_catalog(connection)

    def names(self, address: Address, connection: Any) -> CatalogNames:
        """The names in the catalogue, all of which can be read quickly."""
        from nestling.sources.sql.sqlite.catalog import read_sqlite_catalog

        return read_sqlite_catalog(connection).names

    def batches(self, database: SqlDatabase, query: RowQuery) -> Iterator[Sequence[tuple[Any, ...]]]:
        """Yield rows with the driver's fast text decoding; from text that is not UTF-8 on, continue with a tolerant one."""
        with database.connected() as connection:
            done = 0
            cursor = connection.execute(*database.statement(query))
            try:
                while batch := cursor.fetchmany(BATCH_ROWS):
                    yield batch
                    done += len(batch)
            except sqlite3.OperationalError as error:
                if "decode to UTF-8" not in str(error):
                    raise
                connection.text_factory = _text
                yield from _after_rows(connection.execute(*database.statement(query)), done)

    def converter(self, attribute: Attribute) -> Converter | None:
        """The function from raw values to conceptual ones; types that SQLite does not have are stored as text."""
        if attribute.type.name is _T.INTEGER:
            return for_integers(attribute)
        return from_text(attribute.type) or by_type(attribute.type)

    def in_milliseconds(self, column: Any) -> Any:
        """A moment cut to milliseconds, if it is a text with six digits; any other value unchanged."""
        is_fine = sa.or_(*(column.op("GLOB")(_FORMATS["micro"] + zone) for zone in ("", "+00:00")))
        cut = sa.func.substr(column, 1, _MILLISECONDS).op("||")(sa.func.substr(column, _MILLISECONDS + 4))
        return sa.case((sa.and_(sa.func.typeof(column) == "text", is_fine), cut), else_=column)

    def writers(self, kind: Type) -> Mapping[type, Callable[[Any], Any]]:
        """The functions to the driver's parameters: texts for types that SQLite does not have."""
        return {
            bool: int,
            int: _integer,
            float: lambda value: "NaN" if math.isnan(value) else value,
            date: date.isoformat,
            datetime: _timestamp(kind.fraction_digits),
            Decimal: str,
            UUID: str,
            list: array_text,
            dict: json_text,
        }

    def letters(self, text: Any) -> Any:
        """A text that is compared exactly, whatever collation its column declares."""
        return sa.collate(sa.cast(text, sa.Text), "BINARY")

    def by_code_point(self, text: Any) -> Any:
        """A text that is ordered by code point."""
        return sa.collate(text, "BINARY")

    def character_length(self, column: Any) -> Any:
        """The characters of a text up to the first NUL."""
        return sa.func.length(column)

    def counts_all_characters(self, column: Any) -> Iterator[Any]:
        """The condition that a text has no NUL, beyond which its length does not count."""
        yield sa.func.instr(column, sa.func.char(0)) == 0

    def byte_length(self, column: Any, name: TypeName) -> Any:
        """The length of the value as a blob, in bytes."""
        return sa.func.length(sa.cast(column, sa.LargeBinary))

    def probes(self, name: TypeName, column: Any, collation: str) -> Iterator[tuple[str, Any]]:
        """Measure how many values are stored as which class, and how many texts are not UTF-8 or read only in part."""
        from nestling.sources.sql.probes import counted
        from nestling.sources.sql.sqlite.texts import measures_of_texts

        for storage in _STORED:
            yield storage, counted(sa.func.typeof(column) == storage)
        yield from measures_of_texts(column)  # a column of any type may hold one
        if name in _DATES:
            for precision, pattern in _FORMATS.items():
                canonical = sa.and_(
                    sa.func.typeof(column) == "text", column.op("GLOB")(pattern), _is_a_time(column, pattern)
                )
                yield precision, counted(canonical)
            yield "moment", counted(_is_moment(column))
        if name is _T.UUID:
            yield "canonical", counted(sa.and_(sa.func.typeof(column) == "text", column.op("GLOB")(_UUID)))
        if name is _T.BOOLEAN:
            yield "truths", counted(sa.and_(sa.func.typeof(column) == "integer", column.in_([0, 1])))

    def refined(self, attribute: Attribute, column: ColumnFacts, found: Mapping[str, Any]) -> Attribute:
        """The attribute with the type that most values are stored as; `also` lists the others.

        Floats of NUMERIC affinity may always be integers.
        """
        refined = _refined(attribute, column, found)
        if refined.type != FLOAT or INTEGER in refined.also or not is_numeric(column.declared):
            return refined
        return replace(refined, also=(INTEGER, *refined.also))

    def value_notes(
        self, catalog: Catalog, measures: Mapping[str, TableMeasures], tables: Tables, database: Connected
    ) -> Iterator[str]:
        """Notes on texts that are not UTF-8, or that functions read only in part."""
        from nestling.sources.sql.sqlite.texts import notes_on_texts

        yield from notes_on_texts(catalog, measures)

    def remark(self, declared: Attribute, refined: Attribute, found: Mapping[str, Any]) -> str:
        """A note that explains why moments became texts."""
        if refined.type == TEXT and declared.type.name in _DATES and _differ_in_fractions(found):
            why = "the fractional seconds of its values are not all of the same usual length"
            return f"is declared {declared.type} but {why}; SQLite compares them as text, so it is read as text"
        return super().remark(declared, refined, found)

    # --- the application's statements --------------------------------------------------------------------------------

    def place(self, name: str) -> str:
        """A parameter in SQLite's own syntax."""
        return f":{name}"

    def between_places(self, text: str) -> str:
        """The text between parameters, unchanged."""
        return text

    def ask(self, connection: Any, sql: str, values: Mapping[str, object], seconds: float) -> SourceRows:
        """The answer to a query; a progress handler stops it when its time is over."""
        until = perf_counter() + seconds
        connection.set_progress_handler(lambda: perf_counter() > until, STEPS)
        try:
            return SourceRows(connection.execute(sql, dict(values)).fetchall())
        except sqlite3.OperationalError as error:
            if "interrupted" in str(error):
                raise TooSlow(seconds) from None
            raise
        finally:
            connection.set_progress_handler(None, 0)

    def product(self, connection: Any) -> str:
        """The name "SQLite"."""
        return "SQLite"

    def last_number(self, connection: Any, table: sa.TableClause, column: str) -> int | None:
        """The last number, from SQLite's own table, which exists once a table has AUTOINCREMENT."""
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'").fetchone() is None:
            return None
        found = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table.name,)).fetchone()
        return None if found is None else found[0]

    # --- tables and rows written -------------------------------------------------------------------------------------

    has_decimals = False
    declares_links_first = True
    length_function = "length"
    other_target = "change that value, or add its type to `also` of the attribute in the design's model"
    made_values = MappingProxyType(
        {
            (Generated.TIMESTAMP, _T.TIMESTAMP): "CURRENT_TIMESTAMP",
            (Generated.TIMESTAMP, _T.TIMESTAMPTZ): "(strftime('%Y-%m-%d %H:%M:%S+00:00','now'))",
            (Generated.DATE, _T.DATE): "CURRENT_DATE",
            (Generated.TIME, _T.TIME): "CURRENT_TIME",
        }
    )

    def left_types(self, attribute: Attribute) -> tuple[Type, ...]:
        """An empty tuple, because a column's affinity is chosen to suit all types of its values."""
        return ()

    def column_words(self, attribute: Attribute, *, keyed: bool) -> str:
        """The declared type that gives the column its affinity."""
        kind = attribute.type
        stored = {_FITTING.get(other.name, "text") for other in attribute.also}
        if attribute.is_numeric and stored <= {"integer", "blob"}:
            return "NUMERIC"
        if _KEPT.get(kind.name, "text") != "any" and not stored <= {_KEPT.get(kind.name, "text"), "blob"}:
            word = _MIXED_WORDS[kind.name]
        elif kind.name is _T.INTEGER and stored:
            word = "INT"  # with the same affinity, but as a key not SQLite's row number, which is nothing else
        else:
            word = _WORDS[kind.name]
        return f"{word}({','.join(map(str, kind.numbers))})" if kind.numbers and word else word

    def column_collation(self, attribute: Attribute) -> str:
        """The column's collation: NOCASE, RTRIM, or none."""
        words = {Collation.UNICODE_CI: "NOCASE", Collation.NOCASE: "NOCASE", Collation.RTRIM: "RTRIM"}
        is_told = attribute.type.name in TEXTS and attribute.collation in words
        return f"COLLATE {words[attribute.collation]}" if is_told else ""

    def numbered(self, attribute: Attribute, entity: Entity, declared: str) -> str | None:
        """An empty clause for an INTEGER that is the whole key, which SQLite numbers by itself; None for anything else."""
        return "" if declared == "INTEGER" and entity.key == (attribute.name,) else None

    def begin_writing(self, connection: Any) -> None:
        """Begin a transaction without checking foreign keys, so that cycles and dangling rows are loaded as they are."""
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("BEGIN IMMEDIATE")

    def tables(self, sink: SqlSink, schemas: set[str | None]) -> set[tuple[str | None, str]]:
        """The tables as the transaction sees them."""
        return {(None, row[0]) for row in sink.run("SELECT name FROM sqlite_master WHERE type = 'table'")}

    def table_key(self, name: str) -> str:
        """The table name in lower case, because case does not count."""
        return name.lower()

    def column_key(self, name: str) -> str:
        """The column name in lower case, because case does not count."""
        return name.lower()

    def emptying(self, temporary: str, create: str) -> tuple[str, ...]:
        """The statement that deletes all rows at once."""
        return (f"DELETE FROM {temporary}",)  # noqa: S608 - quoted

    def insert(self, connection: Any, into: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert rows; text that is not UTF-8 is passed as bytes and cast to text."""
        insert = f"INSERT INTO {into} VALUES "  # noqa: S608 - quoted
        for odd, run in groupby(rows, key=lambda row: any(type(value) is UndecodableText for value in row)):
            if not odd:
                connection.executemany(f"{insert}({', '.join('?' * len(rows[0]))})", list(run))
                continue
            for row in run:
                marks = ", ".join("CAST(? AS TEXT)" if type(value) is UndecodableText else "?" for value in row)
                connection.execute(f"{insert}({marks})", row)

    def is_there(self, address: Address) -> bool:
        """Whether the file exists."""
        return address.path.exists()

    def undone(self, sink: SqlSink) -> None:
        """Remove the file if opening it created it."""
        if not sink.was_there:
            sink.address.path.unlink(missing_ok=True)

    def finished(self, sink: SqlSink, model: Model) -> tuple[str, ...]:
        """Commit, and check the foreign keys, which are part of the tables."""
        sink.refuse_lost()
        sink.refuse_dangling()
        checks = (f"PRAGMA foreign_key_check({sink.table(entity)})" for entity in sink.made)
        found = [row for check in checks for row in sink.run(check)]
        sink.connection.commit()
        return tuple(sorted({f"{child} -> {parent}" for child, _, parent, _ in found}))

    # --- samples -----------------------------------------------------------------------------------------------------

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
        """A sample of rows, by rowid where the table has one."""
        number = sa.literal_column("rowid") if rowid else integer_key(table, entity)
        return windows(table, number, share=share, rows=rows, fetch=fetch)


ENGINE = Sqlite()


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


def _integer(value: int) -> int | str:
    return value if -INT64 <= value < INT64 else str(value)


def _timestamp(digits: int) -> Callable[[Any], Any]:
    write = timestamp_writer(digits)
    return lambda value: write(value if value.tzinfo is None else value.astimezone(UTC))


def _is_a_time(column: Any, pattern: str) -> Any:
    """Whether the calendar has the time a canonical text says: SQLite makes 2 March of 30 February."""
    made, length = (sa.func.date, 10) if pattern == _DAY else (sa.func.datetime, 19)
    whole = sa.func.substr(column, 1, length)
    return sa.and_(made(whole, "+0 days") == whole, column >= "0001")


def _is_moment(column: Any) -> Any:
    """Whether it is a text of a moment with a blank in it, and with digits of a second as many as there are, or none."""
    digits = sa.func.substr(column, _FRACTION)
    fraction = sa.and_(column.op("GLOB")(f"{_CLOCK}.[0-9]*"), sa.not_(digits.op("GLOB")("*[^0-9]*")))
    shape = sa.or_(column.op("GLOB")(_CLOCK), fraction)
    return sa.and_(sa.func.typeof(column) == "text", shape, _is_a_time(column, _CLOCK))


def _precision(found: Mapping[str, Any]) -> str:
    """The form most dates and moments are written in."""
    return max(_FORMATS, key=lambda each: int(found[each]))


def _differ_in_fractions(found: Mapping[str, Any]) -> bool:
    """Whether some moments have more digits of a second than most: SQLite compares them as texts."""
    precision = _precision(found)
    return precision != "day" and int(found["moment"]) > int(found[precision])


def _refined(attribute: Attribute, column: ColumnFacts, found: Mapping[str, Any]) -> Attribute:
    """The type, by the storage classes of the values alone."""
    name, stored = attribute.type.name, [storage for storage in _STORED if found[storage]]
    if name in _DATES:
        return _date(attribute, found, stored)
    if name is _T.DECIMAL:
        return _decimal(attribute, stored)
    if name is _T.UUID:
        return _uuid(attribute, found, stored)
    if name is _T.ANY:
        return _any(attribute, column, stored)
    if name is _T.BOOLEAN and found["truths"] < found["integer"]:
        return replace(attribute, type=INTEGER, also=_others(stored, "integer"))
    return replace(attribute, also=_others(stored, _FITTING.get(name, "text")))


def _any(attribute: Attribute, column: ColumnFacts, stored: list[str]) -> Attribute:
    """One of a word SQLite does not know, or of none: numbers, where that is what all values are and become."""
    if stored == ["integer", "real"] and is_numeric(column.declared):
        return replace(attribute, type=FLOAT, also=(INTEGER,))
    return replace(attribute, type=_STORED[stored[0]]) if len(stored) == 1 else attribute


def _date(attribute: Attribute, found: Mapping[str, Any], stored: list[str]) -> Attribute:
    """The date or timestamp most values are in canonical form of; without any, the type they are stored as."""
    if attribute.type.name is _T.TIMESTAMPTZ and found["text"]:
        return replace(attribute, also=_others(stored, "text"))
    precision = _precision(found)
    if not found[precision]:
        main = max(stored, key=lambda storage: int(found[storage]))
        return replace(attribute, type=_STORED[main], also=_others(stored, main))
    if _differ_in_fractions(found):
        return replace(attribute, type=TEXT, also=_others(stored, "text"))
    also = _others(stored, "text")
    if found["text"] > found[precision]:
        also = (TEXT, *also)
    return replace(attribute, type=_BY_PRECISION[precision], also=also)


def _uuid(attribute: Attribute, found: Mapping[str, Any], stored: list[str]) -> Attribute:
    """SQLite has no UUIDs: they are texts in canonical form; without any, the type most values are stored as."""
    if not found["canonical"]:
        main = max(stored, key=lambda storage: int(found[storage]))
        return replace(attribute, type=_STORED[main], also=_others(stored, main))
    also = _others(stored, "text")
    return replace(attribute, also=(TEXT, *also) if found["text"] > found["canonical"] else also)


def _decimal(attribute: Attribute, stored: list[str]) -> Attribute:
    """One whose word has TEXT in it, which keeps every digit; without any text, the type its values are stored as."""
    if stored == ["text"]:
        return attribute
    main = "real" if "real" in stored or "integer" in stored else stored[0]
    return replace(attribute, type=_STORED[main], also=_others(stored, main))


def _others(stored: list[str], main: str) -> tuple[Type, ...]:
    return tuple(_STORED[storage] for storage in stored if storage != main)
