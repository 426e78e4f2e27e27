"""SQLite's moments are texts: which of its functions give them in the form an attribute's are written in."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.model import Attribute
from nestling.ir.reading import Gap, GapKind
from nestling.ir.statements.expression import Call, Case, Expression, Literal
from nestling.ir.statements.operators import Function
from nestling.ir.types import TypeName
from nestling.planner.sql.gaps import StatementGap

_DAY, _SECOND, _MILLI = "%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%f"
_GIVES = {_DAY: "days", _SECOND: "whole seconds", _MILLI: "milliseconds"}
_HOLDS = {_DAY: "days", _SECOND: "timestamps of whole seconds", _MILLI: "timestamps of milliseconds"}


def require_form(value: Expression, attribute: Attribute) -> None:
    """Raise a gap where the value is made in another form than that of the attribute's dates, which cannot tell it apart."""
    wanted = _form(attribute)
    other = next((form for form in _made(value) if form in _GIVES and form != wanted), None)
    if not wanted or other is None:
        return
    gives = f"the value or default that is stored there gives {_GIVES[other]}, a difference that a stored date loses"
    move = f"write the value in that form, as with strftime('{wanted}', 'now')"
    what = f"`{attribute.name}` holds {_HOLDS[wanted]}, but {gives}: {move}"
    raise StatementGap(Gap(GapKind.INPUT, what))


def _form(attribute: Attribute) -> str:
    if attribute.type.name is TypeName.DATE:
        return _DAY
    known = {0: _SECOND, 3: _MILLI} if attribute.type.name is TypeName.TIMESTAMP else {}
    return known.get(attribute.type.fraction_digits, "")


def _made(value: Expression) -> Iterator[str]:
    match value:
        case Call(function=Function.FORMAT_TIME, arguments=(_, Literal(value=str() as form))):
            yield form
        case Call(function=Function.COALESCE, arguments=arguments):
            for each in arguments:
                yield from _made(each)
        case Case(branches=branches, default=default):
            for each in (*(each for _, each in branches), default):
                yield from _made(each)
        case _:
            return
