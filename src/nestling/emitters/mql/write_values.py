"""The values of a write as leaves of MQL data: constants, placeholders for parameters, and columns of the current row."""

from __future__ import annotations

from typing import assert_never

from nestling.emitters.mql.sql.constants import is_inline, literal_value
from nestling.emitters.mql.sql.gaps import rendering_gap
from nestling.emitters.mql.sql.placeholder import ConvertedPlaceholder
from nestling.emitters.mql.sql.renderer import Renderer
from nestling.emitters.mql.write_constants import stored_literal, stored_parameter
from nestling.ir.paths.write_path import Cell, Constant, GivenValue, Items, PairList, SubDocument, WrittenValue
from nestling.ir.programs.compiled import Mql, Placeholder
from nestling.ir.programs.program import MISSING, CellRef, Negated, OrNull, PartDocument, WholeDocument
from nestling.ir.statements.expression import AttributeCast, Column, Expression, Literal, Parameter


class _NoRow:
    """An environment without columns, parameters left open."""

    def path(self, column: Column) -> str:
        raise rendering_gap(f"the column `{column.name}` where only a known value can be stored")

    def is_field(self, _: Column) -> bool:
        return False

    def parameter(self, name: str) -> object:
        return ConvertedPlaceholder(name)


def leaf(value: WrittenValue) -> object:
    """The value as MQL data; `MISSING` if it is certainly NULL."""
    match value:
        case Cell(column):
            return CellRef(column)
        case Constant(constant):
            return constant
        case GivenValue(expression):
            return given(expression)
        case SubDocument():
            return document(value)
        case Items(items):
            return [or_null(item) for item in items]
        case PairList():
            return _pairs(value)
        case _:
            assert_never(value)


def given(expression: Expression) -> object:
    """A literal or parameter of the statement. Raises a gap for a value that only a server can compute."""
    if isinstance(expression, AttributeCast):
        if isinstance(expression.operand, Parameter):
            return stored_parameter(expression.operand.name, expression)
        inner = given(expression.operand)
        if may_be_missing(inner):
            return inner if inner is MISSING else _computed()
        value = expression.operand.value if isinstance(expression.operand, Literal) else inner
        return stored_literal(value, expression)
    found = Renderer(_NoRow()).value(expression)
    if not is_inline(found):
        return _computed()
    value = literal_value(found)
    return MISSING if value is None else value


def _computed() -> object:
    raise rendering_gap("a value to compute where only a known value can be stored")


def or_null(value: WrittenValue) -> object:
    """The value as an element of an array, in which a missing value is null."""
    found = leaf(value)
    if found is MISSING:
        return None
    return OrNull(found) if may_be_missing(found) else found


def _pairs(of: PairList) -> list[object]:
    known = [(name, found) for name, value in of.pairs if (found := leaf(value)) is not MISSING]
    made: list[Mql] = [{of.key: name, of.value: value} for name, value in known]
    return [WholeDocument(pair) if may_be_missing(pair[of.value]) else pair for pair in made]


def negated(value: object) -> object:
    """The value with the opposite sign; -1 · n for constants."""
    return -value if isinstance(value, int | float) and not isinstance(value, bool) else Negated(value)


def may_be_missing(value: object) -> bool:
    """Whether the value is only known later, and may then be NULL."""
    return value is MISSING or isinstance(value, CellRef | Negated | Placeholder)


def document(of: SubDocument) -> object:
    """A plain document if its shape is certain, else one that is assembled when its values are known."""
    fields = tuple((path, found) for path, value in of.fields if (found := leaf(value)) is not MISSING or of.spread)
    if of.spread is not None:
        return PartDocument(fields, CellRef(of.spread))
    return nested(fields) if _is_certain(fields) else PartDocument(fields)


def nested(fields: tuple[tuple[str, object], ...]) -> Mql:
    """Dotted paths as sub-documents."""
    made: Mql = {}
    for path, value in fields:
        *outer, last = path.split(".")
        inside = made
        for step in outer:
            deeper = inside.setdefault(step, {})
            assert isinstance(deeper, dict), f"`{path}` goes through a value"
            inside = deeper
        inside[last] = value
    return made


def _is_certain(fields: tuple[tuple[str, object], ...]) -> bool:
    """Whether every sub-document a path makes surely holds something."""
    paths = {path.rpartition(".")[0] for path, _ in fields} - {""}
    return all(any(path.startswith(f"{of}.") and not may_be_missing(value) for path, value in fields) for of in paths)
