"""Law 1 for reads, one statement at a time: the answer of a design in a real MongoDB beside SQLite's."""

from __future__ import annotations

import re
import sqlite3
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import count
from math import isfinite
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

from pymongo.database import Database

from nestling.common.errors import DesignError, GapError, NestlingError
from nestling.emitters.commands import collection_commands, index_commands, unseen_commands
from nestling.emitters.mql.client_join import compiled_join
from nestling.emitters.mql.read import compiled_read
from nestling.executors.create import create
from nestling.executors.load import load, written_collections
from nestling.executors.run import run_read
from nestling.ir.design import Design
from nestling.ir.distribution import Distribution
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.paths.work import Work
from nestling.ir.programs.client_join import ClientJoin
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.rows import RowColumn, RowQuery
from nestling.ir.statements.algebra import Join, JoinKind, Query, Relation
from nestling.ir.statements.expression import Expression, InList
from nestling.ir.statements.operands import conjuncts
from nestling.ir.statistics import AttributeStatistics, EntityStatistics, Origin, Quantity, Statistics
from nestling.ir.types import TypeName
from nestling.planner.options.statements.relations import relations_within
from nestling.planner.reads import ALL_REWRITES, Rewrite, plan_read
from nestling.planner.reads.client_join import has_join, plan_client_join
from nestling.planner.reads.traverse import mentioned
from nestling.planner.sql import translate
from nestling.planner.work import estimate
from nestling.sources.sql.row_source import SqlDatabase
from tests.client_join import run_join
from tests.generators.spoken_worlds import is_small
from tests.generators.statements import Statement
from tests.generators.worlds import World, with_seen_types
from tests.given_lists import written_out
from tests.planner.reads.beside_sqlite import as_shown, rounded, shown
from tests.reference_algebra import Interpreter
from tests.reference_values import Unsupported
from tests.sqlite_rows import sqlite_source

Row = tuple[Any, ...]
MOST_STEPS = 3_000_000
"""Of SQLite's machine for one statement: a recursion in circles has no end."""
_UNKNOWN = 0.3
"""Of the statements, how many are planned without statistics."""
_LYING = {
    TypeName.INTEGER: Distribution((0, 2, 3)),
    TypeName.TEXT: Distribution(("t1", "t5"), (("t2", 0.9),)),
    TypeName.FLOAT: Distribution((), ((0.5, 1.0),)),
}
_LIES = 0.5
"""Of the attributes, of how many it is told how their values lie."""
SUMMED = frozenset({"sum", "total", "avg", "window sum", "window avg"})
ONE_OF_EQUALS = frozenset({"UNION", "INTERSECT", "EXCEPT", "DISTINCT", "GROUP BY"})
"""Constructs that show one value for several equal ones: an integer and the same float are equal, and which is shown is open."""
ORDERS_TRIED = 24
"""Orders of the rows by which a difference is told that another order would make."""
_LIMIT = re.compile(r"\s+LIMIT (?:-?\d+|:\w+)(?: OFFSET (?:-?\d+|:\w+))?\s*\Z")
_BY_OUTPUTS = re.compile(r"ORDER BY \d+[^(),]*(?:, \d+[^(),]*)*\Z")
BEYOND = (
    "binData",  # text that is no UTF-8, or a timestamp that is text which looks like another's
    "conversion from date to int",  # a subquery's date among other values, as a text
    "too many compound keys",  # a sort by more than 32
    "would overflow target type",  # the sum of integers passes 64 bits, in a part SQLite does not look at
    "must be a number, not",  # what a parameter is compared with is known, and a value of another type refused
    "must be a text, not",
    "needs 'input' to be of type string",  # LIKE on bytes among texts
    "$replaceAll requires",  # replace() on bytes among texts
    "$indexOfCP string must resolve",  # instr() on bytes among texts
    "can't take $abs of long long min",  # SQLite fails as well, where it looks at that
    "no such day or hour",  # the hour 24, or a day its month does not have, which SQLite shows as they are written
    "a time before the year 0",  # whose days of the year SQLite counts otherwise
    "before the year 0 or after 9999",  # the years the server takes into account
    "range of 0-9999",
)
"""What the server says of values it has no means for."""


@dataclass(frozen=True)
class Outcome:
    """`equal`; `gap` (not compiled, typed); `choice` (SQL leaves one); `none` (SQLite fails itself); `beyond` (a typed error for
    values MongoDB has no means for). `refused` (an error where SQLite has an answer), `crash` and `wrong` are failures.
    """

    verdict: str
    cause: str = ""
    by_client: bool = False  # and a join made by the client gave the same

    @property
    def failed(self) -> bool:
        """Whether law 1 is broken."""
        return self.verdict in ("refused", "crash", "wrong")


