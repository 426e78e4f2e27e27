"""A SQL database asked the application's own statements: read-only, all in one state of its data, each within a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from nestling.common.errors import Problem, SourceError
from nestling.ir.model import Attribute
from nestling.ir.types import Type, TypeName
from nestling.sources.sql.connection import typed_errors
from nestling.sources.sql.driver_parameters import writer
from nestling.sources.sql.engines import engine_of
from nestling.sources.statements.placeholders import rewritten
from nestling.sources.statements.row_locks import without_row_locks

if TYPE_CHECKING:
    from nestling.sources.sql.row_source import SqlDatabase

_BEFORE_LIST = re.compile(r"\bIN\s*$", re.IGNORECASE)
_UNKNOWN = Type(TypeName.TIMESTAMP)
"""Assumed type of a parameter without a known one: this matters only for timestamps, which then have whole seconds."""


class SourceRows(NamedTuple):
    """The rows as the driver hands them over. `single`: the columns whose floats are printed with six digits."""

    rows: list[tuple[object, ...]]
    single: frozenset[int] = frozenset()


class TooSlow(SourceError):
    """The database did not answer within the time it had; the statement was stopped."""

    def __init__(self, seconds: float) -> None:
        super().__init__(Problem(f"no answer within {seconds:.3g} s"))


@contextmanager
def statements_of_one_state(database: SqlDatabase) -> Iterator[SqlStatements]:
    """Ask statements of one state of the database's data."""
    with database.snapshot(), typed_errors(database.address), database.connected() as connection:
        engine_of(database.address.dialect).tolerate_any_text(connection)
        yield SqlStatements(database)


class SqlStatements:
    """Takes statements while the snapshot of its database is open."""

    def __init__(self, database: SqlDatabase) -> None:
        self._database = database
        self._engine = engine_of(database.address.dialect)

    @property
    def product(self) -> str:
        """The database's kind, for people."""
        with self._database.connected() as connection:
            return self._engine.product(connection)

    def language_orders(self) -> tuple[str, ...]:
        """Texts that it sorts by a language's rules, while statements on MongoDB sort by code point."""
        with self._database.connected() as connection, typed_errors(self._database.address):
            return tuple(self._engine.language_orders(connection))

    def rows(
        self, sql: str, values: Mapping[str, object], attributes: Mapping[str, Attribute], seconds: float
    ) -> SourceRows:
        """The answer to a query with `:name` parameters. `attributes`: what parameters are compared with, if known.

        Raises `TooSlow`, or the typed error with the database's own words if it refuses the statement.
        """
        given: dict[str, object] = {}
        engine, dialect = self._engine, self._database.address.dialect

        def place(before: str, name: str) -> str:
            value = values[name]
            write = writer(attributes.get(name) or Attribute(name, _UNKNOWN), dialect)
            is_json = name in attributes and attributes[name].type.name is TypeName.JSON
            if isinstance(value, list | tuple):
                given.update({f"{name}_{number}": write(item) for number, item in enumerate(value)})
                if _BEFORE_LIST.search(before):
                    return f"({', '.join(engine.place(f'{name}_{number}') for number in range(len(value)))})"
                given[name] = [given.pop(f"{name}_{number}") for number in range(len(value))]
            else:
                given[name] = value if is_json and isinstance(value, str) else write(value)
            return engine.place(name)

        text = rewritten(without_row_locks(sql, engine.statements), engine.statements, place, engine.between_places)
        with self._database.connected() as connection, typed_errors(self._database.address):
            return engine.ask(connection, text, given, seconds)
