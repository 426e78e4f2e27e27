"""What PostgreSQL refuses by types alone: those of columns and constants are certain, and MongoDB would answer something."""

from __future__ import annotations

from sqlglot import exp

from nestling.common.errors import name_list
from nestling.ir.expression import Column, Expression, Literal
from nestling.ir.types import NUMBERS, Type, TypeName
from nestling.planner.sql.gaps import mistake

_CAST = "cast one of them"
_MOMENTS = frozenset({TypeName.DATE, TypeName.TIMESTAMP, TypeName.TIMESTAMPTZ})
_FAMILIES = (NUMBERS, _MOMENTS, {TypeName.TEXT}, {TypeName.BOOLEAN}, {TypeName.UUID})
"""What is compared with its like alone; of all other types nothing is said here."""
_NO_NUMBERS = frozenset({TypeName.TEXT, TypeName.ENUM, TypeName.BOOLEAN, TypeName.UUID})


def refuse_unlike(left: Expression, right: Expression) -> None:
    """Raise the mistake of a comparison PostgreSQL has no operator for, such as of a text with a number."""
    families = [next((family for family in _FAMILIES if _certain(side) in family), None) for side in (left, right)]
    if None not in families and families[0] is not families[1]:
        raise mistake(f"PostgreSQL compares no {left.type.name} with {right.type.name}", None, _CAST)


def refuse_arithmetic(node: exp.Expr, *sides: Expression) -> None:
    """Raise the mistake of arithmetic with what PostgreSQL does not reckon with."""
    odd = next((side for side in sides if _certain(side) in _NO_NUMBERS), None)
    if odd is not None:
        raise mistake(f"PostgreSQL has no arithmetic with {odd.type.name}", node, "cast it to a number")


def refuse_label(text: str, wanted: Type) -> None:
    """Raise the mistake of a text that stands for an enum's value and is none."""
    if wanted.name is TypeName.ENUM and wanted.values and text not in wanted.values:
        known = name_list(wanted.values)
        raise mistake(f"`{text}` is no value of its enum", None, f"there is {known}")


def _certain(side: Expression) -> TypeName | None:
    """The type PostgreSQL gives it too; None where that is not known, as of a text constant, which takes any."""
    if isinstance(side, Column):
        return None if side.mixed else side.type.name
    is_typed = isinstance(side, Literal) and side.value is not None and not isinstance(side.value, str)
    return side.type.name if is_typed else None