def claimed(model: Model, sql: str) -> Statistics:
    """Numbers that are not true of the rows, others for each statement, or none: they choose a form, never an answer."""
    chosen = Random(sql)
    if chosen.random() < _UNKNOWN:
        return Statistics()

    def quantity(*sizes: float) -> Quantity:
        return Quantity(chosen.choice(sizes), Origin.INFERRED)

    def told(attribute: Attribute) -> AttributeStatistics:
        lying = _LYING.get(attribute.type.name) if chosen.random() < _LIES else None
        return AttributeStatistics(distinct=quantity(1, 2, 20), null_share=quantity(0, 0.5, 1), values=lying)

    def of(entity: Entity) -> EntityStatistics:
        attributes = ((attribute.name, told(attribute)) for attribute in entity.attributes)
        return EntityStatistics(quantity(1, 100, 100_000), attributes=tuple(attributes))

    return Statistics(tuple((entity.name, of(entity)) for entity in model.entities))


@dataclass(frozen=True)
class Pair:
    """Rows loaded by a design, and the same rows in SQLite."""

    design: Design
    database: Database[Any]
    source: SqlDatabase
    connection: sqlite3.Connection
    is_small: bool = True

    def outcome(self, statement: Statement, rewrites: frozenset[Rewrite] = ALL_REWRITES) -> Outcome:
        """What came of one statement."""
        try:
            return self._outcome(statement, rewrites)
        except Exception:  # whatever it is, it is no answer
            return Outcome("crash", "".join(traceback.format_exc().splitlines(keepends=True)[-6:]))

    def _outcome(self, statement: Statement, rewrites: frozenset[Rewrite]) -> Outcome:
        try:
            theirs = self.connection.execute(*written_out(statement.sql, statement.values)).fetchall()
        except (sqlite3.Error, OverflowError) as error:
            return Outcome("none", str(error))
        try:
            query = translate(statement.sql, self.design.model, "sqlite")
            assert isinstance(query, Query)
            known = claimed(self.design.model, statement.sql)
            of_plans = {Rewrite.SETS_FIRST, Rewrite.LISTS_FIRST, Rewrite.ORDER_FIRST, Rewrite.DISTINCT_EXISTS}
            priced = not rewrites.isdisjoint(of_plans)
            numbers = count()  # any of the plans there are, the same one each time

            def price(_: Work) -> float:
                return float(crc32(f"{next(numbers)} {statement.sql}".encode()))

            plan = plan_read(query, self.design, rewrites=rewrites, statistics=known, price=price if priced else None)
            work = estimate(plan, self.design, known, statement.values)
            assert all(isfinite(each) and each >= 0 for each in work), work
            read = compiled_read(plan, name="statement", sql=statement.sql)
        except GapError as error:
            return Outcome("gap", error.problems[0].what)
        except NestlingError as error:
            return Outcome("refused", str(error))
        try:
            given = {name: value for name, value in statement.values.items() if name in read.parameters}
            found = list(run_read(self.database, read, given))
        except NestlingError as error:
            verdict = "beyond" if any(part in str(error) for part in BEYOND) else "refused"
            return Outcome(verdict, f"{error}\n{_said(read)}")
        outcome = self._judged(statement, query, read, found, theirs)
        return self._by_client(statement, query, theirs, outcome) if outcome.verdict == "equal" else outcome

    def _by_client(self, statement: Statement, query: Query, theirs: list[Row], outcome: Outcome) -> Outcome:
        """The same, or the failure of the same statement with its join made by the client, where it can be."""
        if not has_join(query):
            return outcome
        try:
            join = compiled_join(plan_client_join(query, self.design), name="statement", sql=statement.sql)
        except GapError:
            return outcome
        given = {name: value for name, value in statement.values.items() if name in join.parameters}
        try:
            found = list(run_join(self.database, join, given))
        except NestlingError as error:
            if any(part in str(error) for part in BEYOND):
                return outcome
            raise
        outcome = self._judged(statement, query, join, found, theirs)
        return replace(outcome, by_client=True) if not outcome.failed else outcome

    def _judged(
        self, statement: Statement, query: Query, read: CompiledRead | ClientJoin, found: list[Row], rows: list[Row]
    ) -> Outcome:
        mine = [tuple(map(shown, row, read.columns)) for row in found]
        theirs = [tuple(map(as_shown, row, read.columns)) for row in rows]
        only_here, only_there = Counter(mine) - Counter(theirs), Counter(theirs) - Counter(mine)
        ordered = _keys(mine, statement.order) == _keys(theirs, statement.order)
        if not only_here and not only_there and ordered:
            return Outcome("equal")
        if statement.constructs & SUMMED and Counter(map(_as_floats, mine)) == Counter(map(_as_floats, theirs)):
            return Outcome("equal")  # an integer here, a float there, and both the same number
        if statement.constructs & ONE_OF_EQUALS and _differ_in_type(only_here, only_there):
            return Outcome("choice")
        is_open = self._is_open(query, statement)
        if is_open or self._are_digits(statement, mine, theirs):
            return Outcome("choice")
        if is_open is None and ordered and self._is_some_of_all(statement, read, mine, theirs):
            return Outcome("choice")
        is_joined = is_open is None and "group_concat" in statement.sql
        if is_joined and (_parts(mine) == _parts(theirs) or self.hangs_on_the_order_of_rows(statement, rows)):
            return Outcome("choice")
        if _is_lost_beside_a_constant(query.relation, statement):
            return Outcome("none", "SQLite loses an outer join's rows beside an inner join with a constant condition")
        if self._contradicts_itself(statement, rows):
            return Outcome("none", "SQLite answers otherwise where its tables have no keys")
        cause = f"only here: {sorted(map(repr, only_here))[:3]}\nonly there: {sorted(map(repr, only_there))[:3]}"
        cause = cause if ordered or only_here or only_there else f"order here: {mine}\norder there: {theirs}"
        return Outcome("wrong", f"{cause}\n{_said(read)}")

    def _are_digits(self, statement: Statement, mine: list[Row], theirs: list[Row]) -> bool:
        """Whether only numbers differ that sum up large numbers, whose last digits depend on the order."""
        if self.is_small or not statement.constructs & SUMMED:
            return False
        inexact = {place for row in (*mine, *theirs) for place, value in enumerate(row) if _is_inexact(value)}
        without = [Counter(_without_sums(row, inexact) for row in rows) for rows in (mine, theirs)]
        return without[0] == without[1]

    def _is_open(self, query: Query, statement: Statement) -> bool | None:
        """Whether SQL allows another answer than SQLite's; None where the interpreter has no means to tell."""
        interpreter = Interpreter(self.conceptual(), statement.values)
        try:
            interpreter.run_keyed(query)
        except (Unsupported, OverflowError):  # a year Python has not
            return None
        return bool(interpreter.arbitrary)

    def _is_some_of_all(
        self, statement: Statement, read: CompiledRead | ClientJoin, mine: list[Row], theirs: list[Row]
    ) -> bool:
        """Whether the rows are as many, and among those SQLite finds without the LIMIT that cuts equal ones off.

        Only where nothing but outputs orders them, whose values are compared besides.
        """
        whole = _LIMIT.sub("", statement.sql)
        if whole == statement.sql or len(mine) != len(theirs):
            return False
        keys = _BY_OUTPUTS.search(whole)
        if ("ORDER BY" in whole) if keys is None else (keys[0].count(",") + 1 != len(statement.order)):
            return False
        given = {name: value for name, value in statement.values.items() if f":{name}" in whole}
        everything = Counter(
            tuple(map(as_shown, row, read.columns)) for row in self.connection.execute(*written_out(whole, given))
        )
        return Counter(mine) <= everything

    def _contradicts_itself(self, statement: Statement, rows: list[Row]) -> bool:
        """Whether SQLite, which then plans another way, finds other rows in the same tables without keys."""
        return self._is_answered_otherwise(statement, rows, self.conceptual())

    def hangs_on_the_order_of_rows(self, statement: Statement, rows: list[Row]) -> bool:
        """Whether SQLite finds other rows in tables with the same rows in another order."""
        known = self.conceptual()
        for seed in range(ORDERS_TRIED):
            chance = Random(seed)
            shuffled = {name: chance.sample(of, len(of)) for name, of in known.items()}
            if self._is_answered_otherwise(statement, rows, shuffled):
                return True
        return False

    def _is_answered_otherwise(self, statement: Statement, rows: list[Row], tables: dict[str, list[Row]]) -> bool:
        """Whether SQLite finds other rows in these tables without keys."""
        model = self.design.model
        entities = tuple(replace(entity, key=(), uniques=()) for entity in model.entities)
        bare = replace(model, entities=entities, relationships=(), many_to_many=(), hierarchies=())
        with TemporaryDirectory() as folder:
            sqlite_source(Path(folder) / "bare.db", bare, tables)
            with closing(_opened(Path(folder) / "bare.db")) as connection:
                again = connection.execute(*written_out(statement.sql, statement.values)).fetchall()
        return Counter(map(repr, again)) != Counter(map(repr, rows))

    def conceptual(self) -> dict[str, list[Row]]:
        """The rows as conceptual values."""
        queries = {
            e.name: RowQuery(e.name, tuple(map(RowColumn, e.attribute_names))) for e in self.design.model.entities
        }
        return {name: list(self.source.rows(query)) for name, query in queries.items()}


