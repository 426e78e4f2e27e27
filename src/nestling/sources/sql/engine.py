"""The differences between kinds of SQL databases: everything that the rest of this package needs to know, with standard answers.

`engines/` holds one file for each kind. A new kind overrides whatever differs from the standard.
"""

from __future__ import annotations

import importlib
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from nestling.common.errors import (
    AuthenticationFailed,
    ConnectionFailed,
    NestlingError,
    PermissionDenied,
    Problem,
    SourceError,
)
from nestling.ir.statements.sql_dialects import NAMES
from nestling.ir.text.sql_quotes import sql_text
from nestling.ir.types import KEPT_AS_TEXT, NUMBERS, TIMES, TypeName
from nestling.ir.value_forms.infinite_moments import INFINITE
from nestling.sources.sql.sampling import integer_key, windows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import ModuleType

    from sqlalchemy.engine import Dialect

    from nestling.ir.constraints.defaults import Generated
    from nestling.ir.model import Attribute, Entity, Model
    from nestling.ir.rows import RowQuery
    from nestling.ir.types import Type
    from nestling.sources.sql.address import Address
    from nestling.sources.sql.catalog import Catalog, CatalogNames, CatalogTable, ColumnFacts
    from nestling.sources.sql.driver_values import Converter
    from nestling.sources.sql.existing import Existing
    from nestling.sources.sql.measure import Connected, TableMeasures
    from nestling.sources.sql.row_source import SqlDatabase
    from nestling.sources.sql.row_sql import Tables
    from nestling.sources.sql.sink import SqlSink
    from nestling.sources.sql.statements import SourceRows

_T = TypeName
_BESIDE = {
    _T.INTEGER: (_T.DECIMAL,), _T.FLOAT: (_T.INTEGER,), _T.DATE: (_T.TEXT,), _T.TIMESTAMP: (_T.TEXT,), _T.TIMESTAMPTZ: (_T.TEXT,),
    _T.JSON: (*NUMBERS, _T.BOOLEAN),
}  # fmt: skip
"""Values that columns of a type may also hold: too large numbers, whole floats, impossible dates, JSON's types."""
CONNECT_SECONDS = 10
"""How long a server may take to answer before it counts as unreachable."""


