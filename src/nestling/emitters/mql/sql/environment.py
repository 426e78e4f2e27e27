"""The surroundings of an expression: where its columns are, and what its parameters are."""

from __future__ import annotations

from typing import Protocol

from nestling.ir.statements.expression import Column


class Environment(Protocol):
    """The documents an expression is evaluated over."""

    def path(self, column: Column) -> str:
        """The reference to a column's value in an aggregation expression: `$customer.name`, `$$line.price`."""

    def is_field(self, column: Column) -> bool:
        """Whether the column is a field of the current document whose path contains no array: the query language may name it."""

    def parameter(self, name: str) -> object:
        """The BSON value bound to a parameter (None for NULL), or a `Placeholder` to be replaced later."""