def _is_lost_beside_a_constant(relation: Relation, statement: Statement) -> bool:
    """Whether SQLite finds nothing for `a JOIN b ON 0 FULL JOIN c`, where c's rows belong; `x IN ()` is such a constant."""
    joins = [each for each in relations_within(relation) if isinstance(each, Join)]
    outer = any(each.kind in (JoinKind.RIGHT, JoinKind.FULL) for each in joins)
    parts = [part for each in joins if each.condition is not None for part in conjuncts(each.condition)]
    return outer and any(next(mentioned(part), None) is None or _is_in_none(part, statement) for part in parts)


def _is_in_none(part: Expression, statement: Statement) -> bool:
    given = part.given if isinstance(part, InList) else None
    return given is not None and not statement.values[given.name]


def _said(read: CompiledRead | ClientJoin) -> str:
    if isinstance(read, ClientJoin):
        return f"by the client: {read.joining}\n{_said(read.first)}\n{_said(read.second)}"
    return f"{read.access_path}\n{read.collection}: {read.filter or ''} {read.projection or ''} {list(read.pipeline)}"


def _as_floats(row: Row) -> Row:
    return tuple(rounded(float(value)) if isinstance(value, int) else value for value in row)


def _differ_in_type(mine: Counter[Row], theirs: Counter[Row]) -> bool:
    """Whether the rows are the same but for numbers that are an integer on one side and the same float on the other."""
    both = [sorted(rows.elements(), key=lambda row: repr(_as_floats(row))) for rows in (mine, theirs)]
    if list(map(_as_floats, both[0])) != list(map(_as_floats, both[1])):
        return False
    cells = (pair for rows in zip(*both, strict=True) for pair in zip(*rows, strict=True))
    return all(here == there or type(here) is not type(there) for here, there in cells)


