"""Random INSERT, UPDATE and DELETE statements over a model, made of values that SQLite holds at that moment."""

from __future__ import annotations

import random
import sqlite3
from dataclasses import dataclass
from uuid import UUID

from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.types import TypeName

FRESH = 12
"""Numbers for new keys: few, so that some are there already."""


@dataclass
class Writer:
    """Draws one statement after the other."""

    model: Model
    connection: sqlite3.Connection
    draw: random.Random
    answering: bool = False  # some statements say RETURNING

    def statement(self) -> str:
        """The next statement."""
        entity = self.draw.choice(self.model.entities)
        kind = self.draw.choices(("insert", "update", "delete"), (4, 5, 2))[0]
        match kind:
            case "insert":
                sql = self._insert(entity)
            case "update":
                sql = self._update(entity)
            case _:
                sql = f"DELETE FROM {quoted(entity.name)} WHERE {self.condition(entity)}"
        return sql + self._returning(entity) if self.answering and self.draw.random() < 0.25 else sql

    def _returning(self, entity: Entity) -> str:
        """All columns, some, or what is computed of one."""
        names = [quoted(name) for name in entity.attribute_names]
        some = self.draw.sample(names, self.draw.randint(1, len(names)))
        computed = self.draw.choice(("{} IS NULL", "coalesce({}, 'none')", "{0} = {0}")).format(self.draw.choice(names))
        return " RETURNING " + self.draw.choice(("*", ", ".join(some), f"{some[0]}, {computed} AS computed"))

    def _insert(self, entity: Entity) -> str:
        rows = [self._row(entity) for _ in range(self.draw.choice((1, 1, 1, 2)))]
        if self.draw.random() < 0.1:
            rows[-1] |= self._asked(entity, rows[-1])
            return self._inserted(entity, rows)
        if self.draw.random() < 0.1:
            return self._taken_or_left(entity, rows)
        groups = [group for group in (entity.key, *entity.uniques) if group]
        if not groups or self.draw.random() >= 0.3:
            return self._inserted(entity, rows)
        if self.draw.random() < 0.2:
            return self._given_again(entity, groups)
        if self.draw.random() < 0.5:
            rows[-1] |= self._met(entity, groups)
        return self._inserted(entity, rows) + self._upsert(entity, groups)

    def _taken_or_left(self, entity: Entity, rows: list[dict[str, str]]) -> str:
        """OR IGNORE of rows that may break what their entity keeps, or OR REPLACE where nothing refers to those that go."""
        rows[-1] |= self._met(entity, [group for group in (entity.key, *entity.uniques) if self.draw.random() < 0.5])
        lone = entity.key[0] if len(entity.key) == 1 else ""  # which SQLite numbers where it is a whole number
        names = [each.name for each in entity.attributes if each.name != lone or each.type.name is not TypeName.INTEGER]
        if names and self.draw.random() < 0.5:
            rows[-1][self.draw.choice(names)] = "NULL"
        word = "IGNORE" if self.model.children_of(entity.name) else self.draw.choice(("IGNORE", "REPLACE"))
        return self._inserted(entity, rows).replace("INSERT", f"INSERT OR {word}", 1)

    def _met(self, entity: Entity, groups: list[tuple[str, ...]]) -> dict[str, str]:
        """Values of each group that a row has: of several groups, values of several rows."""
        there = [(group, self.existing(entity)) for group in groups]
        return {name: row[name] for group, row in there if row is not None for name in group}

    def _asked(self, entity: Entity, row: dict[str, str]) -> dict[str, str]:
        """A value of the row as a subquery: its own, or another's where no key is concerned."""
        kinds = (TypeName.INTEGER, TypeName.TEXT)
        names = [each.name for each in entity.attributes if each.type.name in kinds and not each.also]
        if not names:
            return {}
        name = self.draw.choice(names)
        bound = {*entity.key, *(each for link in self.model.parents_of(entity.name) for each in link.child_attributes)}
        if name in bound or self.draw.random() < 0.5:
            return {name: f"(SELECT {row[name]})"}
        return {name: f"coalesce((SELECT max({quoted(name)}) FROM {quoted(entity.name)}), {row[name]})"}

    def _inserted(self, entity: Entity, rows: list[dict[str, str]]) -> str:
        names = ", ".join(quoted(name) for name in entity.attribute_names)
        values = ", ".join(f"({', '.join(row[name] for name in entity.attribute_names)})" for row in rows)
        return f"INSERT INTO {quoted(entity.name)} ({names}) VALUES {values}"

    def _given_again(self, entity: Entity, groups: list[tuple[str, ...]]) -> str:
        """Rows that are there, of which some values are others now."""
        names, row = entity.attribute_names, self._row(entity)
        fixed = {*(each for link in self.model.parents_of(entity.name) for each in link.child_attributes)}.union(
            *groups
        )
        others = {name for name in names if name not in fixed and self.draw.random() < 0.5}
        outputs = ", ".join(row[name] if name in others else quoted(name) for name in names)
        into = f"INSERT INTO {quoted(entity.name)} ({', '.join(map(quoted, names))})"
        selected = f"SELECT {outputs} FROM {quoted(entity.name)} WHERE {self.condition(entity)}"
        return f"{into} {selected}{self._upsert(entity, groups, any_group=False)}"

    def _upsert(self, entity: Entity, groups: list[tuple[str, ...]], *, any_group: bool = True) -> str:
        """What becomes of a row that is there already: by a group, or by any."""
        group = self.draw.choice([*groups, ()] if any_group else groups)
        target = f" ON CONFLICT ({', '.join(map(quoted, group))}) DO " if group else " ON CONFLICT DO "
        referring = {name for link in self.model.parents_of(entity.name) for name in link.child_attributes}
        free = [name for name in entity.attribute_names if name not in referring and name not in entity.key]
        if not free or self.draw.random() < 0.3:
            return target + "NOTHING"
        chosen = self.draw.choice(free)
        value = f"excluded.{quoted(chosen)}" if self.draw.random() < 0.5 else self._row(entity)[chosen]
        return f"{target}UPDATE SET {quoted(chosen)} = {value}"

    def _update(self, entity: Entity) -> str:
        row = self._row(entity)
        most = min(2, len(entity.attribute_names))
        names = list(self.draw.sample(entity.attribute_names, self.draw.randint(1, most)))
        for link in self.model.parents_of(entity.name):
            if set(names) & set(link.child_attributes):
                names += [name for name in link.child_attributes if name not in names]
        changes = ", ".join(f"{quoted(name)} = {row[name]}" for name in names)
        return f"UPDATE {quoted(entity.name)} SET {changes} WHERE {self.condition(entity)}"

    def condition(self, entity: Entity) -> str:
        """One row mostly, told by its key; or all that share a value."""
        row = self.existing(entity)
        if row is None:
            return "1 = 0"
        names = entity.key if entity.key and self.draw.random() < 0.7 else (self.draw.choice(entity.attribute_names),)
        return " AND ".join(
            f"{quoted(name)} IS NULL" if row[name] == "NULL" else f"{quoted(name)} = {row[name]}" for name in names
        )

    def _row(self, entity: Entity) -> dict[str, str]:
        """A row of values that are around, with parents that exist (mostly) and keys that are new (mostly)."""
        row = {name: self._value(entity, name) for name in entity.attribute_names}
        for name in entity.key:
            if self.draw.random() < 0.8:
                row[name] = self._fresh(entity, name, row[name])
        for link in self.model.parents_of(entity.name):
            parent = self.existing(self.model.entity(link.parent)) if self.draw.random() < 0.9 else None
            for own, theirs in zip(link.child_attributes, link.parent_attributes, strict=True):
                if parent is not None:
                    row[own] = parent[theirs]
                elif entity.attribute(own).nullable:
                    row[own] = "NULL"
        return row

    def _fresh(self, entity: Entity, name: str, known: str) -> str:
        match entity.attribute(name).type.name:
            case TypeName.INTEGER:
                return str(self.draw.randint(1, FRESH))
            case TypeName.TEXT:
                return f"'new {self.draw.randint(1, FRESH)}'"
            case TypeName.UUID:
                return self._uuid()
            case _:
                return known

    def _value(self, entity: Entity, name: str) -> str:
        """A value some attribute of the type has."""
        attribute = entity.attribute(name)
        if attribute.nullable and self.draw.random() < 0.2:
            return "NULL"
        alike = [(e, a.name) for e in self.model.entities for a in e.attributes if a.type == attribute.type]
        owner, column = (entity, name) if self.draw.random() < 0.6 else self.draw.choice(alike)
        sql = f"SELECT quote({quoted(column)}) FROM {quoted(owner.name)} WHERE {quoted(column)} IS NOT NULL ORDER BY 1"
        found = [value for (value,) in self.connection.execute(sql)]
        return str(self.draw.choice(found)) if found else self._made(attribute)

    def _made(self, attribute: Attribute) -> str:
        match attribute.type.name:
            case TypeName.INTEGER:
                return str(self.draw.randint(1, FRESH))
            case TypeName.FLOAT:
                return "2.5"
            case TypeName.DATE:
                return "'2020-02-02'"
            case TypeName.UUID:
                return self._uuid()
            case _:
                return "NULL" if attribute.nullable else "'x'"

    def _uuid(self) -> str:
        return f"'{UUID(int=self.draw.randint(1, FRESH))}'"

    def existing(self, entity: Entity) -> dict[str, str] | None:
        """A row that is there, its values as SQL writes them."""
        columns = ", ".join(f"quote({quoted(name)})" for name in entity.attribute_names)
        rows = self.connection.execute(f"SELECT {columns} FROM {quoted(entity.name)} ORDER BY {columns}").fetchall()
        chosen = ("NULL" if value == "X''" else str(value) for value in self.draw.choice(rows)) if rows else ()
        return dict(zip(entity.attribute_names, chosen, strict=True)) if rows else None


def quoted(name: str) -> str:
    """An identifier as SQL quotes it."""
    return '"' + name.replace('"', '""') + '"'
