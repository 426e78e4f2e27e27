"""An index as the server is told of it: its name, its options, and why it is there."""

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
    """An index and why it is there; `partial`: what holds of the documents in it; `collation`: how it compares texts.

    `sparse`: that all fields are there is all that holds, and is said so: what is asked of one element then finds it too.

    `named`: whether the design names it, or what it serves; `about`: the relationships and entities it is there for besides.
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

    @property
    def fields(self) -> str:
        """The keys as people read them: `customer_id, -placed_at`."""
        return ", ".join(path if direction > 0 else f"-{path}" for path, direction in self.keys)

    @property
    def name(self) -> str:
        """The name the shell would give it, with what tells it from others on the same keys; at most 127 bytes."""
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
    """What an index is named by: a path and its value alone where it is equal, or None where it exists."""
    plain = one.comparison in (ClauseOperator.EQUAL, ClauseOperator.PRESENT)
    return (one.name, one.value) if plain else (one.name, str(one.comparison), one.value)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:8]