def _parts(rows: list[Row]) -> Counter[Row]:
    """The rows with the parts of what group_concat joined, as their order is nobody's."""
    return Counter(tuple(",".join(sorted(v.split(","))) if isinstance(v, str) else v for v in row) for row in rows)


def _is_inexact(value: Any) -> bool:
    """Whether it is a float, or an integer whose products may be kept as one."""
    return isinstance(value, float) or (isinstance(value, int) and abs(value) >= 1 << 31)


def _without_sums(row: Row, inexact: set[int]) -> Row:
    return tuple("number" if i in inexact and isinstance(v, int | float) else v for i, v in enumerate(row))


def _keys(rows: list[Row], order: tuple[int, ...]) -> list[Row]:
    return [tuple(row[place] for place in order) for row in rows]


def _of_model(model: Model, design: Design) -> Design:
    """The design for what was seen of the rows; a text that turns out to be of several types has no index whatever its case."""
    try:
        return Design(model, design.collections, design.indexes)
    except DesignError:
        return Design(model, design.collections, tuple(each for each in design.indexes if not each.any_case))


@contextmanager
def loaded(world: World, design: Design, database: Database[Any], folder: Path) -> Iterator[Pair]:
    """The world in both."""
    source = sqlite_source(folder / "source.db", world.model, world.rows)
    design = _of_model(with_seen_types(design.model, source), design)
    source = SqlDatabase(source.address, design.model)
    create(collection_commands(design), database, written_collections(design))
    load(design, source, database, indexes=index_commands(design), unseen=unseen_commands(design))
    with closing(_opened(folder / "source.db")) as connection:
        yield Pair(design, database, source, connection, is_small(world))


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.set_progress_handler(lambda: 1, MOST_STEPS)
    connection.text_factory = lambda raw: raw.decode(errors="replace")
    return connection
