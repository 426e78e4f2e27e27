"""UUIDs compared with texts. In SQLite a UUID is a text of 36 characters in lower case; both sort in the same order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import UUID

from bson import Binary

from nestling.emitters.mql.sql.constants import inline
from nestling.emitters.mql.sql.conversion import coerced_parameter
from nestling.emitters.mql.sql.placeholder import ConvertedPlaceholder
from nestling.ir.conversions import given
from nestling.ir.statements.expression import Coerce, Column, Expression, Literal, Parameter, Raw
from nestling.ir.statements.operators import Affinity
from nestling.ir.types import TypeName

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.constants import MqlValue
    from nestling.emitters.mql.sql.renderer import Renderer


def is_uuid(expression: Expression) -> bool:
    """Whether it is the text of a value that is certainly a UUID, or certainly not the canonical text of one."""
    operand = expression.operand if isinstance(expression, Raw) else expression
    return operand.type.name is TypeName.UUID and isinstance(operand, Column) and not operand.mixed


def stored_uuid(value: object) -> object:
    """The stored value for a text; a placeholder will convert it when it is bound."""
    if isinstance(value, ConvertedPlaceholder):
        return replace(value, uuid=True)
    found = given.text_as_stored_uuid(value)
    return Binary.from_uuid(found) if isinstance(found, UUID) else value


def beside_uuid(one: Expression, other: Expression, r: Renderer) -> MqlValue | None:
    """One side of an equality between a UUID and a constant as stored; None for other comparisons."""
    if isinstance(one, Raw) and is_uuid(one) and _constant(other) is not None:
        return r.value(one.operand)
    known = _constant(one)
    if known is None or not isinstance(other, Raw) or not is_uuid(other):
        return None
    if isinstance(known, Literal):
        return inline(stored_uuid(known.value))
    affinity = one.affinity if isinstance(one, Coerce) else Affinity.NUMERIC
    return {"$literal": stored_uuid(coerced_parameter(known, affinity, r))}


def _constant(expression: Expression) -> Literal | Parameter | None:
    """A text, or a parameter."""
    match expression:
        case Literal(value=str()) | Parameter():
            return expression
        case Coerce(operand=Parameter() as parameter):
            return parameter
        case _:
            return None
