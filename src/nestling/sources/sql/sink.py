"""Rows written to a SQL database: tables made from a model, filled in batches, checked, and visible all at once."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from nestling.common.errors import Problem, SourceError
from nestling.sources.sql.address import Address
from nestling.sources.sql.connection import connect, dialect_of, typed_errors
from nestling.sources.sql.engines import engine_of
from nestling.sources.sql.table_ddl import create_table, keyed_alike, partial_indexes, place_of, quote, retyped_column
from nestling.sources.sql.undeclared import left_out, left_out_everywhere

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nestling.ir.model import Entity, Model
    from nestling.ir.rows import RefusedValues
    from nestling.sources.sql.engine import Engine
    from nestling.sources.sql.passage import Passage

_OTHER_TYPES = (
    "unload to SQLite, whose columns hold values of several types; or, where no such value is left,"
    " take its type out of the attribute's `also` in the design's model"
)
"""What to do where the design says of values that no column holds, whether there are any or not."""


class SqlSink:
    """A target for rows. `broken` lists, after `finish`, the relationships some rows do not keep."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.broken: tuple[str, ...] = ()
        self._model: Model | None = None
        self._passages: dict[str, Passage] = {}
        self._entities: dict[str, Entity] = {}

    @cached_property
    def connection(self) -> Any:
        """The driver's own, made when first asked for."""
        connection = connect(self.address, read_only=False)
        self._engine.begin_writing(connection)
        return connection

    @property
    def _engine(self) -> Engine:
        return engine_of(self.address.dialect)

    @cached_property
    def preparer(self) -> Any:
        """What quotes names."""
        return dialect_of(self.address).identifier_preparer

    def begin(self, model: Model) -> None:
        """Create the tables; raises SourceError when one of them exists and holds rows, or could not hold what the model says."""
        from nestling.sources.sql.passage import Passage

        self._model = model
        self._refuse_types(model)
        with typed_errors(self.address):
            self._refuse_rows(model)
            for schema in sorted(
                {schema for e in model.entities if (schema := place_of(e.name, self.address.dialect)[0])}
            ):
                self.run(f"CREATE SCHEMA IF NOT EXISTS {quote(schema, self.preparer)}")
            self._entities = {entity.name: keyed_alike(entity, model) for entity in model.entities}
            for entity in model.entities:
                self.run(f"DROP TABLE IF EXISTS {self.table(entity)}{self._engine.dropped_with}")
                links = model.parents_of(entity.name)
                made = self._entities[entity.name]
                self.run(create_table(made, links, self.address.dialect, self.preparer))
                for index in partial_indexes(made, self.address.dialect, self.preparer):
                    self.run(index)
            self._engine.tolerate_any_text(self.connection)
            for number, entity in enumerate(model.entities):
                self._passages[entity.name] = Passage(self, entity, model, f"nestling staged {number}")

    def write(self, entity: Entity, rows: Sequence[tuple[object, ...]]) -> None:
        """Add rows, each a tuple of conceptual values in attribute order; raises SourceError for one not read back as it is."""
        if rows:
            with typed_errors(self.address):
                self._widen(entity.name, rows)
                self._passages[entity.name].carry(rows)

    def refused(self, entity: Entity, rows: Sequence[tuple[object, ...]]) -> Iterator[RefusedValues]:
        """The values of rows that `write` would refuse, all of them; adds nothing."""
        if rows:
            with typed_errors(self.address):
                self._widen(entity.name, rows)
                yield from self._passages[entity.name].refused(rows)

    def finish(self) -> tuple[str, ...]:
        """Add the foreign keys, note those that do not hold, have numbers go on behind the highest, and commit."""
        assert self._model is not None, "begin comes first"
        with typed_errors(self.address):
            entities = self._entities.values()
            exact = {each.name: self._engine.exact_types(self, each, self._model) for each in entities}
            self.broken = self._engine.finished(self, self._model)
        self.close()
        broken = (f"the foreign key `{name}` is not declared, or not kept by all rows" for name in self.broken)
        dialect = self.address.dialect
        tables = (left_out(each, self._model, dialect, exact[each.name]) for each in entities)
        return (*broken, *chain.from_iterable(tables), *left_out_everywhere(self._model, dialect))

    def close(self) -> None:
        """Give up what has not been finished."""
        self.connection.close()

    def _widen(self, name: str, rows: Sequence[tuple[object, ...]]) -> None:
        """Have columns take texts that are longer than the model says, as those of a source that does not look."""
        entity = self._entities[name]
        wide = tuple(
            widened
            if widened is not each and any(_is_longer(row[place], each.type.numbers[0]) for row in rows)
            else each
            for place, (each, widened) in enumerate((a, self._engine.widened(a)) for a in entity.attributes)
        )
        for before, after in zip(entity.attributes, wide, strict=True):
            if after is not before:
                self.run(retyped_column(entity.name, after, self.address.dialect, self.preparer))
        self._entities[name] = replace(entity, attributes=wide)

    def run(self, statement: str) -> Any:
        """Execute one statement."""
        cursor = self.connection.cursor()
        cursor.execute(statement)
        return cursor

    def table(self, entity: Entity) -> str:
        """The quoted name of an entity's table."""
        schema, name = place_of(entity.name, self.address.dialect)
        quoted = quote(name, self.preparer)
        return f"{quote(schema, self.preparer)}.{quoted}" if schema else quoted

    def _refuse_types(self, model: Model) -> None:
        problems = [
            Problem(
                f"`{attribute.name}` is {attribute.type} and also {', '.join(map(str, left))}, which no column here holds both",
                where=f"table {entity.name}",
                next_move=_OTHER_TYPES,
            )
            for entity in model.entities
            for attribute in entity.attributes
            if (left := self._engine.left_types(attribute))
        ]
        if problems:
            raise SourceError(*problems)

    def _refuse_rows(self, model: Model) -> None:
        existing = self._engine.tables(
            self, {place_of(entity.name, self.address.dialect)[0] for entity in model.entities}
        )
        taken = [e for e in model.entities if place_of(e.name, self.address.dialect) in existing]
        full = [e.name for e in taken if self.run(f"SELECT 1 FROM {self.table(e)} LIMIT 1").fetchone()]  # noqa: S608 - quoted
        if full:
            what = f"the target already holds rows in {', '.join(f'`{name}`' for name in full)}"
            raise SourceError(
                Problem(what, where=self.address.origin, next_move="name a new file or an empty database")
            )


def _is_longer(value: object, most: int) -> bool:
    return isinstance(value, str) and len(value) > most
