"""PostgreSQL's `char(n)`, whose values are kept without the blanks that fill them up to n characters.

Comparisons among such values, and everything that takes a text, leave those blanks out too: PostgreSQL casts the value to text.
What sees them gets them back here; an answer gets them as it is decoded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

from nestling.ir.statements.expression import ANY, NULL, Call, Cast, Expression, Literal, Parameter
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.types import ANY_CHAR, INTEGER, TEXT, Type, TypeName
from nestling.planner.sql.gaps import statement_gap

BLANK = " "
_TO_TEXT = "append `::text`"
_OF_ITS_ARGUMENTS = (Function.COALESCE, Function.LEAST, Function.GREATEST, Function.ELEMENT)
"""Functions whose value is of the type their arguments have."""


def filled(expression: Expression) -> Expression:
    """A text with the blanks PostgreSQL shows it with."""
    if not expression.type.is_char:
        return expression
    refuse_lengths(expression)
    arguments = (expression, Literal(expression.type.numbers[0], INTEGER), Literal(BLANK, TEXT))
    return Call(Function.PAD_END, arguments, TEXT, Rules.POSTGRESQL)


def unfilled(expression: Expression) -> Expression:
    """A constant without the blanks at its end; any other value as it is."""
    if isinstance(expression, Literal) and isinstance(expression.value, str):
        return Literal(expression.value.rstrip(BLANK), TEXT)
    return expression


def refuse_lengths(*found: Expression, node: exp.Expr | None = None) -> None:
    """Raise a gap where it is not known how many blanks are shown."""
    if any(each.type.is_char and not each.type.numbers for each in found):
        raise statement_gap(
            f"the blanks of `char` values of different lengths, or of constants together with them; {_TO_TEXT}", node
        )


def filled_operand(operand: Expression, pattern: Expression) -> Expression:
    """What LIKE matches: the text with its blanks, but where the pattern ends in what takes any number of them anyway."""
    takes_any = isinstance(pattern, Literal) and isinstance(pattern.value, str) and _ends_openly(pattern.value)
    return operand if takes_any else filled(operand)


def _ends_openly(pattern: str) -> bool:
    """Whether it ends in `%` behind a character that is no blank."""
    before = pattern.rstrip("%")
    return "\\" not in pattern and before != pattern and before[-1:] not in ("", BLANK, "_")


def compared(nodes: Sequence[exp.Expr | None], left: Expression, right: Expression) -> tuple[Expression, Expression]:
    """Both sides of a comparison that may involve a `char`: compared with a varchar both are padded, with a text neither is.

    A text without a length may be either in the model: a gap unless the SQL says which.
    """
    sides = (left, right)
    if not any(each.type.is_char for each in sides):
        return left, right
    kinds = [_kind(*pair) for pair in zip(sides, nodes, strict=True)]
    if None in kinds:
        raise statement_gap(
            f"`char` compared with a value that may be text or varchar, so that its blanks may or may not count; {_TO_TEXT}",
            nodes[0],
        )
    kind = TEXT if TEXT in kinds else ANY_CHAR
    return _as(kind, left), _as(kind, right)


def _kind(value: Expression, node: exp.Expr | None) -> Type | None:
    """Whether PostgreSQL takes it for a text, or for a `char` beside one; None where that is not known."""
    if (word := _cast_word(node)) is not None:
        return TEXT if word == "TEXT" else ANY_CHAR
    if value.type.name is not TypeName.TEXT or value.type.is_char or value.type.numbers or _takes_a_type(value):
        return ANY_CHAR
    is_made = isinstance(value, Call) and value.function not in _OF_ITS_ARGUMENTS
    return TEXT if is_made or isinstance(value, Cast) else None


def _as(kind: Type, value: Expression) -> Expression:
    is_open = _takes_a_type(value) or value == NULL or value.type.name is not TypeName.TEXT
    return value if is_open or value.type.is_char is kind.is_char else Cast(value, kind, Rules.POSTGRESQL)


def _cast_word(node: exp.Expr | None) -> str | None:
    """The type of text that the SQL, or each value of a list, is cast to, which is no `char`."""
    inner = node.unnest() if node is not None else None
    if not isinstance(inner, exp.Cast):
        return None
    to = inner.to.expressions[0] if inner.to.this is exp.DataType.Type.ARRAY else inner.to
    word = str(to.this.value) if isinstance(to.this, exp.DataType.Type) else ""
    return word if word in ("TEXT", "VARCHAR") else None


def refuse_casts(nodes: Iterable[exp.Expr | None], *found: Expression) -> None:
    """Raise a gap for a `char` among values of which the SQL casts one to another text, which becomes one value with it."""
    cast = next((node for node in nodes if _cast_word(node) is not None), None)
    if cast is not None and any(each.type.is_char for each in found):
        raise statement_gap(f"`char` and other texts in one value; {_TO_TEXT}", cast)


def one_type(values: Sequence[Expression]) -> Type:
    """The type of values that become one, some of which are `char`; a constant keeps the blanks it is written with."""
    typed = [value for value in values if value != NULL]
    kinds = {each.type for each in typed if not _takes_a_type(each)}
    if not all(kind.is_char for kind in kinds):
        raise statement_gap(f"`char` and other texts in one value; {_TO_TEXT}")
    return kinds.pop() if len(kinds) == 1 and not any(map(_takes_a_type, typed)) else ANY_CHAR


def _takes_a_type(value: Expression) -> bool:
    """Whether it is a text constant, or a parameter that says no type."""
    if isinstance(value, Parameter):
        return value.type == ANY
    return isinstance(value, Literal) and isinstance(value.value, str) and not value.type.is_char
