"""Rows written to a SQL database: tables made from a model, filled in batches, checked, and visible all at once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from nestling.common.errors import Problem, SourceError
from nestling.ir.fraction import MOST_DIGITS
from nestling.sources.sql.address import Address
from nestling.sources.sql.connection import connect, dialect_of, typed_errors
from nestling.sources.sql.engines import engine_of
from nestling.sources.sql.existing import existing_tables, refuse_dangling, refuse_lost
from nestling.sources.sql.table_ddl import (
    create_table,
    keyed_alike,
    partial_indexes,
    place_of,
    quote,
    retyped_column,
    staged_types,
    widened,
)
from nestling.sources.sql.undeclared import filled_as_they_were, left_out, left_out_everywhere

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from nestling.ir.model import Attribute, Entity, Model, Relationship
    from nestling.ir.rows import RefusedValues
    from nestling.sources.sql.catalog import Catalog
    from nestling.sources.sql.engine import Engine
    from nestling.sources.sql.existing import Existing
    from nestling.sources.sql.passage import Passage

_OTHER_TYPES = (
    "unload to SQLite, whose columns can hold values of different types; or, if no such value is left,"
    " remove its type from the attribute's `also` in the design's model"
)
"""What to do if the design allows values that no column can hold, whether or not there are any."""


class SqlSink:
    """A target for rows. After `finish`, `broken` lists the relationships that some rows violate.

    `made`: tables it created; `existing`: those that existed; rows of `held` wait in a separate table.
    """

    def __init__(self, address: Address) -> None:
        self.address = address
        self.broken: tuple[str, ...] = ()
        self._model: Model | None = None
        self.made: list[Entity] = []
        self.existing: Mapping[str, Existing] = {}
        self.held: dict[str, Passage] = {}
        self.is_committed = False
        self.was_there = True
        self._is_finished = False
        self._written: Counter[str] = Counter()
        self._catalog: Catalog | None = None
        self._passages: dict[str, Passage] = {}
        self._entities: dict[str, Entity] = {}

    @cached_property
    def connection(self) -> Any:
        """The driver's own, made when first asked for."""
        self.was_there = self._engine.is_there(self.address)
        connection = connect(self.address, read_only=False)
        self._engine.begin_writing(connection)
        return connection

    @property
    def _engine(self) -> Engine:
        return engine_of(self.address.dialect)

    @cached_property
    def preparer(self) -> Any:
        """SQLAlchemy's preparer, which quotes names."""
        return dialect_of(self.address).identifier_preparer

    def begin(self, model: Model) -> None:
        """Create missing tables; existing ones are not changed.

        Raises `SourceError`, and changes nothing, if one of them holds rows or cannot hold the model's values.
        """
        self._model = model
        with typed_errors(self.address):
            self.existing, self._catalog = existing_tables(self, model)
            missing = [entity for entity in model.entities if entity.name not in self.existing]
            self._refuse_types(missing)
            places = (place_of(entity.name, self.address.dialect) for entity in missing)
            for schema in sorted({schema for schema, _ in places if schema}):
                self.run(f"CREATE SCHEMA IF NOT EXISTS {quote(schema, self.preparer)}")
            self._entities = {entity.name: keyed_alike(entity, model, self.address.dialect) for entity in missing}
            for entity in missing:
                self._make(entity, model)
            self._engine.tolerate_any_text(self.connection)
            for number, entity in enumerate(model.entities):
                self._passages[entity.name] = self._passage(entity, model, f"nestling staged {number}")

    def _make(self, entity: Entity, model: Model) -> None:
        made, dialect = self._entities[entity.name], self.address.dialect
        self.run(create_table(made, model.parents_of(entity.name), dialect, self.preparer))
        self.made.append(entity)
        for _, _, index in partial_indexes(made, dialect, self.preparer):
            self.run(index)

    def _passage(self, entity: Entity, model: Model, name: str) -> Passage:
        """The way of an entity's rows into its table, or into one that holds them back."""
        from nestling.sources.sql.passage import Passage

        existing = self.existing.get(entity.name)
        if existing is None:
            types = staged_types(entity, model, self.address.dialect)
            groups = tuple(filter(None, (entity.key, *entity.uniques)))
            return Passage(self, entity, name, types=types, uniques=groups)
        held, own = self._engine.held_for(self, existing, f"{name} held"), existing.entity
        passage = Passage(self, own, name, types=existing.types, uniques=own.uniques, into=held, is_ours=False)
        if held is not None:
            self.held[entity.name] = passage
        return passage

    def write(self, entity: Entity, rows: Sequence[tuple[object, ...]]) -> None:
        """Add rows (conceptual values in attribute order). Raises `SourceError` for one that is not read back unchanged."""
        if rows:
            with typed_errors(self.address):
                self._widen(entity.name, rows)
                self._passages[entity.name].carry(self._without_computed(entity, rows))
                self._written[entity.name] += len(rows)

    def refused(self, entity: Entity, rows: Sequence[tuple[object, ...]]) -> Iterator[RefusedValues]:
        """The values of rows that `write` would refuse, all of them; adds nothing."""
        if rows:
            with typed_errors(self.address):
                self._widen(entity.name, rows)
                yield from self._passages[entity.name].refused(self._without_computed(entity, rows))

    def finish(self) -> tuple[str, ...]:
        """Add the foreign keys, note violated ones, continue numbers after the highest, and commit."""
        assert self._model is not None, "begin comes first"
        with typed_errors(self.address):
            entities = self._entities.values()
            exact = {each.name: self._engine.exact_types(self, each, self._model) for each in entities}
            self.broken = self._engine.finished(self, self._model)
        self._is_finished = True
        self.close()
        broken = (f"the foreign key `{name}` is not declared, or violated by some rows" for name in self.broken)
        views = {view.name for view in self._catalog.views} if self._catalog is not None else set()
        return (
            *broken,
            *filled_as_they_were(self.existing.values()),
            *left_out(entities, self._model, self.address.dialect, exact),
            *left_out_everywhere(self._model, self.address.dialect, made=frozenset(self._entities), views=views),
        )

    def close(self) -> None:
        """Discard what has not been finished: nothing of it stays."""
        connection = self.__dict__.pop("connection", None)
        if connection is None:
            return
        connection.close()
        if not self._is_finished:
            with typed_errors(self.address):
                self._engine.undone(self)

    @property
    def links_made(self) -> tuple[Relationship, ...]:
        """The relationships whose foreign key is for this run to make: tables that were there have their own."""
        assert self._model is not None, "begin comes first"
        return tuple(link for link in self._model.relationships if link.child not in self.existing)

    def refuse_lost(self) -> None:
        """Raise `SourceError` if existing tables do not hold as many rows as were written."""
        refuse_lost(self, tuple(self.existing.values()), self._written)

    def refuse_dangling(self) -> None:
        """Raise SourceError where rows break foreign keys of tables that were there."""
        refuse_dangling(self, tuple(self.existing.values()), self._catalog)

    def _without_computed(self, entity: Entity, rows: Sequence[tuple[object, ...]]) -> Sequence[tuple[object, ...]]:
        """The rows without columns that their table computes."""
        computed = self.existing[entity.name].computed if entity.name in self.existing else ()
        if not computed:
            return rows
        places = [place for place, name in enumerate(entity.attribute_names) if name not in computed]
        return [tuple(row[place] for place in places) for row in rows]

    def _widen(self, name: str, rows: Sequence[tuple[object, ...]]) -> None:
        """Widen columns created here for longer texts and finer timestamps than in the model.

        A source that does not enforce its types may hold such values. If widening commits existing rows, tables that were empty
        are emptied again if something fails later.
        """
        if name not in self._entities or self._model is None:
            return
        entity, links, dialect = self._entities[name], self._model.parents_of(name), self.address.dialect
        for place, (before, after) in enumerate(zip(entity.attributes, widened(entity, links, dialect), strict=True)):
            if after is before or not any(_is_beyond(row[place], before) for row in rows):
                continue
            wide = (after if each is before else each for each in entity.attributes)
            entity = replace(entity, attributes=tuple(wide))
            self.is_committed = self.is_committed or self._engine.commits_retyping
            self.run(retyped_column(entity, links, after.name, dialect, self.preparer))
        self._entities[name] = entity

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

    def _refuse_types(self, entities: Sequence[Entity]) -> None:
        problems = [
            Problem(
                f"`{attribute.name}` is {attribute.type} and also {', '.join(map(str, left))}, and no column here can hold both",
                where=f"table {entity.name}",
                next_move=_OTHER_TYPES,
            )
            for entity in entities
            for attribute in entity.attributes
            if (left := self._engine.left_types(attribute))
        ]
        if problems:
            raise SourceError(*problems)


def _is_beyond(value: object, attribute: Attribute) -> bool:
    """Whether it is a longer text or a finer timestamp than the attribute allows."""
    if isinstance(value, datetime):
        return (
            attribute.fraction is not None and value.microsecond % 10 ** (MOST_DIGITS - attribute.fraction.digits) > 0
        )
    return isinstance(value, str) and bool(attribute.type.numbers) and len(value) > attribute.type.numbers[0]
