"""Moves rows into a table through a temporary one with the same columns, from which they must be read back unchanged.

How a column converts a value is its database's business, so the database itself is asked: no value is accepted that reads back
as a different one. If rows are refused, by this test or by the server, they are tried one by one, and a refused row column by
column, to locate the value.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import sqlalchemy as sa

from nestling.common.errors import Problem, RowRefused, SourceError, name_list
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.rows import RefusedValues, RowColumn, RowQuery, summed
from nestling.ir.types import FLOAT, INTEGER, NUMBERS, TEXT, TEXTS, Type, TypeName
from nestling.ir.value_forms.canonical import canonical_encoder, row_encoder
from nestling.ir.values import Policy
from nestling.ir.words.value_words import value_words
from nestling.sources.sql.connection import dialect_of, typed_errors
from nestling.sources.sql.driver_parameters import writer
from nestling.sources.sql.driver_values import convert_rows, converter
from nestling.sources.sql.engines import engine_of
from nestling.sources.sql.row_sql import Tables, compile_query, quoted
from nestling.sources.sql.table_ddl import create_staged, quote, staged_types

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from nestling.sources.sql.sink import SqlSink

    Row = tuple[object, ...]
    _Refusal = tuple[Row, int, str]

_PLACE = Attribute("nestling place", INTEGER, nullable=False)
_SAVEPOINT = "nestling_passage"
_POLICY = Policy(long_decimals="text", microseconds="text")
_CHANGE = "change that value: columns of its attribute's type cannot hold it"
_CHANGE_COLUMN = "change that value, or give the target's column a type and character set that can hold it"
_CHANGE_ROW = "change that row, or the constraint on the target's table"
_LISTED = (INTEGER, FLOAT, TEXT, Type(TypeName.BYTES), Type(TypeName.DECIMAL))
"""Types that a model may list in addition to any type."""


class Passage:
    """The way of one entity's rows; its temporary table, `name`, is gone with the connection."""

    def __init__(
        self,
        sink: SqlSink,
        entity: Entity,
        name: str,
        *,
        types: Mapping[str, str],
        uniques: Sequence[tuple[str, ...]] = (),
        into: str | None = None,
        is_ours: bool = True,
    ) -> None:
        dialect = sink.address.dialect
        self._sink, self._entity, self._engine = sink, entity, engine_of(dialect)
        self._uniques, self._is_ours = uniques, is_ours
        self.into = into or sink.table(entity)
        self._writers = [writer(attribute, dialect) for attribute in entity.attributes]
        self._converters = [converter(attribute, dialect) for attribute in entity.attributes]
        self._encode = row_encoder(entity.attribute_names, entity, _POLICY)
        self._judge = canonical_encoder(entity.attribute_names, entity, _POLICY)
        self._judges = [canonical_encoder([each], entity, _POLICY) for each in entity.attribute_names]
        self._staged = quote(name, sink.preparer)
        self.columns = ", ".join(quote(each, sink.preparer) for each in entity.attribute_names)
        self._place = quote(_PLACE.name, sink.preparer)
        self._create = create_staged(name, _PLACE, types, dialect, sink.preparer)
        sink.run(self._create)
        staged = Entity(name, (_PLACE, *entity.attributes))
        tables = Tables(Model(name, (staged,)), dialect, {name: (None, name)})
        query = RowQuery(name, tuple(map(RowColumn, entity.attribute_names)), (RowColumn(_PLACE.name),))
        first, last = (sa.bindparam(each, type_=sa.types.NULLTYPE) for each in ("first", "last"))
        among = sa.column(quoted(_PLACE.name)).between(first, last)
        self._read = compile_query(tables, query).where(among).compile(dialect=dialect_of(sink.address))
        self._places = range(0)
        self._moves: dict[tuple[int, type], str] = {}

    def carry(self, rows: Sequence[Row]) -> None:
        """Add rows to the table. Raises `SourceError` for the first that it refuses or would return changed."""
        try:
            with self._attempt():
                self._stage(rows)
                self._sink.run(
                    f"INSERT INTO {self.into} ({self.columns}){self._engine.numbers_too} "  # noqa: S608 - quoted
                    f"SELECT {self.columns} FROM {self._staged} "
                    f"WHERE {self._place} BETWEEN {self._places[0]} AND {self._places[-1]} ORDER BY {self._place}"
                )
        except SourceError as error:
            if len(rows) == 1:
                raise self._placed(rows[0], error) from None
            for row in rows:
                self.carry([row])

    @contextmanager
    def _attempt(self) -> Iterator[None]:
        """Undo everything inside if it fails."""
        self._sink.run(f"SAVEPOINT {_SAVEPOINT}")
        try:
            with typed_errors(self._sink.address):
                yield
        except SourceError:
            self._sink.run(f"ROLLBACK TO SAVEPOINT {_SAVEPOINT}")
            raise
        self._sink.run(f"RELEASE SAVEPOINT {_SAVEPOINT}")

    def refused(self, rows: Sequence[Row]) -> Iterator[RefusedValues]:
        """The values that their columns refuse or would return changed; the table does not change."""
        return iter(summed(map(self._explained, self._refusals(rows))))

    def _refusals(self, rows: Sequence[Row]) -> Iterator[_Refusal]:
        try:
            with self._attempt():
                returned = self._returned(rows)
        except SourceError:
            if len(rows) > 1:
                yield from self._refusals(rows[: len(rows) // 2])
                yield from self._refusals(rows[len(rows) // 2 :])
            else:
                yield from self._failing(rows[0])
            return
        for row, back in zip(rows, returned, strict=True):
            if self._is_other(row, back):
                yield from ((row, position, _given_back(value)) for position, value in self._differing(row, back))

    def _explained(self, refusal: _Refusal) -> RefusedValues:
        """The refusal in words; the remedy is determined for the first value of its kind."""
        row, position, why = refusal
        attribute, value = self._entity.attributes[position], row[position]
        at = (position, type(value))
        if at not in self._moves:
            self._moves[at] = self._move(attribute, value)
        what = f"`{attribute.name}` is {value_words(value)}: {why}"
        problem = Problem(what, where=self._where(row), next_move=self._moves[at])
        return RefusedValues(self._entity.name, attribute.name, type(value), 1, row, problem)

    def _differing(self, row: Row, back: Row) -> Iterator[tuple[int, object]]:
        """The positions of values that come back changed, and what comes back."""
        for position, (judge, given, found) in enumerate(zip(self._judges, row, back, strict=True)):
            if judge([given]) != judge([found]):
                yield position, found

    def _is_other(self, row: Row, back: Row) -> bool:
        return self._encode(row) != self._encode(back) and self._judge(row) != self._judge(back)

    def _stage(self, rows: Sequence[Row]) -> None:
        """Write rows only to the temporary table, and compare what it returns."""
        for row, back in zip(rows, self._returned(rows), strict=True):
            if self._is_other(row, back):
                _, value = next(self._differing(row, back))
                raise SourceError(Problem(_given_back(value)))

    def _returned(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows as the temporary table returns them."""
        for statement in self._engine.emptying(self._staged, self._create):
            self._sink.run(statement)
        self._places = range(self._places.stop, self._places.stop + len(rows))
        into = f"{self._staged} ({self._place}, {self.columns})"
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
        return [*convert_rows(cursor.fetchall(), self._converters)]

    def _placed(self, row: Row, error: SourceError) -> RowRefused:
        """The error with the table, the key of the row, and the column that fails by itself, if one does."""
        found = next(self._failing(row), None)
        if found is not None:
            value = self._explained(found)
            return RowRefused(value.problem, entity=value.entity, row=row, attribute=value.attribute)
        said = error.problems[0].what
        move = self._engine.other_target if self._is_ours else _CHANGE_ROW
        problem = self._duplicate(row, said) or Problem(
            f"the row is refused: {said}", where=self._where(row), next_move=move
        )
        return RowRefused(problem, entity=self._entity.name, row=row)

    def _duplicate(self, row: Row, said: str) -> Problem | None:
        """The problem of a row that duplicates an existing one; None if it is refused for another reason."""
        entity, names = self._entity, self._entity.attribute_names
        for unique in self._uniques:
            if any(row[names.index(name)] is None for name in unique):
                continue
            if (other := self._equal_row(row, unique)) is None:
                continue
            key = entity.key or unique
            values = f"{self._values(unique, row)} and {self._values(unique, other)}"
            what = f"two rows are duplicates under the UNIQUE of {name_list(unique)}: {values}; the server says: {said}"
            where = f"table {entity.name}, the rows {self._values(key, other)} and {self._values(key, row)}"
            return Problem(what, where=where, next_move=self._told_apart(unique))
        return None

    def _equal_row(self, row: Row, unique: tuple[str, ...]) -> Row | None:
        """A row of the table that has the same values as another, as the table compares them."""
        quoted_names = [quote(name, self._sink.preparer) for name in unique]
        equal = " AND ".join(f"t.{name} = s.{name}" for name in quoted_names)
        columns = ", ".join(f"t.{quote(name, self._sink.preparer)}" for name in self._entity.attribute_names)
        self._sink.run(f"SAVEPOINT {_SAVEPOINT}")
        try:
            with typed_errors(self._sink.address):
                self._stage([row])
                found = self._sink.run(
                    f"SELECT {columns} FROM {self.into} AS t JOIN {self._staged} AS s ON {equal} "  # noqa: S608 - quoted
                    f"WHERE s.{self._place} = {self._places[0]} LIMIT 1"
                ).fetchall()
        except SourceError:
            return None
        finally:
            self._sink.run(f"ROLLBACK TO SAVEPOINT {_SAVEPOINT}")
        return next(iter(convert_rows(found, self._converters)), None) if found else None

    def _told_apart(self, unique: tuple[str, ...]) -> str:
        collation = self._engine.telling_collation
        is_text = any(self._entity.attribute(name).type.name in TEXTS for name in unique)
        if self._is_ours or not is_text or not collation:
            return "change one of the two rows"
        return f"change one of the two rows, or give {name_list(unique)} the collation {collation} in the target"

    def _values(self, names: Sequence[str], row: Row) -> str:
        values = dict(zip(self._entity.attribute_names, row, strict=True))
        return ", ".join(f"{name} = {value_words(values[name])}" for name in names)

    def _where(self, row: Row) -> str:
        return f"table {self._entity.name}, the row {self._values(self._entity.key, row) or 'without a key'}"

    def _failing(self, row: Row) -> Iterator[_Refusal]:
        """The values of a row that fail by themselves."""
        for position, value in enumerate(row):
            if value is None:
                continue
            alone = tuple(value if position == place else None for place in range(len(row)))
            try:
                with self._attempt():
                    self._stage([alone])
            except SourceError as found:
                yield row, position, found.problems[0].what

    def _move(self, attribute: Attribute, value: object) -> str:
        """What to do with a value: listing a type is suggested only if the column would then return it unchanged."""
        if not self._is_ours:
            return _CHANGE_COLUMN
        listed = (replace(attribute, also=(*attribute.also, kind)) for kind in _LISTED)
        if self._engine.enforces_types or any(self._is_kept(each, value) for each in listed):
            return self._engine.other_target
        return _convert(attribute) if _holds_numbers_and_texts(attribute) else _CHANGE

    def _is_kept(self, attribute: Attribute, value: object) -> bool:
        """Whether a column of this attribute would give the value back; leaves no trace."""
        tried = Entity("nestling tried", (attribute,))
        self._sink.run(f"SAVEPOINT {_SAVEPOINT}")
        try:
            with typed_errors(self._sink.address):
                types = staged_types(tried, Model(tried.name, (tried,)), self._sink.address.dialect)
                Passage(self._sink, tried, tried.name, types=types)._stage([(value,)])
        except SourceError:
            return False
        finally:
            self._sink.run(f"ROLLBACK TO SAVEPOINT {_SAVEPOINT}")
        return True


def _holds_numbers_and_texts(attribute: Attribute) -> bool:
    kinds = {attribute.type.name, *(each.name for each in attribute.also)}
    return bool(kinds & NUMBERS and kinds & TEXTS)


def _convert(attribute: Attribute) -> str:
    return (
        f"convert `{attribute.name}` to one type, as the finding mixed-types of `nestling doctor` describes: it holds numbers and"
        " texts, and a column of one type cannot return both"
    )


def _given_back(value: object) -> str:
    return f"its column would return {value_words(value)}"
