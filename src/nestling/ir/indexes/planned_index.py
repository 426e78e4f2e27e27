"""An index as created on the server: its name, its options, and its purpose."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from nestling.ir.programs.command import CreateIndex
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.ir.statements.operators import Collation
from nestling.ir.storage.collations import collation_option

NAME_BYTES = 127  # what every server version takes


@dataclass(frozen=True, slots=True)
class PlannedIndex:
    """An index and its purpose; `partial`: the condition on its documents; `collation`: how it compares texts.

    `sparse`: the only condition is that all fields exist, which is expressed in this way so that conditions on one element can
    use it. `named`: whether the design names it, or something it serves; `about`: the relationships and entities that it also
    serves. `in_any_order`: all its fields are compared for equality, so that their order does not matter.
    """

    collection: str
    keys: tuple[tuple[str, int], ...]
    reasons: tuple[str, ...]
    unique: bool = False
    partial: tuple[Clause, ...] = ()
    expire_after_seconds: int | None = None
    collation: Collation = Collation.BINARY
    named: bool = False
    about: frozenset[str] = frozenset()
    sparse: bool = False
    in_any_order: bool = False

    @property
    def fields(self) -> str:
        """The keys as people read them: `customer_id, -placed_at`."""
        return ", ".join(path if direction > 0 else f"-{path}" for path, direction in self.keys)

    @property
    def name(self) -> str:
        """The shell's default name, with a suffix that distinguishes it from others on the same keys; at most 127 bytes."""
        name = "_".join(f"{path}_{direction}" for path, direction in self.keys) + ("_unique" if self.unique else "")
        name += "_ci" if self.collation is not Collation.BINARY else ""
        if self.partial:
            name += "_" + _digest(repr(tuple(map(_told, self.partial))))
        encoded = name.encode(errors="replace")
        if len(encoded) <= NAME_BYTES:
            return name
        return encoded[: NAME_BYTES - 9].decode(errors="ignore") + "_" + _digest(name)

    def command(self) -> CreateIndex:
        """The command that creates the index."""
        options: dict[str, object] = {"name": self.name}
        if self.unique:
            options["unique"] = True
        if self.sparse:
            options["sparse"] = True
        elif self.partial:
            options["partialFilterExpression"] = _filter(self.partial)
        if self.expire_after_seconds is not None:
            options["expireAfterSeconds"] = self.expire_after_seconds
        if (collation := collation_option(self.collation)) is not None:
            options["collation"] = collation
        return CreateIndex(self.collection, self.keys, options)


_OPERATORS = {
    ClauseOperator.LESS: "$lt",
    ClauseOperator.LESS_OR_EQUAL: "$lte",
    ClauseOperator.GREATER: "$gt",
    ClauseOperator.GREATER_OR_EQUAL: "$gte",
}


def _filter(partial: Iterable[Clause]) -> dict[str, object]:
    """A filter expression as every server version takes it: equality, `$exists: true` and the four comparisons."""
    found: dict[str, object] = {}
    for each in partial:
        if each.comparison in (ClauseOperator.EQUAL, ClauseOperator.NULL):
            found[each.name] = each.value
            continue
        operator = _OPERATORS.get(each.comparison, "$exists")
        told = found.setdefault(each.name, {})
        if isinstance(told, dict):
            told[operator] = True if each.comparison is ClauseOperator.PRESENT else each.value
    return found


def _told(one: Clause) -> tuple[object, ...]:
    """The part of an index's name for a condition: path and value for equality, or None for existence."""
    plain = one.comparison in (ClauseOperator.EQUAL, ClauseOperator.PRESENT)
    return (one.name, one.value) if plain else (one.name, str(one.comparison), one.value)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:8]
