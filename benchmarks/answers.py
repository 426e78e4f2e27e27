"""One statement on one design beside the SQL engine whose dialect it is in: compiled? equal? why not?"""

from __future__ import annotations

import re
import sqlite3
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pymongo
import sqlalchemy as sa
import sqlglot
from pymongo.errors import PyMongoError
from sqlalchemy.exc import SQLAlchemyError
from sqlglot import exp
from sqlglot.errors import SqlglotError

from nestling.common.errors import GapError, NestlingError
from nestling.emitters.mql.read import compiled_read
from nestling.executors.drive import Likeness, StatementAnswer, likeness, row_text
from nestling.executors.run import run_read
from nestling.ir.model import Model
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.proposal import Proposal
from nestling.ir.rows import RowColumn, RowQuery
from nestling.ir.statements import algebra as a
from nestling.ir.statements.expression import ScalarSubquery
from nestling.ir.value_forms.shown_values import shown_rows
from nestling.pipeline.answer_choice import ROUGH_ORDER
from nestling.pipeline.answer_shape import shape
from nestling.pipeline.close_comparisons import LAST_DIGITS, decided_by_last_digits
from nestling.pipeline.converting import default_price
from nestling.planner.reads import Rewrite, plan_read
from nestling.planner.reads.traverse import everything, expressions, free_columns, subqueries
from nestling.planner.sql import translate
from nestling.sources.front import open_rows

Row = tuple[Any, ...]
MOST_SECONDS = 60.0
_READS = re.compile(r"\s*(--[^\n]*\s*)*(select|with|values)\b", re.IGNORECASE)
CONSTRUCTS = (
    " join ", "left join", "group by", "having", "distinct", "order by", "limit", "union", "intersect", "except", "(select",
    "not in", "exists", "like", "between", "case ", "over (", "with ", "count(", "sum(", "avg(",
)  # fmt: skip


@dataclass(frozen=True)
class Statement:
    """A statement of a workload with its sample values."""

    name: str
    sql: str
    samples: object = None


@dataclass(frozen=True)
class Outcome:
    """What came of one: verdict is equal, choice (SQL leaves one), wrong, failed (it stopped with an error), timeout, gap
    (not compiled) or none (the SQL engine cannot run it, so it does not count)."""

    verdict: str
    compiled: bool
    cause: str = ""
    detail: str = ""
    seconds: float = 0.0


class Reference(Protocol):
    """A SQL engine with the data, and the reference interpreter, which knows when SQL leaves a choice."""

    dialect: str

    def execute(self, sql: str, values: dict[str, object]) -> list[Row]:
        """The engine's rows; raises `EngineError`."""

    def arbitrary(self, statement: Statement, values: dict[str, object]) -> bool:
        """Whether another answer than the engine's may be right too."""


class EngineError(Exception):
    """The SQL engine could not run a statement."""


class SqliteReference:
    """SQLite."""

    dialect = "sqlite"

    def __init__(self, file: Path) -> None:
        self.file = file
        self.connection = sqlite3.connect(file)
        self.connection.text_factory = lambda raw: raw.decode(errors="replace")
        self._attached: set[str] = set()
        self._oracle: Any = None

    def execute(self, sql: str, values: dict[str, object]) -> list[Row]:
        """SQLite's rows; a schema in front of a table (`cd.members`) is this database under that name, too."""
        try:
            tables = sqlglot.parse_one(sql, dialect="sqlite").find_all(exp.Table)
        except SqlglotError as error:
            raise EngineError(str(error)) from None
        for name in {table.db for table in tables if table.db} - self._attached:
            self.connection.execute(f"ATTACH DATABASE ? AS {name}", (str(self.file),))
            self._attached.add(name)
        try:
            return [tuple(row) for row in self.connection.execute(sql, values)]
        except sqlite3.Error as error:
            raise EngineError(str(error)) from None

    def arbitrary(self, statement: Statement, values: dict[str, object]) -> bool:
        """By the oracle's own model and rows."""
        from tests.planner.sql.sqlite_oracle import Oracle
        from tests.reference_algebra import Interpreter
        from tests.reference_values import Unsupported

        self._oracle = self._oracle or Oracle.of(self.connection)
        try:
            answer = self._oracle.ask(statement.sql, values)
            return bool(answer.arbitrary) or any(
                len(Interpreter(self._oracle.rows, values).relation(each.relation, {})(())) > 1
                for each in _scalar_subqueries(answer.query.relation)
                if not free_columns(each.relation)
            )
        except Unsupported:
            return False


class ServerReference:
    """PostgreSQL or MariaDB."""

    def __init__(self, url: str, model: Model, dialect: str) -> None:
        self.dialect = dialect
        self._url, self._model = url, model
        self._engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
        self._rows: dict[str, list[Row]] = {}

    def execute(self, sql: str, values: dict[str, object]) -> list[Row]:
        """The server's rows."""
        try:
            with self._engine.connect() as connection:
                return [tuple(map(_bytes, row)) for row in connection.execute(sa.text(sql), values)]
        except SQLAlchemyError as error:
            raise EngineError(str(error).splitlines()[0]) from None

    def arbitrary(self, statement: Statement, values: dict[str, object]) -> bool:
        """By the reference interpreter over the server's rows."""
        from tests.reference_algebra import Interpreter
        from tests.reference_values import Unsupported

        query = translate(statement.sql, self._model, self.dialect)
        assert isinstance(query, a.Query)
        self._rows = self._rows or _all_rows(self._url, self._model)
        try:
            interpreter = Interpreter(self._rows, values)
            interpreter.run_keyed(query)
        except Unsupported:
            return False
        return bool(interpreter.arbitrary)


