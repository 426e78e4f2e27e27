"""Write traces: the same statements on SQLite and on a design in a real MongoDB, then every home beside SQLite's table."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from pymongo.database import Database

from nestling.common.errors import ConstraintError, GapError
from nestling.emitters.commands import collection_commands, index_commands, unseen_commands
from nestling.emitters.mql import aggregation
from nestling.emitters.mql.write import compiled_write
from nestling.executors.create import create
from nestling.executors.load import load, written_collections
from nestling.executors.verify import verify
from nestling.executors.write import run_write
from nestling.executors.write_program import WriteResult
from nestling.ir.design import Design
from nestling.ir.model import Attribute, Model, OnDelete
from nestling.ir.paths.work import Work
from nestling.ir.paths.write_path import Violation
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.statements.algebra import Query
from nestling.ir.statements.write import Delete, Insert
from nestling.ir.types import Type, TypeName
from nestling.planner.homes.views import home_views
from nestling.planner.sql import translate
from nestling.planner.writes import plan_write
from nestling.sources.sql.row_source import SqlDatabase
from tests.generators.writes import quoted
from tests.given_lists import written_out
from tests.planner.reads.beside_sqlite import as_shown, shown
from tests.sqlite_rows import sqlite_source

Values = Mapping[str, object]
Rows = Mapping[str, list[tuple[object, ...]]]


@dataclass
class Trace:
    """A design's database beside a SQLite file; `done` are statements both took, `refused` those both refused, `gaps` others.

    `short`: statements may be single commands; else rows are always read first. `price` tells the cheapest way to read them.
    """

    design: Design
    database: Database[Any]
    source: SqlDatabase
    connection: sqlite3.Connection
    done: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    gaps: list[tuple[str, str]] = field(default_factory=list)
    short: bool = True
    price: Callable[[Work], float] | None = None
    refusal: str = ""  # SQLite's last
    parted: bool = False  # both sides may go on from here as they like: what comes now cannot be compared
    known: dict[tuple[str, bool], CompiledWrite] = field(default_factory=dict)

    def compiled(self, sql: str) -> CompiledWrite:
        """The statement compiled for the design, once."""
        if (sql, self.short) not in self.known:
            write = translate(sql, self.design.model, "sqlite")
            assert not isinstance(write, Query)
            plan = plan_write(write, self.design, short=self.short, price=self.price)
            self.known[sql, self.short] = compiled_write(plan, name="write", sql=sql)
        return self.known[sql, self.short]

    def run(self, sql: str, values: Values | None = None) -> None:
        """Run one statement on both sides; both do it and say how many rows it met, or both refuse."""
        refusal: ConstraintError | None = None
        if self.parted:
            return
        try:
            write = self.compiled(sql)
        except GapError as error:
            self.gaps.append((sql, str(error)))
            return
        try:
            done = run_write(self.database, write, values)
        except ConstraintError as error:
            # the design has no room for what SQLite would take, or only SQLite knows which of two rows changes
            known = ("which alone keeps that", "conflicts with two rows")
            numbered = sql.startswith("INSERT OR") and self._is_a_rowid(error)  # which SQLite gives where it is NULL
            if error.violation == Violation.PLACE or numbered or any(each in str(error) for each in known):
                self.gaps.append((sql, str(error)))
                return
            refusal, done = error, WriteResult(-1)
        mine = None if refusal is not None else done.affected
        answered: list[tuple[object, ...]] = []
        theirs = self.theirs(sql, values, answered)
        assert mine is not None or theirs is None, f"{sql}\nonly refused here: {refusal}\n{write.access_path}"
        self.parted = mine is not None and theirs is None and self._goes_and_is_let_go(sql)
        if self.parted:
            return
        assert (mine is None) == (theirs is None), f"{sql}\nonly refused by SQLite: {self.refusal}\n{write.access_path}"
        if mine is None:
            self.refused.append(sql)
            return
        self.done.append(sql)
        counts = mine == theirs or (theirs is not None and theirs < mine and self._follows_a_tree(sql))
        assert counts, f"{sql}\n{mine} rows here, {theirs} there\n{write.access_path}"
        if answered and mine == theirs and write.answer is not None:
            columns = write.answer.columns
            found = Counter(tuple(map(shown, row, columns)) for row in done.rows)
            wanted = Counter(tuple(map(as_shown, row, columns)) for row in answered)
            assert found == wanted, f"{sql}\nanswered {found}, not {wanted}\n{write.access_path}"

    def _follows_a_tree(self, sql: str) -> bool:
        """Whether SQLite may not count rows that went with others of the same DELETE before it came to them."""
        write = translate(sql, self.design.model, "sqlite")
        return isinstance(write, Delete) and any(
            link.is_self and link.enforced and link.on_delete is OnDelete.CASCADE
            for link in self.design.model.children_of(write.target.entity)
        )

    def _goes_and_is_let_go(self, sql: str) -> bool:
        """Whether a row may go by one foreign key and be let go by another, which cannot be NULL.

        Databases refuse that or do it by the order in which the keys were declared; here it always goes.
        """
        write = translate(sql, self.design.model, "sqlite")
        if not isinstance(write, Delete) or not self.refusal.startswith("NOT NULL constraint failed: "):
            return False
        entity, _, attribute = self.refusal.removeprefix("NOT NULL constraint failed: ").partition(".")
        links = [link for link in self.design.model.parents_of(entity) if link.enforced]
        let_go = (OnDelete.SET_NULL, OnDelete.SET_DEFAULT)
        return any(link.on_delete is OnDelete.CASCADE for link in links) and any(
            link.on_delete in let_go and attribute in link.child_attributes for link in links
        )

    def _is_a_rowid(self, error: ConstraintError) -> bool:
        """Whether it is the key that lacks, one whole number, which the model does not know to be made."""
        keys = [(e.name, e.key[0]) for e in self.design.model.entities if len(e.key) == 1]
        return any(f"`{name}` does not allow NULL; {key} = NULL" in str(error) for name, key in keys)

    def theirs(
        self, sql: str, values: Values | None = None, answered: list[tuple[object, ...]] | None = None
    ) -> int | None:
        """How many rows SQLite says the statement met, those RETURNING asks for put into `answered`; None where it refuses."""
        try:
            with self.connection:
                if answered is None or " RETURNING " not in sql:
                    return self.connection.execute(*written_out(sql, values or {})).rowcount
                met, rows = self._answered(sql)
                answered += rows
                return met
        except sqlite3.IntegrityError as error:
            self.refusal = str(error)
            return None

    def _answered(self, sql: str) -> tuple[int, list[tuple[object, ...]]]:
        """Do the statement; gives how many rows it met, and what SELECT says of them where it met each once.

        SQLite 3.40 takes whether a column of RETURNING may be NULL, and its type, from another column.
        """
        write, _, outputs = sql.rpartition(" RETURNING ")
        known = translate(sql, self.design.model, "sqlite")
        assert not isinstance(known, Query)
        entity = known.entity if isinstance(known, Insert) else known.target.entity
        before = self.connection.execute(f"SELECT rowid, {outputs} FROM {quoted(entity)}").fetchall()
        met = [number for (number,) in self.connection.execute(f"{write} RETURNING rowid")]
        after = self.connection.execute(f"SELECT rowid, {outputs} FROM {quoted(entity)}").fetchall()
        told = before if isinstance(known, Delete) else after
        rows = [tuple(row) for number, *row in told if number in met]
        return len(met), rows if len(rows) == len(met) else []

    def check(self) -> None:
        """Every entity's home holds what SQLite's table holds."""
        if self.parted:
            return
        homes = {entity: aggregation(view) for entity, view in home_views(self.design).items()}
        report = verify(self.design.model, homes, self.source, self.database)
        assert report.equal, "\n".join([*self.done, *map(str, report.differences)])

    def run_all(self, statements: Iterable[str], *, every: int = 1) -> None:
        """Run statements, checking after every so many and at the end."""
        for number, sql in enumerate(statements, 1):
            self.run(sql)
            if number % every == 0:
                self.check()
        self.check()


def enforced(model: Model) -> Model:
    """The model with the foreign keys only that the source enforces."""
    return replace(
        model,
        relationships=tuple(link for link in model.relationships if link.enforced),
        many_to_many=(),
        hierarchies=(),
    )


def with_floats(design: Design, rows: Rows) -> tuple[Design, Rows]:
    """Decimals become floats: SQLite has none, and a column that keeps their digits as text keeps those of any number."""
    entities = tuple(replace(e, attributes=tuple(map(_with_float, e.attributes))) for e in design.model.entities)
    model = replace(design.model, entities=entities)
    found = {
        name: [tuple(float(value) if isinstance(value, Decimal) else value for value in row) for row in inside]
        for name, inside in rows.items()
    }
    return Design(model, design.collections, design.indexes), found


def _with_float(attribute: Attribute) -> Attribute:
    is_decimal = attribute.type.name is TypeName.DECIMAL
    return replace(attribute, type=Type(TypeName.FLOAT)) if is_decimal else attribute


def trace(design: Design, rows: Rows, database: Database[Any], folder: Path) -> Trace:
    """The rows in a SQLite file, and loaded from it by the design."""
    design, rows = with_floats(design, rows)
    path = folder / "source.db"
    sqlite_source(path, enforced(design.model), rows)
    source = SqlDatabase(_address(path), design.model)
    create(collection_commands(design), database, written_collections(design))
    load(design, source, database, indexes=index_commands(design), unseen=unseen_commands(design))
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA foreign_keys = ON")
    return Trace(design, database, source, connection)


def _address(path: Path) -> Any:
    from nestling.sources.sql.address import parse_address

    return parse_address(f"sqlite:///{path}")
