"""The way of rows into a table: through a temporary one of the same columns, out of which they must be read as they were given.

What a column makes of a value is its database's business, so the database is asked: nothing arrives that reads back as something
else. What is refused, by this or by the server, is tried again row by row, and that row column by column, to say where it is.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import sqlalchemy as sa

from nestling.common.errors import Problem, RowRefused, SourceError
from nestling.ir.canonical import canonical_encoder, row_encoder
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.quantity_words import cut
from nestling.ir.rows import Column, RowQuery
from nestling.ir.types import FLOAT, INTEGER, TEXT, Type, TypeName
from nestling.ir.values import Policy
from nestling.sources.sql.connection import dialect_of, typed_errors
from nestling.sources.sql.engines import engine_of
from nestling.sources.sql.literals import writer
from nestling.sources.sql.row_sql import Tables, compile_query, quoted
from nestling.sources.sql.table_ddl import create_staged, keyed_alike, quote
from nestling.sources.sql.values import convert_rows, converter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nestling.sources.sql.sink import SqlSink

    Row = tuple[object, ...]

_PLACE = Attribute("nestling place", INTEGER, nullable=False)
_SAVEPOINT = "nestling_passage"
_POLICY = Policy(long_decimals="text", microseconds="text")
_CHANGE = "change that value: columns of its attribute's type hold none like it"
_LISTED = (INTEGER, FLOAT, TEXT, Type(TypeName.BYTES), Type(TypeName.DECIMAL))
"""What a model may list beside any type."""


class Passage:
    """The way of one entity's rows; its temporary table, `name`, is gone with the connection."""

    def __init__(self, sink: SqlSink, entity: Entity, model: Model, name: str) -> None:
        dialect = sink.address.dialect
        self._sink, self._entity, self._engine = sink, entity, engine_of(dialect)
        self._writers = [writer(attribute, dialect) for attribute in entity.attributes]
        self._converters = [converter(attribute, dialect) for attribute in entity.attributes]
        self._encode = row_encoder(entity.attribute_names, entity, _POLICY)
        self._judge = canonical_encoder(entity.attribute_names, entity, _POLICY)
        self._staged = quote(name, sink.preparer)
        self._columns = ", ".join(quote(each, sink.preparer) for each in entity.attribute_names)
        self._place = quote(_PLACE.name, sink.preparer)
        links = model.parents_of(entity.name)
        self._create = create_staged(name, _PLACE, keyed_alike(entity, model), links, dialect, sink.preparer)
        sink.run(self._create)
        staged = Entity(name, (_PLACE, *entity.attributes))
        tables = Tables(Model(name, (staged,)), dialect, {name: (None, name)})
        query = RowQuery(name, tuple(map(Column, entity.attribute_names)), (Column(_PLACE.name),))
        first, last = (sa.bindparam(each, type_=sa.types.NULLTYPE) for each in ("first", "last"))
        among = sa.column(quoted(_PLACE.name)).between(first, last)
        self._read = compile_query(tables, query).where(among).compile(dialect=dialect_of(sink.address))
        self._places = range(0)

    def carry(self, rows: Sequence[Row]) -> None:
        """Add rows to the table; raises SourceError for the first that it refuses or would not give back as it is."""
        try:
            with self._attempt():
                self._stage(rows)
                self._sink.run(
                    f"INSERT INTO {self._sink.table(self._entity)} ({self._columns}) "  # noqa: S608 - quoted
                    f"SELECT {self._columns} FROM {self._staged} "
                    f"WHERE {self._place} BETWEEN {self._places[0]} AND {self._places[-1]} ORDER BY {self._place}"
                )
        except SourceError as error:
            if len(rows) == 1:
                raise self._placed(rows[0], error) from None
            for row in rows:
                self.carry([row])

    @contextmanager
    def _attempt(self) -> Iterator[None]:
        """What fails inside leaves no trace."""
        self._sink.run(f"SAVEPOINT {_SAVEPOINT}")
        try:
            with typed_errors(self._sink.address):
                yield
        except SourceError:
            self._sink.run(f"ROLLBACK TO SAVEPOINT {_SAVEPOINT}")
            raise
        self._sink.run(f"RELEASE SAVEPOINT {_SAVEPOINT}")

    def _stage(self, rows: Sequence[Row]) -> None:
        """Write rows to the temporary table alone, and compare what it gives back."""
        for statement in self._engine.emptying(self._staged, self._create):
            self._sink.run(statement)
        self._places = range(self._places.stop, self._places.stop + len(rows))
        into = f"{self._staged} ({self._place}, {self._columns})"
        try:
            written = [tuple(write(value) for write, value in zip(self._writers, row, strict=True)) for row in rows]
            placed = zip(self._places, written, strict=True)
            self._engine.insert(self._sink.connection, into, [(place, *row) for place, row in placed])
        except (
            TypeError,
            ValueError,
            OverflowError,
        ) as error:  # of a writer, or of a driver that cannot say such a value
            raise SourceError(Problem(str(error))) from None
        cursor = self._sink.connection.cursor()
        bounds = self._read.construct_params({"first": self._places[0], "last": self._places[-1]})
        positions = self._read.positiontup if self._read.positional else None
        cursor.execute(str(self._read), tuple(bounds[name] for name in positions) if positions else bounds)
        found = convert_rows(cursor.fetchall(), self._converters)
        for row, back in zip(rows, found, strict=True):
            if self._encode(row) != self._encode(back) and self._judge(row) != self._judge(back):
                raise SourceError(Problem(f"its column would give back {_different(row, back, self._entity)}"))

    def _placed(self, row: Row, error: SourceError) -> RowRefused:
        """The error with the table, the key of the row, and the column that fails by itself, if one does."""
        names = self._entity.attribute_names
        values = dict(zip(names, row, strict=True))
        key = ", ".join(f"{name} = {cut(repr(values[name]))}" for name in self._entity.key)
        what, move, failing = f"the row is refused: {error.problems[0].what}", self._engine.other_target, ""
        for position, name in enumerate(names):
            if values[name] is None:
                continue
            alone = tuple(value if position == place else None for place, value in enumerate(row))
            try:
                with self._attempt():
                    self._stage([alone])
            except SourceError as found:
                what = f"`{name}` is {cut(repr(values[name]))}: {found.problems[0].what}"
                move, failing = self._move(self._entity.attributes[position], values[name]), name
                break
        where = f"table {self._entity.name}, the row {key or 'without a key'}"
        problem = Problem(what, where=where, next_move=move)
        return RowRefused(problem, entity=self._entity.name, row=row, attribute=failing)

    def _move(self, attribute: Attribute, value: object) -> str:
        """What to do with a value: to list a type is said only where the column would then give it back."""
        listed = (replace(attribute, also=(*attribute.also, kind)) for kind in _LISTED)
        if self._engine.enforces_types or any(self._is_kept(each, value) for each in listed):
            return self._engine.other_target
        return _CHANGE

    def _is_kept(self, attribute: Attribute, value: object) -> bool:
        """Whether a column of this attribute would give the value back; leaves no trace."""
        tried = Entity("nestling tried", (attribute,))
        self._sink.run(f"SAVEPOINT {_SAVEPOINT}")
        try:
            with typed_errors(self._sink.address):
                Passage(self._sink, tried, Model(tried.name, (tried,)), tried.name)._stage([(value,)])
        except SourceError:
            return False
        finally:
            self._sink.run(f"ROLLBACK TO SAVEPOINT {_SAVEPOINT}")
        return True


def _different(row: Row, back: Row, entity: Entity) -> str:
    """The first value that comes back as another."""
    for attribute, given, found in zip(entity.attributes, row, back, strict=True):
        one = canonical_encoder([attribute.name], entity, _POLICY)
        if one([given]) != one([found]):
            return cut(repr(found))
    raise AssertionError("rows differ in a value")