class Engine:
    """One kind of SQL database. Expressions are SQLAlchemy's; `connection` is always the driver's own."""

    name: str
    """The name of the kind of database in addresses, extras and files."""
    statements: str
    """The dialect its statements, views and checks are read as."""
    url_driver: str
    """SQLAlchemy's name of dialect and driver."""
    module: str
    """The driver's module."""
    error_modules: tuple[str, ...] = ()
    """Where the driver's errors come from, when not from its module."""

    # --- reach it ----------------------------------------------------------------------------------------------------

    @property
    def schemes(self) -> tuple[str, ...]:
        """The possible beginnings of its addresses."""
        return tuple(name for name, dialect in NAMES.items() if dialect == self.name) or (self.name,)

    def connect(self, address: Address, *, read_only: bool) -> Any:
        """Open a connection that hands over raw values."""
        raise NotImplementedError

    def driver(self) -> ModuleType:
        """The driver's module; raises SourceError naming the extra to install."""
        try:
            return importlib.import_module(self.module)
        except ImportError:
            move = f"pip install 'nestling[{self.name}]'"
            raise SourceError(Problem(f"the driver `{self.module}` is not installed", next_move=move)) from None

    def compiler(self, address: Address) -> Dialect:
        """The SQLAlchemy dialect that compiles statements for it."""
        self.driver()
        dialect: Dialect = address.url.get_dialect()()
        return dialect

    def typed(self, error: Exception, problem: Problem) -> NestlingError:
        """A driver's error as ours."""
        raise NotImplementedError

    def begin(self, connection: Any) -> None:
        """Let a fresh connection see one state of the data from now on, unless it does so by itself."""

    def tolerate_any_text(self, connection: Any) -> None:
        """Make it return text that is not UTF-8, if it may hold such."""

    # --- what it says of itself, and its rows ------------------------------------------------------------------------

    def model_name(self, address: Address) -> str:
        """The name of a database's model."""
        return str(address.url.database)

    def catalog(self, address: Address, connection: Any) -> Catalog:
        """Read the catalog through an open connection: a server's by its own tables, as SQLAlchemy knows them."""
        from nestling.sources.sql.catalog_server import read_server_catalog

        return read_server_catalog(address, connection)

    def names(self, address: Address, connection: Any) -> CatalogNames:
        """The names in the catalog, without the rest."""
        from nestling.sources.sql.catalog_server import read_server_names

        return read_server_names(address.dialect, connection)

    def batches(self, database: SqlDatabase, query: RowQuery) -> Iterator[Sequence[tuple[Any, ...]]]:
        """The rows of a query as the driver has them, some thousands at a time, in constant memory."""
        raise NotImplementedError

    def converter(self, attribute: Attribute) -> Converter | None:
        """The function from a column's raw values to conceptual ones; None if they are the same."""
        raise NotImplementedError

    def writers(self, kind: Type) -> Mapping[type, Callable[[Any], Any]]:
        """The functions from conceptual values to the driver's parameters, by the values' own types."""
        raise NotImplementedError

    def type_writer(self, kind: Type) -> Callable[[Any], Any] | None:
        """The function from all conceptual values of a type to the driver's parameters; None if the values' own types decide."""
        return None

    # --- the application's statements --------------------------------------------------------------------------------

    def place(self, name: str) -> str:
        """A parameter in a statement, as the driver takes it."""
        return f"%({name})s"

    def between_places(self, text: str) -> str:
        """The text between parameters, as the driver takes it."""
        return text.replace("%", "%%")

    def ask(self, connection: Any, sql: str, values: Mapping[str, object], seconds: float) -> SourceRows:
        """The answer to a query; raises `TooSlow` when that takes longer."""
        raise NotImplementedError

    def product(self, connection: Any) -> str:
        """The product's name for people."""
        raise NotImplementedError

    def last_number(self, connection: Any, table: sa.TableClause, column: str) -> int | None:
        """The last number that the database generated for a column; None if it does not say."""
        raise NotImplementedError

    def language_orders(self, connection: Any) -> Iterator[str]:
        """A note for each collation that orders texts as a language does, where no statement says so."""
        yield from ()

    # --- its SQL -----------------------------------------------------------------------------------------------------

    has_row_comparisons = True
    """Whether `(a, b) > (1, 2)` finds rows, and uses an index to do so."""
    is_nulls_first = False
    """Whether NULL comes first in ascending and last in descending order by default."""
    unordered: tuple[TypeName, ...] = (TypeName.JSON, TypeName.GEOMETRY, TypeName.ANY)
    """Types that are ordered by their text."""
    may_differ_in_letters = False
    """Whether texts may be equal although their letters differ, whatever their collation says."""

    def letters(self, text: Any) -> Any:
        """A text as an expression that compares exactly, including trailing blanks."""
        return sa.collate(sa.cast(text, sa.Text), "C")

    def by_code_point(self, text: Any) -> Any:
        """A text as something ordered by code point."""
        return text

    def as_double(self, column: Any) -> Any:
        """The column as a double."""
        return sa.cast(column, sa.Double)

    def selected(self, column: Any, attribute: Attribute) -> Any:
        """The column as it is read, aggregated and measured."""
        return column

    def in_milliseconds(self, column: Any) -> Any:
        """A moment, cut to milliseconds."""
        raise NotImplementedError

    def character_length(self, column: Any) -> Any:
        """Characters of a text."""
        return sa.func.char_length(column)

    # --- what its data says ------------------------------------------------------------------------------------------

    enforces_checks = False
    """Whether every row keeps the CHECKs it says hold."""
    enforces_types = True
    """Whether a column's values are of its declared type."""
    enforces_keys = True
    """Whether foreign keys and NOT NULL hold of all rows."""
    measures_all_widths = False
    """Whether values of any type may be of any width."""
    texts_to_compare: tuple[TypeName, ...] = ()
    """Types with values that can only be compared as texts."""

    def counts_all_characters(self, column: Any) -> Iterator[Any]:
        """The condition that its length counts all characters of a text, where it may not."""
        yield from ()

    def byte_length(self, column: Any, name: TypeName) -> Any:
        """Bytes of a value's text or of its bytes."""
        return sa.func.octet_length(column if name is TypeName.BYTES else sa.cast(column, sa.Text))

    def probes(self, name: TypeName, column: Any, collation: str) -> Iterator[tuple[str, Any]]:
        """Additional measurements of a column for `refined`: named aggregates."""
        raise NotImplementedError

    def measures_of_elements(self, name: TypeName, source: Any, column: Any) -> Iterator[tuple[str, Any]]:
        """Additional measurements of the elements of a column's arrays, each by a separate statement."""
        return iter(())

    def refined(self, attribute: Attribute, column: ColumnFacts, found: Mapping[str, Any]) -> Attribute:
        """The attribute with the type its values have."""
        raise NotImplementedError

    def remark(self, declared: Attribute, refined: Attribute, found: Mapping[str, Any]) -> str:
        """A note on an attribute whose values have another type than declared."""
        return f"is declared {declared.type} but its values are {refined.type}"

    def hidden_tables(self, connection: Any) -> frozenset[tuple[str, str]]:
        """The (schema, name) of tables that the user may not read, if the server reveals their names."""
        return frozenset()

    def value_notes(
        self, catalog: Catalog, measures: Mapping[str, TableMeasures], tables: Tables, database: Connected
    ) -> Iterator[str]:
        """Notes on the measured values."""
        yield from ()

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
        """A sample to select from in place of the table: about `share` (0..1) of it, or its first `rows` without a number."""
        return windows(table, integer_key(table, entity), share=share, rows=rows, fetch=fetch)

    def allow_deep_recursion(self, database: Connected) -> None:
        """Let recursive queries go as deep as trees are."""

    def plan_joins(self, database: Connected, tables: Sequence[sa.TableClause]) -> None:
        """Keep the planner from joining these tables row by row where it does not know how many rows they have."""

    # --- tables made of a model, and rows written to them ------------------------------------------------------------

    has_schemas = False
    """Whether an entity `schema.table` is a table of a schema; else that is its name."""
    has_booleans = False
    """Whether booleans are a type of their own rather than numbers."""
    has_decimals = True
    """Whether its decimals are exact."""
    has_infinite_moments = False
    """Whether its dates and moments may be infinite."""
    declares_links_first = False
    """Whether foreign keys are part of CREATE TABLE."""
    table_options = ""
    """Options after CREATE TABLE."""
    numbers_too = ""
    """The clause of an INSERT that sets columns whose numbers the database always generates."""
    telling_collation = ""
    """A collation that compares texts exactly."""
    length_function = "char_length"
    """Characters of a text."""
    made_values: Mapping[tuple[Generated, TypeName], str] = MappingProxyType({})
    """The expression for a generated default, by type."""
    commits_retyping = False
    """Whether the statement that gives a column another type commits the rows that are there."""
    bracketed_defaults: tuple[str, ...] = ()
    """Declared types whose default must be in parentheses."""
    columns_of_text: frozenset[TypeName] = KEPT_AS_TEXT | {TypeName.GEOMETRY, TypeName.ANY, TypeName.ARRAY}
    """Types whose columns take any text."""
    other_target = "change that value, or unload to SQLite, whose columns can hold values of different types"
    """What to do with a value that no column here can return unchanged."""

    def left_types(self, attribute: Attribute) -> tuple[Type, ...]:
        """Types of values the model knows of that the attribute's column does not give back."""
        name = attribute.type.name
        taken = {name, *_BESIDE.get(name, ())} | (KEPT_AS_TEXT if name in self.columns_of_text else frozenset())
        own = {INFINITE} if self.has_infinite_moments and name in TIMES else set()
        return tuple(other for other in attribute.also if other.name not in taken and other not in own)

    def column_words(self, attribute: Attribute, *, keyed: bool) -> str:
        """The type of the column that keeps an attribute's values."""
        raise NotImplementedError

    def made_value(self, made: Generated, attribute: Attribute) -> str | None:
        """The expression for the attribute's generated default; None if there is none."""
        return self.made_values.get((made, attribute.type.name))

    def fitting(self, entity: Entity, groups: Sequence[Sequence[str]]) -> Entity:
        """The entity with declarations adjusted so that its columns, and each group with an index, fit."""
        return entity

    def widened(self, attribute: Attribute, *, keyed: bool) -> Attribute:
        """The attribute with a column for longer texts and finer moments; itself where no column is changed for one."""
        return attribute

    def retyped(self, table: str, column: str, kind: str, declared: str) -> str:
        """The statement that gives a column of a table another type, `kind`; `declared` is all its table says of it."""
        return f"ALTER TABLE {table} ALTER COLUMN {column} TYPE {kind}"

    def ranged(self, attribute: Attribute) -> Attribute:
        """The attribute with a column type that implies the minimum, if nothing else can express it."""
        return attribute

    def says_allowed(self, attribute: Attribute, declared: str) -> bool:
        """Whether a column that is declared so holds just the values that are allowed, without a CHECK."""
        return False

    def takes_no_check(self, attribute: Attribute, entity: Entity, declared: str) -> bool:
        """Whether no CHECK may name the column."""
        return False

    def column_collation(self, attribute: Attribute) -> str:
        """The clause for the column's collation; empty if the default suits."""
        return ""

    def numbered(self, attribute: Attribute, entity: Entity, declared: str) -> str | None:
        """The clause that generates the next number; "" if none is needed, None if it is impossible."""
        return None

    def text_literal(self, text: str) -> str:
        """A text in a statement."""
        return sql_text(text)

    def begin_writing(self, connection: Any) -> None:
        """Begin one transaction that accepts rows whether or not foreign keys hold."""
        raise SourceError(Problem(f"nestling does not write to this kind of database ({self.name})"))

    def tables(self, sink: SqlSink, schemas: set[str | None]) -> set[tuple[str | None, str]]:
        """Schema and name of the existing tables."""
        from sqlalchemy import NullPool, create_engine, inspect

        engine = create_engine(sink.address.url, poolclass=NullPool)
        inspector = inspect(engine)
        known = {None, *inspector.get_schema_names()}
        found = {(schema, name) for schema in schemas & known for name in inspector.get_table_names(schema=schema)}
        engine.dispose()
        return found

    def table_key(self, name: str) -> str:
        """The common form of equal table names."""
        return name

    def column_key(self, name: str) -> str:
        """The common form of equal column names."""
        return name

    def found_types(self, sink: SqlSink, table: CatalogTable) -> Mapping[str, str]:
        """The types of a table's columns in words that declare a column of the same type, by name."""
        return {column.name: column.declared for column in table.columns}

    def not_undone(self, sink: SqlSink, table: str) -> str:
        """Why rows written to a table that is there could not be taken back; empty where they can."""
        return ""

    def held_for(self, sink: SqlSink, existing: Existing, name: str) -> str | None:
        """A table (quoted name) for rows until all have arrived; None if the target can be filled in any order."""
        return None

    def is_there(self, address: Address) -> bool:
        """Whether the database was there before it was opened."""
        return True

    def undone(self, sink: SqlSink) -> None:
        """Undo what closing the connection did not undo."""

    def emptying(self, temporary: str, create: str) -> tuple[str, ...]:
        """Statements that empty a temporary table within a transaction, if that frees its space."""
        return ()

    def insert(self, connection: Any, into: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add rows to a table and columns, whose names are quoted."""
        raise NotImplementedError

    def exact_types(self, sink: SqlSink, entity: Entity, model: Model) -> Mapping[str, str]:
        """Give columns that took any text their own types, now that all rows are there; which type, by the attribute."""
        return {}

    def finished(self, sink: SqlSink, model: Model) -> tuple[str, ...]:
        """Commit what was written, and add its foreign keys. Return sentences on those that do not hold or are not declared."""
        raise NotImplementedError


def login_failed(problem: Problem) -> AuthenticationFailed:
    """The error for a wrong user or password."""
    move = "give a user and password that the server accepts before the host, with a colon between them and an @ behind"
    return AuthenticationFailed(Problem("the server refuses this user or password", problem.where, next_move=move))


def not_allowed(problem: Problem) -> PermissionDenied:
    """The error for missing permissions."""
    move = "grant the user SELECT on every table; to unload, also the rights to create and fill tables, including temporary ones"
    return PermissionDenied(Problem(problem.what, where=problem.where, next_move=move))


def no_such_database(problem: Problem) -> ConnectionFailed:
    """The error for a server that answers, and has no database of that name."""
    move = "name a database that exists on the server, or create this one"
    return ConnectionFailed(Problem(problem.what, where=problem.where, next_move=move))


def connection_failed(problem: Problem) -> ConnectionFailed:
    """The error for a server that does not answer."""
    move = "check that the server runs, its address, and that this machine may reach it"
    return ConnectionFailed(Problem(problem.what, where=problem.where, next_move=move))
