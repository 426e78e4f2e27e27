"""A statement on a design beside SQLite: both answers as bags of what SQLite shows."""

from __future__ import annotations

import json
import math
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

from pymongo.database import Database

from nestling import pipeline
from nestling.emitters.mql.read import compiled_read
from nestling.executors.run import run_read
from nestling.ir.design import Design
from nestling.ir.model import Model
from nestling.ir.programs.compiled import CompiledRead, OutputColumn
from nestling.ir.proposal import Proposal
from nestling.ir.statements.algebra import Query
from nestling.ir.statistics import Statistics
from nestling.ir.types import TypeName
from nestling.planner.reads import ALL_REWRITES, Rewrite, plan_read
from nestling.planner.sql import translate
from tests.given_lists import written_out
from tests.sqlite_rows import sqlite_source

Rows = Mapping[str, list[tuple[object, ...]]]


@dataclass(frozen=True)
class Beside:
    """Rows loaded by a design into a database, and the same rows in a SQLite file."""

    design: Design
    database: Database[dict[str, Any]]
    connection: sqlite3.Connection
    statistics: Statistics = Statistics()
    translated: dict[str, Query] = field(default_factory=dict)
    columns: dict[str, tuple[OutputColumn, ...]] = field(default_factory=dict)

    def query(self, sql: str) -> Query:
        """The statement translated, once."""
        if sql not in self.translated:
            self.translated[sql] = query_of(sql, self.design.model)
        return self.translated[sql]

    def compiled(self, sql: str, rewrites: Iterable[Rewrite] = ALL_REWRITES) -> CompiledRead:
        """The statement compiled."""
        plan = plan_read(self.query(sql), self.design, rewrites=rewrites, statistics=self.statistics)
        return compiled_read(plan, name="statement", sql=sql)

    def mine(
        self, sql: str, values: Mapping[str, object] | None = None, rewrites: Iterable[Rewrite] = ALL_REWRITES
    ) -> list[tuple[object, ...]]:
        """The rows from MongoDB, as SQLite would show them."""
        read = self.compiled(sql, rewrites)
        return [tuple(map(shown, row, read.columns)) for row in run_read(self.database, read, values)]

    def theirs(self, sql: str, values: Mapping[str, object] | None = None) -> list[tuple[object, ...]]:
        """SQLite's rows; its copy of a decimal or of JSON is text."""
        if sql not in self.columns:
            self.columns[sql] = self.compiled(sql, ()).columns
        columns = self.columns[sql]
        return [tuple(map(as_shown, row, columns)) for row in self.connection.execute(*written_out(sql, values or {}))]

    def assert_equal(
        self, sql: str, values: Mapping[str, object] | None = None, rewrites: Iterable[Rewrite] = ALL_REWRITES
    ) -> None:
        """Both answers are the same bag, and the same list where the statement orders it in full."""
        mine, theirs = self.mine(sql, values, rewrites), self.theirs(sql, values)
        found, wanted = Counter(mine), Counter(theirs)
        said = f"{sql}\nonly here: {list(found - wanted)}\nonly there: {list(wanted - found)}"
        assert found == wanted, f"{said}\n{self.compiled(sql, rewrites).access_path}"
        if "-- total order" in sql:
            assert mine == theirs


def query_of(sql: str, model: Model) -> Query:
    """A read of SQLite's, translated."""
    query = translate(sql, model, "sqlite")
    assert isinstance(query, Query)
    return query


def loaded(proposal: Proposal, rows: Rows, database: Database[dict[str, Any]], folder: Path) -> Beside:
    """Write the rows to SQLite and load them from there by the proposal's design."""
    address = write_sqlite(proposal.design.model, rows, folder)
    pipeline.load(proposal, address, database, mode=pipeline.LoadMode.REPLACE, check=False)
    connection = sqlite3.connect(address.removeprefix("sqlite:///"))
    return Beside(proposal.design, database, connection)


def write_sqlite(model: Model, rows: Rows, folder: Path) -> str:
    """The address of a SQLite file that holds the rows."""
    sqlite_source(folder / "source.db", model, rows)
    return f"sqlite:///{folder}/source.db"


def shown(value: object, column: OutputColumn) -> object:
    """A conceptual value as SQLite shows it."""
    match value:
        case bool():
            return int(value)
        case datetime():
            digits = column.type.fraction_digits
            zone = "" if value.tzinfo is None else "+00:00"
            return value.replace(tzinfo=None).isoformat(" ", _SPECS.get(digits, "microseconds")) + zone
        case date() | UUID():
            return str(value)
        case dict() | list():
            return json.dumps(value, sort_keys=True)
        case _:
            return rounded(value)


def as_shown(value: object, column: OutputColumn) -> object:
    """A value of the SQLite file as `shown` gives it."""
    if isinstance(value, str) and column.type.name is TypeName.DECIMAL:
        return rounded(float(value))
    if isinstance(value, str) and column.type.name is TypeName.JSON:
        return json.dumps(json.loads(value), sort_keys=True)
    return rounded(value)


_SPECS = {0: "seconds", 3: "milliseconds"}


def rounded(value: Any) -> Any:
    """Sums of floats differ in their last digits with the order of the rows; beyond 64 bits SQLite has no integers."""
    beyond = isinstance(value, int) and not -(1 << 63) <= value < 1 << 63
    if isinstance(value, Decimal) or beyond:
        value = float(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.9g}") + 0.0
    return value
