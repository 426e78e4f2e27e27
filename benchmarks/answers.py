"""One statement on one design beside SQLite: compiled? equal? why not?"""

from __future__ import annotations

import math
import sqlite3
import time
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from pymongo.errors import PyMongoError

from nestling.common.errors import GapError, NestlingError
from nestling.emitters.mql.read import compiled_read
from nestling.executors.run import run_read
from nestling.ir import algebra as a
from nestling.ir.compiled import CompiledRead, OutputColumn
from nestling.ir.design import Design
from nestling.ir.expression import ScalarSubquery
from nestling.planner.reads import Rewrite, plan_read
from nestling.planner.reads.traverse import everything, everywhere, expressions, free_columns, subqueries
from nestling.planner.sql import translate

Row = tuple[Any, ...]
_OPEN = (a.AggregateFunction.ANY_VALUE, a.AggregateFunction.CONCAT)
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
    """What came of one: verdict is equal, choice (SQL leaves one), wrong, failed (it stopped with an error) or gap."""

    verdict: str
    compiled: bool
    cause: str = ""
    detail: str = ""
    seconds: float = 0.0


class Reference:
    """SQLite with the data, and the reference interpreter, which knows when SQL leaves a choice."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self._oracle: Any = None

    def arbitrary(self, statement: Statement, values: dict[str, object]) -> bool:
        """Whether another answer than SQLite's may be right too."""
        from tests.planner.sql.sqlite_oracle import Oracle
        from tests.reference_algebra import Interpreter, Unsupported

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


def compare(
    statement: Statement, design: Design, database: Any, reference: Reference, rewrites: frozenset[Rewrite]
) -> Outcome | None:
    """The outcome; None for what is no read."""
    values = statement.samples if isinstance(statement.samples, dict) else {}
    try:
        query = translate(statement.sql, design.model, "sqlite")
        if not isinstance(query, a.Query):
            return None
        read = compiled_read(plan_read(query, design, rewrites=rewrites), name=statement.name, sql=statement.sql)
    except GapError as error:
        return Outcome("gap", False, f"gap: {error.gap.what}")
    except NestlingError as error:
        return Outcome("gap", False, f"refused: {error.problems[0].what[:60]}")
    began = time.perf_counter()
    try:
        used = {name: values[name] for name in read.parameters if name in values}
        mine = [tuple(map(shown, row, read.columns)) for row in run_read(database, read, used)]
    except (NestlingError, PyMongoError) as error:
        return Outcome("failed", True, f"{type(error).__name__}: {str(error)[:90]}", repr(read.pipeline))
    seconds = time.perf_counter() - began
    return _judged(statement, query, read, mine, reference, values, seconds)


def _judged(
    statement: Statement,
    query: a.Query,
    read: CompiledRead,
    mine: list[Row],
    reference: Reference,
    values: dict[str, object],
    seconds: float,
) -> Outcome:
    try:
        theirs = [tuple(map(rounded, row)) for row in reference.connection.execute(statement.sql, values)]
    except sqlite3.Error as error:
        return Outcome("failed", True, f"SQLite: {error}")
    if Counter(mine) == Counter(theirs) and _same_order(query, mine, theirs):
        return Outcome("equal", True, seconds=seconds)
    if choices(query) and reference.arbitrary(statement, values):
        return Outcome("choice", True, seconds=seconds)
    only_here, only_there = Counter(mine) - Counter(theirs), Counter(theirs) - Counter(mine)
    detail = f"mine {len(mine)}: {sorted(map(repr, only_here))[:3]}\nSQLite {len(theirs)}: {sorted(map(repr, only_there))[:3]}\n"
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


def choices(query: a.Query) -> bool:
    """Whether there is anything in it by which SQL might allow another answer."""
    found: list[a.Relation] = []
    everywhere(query.relation, lambda relation: found.append(relation) or relation)  # type: ignore[func-returns-value]
    return bool(_scalar_subqueries(query.relation)) or any(
        isinstance(relation, a.Limit | a.Window)
        or (isinstance(relation, a.Group) and any(item.aggregate.function in _OPEN for item in relation.aggregates))
        for relation in found
    )


def _same_order(query: a.Query, mine: list[Row], theirs: list[Row]) -> bool:
    relation = query.relation
    outputs = {column: place for place, column in enumerate(relation.columns)}
    if isinstance(relation, a.Project):
        outputs |= {out.expression: place for place, out in enumerate(relation.outputs)}  # type: ignore[misc]
        relation = relation.input
    while isinstance(relation, a.Limit):
        relation = relation.input
    if not isinstance(relation, a.Sort):
        return True
    places = []
    for key in relation.keys:
        if key.expression not in outputs:
            break
        places.append(outputs[key.expression])  # type: ignore[index]
    return [[row[place] for place in places] for row in mine] == [[row[place] for place in places] for row in theirs]


def shown(value: object, column: OutputColumn) -> object:
    """A conceptual value as SQLite shows it."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, datetime):
        digits = column.type.fraction_digits
        return value.isoformat(" ", "seconds" if not digits else "milliseconds" if digits == 3 else "microseconds")
    if isinstance(value, date):
        return value.isoformat()
    return rounded(value)


def rounded(value: Any) -> Any:
    """Sums of floats differ in their last digits with the order of the rows."""
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.9g}") + 0.0
    return value


def constructs(sql: str) -> list[str]:
    """The constructs a statement uses, by what its text has."""
    text = " ".join(sql.casefold().split())
    return [construct.strip(" (") for construct in CONSTRUCTS if construct in text] or ["plain"]