def _all_rows(url: str, model: Model) -> dict[str, list[Row]]:
    source = open_rows(url, model)
    return {
        entity.name: list(source.rows(RowQuery(entity.name, tuple(RowColumn(each.name) for each in entity.attributes))))
        for entity in model.entities
    }


def _bytes(value: object) -> object:
    return bytes(value) if isinstance(value, memoryview) else value


def compare(
    statement: Statement,
    proposal: Proposal,
    database: Any,
    reference: Reference,
    rewrites: frozenset[Rewrite],
    seconds: float = MOST_SECONDS,
) -> Outcome | None:
    """The outcome; None for what is no read, or none the engine can run. `seconds`: how long the server may take."""
    values = statement.samples if isinstance(statement.samples, dict) else {}
    if not _READS.match(statement.sql):
        return None
    try:
        theirs = reference.execute(statement.sql, values)
    except EngineError as error:
        return Outcome("none", False, f"the SQL engine: {str(error)[:90]}")
    design = proposal.design
    try:
        query = translate(statement.sql, design.model, reference.dialect)
        if not isinstance(query, a.Query):
            return None
        plan = plan_read(query, design, rewrites=rewrites, statistics=proposal.statistics, price=default_price)
        read = compiled_read(plan, name=statement.name, sql=statement.sql)
    except GapError as error:
        return Outcome("gap", False, f"gap: {error.problems[0].what}")
    except NestlingError as error:
        return Outcome("gap", False, f"refused: {error.problems[0].what[:60]}")
    began = time.perf_counter()
    try:
        used = {name: values[name] for name in read.parameters if name in values}
        with pymongo.timeout(seconds):
            mine = list(run_read(database, read, used))
    except PyMongoError as error:
        if error.timeout:
            return Outcome("timeout", True, f"longer than {seconds:g} s", repr(read.pipeline))
        return Outcome("failed", True, f"{type(error).__name__}: {str(error)[:90]}", repr(read.pipeline))
    except NestlingError as error:
        return Outcome("failed", True, f"{type(error).__name__}: {str(error)[:90]}", repr(read.pipeline))
    taken = time.perf_counter() - began
    return _judged(statement, design.model, query, read, (mine, theirs), reference, values, taken)


def _judged(
    statement: Statement,
    model: Model,
    query: a.Query,
    read: CompiledRead,
    answers: tuple[list[Row], list[Row]],
    reference: Reference,
    values: dict[str, object],
    seconds: float,
) -> Outcome:
    mine, theirs = (StatementAnswer(shown_rows(rows, read.columns)) for rows in answers)
    fixed = shape(query, model)
    alike = likeness(mine, theirs, fixed)
    if alike is Likeness.EQUAL:
        return Outcome("equal", True, seconds=seconds)
    if alike is Likeness.OPEN and (ROUGH_ORDER in fixed.choice or reference.arbitrary(statement, values)):
        return Outcome("choice", True, seconds=seconds)

    def ask(sql: str) -> Sequence[Row]:
        return shown_rows(reference.execute(sql, values), read.columns)

    if decided_by_last_digits(statement.sql, model, reference.dialect, ask, (theirs, mine), fixed):
        return Outcome("choice", True, LAST_DIGITS, seconds=seconds)
    only_here, only_there = difference(mine.rows, theirs.rows)
    detail = f"mine {len(mine.rows)}: {only_here[:3]}\nSQL {len(theirs.rows)}: {only_there[:3]}\n"
    detail += f"{read.access_path}\n{read.filter or read.pipeline}"
    return Outcome("wrong", True, "WRONG", detail, seconds)


def _scalar_subqueries(relation: a.Relation) -> list[ScalarSubquery]:
    """All of them: SQLite takes the first row, and which that is is its own affair."""
    found: list[ScalarSubquery] = []
    for each in everything(relation):
        for expression in expressions(each):
            for inner in subqueries(expression):
                found += [inner] if isinstance(inner, ScalarSubquery) else []
                found += _scalar_subqueries(inner.relation)
    return found


def difference(mine: Sequence[Row], theirs: Sequence[Row]) -> tuple[list[str], list[str]]:
    """The rows only one has, as texts."""
    here, there = Counter(map(row_text, mine)), Counter(map(row_text, theirs))
    return sorted(here - there), sorted(there - here)


def constructs(sql: str) -> list[str]:
    """The constructs a statement uses, by what its text has."""
    text = " ".join(sql.casefold().split())
    return [construct.strip(" (") for construct in CONSTRUCTS if construct in text] or ["plain"]
