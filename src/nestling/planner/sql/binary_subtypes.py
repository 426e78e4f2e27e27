"""Binary of a subtype of its own, such as UUIDs of old drivers (3): bytes to SQL, and equal are those of one subtype alone."""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.statements.expression import Expression, Literal, Parameter
from nestling.ir.statements.operands import is_mixed
from nestling.ir.types import TypeName
from nestling.planner.sql.gaps import statement_gap


def beside_subtype(value: Expression, other: Expression) -> Expression:
    """The value as it is compared with binary of a subtype: bytes that are given, or written, are of that one."""
    if not other.type.subtype or value.type == other.type:
        return value
    match value:
        case Parameter() | Literal(value=bytes()):
            return replace(value, type=other.type)
        case Literal():
            return value
        case _ if value.type.name in (TypeName.BYTES, TypeName.ANY) or is_mixed(value):
            raise statement_gap(f"a comparison of {other.type} with bytes of another subtype")
        case _:
            return value


def refuse_subtypes(what: str, *found: Expression) -> None:
    """Raise a gap for bytes of different subtypes."""
    if told := next((each.type for each in found if each.type.subtype), None):
        raise statement_gap(f"{what}, one of which is {told}")
