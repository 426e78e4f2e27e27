"""SQLite beside the reference interpreter: a database's model and conceptual rows, and the comparison of both answers."""

from __future__ import annotations

import math
import re
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import groupby
from typing import Any

from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.statements import algebra as a
from nestling.ir.statements.write import Delete, Insert, Update
from nestling.ir.types import Type, TypeName
from nestling.planner.sql import translate
from nestling.sources.ddl.create_table import declared_table
from tests.given_lists import written_out
from tests.reference_algebra import Interpreter

Row = tuple[Any, ...]
_WORDS = (
    (r"BOOL", TypeName.BOOLEAN),
    (r"INT", TypeName.INTEGER),
    (r"CHAR|CLOB|TEXT", TypeName.TEXT),
    (r"REAL|FLOA|DOUB", TypeName.FLOAT),
    (r"^DATE$", TypeName.DATE),
    (r"DATETIME|TIMESTAMP", TypeName.TIMESTAMP),
    (r"BLOB|^$", TypeName.ANY),
)
_EXPECTED: dict[TypeName, tuple[type, ...]] = {
    TypeName.BOOLEAN: (bool,),
    TypeName.INTEGER: (int,),
    TypeName.TEXT: (str,),
    TypeName.FLOAT: (float,),
    TypeName.DATE: (date,),
    TypeName.TIMESTAMP: (datetime,),
    TypeName.DECIMAL: (int, float),
}


@dataclass(frozen=True)
class Oracle:
    """A SQLite database, its model, and its rows as conceptual values."""

    connection: sqlite3.Connection
    model: Model
    rows: Mapping[str, Sequence[Row]]

    @staticmethod
    def of(connection: sqlite3.Connection) -> Oracle:
        connection.text_factory = lambda raw: raw.decode(errors="replace")
        tables = [
            row[0]
            for row in connection.execute(
                "SELECT name FROM sqlite_master WHERE type='table' AND name NOT LIKE 'sqlite_%'"
            )
        ]
        entities, rows = [], {}
        for name in tables:
            found = connection.execute(f'SELECT * FROM "{name}"').fetchall()
            facts = connection.execute(f'PRAGMA table_info("{name}")').fetchall()
            (script,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()
            declared = declared_table(script)
            assert declared is not None
            rules = {each.name: each.collation for each in declared.columns.values()}
            columns = [column(fact, [row[place] for row in found]) for place, fact in enumerate(facts)]
            key = tuple(fact[1] for fact in sorted(facts, key=lambda fact: fact[5]) if fact[5])
            attributes = (replace(a, collation=rules.get(a.name, a.collation)) for a, _ in columns)
            entities.append(Entity(name, tuple(attributes), key))
            rows[name] = list(zip(*(values for _, values in columns), strict=True)) if found else []
        return Oracle(connection, Model("reflected", tuple(entities)), rows)

    def ask(self, sql: str, parameters: Mapping[str, object] | None = None) -> Answer:
        """Both answers to one query."""
        query = translate(sql, self.model, "sqlite")
        assert not isinstance(query, Insert | Update | Delete)
        interpreter = Interpreter(self.rows, parameters)
        found = interpreter.run_keyed(query)
        mine = [tuple(map(plain, row, query.relation.columns)) for row, _ in found]
        cursor = self.connection.execute(*written_out(sql, parameters or {}))
        theirs = cursor.fetchall()
        names = tuple(description[0] for description in cursor.description)
        return Answer(query, mine, [key for _, key in found], theirs, names, frozenset(interpreter.arbitrary))


@dataclass(frozen=True)
class Answer:
    """What the algebra and SQLite said; `arbitrary` names the choices SQL left open."""

    query: a.Query
    mine: list[Row]
    keys: list[Row]
    theirs: list[Row]
    names: tuple[str, ...]
    arbitrary: frozenset[str]

    def equal(self) -> bool:
        """The same rows, in the same order: those with equal sort keys (all, where nothing orders them) as a bag."""
        mine, theirs = ([tuple(map(rounded, row)) for row in rows] for rows in (self.mine, self.theirs))
        if len(mine) != len(theirs):
            return False
        start = 0
        for _, peers in groupby(self.keys):
            end = start + len(list(peers))
            if Counter(mine[start:end]) != Counter(theirs[start:end]):
                return False
            start = end
        return True


def rounded(value: Any) -> Any:
    """Sums of floats differ in their last digits with the order of the rows."""
    if isinstance(value, float):
        return value if math.isinf(value) or math.isnan(value) else float(f"{value:.9g}") + 0.0
    return value


def plain(value: Any, output: Any) -> Any:
    """A conceptual value as SQLite shows it."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, datetime):
        return value.isoformat(" ", {0: "seconds", 3: "milliseconds"}.get(output.type.fraction_digits, "microseconds"))
    return value.isoformat() if isinstance(value, date) else value


def column(fact: Row, values: list[Any]) -> tuple[Attribute, list[Any]]:
    """An attribute, and the column's values as conceptual ones; what does not fit makes it mixed."""
    name, declared, not_null, primary = fact[1], fact[2].upper(), fact[3], fact[5]
    kind = next((kind for pattern, kind in _WORDS if re.search(pattern, declared)), TypeName.DECIMAL)
    full = Type(kind)
    if kind is TypeName.TIMESTAMP:
        digits = max((len(v) - 20 for v in values if isinstance(v, str) and len(v) in (23, 26)), default=0)
        full = Type(kind, (digits,) if digits else ())
    converted = [conceptual(value, full) for value in values]
    expected = _EXPECTED.get(kind)
    odd = expected is not None and any(v is not None and type(v) not in expected for v in converted)
    nullable = not not_null and not (primary and declared == "INTEGER")
    return Attribute(name, full, nullable, (Type(TypeName.ANY),) if odd else ()), converted


def conceptual(value: Any, kind: Type) -> Any:
    """The value when it is exactly what the type writes, else as it was found."""
    if kind.name is TypeName.BOOLEAN and value in (0, 1) and type(value) is int:
        return bool(value)
    if not isinstance(value, str):
        return value
    try:
        if kind.name is TypeName.DATE:
            day = date.fromisoformat(value)
            return day if day.isoformat() == value else value
        if kind.name is TypeName.TIMESTAMP:
            found = datetime.fromisoformat(value)
            spec = {0: "seconds", 3: "milliseconds"}.get(kind.fraction_digits, "microseconds")
            return found if found.tzinfo is None and found.isoformat(" ", spec) == value else value
    except ValueError:
        pass
    return value
