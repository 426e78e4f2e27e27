"""Predicates and values that a command says by itself, exactly as the statement means them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from nestling.ir.paths.write_path import Constant, FieldMatch, GivenValue, Items, Test, WrittenValue
from nestling.ir.statements.algebra import Scan
from nestling.ir.statements.expression import (
    Arithmetic,
    AttributeCast,
    Cast,
    Coerce,
    Column,
    Compare,
    Exists,
    Expression,
    InList,
    InSubquery,
    IsNull,
    Literal,
    Not,
    Parameter,
    ScalarSubquery,
)
from nestling.ir.statements.operands import bare, conjuncts, operands
from nestling.ir.statements.operators import Affinity, ArithmeticOperator, Collation, Comparison, Rules
from nestling.ir.types import MAY_BE_ARRAYS, Type, TypeName
from nestling.ir.value_forms.numeral import INT64
from nestling.planner.writes.draft.cells import GIVEN_NULL
from nestling.planner.writes.places.address import never_null

_COMPARED = (TypeName.INTEGER, TypeName.TEXT, TypeName.UUID, TypeName.OBJECT_ID, TypeName.ENUM, TypeName.BOOLEAN)
"""Types whose values are equal exactly where what is stored is."""
_COERCED = (TypeName.INTEGER, TypeName.TEXT)
_ADDED = (TypeName.INTEGER, TypeName.FLOAT)
_UPPER = {Comparison.LESS: Test.LESS, Comparison.LESS_OR_EQUAL: Test.LESS_OR_EQUAL}
_LOWER = {Comparison.GREATER: Test.GREATER, Comparison.GREATER_OR_EQUAL: Test.GREATER_OR_EQUAL}
_ORDERED = _UPPER | _LOWER


@dataclass(frozen=True, slots=True)
class PlainCondition:
    """One condition on an attribute: what its field is compared with."""

    attribute: str
    value: WrittenValue
    test: Test = Test.EQUAL
    nullable: bool = True

    @property
    def is_equality(self) -> bool:
        """Whether it is one value the attribute has."""
        return self.test is Test.EQUAL and self.value != GIVEN_NULL

    def matches(self, path: str) -> Iterator[FieldMatch]:
        """The comparison of the field at a path: NULL equals nothing."""
        yield FieldMatch(path, self.value, self.test)
        if self.test is Test.IN and isinstance(self.value, GivenValue) and self.nullable:
            yield FieldMatch(path, Constant(None), Test.NOT_EQUAL)
        if self.is_equality and not _is_constant(self.value):
            yield from never_null(path, self.value)


def plain_conditions(scan: Scan, predicate: Expression | None) -> list[PlainCondition] | None:
    """The predicate as conditions that all hold; None where one of them is more than comparing a plain attribute."""
    found = [_condition(scan, part) for part in conjuncts(predicate)]
    known = [each for each in found if each is not None]
    return known if len(known) == len(found) and _are_apart(known) else None


def _are_apart(conditions: Sequence[PlainCondition]) -> bool:
    """Whether each is about an attribute of its own, or one of the two ends of a range."""
    tests = defaultdict[str, list[Test]](list)
    for each in conditions:
        tests[each.attribute].append(each.test)
    return all(len(each) == 1 or _are_ends(each) for each in tests.values())


def _are_ends(tests: Sequence[Test]) -> bool:
    return len(tests) == 2 and all(any(test in ends.values() for test in tests) for ends in (_UPPER, _LOWER))


def never_by_null(conditions: Iterable[PlainCondition]) -> frozenset[str]:
    """The parameters that find no row where they are NULL."""
    compared = (each.value for each in conditions if each.test is not Test.IN)
    return frozenset(parameter_in(value.expression) for value in compared if isinstance(value, GivenValue))


def parameter_in(value: Expression) -> str:
    """The name of the parameter that a value is, whatever it is converted to; "" for a literal."""
    inner = bare(value)
    return inner.name if isinstance(inner, Parameter) else ""


def amount(column: Column, value: Expression) -> tuple[WrittenValue, bool] | None:
    """The value added to a number that is never NULL, and whether it is subtracted; None if the expression is not such a sum.

    Sums of decimals are not, because they are rounded to the attribute's places.
    """
    inner = value.operand if isinstance(value, AttributeCast) else value
    if not isinstance(inner, Arithmetic) or inner.operator not in (ArithmeticOperator.ADD, ArithmeticOperator.SUBTRACT):
        return None
    if column.nullable or column.mixed or not _is_added_to(column.type) or inner.left != column:
        return None
    added = _number(inner.right, column, value)
    return None if added is None else (added, inner.operator is ArithmeticOperator.SUBTRACT)


def _is_added_to(kind: Type) -> bool:
    """Whether a sum is kept as it is: not by YEAR, which has a range."""
    return kind.name in _ADDED and not kind.carried


def is_given(value: Expression) -> bool:
    """Whether it stands in the statement, to be stored as it is."""
    return isinstance(value.operand if isinstance(value, AttributeCast) else value, Literal | Parameter)


def by_its_row(scan: Scan, value: Expression) -> bool:
    """Whether it is made of the row's own values, literals and parameters alone, in a way a command without a collation says."""
    if isinstance(value, ScalarSubquery | Exists | InSubquery):
        return False
    if isinstance(value, Compare | InList) and value.collation is Collation.UNICODE_CI:
        return False
    if isinstance(value, Column):
        return value.alias == scan.alias
    return all(by_its_row(scan, each) for each in operands(value))


