"""Reasons for refusing an expression on this server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nestling.ir.reading import FoundGap, Gap, GapKind, constant_gap
from nestling.ir.statements.expression import Coerce, Parameter, Raw
from nestling.ir.statements.operands import bare
from nestling.ir.types import TypeName

if TYPE_CHECKING:
    from nestling.ir.statements.expression import Expression


class RenderingGap(FoundGap):
    """An expression that MongoDB 6.0 has no exact form for: `gap` names the construct, `about` is the expression."""


def rendering_gap(construct: str, kind: GapKind = GapKind.NOTIMPL, *, move: str = "") -> RenderingGap:
    """The error to raise for a construct; `move`: what to do about it."""
    return RenderingGap(Gap(kind, construct, move=move))


def no_constant(construct: str, *values: Expression) -> RenderingGap:
    """The error for values that must be constants."""
    names = tuple(inner.name for value in values if isinstance(inner := bare(value), Parameter))
    return RenderingGap(constant_gap(construct, names), names)


def _unconverted(value: Expression) -> Expression:
    return _unconverted(value.operand) if isinstance(value, Coerce | Raw) else value


def require_order(*values: Expression) -> None:
    """Raise `RenderingGap` if one of the values is bytes, which cannot be ordered as in SQL.

    An affinity leaves bytes unchanged; compared only with numbers and texts they are greater on both sides.
    """
    inside = [_unconverted(value) for value in values]
    found = inside if any(getattr(each, "mixed", False) for each in inside) else values
    if any(value.type.name is TypeName.BYTES for value in found):
        raise rendering_gap("an order of bytes: MongoDB sorts shorter ones first", GapKind.NEVER)
