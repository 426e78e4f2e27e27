"""Occurrences of entities in a query, and the tokens texts name their columns by."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from nestling.ir.free_names import free_name
from nestling.sources.capture.sql.words import plain, quoted

TOKEN = re.compile("\x01(\\d+)\x02([^\x03]*)\x03")
"""A column in a text: the number of its row, and the attribute."""


@dataclass(eq=False, slots=True)
class EntityRow:
    """An occurrence of an entity, joined where each of its attributes in `on` equals a text.

    `after`: the row it is joined to. `outer`: by a LEFT JOIN. `conditions` are further ones of the join, `filters` those on rows
    joined to it, tested once all are joined. `is_copy`: reached by a copy, so that a write there is not a change of the data.
    """

    number: int
    entity: str
    on: tuple[tuple[str, str], ...] = ()
    after: EntityRow | None = None
    outer: bool = False
    conditions: list[str] = field(default_factory=list)
    filters: list[str] = field(default_factory=list)
    is_copy: bool = False

    @property
    def may_lack(self) -> bool:
        """Whether a left join on the way here may have found nothing."""
        return self.outer or (self.after is not None and self.after.may_lack)

    @property
    def first(self) -> EntityRow:
        """The row at the beginning of the way here."""
        return self if self.after is None else self.after.first


def token(row: EntityRow, attribute: str) -> str:
    """A column in a text, as a token that is later replaced by its name."""
    return f"\x01{row.number}\x02{attribute}\x03"


@dataclass(slots=True)
class EntityRows:
    """The rows of a statement, by number, and their aliases."""

    known: dict[int, EntityRow] = field(default_factory=dict)
    _aliases: dict[int, str] = field(default_factory=dict)

    def new(
        self, entity: str, on: tuple[tuple[str, str], ...] = (), after: EntityRow | None = None, *, outer: bool = False
    ) -> EntityRow:
        """Add a row for an occurrence of the entity."""
        row = self.known[len(self.known)] = EntityRow(len(self.known), entity, on, after, outer)
        return row

    def name(self, row: EntityRow, alias: str) -> None:
        """Give a row an alias."""
        self._aliases[row.number] = alias

    def alias(self, row: EntityRow) -> str:
        """The alias of a row in SQL: the first letters of its entity, with a number if another row has them."""
        if row.number not in self._aliases:
            words = plain(row.entity or "found").lower().split("_")
            base = "".join(word[:1] for word in words) or "t"
            base = base if base.isidentifier() else f"t{base}"
            taken = set(self._aliases.values())
            self._aliases[row.number] = free_name(base, lambda name: name in taken or quoted(name) != name, "")
        return self._aliases[row.number]

    def named(self, text: str) -> list[EntityRow]:
        """The rows whose columns a text names."""
        return [self.known[int(number)] for number, _ in TOKEN.findall(text)]
