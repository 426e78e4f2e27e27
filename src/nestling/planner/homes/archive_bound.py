"""The bound of an archive: rows whose attribute is before it lie in another collection."""

from __future__ import annotations

from nestling.ir.model import Attribute
from nestling.ir.primitives import Before
from nestling.ir.statements.columns import column_of
from nestling.ir.statements.expression import FALSE, TRUE, Case, Compare, Expression, Literal
from nestling.ir.statements.operators import Comparison
from nestling.ir.types import BOOLEAN
from nestling.ir.value_forms.written_values import written_bound


def archive_bound(attribute: Attribute, text: str) -> Literal:
    """A written bound as a value of the attribute's type."""
    return Literal(written_bound(attribute.type, text), attribute.type)


def is_before(attribute: Attribute, rows: Before, alias: str, name: str = "") -> Expression:
    """Whether a row's attribute, a column of `alias` under its own name or another, is before the bound: NULL never is."""
    column = column_of(attribute, alias, name)
    less = Compare(Comparison.LESS, column, archive_bound(attribute, rows.value))
    return Case(((less, TRUE),), FALSE, BOOLEAN)
