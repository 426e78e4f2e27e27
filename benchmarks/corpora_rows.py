"""Rows for a schema that statements over it can find: generic over (schema, statements), the same for the same seed.

Columns take the constants they are compared with, a few values of their own (so that there are ties), and NULL. Columns that
statements equate, or foreign keys join, share their values. Then every SELECT gets *witnesses*: a row for each of its tables
that together satisfy its conditions, so that a join of many selective tables is not empty.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError
from sqlalchemy.schema import sort_tables

from benchmarks.corpora_mentions import At, Mentions, selects
from benchmarks.corpora_values import like_text, made, read, varied
from benchmarks.corpora_witness import Witness, witness

NULL_SHARE, CONSTANT_SHARE = 0.12, 0.5
OWN_VALUES = 6
TRIES = 30
WITNESSES = 2
Row = dict[str, Any]


def fill(url: str, statements: Sequence[str], dialect: str, *, rows: int, seed: int) -> None:
    """Fill the empty tables behind `url` with about so many rows each, and witnesses."""
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    schema = sa.MetaData()
    schema.reflect(engine)
    maker = _Maker(schema, statements, dialect, rows, random.Random(seed))
    with engine.begin() as connection:
        for table in sort_tables(schema.tables.values()):
            for row in maker.random_rows(table):
                _insert(connection, table, row)
        for sql in statements:
            for select in selects(sql, dialect):
                for _ in range(WITNESSES):
                    for table, row in maker.witnessed(witness(select, maker.columns, maker.choices)):
                        _insert(connection, table, row)


def _insert(connection: sa.Connection, table: sa.Table, row: Row) -> None:
    """Into the table; what a constraint of its own refuses (a CHECK) is not there."""
    try:
        with connection.begin_nested():
            connection.execute(table.insert().values(row))
    except DBAPIError:
        return


class _Maker:
    """Makes rows, and remembers the keys it made."""

    def __init__(
        self, schema: sa.MetaData, statements: Iterable[str], dialect: str, rows: int, choices: random.Random
    ) -> None:
        self.tables = {table.name.casefold(): table for table in sort_tables(schema.tables.values())}
        self.columns = {name: tuple(c.name.casefold() for c in table.columns) for name, table in self.tables.items()}
        self.choices, self.rows = choices, rows
        self._made: dict[str, list[Row]] = defaultdict(list)
        self._keys: dict[tuple[str, int], set[tuple[Any, ...]]] = defaultdict(set)
        mentions = Mentions()
        for sql in statements:
            for select in selects(sql, dialect):
                mentions.add(select, self.columns)
        self._constants = mentions.constants
        self._class_of = _classes(mentions.equal, self.tables)
        self._pools: dict[object, list[Any]] = {}

    # --- rows by chance ------------------------------------------------------------------------------------------------

    def random_rows(self, table: sa.Table) -> Iterable[Row]:
        """The table's rows, unique where they must be."""
        for number in range(1, self.rows + 1):
            for _ in range(TRIES):
                row = self._row(table, number, {})
                if self._is_new(table, row):
                    yield row
                    break

    def _row(self, table: sa.Table, number: int, given: Row) -> Row:
        row = dict(given)
        for key in sorted(table.foreign_key_constraints, key=lambda each: len(each.elements), reverse=True):
            self._refer(key, row)
        for column in table.columns:
            name = column.name.casefold()
            if name not in row and not (column.computed is not None):
                row[name] = self._value(table, column, number)
        return row

    def _refer(self, key: sa.ForeignKeyConstraint, row: Row) -> None:
        """The foreign key of a row that is there, NULL now and then where it may be, and where none fits what is given."""
        names = [column.name.casefold() for column in key.columns]
        parents = self._made[key.referred_table.name.casefold()]
        targets = [element.column.name.casefold() for element in key.elements]
        nullable = [column for column in key.columns if column.nullable]
        fitting = [
            p for p in parents if all(n not in row or row[n] == p[t] for n, t in zip(names, targets, strict=True))
        ]
        if nullable and (not fitting or self.choices.random() < NULL_SHARE):
            row.setdefault(nullable[0].name.casefold(), None)
            return
        if fitting:
            parent = fitting[int(len(fitting) * self.choices.random() ** 1.5)]
            row |= {n: parent[t] for n, t in zip(names, targets, strict=True)}

    def _value(self, table: sa.Table, column: sa.Column[Any], number: int) -> Any:
        at = (table.name.casefold(), column.name.casefold())
        if _is_own_key(table, column) or _is_unique(table, column):
            return made(column, number)
        if column.nullable and self.choices.random() < NULL_SHARE:
            return None
        owner = self._class_of.get(at, at)
        if owner in self._class_of.values() and _is_own_key(*self._column(owner)):
            return made(column, 1 + int(self.rows * self.choices.random() ** 1.5))
        constants = self._known(column, at)
        if constants and self.choices.random() < CONSTANT_SHARE:
            return self.choices.choice(constants)
        if owner not in self._pools:
            size = OWN_VALUES if owner == at else self.rows // 3
            self._pools[owner] = [self.choices.randrange(1, 10_000) for _ in range(max(size, OWN_VALUES))]
        if column.primary_key and not column.foreign_keys:
            return made(column, self.choices.randrange(1, 12))
        return made(column, self.choices.choice(self._pools[owner]))

    def _known(self, column: sa.Column[Any], at: At) -> list[Any]:
        """Values the column can hold among what it is compared with: the constant, its neighbours, texts a LIKE finds."""
        found: dict[Any, None] = {}
        for operator, text in self._constants.get(at, ()):
            for word in [like_text(text, self.choices)] if operator == "like" else [text]:
                value = read(column, word)
                if value is not None:
                    found |= dict.fromkeys([value, *(varied(value) if operator in ("<", "<=", ">", ">=") else ())])
        return list(found)

    def _column(self, at: At) -> tuple[sa.Table, sa.Column[Any]]:
        table = self.tables[at[0]]
        return table, next(column for column in table.columns if column.name.casefold() == at[1])

    def _is_new(self, table: sa.Table, row: Row) -> bool:
        uniques = [tuple(c.name.casefold() for c in table.primary_key.columns)]
        uniques += [
            tuple(c.name.casefold() for c in each.columns)
            for each in table.constraints
            if isinstance(each, sa.UniqueConstraint)
        ]
        uniques += [tuple(str(c.name).casefold() for c in each.columns) for each in table.indexes if each.unique]
        marks = []
        for number, names in enumerate(names for names in uniques if names):
            value = tuple(row[name] for name in names)
            if value in self._keys[table.name.casefold(), number] and None not in value:
                return False
            marks.append((number, value))
        for number, value in marks:
            self._keys[table.name.casefold(), number].add(value)
        self._made[table.name.casefold()].append(row)
        return True

    # --- rows for one statement ----------------------------------------------------------------------------------------

    def witnessed(self, wanted: Witness) -> Iterable[tuple[sa.Table, Row]]:
        """A row for each table of a SELECT: its own conditions and its joins hold, the rest is by chance. Parents first."""
        shared = self._fresh_keys(wanted)
        order = {name: place for place, name in enumerate(self.tables)}
        for alias, table_name in sorted(wanted.tables.items(), key=lambda each: (order.get(each[1], -1), each[0])):
            table = self.tables.get(table_name)
            if table is None:
                continue
            number = self._next(table_name)
            given: Row = {}
            for column in table.columns:
                name = column.name.casefold()
                group = wanted.groups.get((alias, name))
                if group is not None and group in shared:
                    given[name] = shared[group]
                elif (text := wanted.values.get((alias, name))) is not None:
                    value = None if text == "" else read(column, text)
                    given |= {name: value} if value is not None or (text == "" and column.nullable) else {}
            row = self._row(table, number, given)
            if self._is_new(table, row):
                yield table, row
            for column in table.columns:
                group = wanted.groups.get((alias, column.name.casefold()))
                if group is not None:
                    shared.setdefault(group, row[column.name.casefold()])

    def _fresh_keys(self, wanted: Witness) -> dict[int, Any]:
        """Groups of columns one of which is a table's own key: a key no row has yet."""
        shared: dict[int, Any] = {}
        ahead: dict[str, int] = defaultdict(int)
        for alias, table_name in wanted.tables.items():
            for column in self.tables[table_name].columns if table_name in self.tables else ():
                at = (alias, column.name.casefold())
                if _is_own_key(self.tables[table_name], column) and at in wanted.groups and at not in wanted.values:
                    number = self._next(table_name) + ahead[table_name]
                    shared.setdefault(wanted.groups[at], made(column, number))
                    ahead[table_name] += 1
        return shared

    def _next(self, table_name: str) -> int:
        return len(self._made[table_name]) + 1 + self.rows