def _number(value: Expression, column: Column, whole: Expression) -> WrittenValue | None:
    is_float = column.type.name is TypeName.FLOAT
    match value:
        case Literal(value=float() as number) if is_float:
            return Constant(number)
        case Literal(value=int() as number) if _is_whole(number):
            return Constant(float(number) if is_float else number)
        case Parameter(type=kind) if kind == column.type:
            return GivenValue(value)
        case Cast(operand=Parameter() as inner, rules=Rules.SQLITE) if is_float or isinstance(whole, AttributeCast):
            return GivenValue(AttributeCast(inner, column.type, Rules.SQLITE))
        case _:
            return None


def _condition(scan: Scan, part: Expression) -> PlainCondition | None:
    match part:
        case Compare(left=Column() as column, right=other, collation=Collation.BINARY) if _is_plain(scan, column):
            return _comparison(column, part.operator, other)
        case InList(operand=Column() as column, items=items) if _is_plain(scan, column):
            values = [_equal_value(column, item) for item in items]
            known = tuple(value for value in values if value is not None)
            if len(known) < len(values) or part.collation is not Collation.BINARY:
                return None
            listed = known[0] if part.given is not None else Items(known)
            return PlainCondition(column.name, listed, Test.IN, column.nullable)
        case IsNull(operand=Column() as column) if _is_one_value(scan, column):
            return PlainCondition(column.name, GIVEN_NULL)
        case Not(operand=IsNull(operand=Column() as column)) if _is_one_value(scan, column):
            return PlainCondition(column.name, GIVEN_NULL, Test.NOT_EQUAL)
        case (Column() as column) | Not(operand=Column() as column) if _is_plain(scan, column):
            is_truth = column.type.name is TypeName.BOOLEAN
            return PlainCondition(column.name, Constant(column is part)) if is_truth else None
        case _:
            return None


def _is_one_value(scan: Scan, column: Column) -> bool:
    """Whether a comparison is of it and not of each of its elements."""
    return column.alias == scan.alias and column.type.name not in MAY_BE_ARRAYS


def _is_plain(scan: Scan, column: Column) -> bool:
    return column.alias == scan.alias and not column.mixed and column.type.name in _COMPARED


def _comparison(column: Column, operator: Comparison, other: Expression) -> PlainCondition | None:
    if operator is Comparison.EQUAL:
        value = _equal_value(column, other)
        return None if value is None else PlainCondition(column.name, value)
    bound = _bound(column, other) if operator in _ORDERED and column.type.name is TypeName.INTEGER else None
    return None if bound is None else PlainCondition(column.name, bound, _ORDERED[operator])


def _bound(column: Column, other: Expression) -> WrittenValue | None:
    """What a whole number is less or greater than: a number as it is given, not as the attribute would keep it."""
    match other:
        case Literal(value=number) if _is_whole(number):
            return Constant(number)
        case Parameter(type=kind) if kind == column.type:
            return GivenValue(other)
        case Coerce(operand=Parameter() as inner, affinity=Affinity.NUMERIC):
            return GivenValue(Coerce(replace(inner, type=column.type), Affinity.NUMERIC))
        case _:
            return None


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < INT64


def _equal_value(column: Column, other: Expression) -> WrittenValue | None:
    """What the attribute is equal to: a value of its type, or a parameter taken for one as the source does."""
    match other:
        case Literal(value=number) if column.type.name is TypeName.INTEGER and _is_whole(number):
            return Constant(number)
        case Literal(value=str() as text) if column.type.name in (TypeName.TEXT, TypeName.ENUM):
            return Constant(text)
        case Literal(value=UUID()) if column.type.name is TypeName.UUID:
            return GivenValue(other)
        case Literal(value=bool() as truth) if column.type.name is TypeName.BOOLEAN:
            return Constant(truth)
        case Parameter(type=kind) if kind == column.type:
            return GivenValue(other)
        case AttributeCast(operand=Parameter(listed=False), type=kind) if kind == column.type:
            return GivenValue(other)
        case Coerce(operand=Parameter(listed=True)) if column.type.name in _COERCED:
            return GivenValue(other)
        case Coerce(operand=Parameter() as inner) if column.type.name in _COERCED:
            return GivenValue(AttributeCast(inner, column.type, Rules.SQLITE))
        case _:
            return None


def _is_constant(value: WrittenValue) -> bool:
    return isinstance(value, Constant)
