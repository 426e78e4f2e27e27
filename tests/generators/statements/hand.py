"""The draws of one statement: what it has used so far, names and parameters it has given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hypothesis import strategies as st

from tests.generators.statements.ground import Ground, Known, Table

Drawn = TypeVar("Drawn")
Scope = tuple[Known, ...]


@dataclass
class Hand:
    """Writes one statement over a ground, `draw` by draw."""

    draw: st.DrawFn
    ground: Ground
    constructs: set[str] = field(default_factory=set)
    values: dict[str, object] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    aliases: int = 0
    subqueries: int = 0

    def one_of(self, choices: Sequence[Drawn]) -> Drawn:
        """One of them, the first being the simplest."""
        return self.draw(st.sampled_from(choices))

    def weighted(self, *choices: tuple[int, Drawn]) -> Drawn:
        """One of them, each as likely as its weight."""
        return self.one_of([choice for weight, choice in choices for _ in range(weight)])

    def chance(self, one_in: int) -> bool:
        """Rarely true; false is the simplest."""
        return self.draw(st.integers(0, one_in - 1)) == one_in - 1

    def number(self, least: int, most: int) -> int:
        """A whole number."""
        return self.draw(st.integers(least, most))

    def some(self, make: Callable[[], Drawn], least: int, most: int) -> list[Drawn]:
        """A few of what is made."""
        return [make() for _ in range(self.number(least, most))]

    def uses(self, construct: str) -> None:
        """Note a construct."""
        self.constructs.add(construct)

    def alias(self) -> str:
        """A new name for a table."""
        self.aliases += 1
        return f"t{self.aliases}"

    def parameter(self, value: object) -> str:
        """A parameter with a value."""
        self.uses("parameter")
        name = f"p{len(self.values) + 1}"
        self.values[name] = value
        return f":{name}"

    def known_tables(self) -> list[Table]:
        """Every entity, and the CTEs around."""
        return [*self.ground.tables.values(), *self.tables.values()]

    @contextmanager
    def subquery(self) -> Any:
        """One level deeper."""
        self.subqueries += 1
        yield
        self.subqueries -= 1

    @property
    def may_nest(self) -> bool:
        """Whether there is room for one more subquery: two deep, few in all."""
        return self.subqueries < 2
