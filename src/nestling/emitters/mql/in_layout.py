"""Where the columns of a layout are, as expressions of statements ask for them."""

from __future__ import annotations

from nestling.emitters.mql.sql.placeholder import ConvertedPlaceholder
from nestling.ir.paths.row_steps import VARIABLE, Layout
from nestling.ir.statements.expression import Column
from nestling.ir.types import COMPOSITE


class InLayout:
    """An environment: the columns of a layout, parameters left open."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def path(self, column: Column) -> str:
        """The reference to a column's value."""
        path = self._layout.path(column)
        return path if path.startswith(VARIABLE) else f"${path}"

    def is_field(self, column: Column) -> bool:
        """Whether the query language may name it."""
        return not self._layout.path(column).startswith(VARIABLE) and column.type.name not in COMPOSITE

    def parameter(self, name: str) -> object:
        """The placeholder that is replaced when the statement runs."""
        return ConvertedPlaceholder(name)
