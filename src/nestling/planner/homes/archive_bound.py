"""The bound of an archive: rows whose attribute is before it lie in another collection."""

from __future__ import annotations

from nestling.ir.model import Attribute
from nestling.ir.statements.expression import Literal
from nestling.ir.value_forms.written_values import written_bound


def archive_bound(attribute: Attribute, text: str) -> Literal:
    """A written bound as a value of the attribute's type."""
    return Literal(written_bound(attribute.type, text), attribute.type)