def _is_own_key(table: sa.Table, column: sa.Column[Any]) -> bool:
    """Whether the column alone is the table's key, and no foreign key."""
    return column.primary_key and len(table.primary_key.columns) == 1 and not column.foreign_keys


def _is_unique(table: sa.Table, column: sa.Column[Any]) -> bool:
    """Whether no two rows may have the same value, and no foreign key gives it."""
    groups = [each.columns for each in table.constraints if isinstance(each, sa.UniqueConstraint)]
    groups += [each.columns for each in table.indexes if each.unique]
    return not column.foreign_keys and any([*group] == [column] for group in groups)


def _classes(equal: Iterable[tuple[At, At]], tables: dict[str, sa.Table]) -> dict[At, At]:
    """Each column to the one that stands for all it is equated with: a table's own key where there is one."""
    leader: dict[At, At] = {}

    def find(at: At) -> At:
        while leader.get(at, at) != at:
            at = leader[at]
        return at

    def rank(at: At) -> tuple[bool, At]:
        table = tables[at[0]]
        column = next(each for each in table.columns if each.name.casefold() == at[1])
        return not _is_own_key(table, column), at

    for one, other in equal:
        first, second = sorted((find(one), find(other)), key=rank)
        leader[second] = first
        leader.setdefault(first, first)
    return {at: find(at) for at in leader}
