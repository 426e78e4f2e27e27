"""What PostgreSQL refuses by types alone: those of columns and constants are certain, and MongoDB would answer something."""

from __future__ import annotations

from sqlglot import exp

from nestling.common.errors import name_list
from nestling.ir.statements.expression import Call, Case, Column, Expression, Literal
from nestling.ir.statements.operands import is_text
from nestling.ir.statements.operators import Function
from nestling.ir.types import MAY_BE_ARRAYS, NUMBERS, Type, TypeName
from nestling.planner.sql.called import sql_as_written
from nestling.planner.sql.gaps import mistake, statement_gap
from nestling.planner.sql.literals import UUID_TEXT

UUID_FORM = "write it with 32 hexadecimal digits, as '9b0e5a3c-1f2d-4c6b-8a7e-0d1c2b3a4f5e'"
_CAST = "cast one of them"
_MOMENTS = frozenset({TypeName.DATE, TypeName.TIMESTAMP, TypeName.TIMESTAMPTZ})
_FAMILIES = (NUMBERS, _MOMENTS, {TypeName.TEXT}, {TypeName.BOOLEAN}, {TypeName.UUID})
"""Types that can be compared only within their family; other types are not checked here."""
_NO_NUMBERS = frozenset({TypeName.TEXT, TypeName.ENUM, TypeName.BOOLEAN, TypeName.UUID})


def refuse_unlike(left: Expression, right: Expression) -> None:
    """Raise the mistake of a comparison PostgreSQL has no operator for, such as of a text with a number."""
    families = [next((family for family in _FAMILIES if _certain(side) in family), None) for side in (left, right)]
    if None not in families and families[0] is not families[1]:
        of_constants = (
            "" if not (_parts(left) or _parts(right)) else ", the type of a CASE or COALESCE of text constants"
        )
        move = "cast each constant, as in `THEN timestamptz '…'`" if of_constants else _CAST
        raise mistake(f"PostgreSQL cannot compare {_certain(left)} with {_certain(right)}{of_constants}", None, move)


def refuse_arithmetic(node: exp.Expr, *sides: Expression) -> None:
    """Raise the mistake of arithmetic with a type for which PostgreSQL has none."""
    odd = next((side for side in sides if _certain(side) in _NO_NUMBERS), None)
    if odd is not None:
        raise mistake(f"PostgreSQL has no arithmetic with {odd.type.name}", node, "cast it to a number")


def refuse_composite(node: exp.Expr, grammar: str, *sides: Expression) -> None:
    """Raise the gap of an operator that puts JSON or arrays together, or takes parts of them away: `||`, `-`."""
    odd = next((side.type for side in sides if side.type.name in MAY_BE_ARRAYS), None)
    if odd is not None:
        raise statement_gap(f"{sql_as_written(node, grammar)}, an operator of {odd.carried or odd}", node)


def refuse_label(text: str, wanted: Type) -> None:
    """Raise the mistake of a text that should be an enum's value and is not."""
    if wanted.name is TypeName.ENUM and wanted.values and text not in wanted.values:
        known = name_list(wanted.values)
        raise mistake(f"`{text}` is not a value of its enum", None, f"there is {known}")


def refuse_no_uuid(text: str, wanted: Type) -> None:
    """Raise the mistake of a text that should be a UUID and is not, which PostgreSQL refuses before it runs anything."""
    if wanted.name is TypeName.UUID and not UUID_TEXT.fullmatch(text):
        raise mistake(f"`{text}` is not a UUID", None, UUID_FORM)


def _certain(side: Expression) -> TypeName | None:
    """The type PostgreSQL gives it too; None where that is not known, as of a text constant, which takes any."""
    if isinstance(side, Column):
        return None if side.mixed else side.type.name
    if parts := _parts(side):
        return TypeName.TEXT if all(map(_is_text_or_null, parts)) and any(map(is_text, parts)) else None
    is_typed = isinstance(side, Literal) and side.value is not None and not isinstance(side.value, str)
    return side.type.name if is_typed else None


def _parts(side: Expression) -> tuple[Expression, ...]:
    """The values of which a CASE or the like is one; of text constants PostgreSQL makes a text, whatever is beside it."""
    match side:
        case Case(branches=branches, default=default):
            return (*(value for _, value in branches), default)
        case Call(function=Function.COALESCE | Function.LEAST | Function.GREATEST, arguments=arguments):
            return arguments
        case _:
            return ()


def _is_text_or_null(side: Expression) -> bool:
    return isinstance(side, Literal) and (side.value is None or isinstance(side.value, str))
