"""Scalar expressions as aggregation expressions: the kind of node decides which file renders it.

`value` gives the SQL value, `truth` whether a predicate is TRUE. Renderers mention operands through `nulls.bind`, so that each
is evaluated once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import assert_never

from nestling.emitters.mql.sql import arithmetic, conversion, functions, predicates, source_values
from nestling.emitters.mql.sql.constant_conversion import cast_constant
from nestling.emitters.mql.sql.constants import MqlValue, bson_value, inline
from nestling.emitters.mql.sql.environment import Environment
from nestling.emitters.mql.sql.gaps import RenderingGap, rendering_gap
from nestling.emitters.mql.sql.nulls import ABSENT_FIELD
from nestling.emitters.mql.sql.object_ids import id_in
from nestling.emitters.mql.sql.placeholder import EXPECTED, ConvertedPlaceholder, Expected
from nestling.ir.conversions import given
from nestling.ir.statements.expression import (
    And,
    Arithmetic,
    AttributeCast,
    Call,
    Case,
    Cast,
    Coerce,
    Column,
    Compare,
    Exists,
    Expression,
    InList,
    InSubquery,
    IsNull,
    Like,
    Literal,
    Negate,
    Not,
    Or,
    Parameter,
    Raw,
    ScalarSubquery,
)
from nestling.ir.statements.operands import nullable
from nestling.ir.statements.operators import Rules
from nestling.ir.types import BSON_DIGITS, CHAR, NAN, YEAR, Type, TypeName, bit_count
from nestling.ir.value_forms.canonical_texts import CANONICAL

_CONVERTED = frozenset({*CANONICAL, CHAR, YEAR})
"""Types stored as texts for which the text of a compared parameter is checked or converted."""


@dataclass(frozen=True, slots=True)
class Renderer:
    """Renders expressions over one environment."""

    environment: Environment

    def value(self, expression: Expression) -> MqlValue:
        """The expression's SQL value; NULL is null or missing."""
        try:
            return self._value(expression)
        except RenderingGap as gap:
            gap.about = gap.about or expression
            raise

    def _value(self, expression: Expression) -> MqlValue:  # noqa: C901 - one case for each node
        match expression:
            case Literal():
                return inline(bson_value(expression))
            case Parameter():
                return {"$literal": self.parameter(expression)}
            case Column():
                return self.environment.path(expression)
            case Arithmetic() | Negate():
                return arithmetic.arithmetic(expression, self)
            case Compare() | And() | Or() | Not() | IsNull() | InList() | Like():
                return predicates.predicate_value(expression, self)
            case Case():
                return self._case(expression, self.value)
            case Cast():
                return conversion.cast(expression, self)
            case Coerce():
                return conversion.coerce(expression, self)
            case Raw():
                return source_values.raw(expression, self)
            case AttributeCast():
                return source_values.stored(expression, self)
            case Call():
                return functions.call(expression, self)
            case ScalarSubquery() | Exists() | InSubquery():
                raise rendering_gap("a subquery in this place")
            case _:
                assert_never(expression)

    def kept(self, expression: Expression) -> MqlValue:
        """The value as a field for later steps or for storing: NULL is a missing field, because a null may be JSON's own."""
        match expression:
            case Literal(value=None):
                return ABSENT_FIELD
            case Case() if expression.type.name is TypeName.JSON:
                return self._case(expression, self.kept)
            case Column():
                return self.value(expression)
            case _ if expression.type.name is TypeName.JSON and nullable(expression):
                return {"$ifNull": [self.value(expression), ABSENT_FIELD]}
            case _:
                return self.value(expression)

    def truth(self, predicate: Expression) -> MqlValue:
        """Whether the predicate is TRUE: true or false, never null."""
        return predicates.truth(predicate, self)

    def parameter(self, parameter: Parameter) -> object:
        """A parameter's BSON value, or its placeholder, which knows what the statement expects.

        A truth value becomes a number unless one is expected: among the databases only PostgreSQL has truth values, and it
        declares them.
        """
        value = self.environment.parameter(parameter.name)
        if parameter.strict:
            if not isinstance(value, ConvertedPlaceholder):
                return value
            return replace(value, listed=parameter.listed, strict=True, rules=parameter.rules)
        kind = parameter.type.name
        if isinstance(value, ConvertedPlaceholder):
            is_id = kind is TypeName.OBJECT_ID
            casts = (kind,) if kind is TypeName.TEXT else ()
            expected = Expected.NAN if NAN in parameter.type.carried.split() else EXPECTED.get(kind, Expected.ANY)
            expected = Expected.ANY if parameter.type.subtype else expected
            found = replace(value, expected=expected, casts=casts, object_id=is_id)
            wide = kind if parameter.type.fraction_digits > BSON_DIGITS else None
            exactly = kind if parameter.exact else None
            own = parameter.by_sqlite
            form = _written_form(parameter.type)
            found = replace(found, listed=parameter.listed, exactly=exactly, wide=wide, by_sqlite=own, carried=form)
            as_float = TypeName.FLOAT if kind is TypeName.FLOAT and not own else None
            found = replace(found, rules=parameter.rules, no_number=parameter.no_number, bits=_bits(parameter))
            return replace(found, no_float=parameter.no_float, number=as_float, second_digits=parameter.second_digits)
        if form := _written_form(parameter.type):
            value = ConvertedPlaceholder(parameter.name, carried=form, bits=_bits(parameter)).bind(value)
        if parameter.by_sqlite:
            value = given.decimal_as_float(given.time_as_text(value))
        if isinstance(value, bool) and kind is not TypeName.BOOLEAN:
            return int(value)
        if kind is TypeName.OBJECT_ID:
            return id_in(value) or value
        return cast_constant(value, kind) if kind is TypeName.TEXT else value

    def compared(self, parameter: Parameter) -> object:
        """The parameter's value for a comparison: with floats as a float, with decimals as a decimal."""
        value, kind = self.parameter(parameter), parameter.type.name
        is_inexact = kind in (TypeName.DECIMAL, TypeName.FLOAT)
        return replace(value, number=kind) if is_inexact and isinstance(value, ConvertedPlaceholder) else value

    def nullable(self, expression: Expression) -> bool:
        """Whether the value may be NULL; a bound parameter is known."""
        if isinstance(expression, Parameter):
            value = self.environment.parameter(expression.name)
            return value is None or isinstance(value, ConvertedPlaceholder)
        return nullable(expression)

    def _case(self, case: Case, rendered: Callable[[Expression], MqlValue]) -> MqlValue:
        values = [rendered(value) for value in (*(value for _, value in case.branches), case.default)]
        values = _told_apart(values, keeps_null=case.type.name is TypeName.JSON)
        default = values.pop()
        branches = [(self.truth(test), value) for (test, _), value in zip(case.branches, values, strict=True)]
        if len(branches) == 1:
            return {"$cond": [*branches[0], default]}
        return {
            "$switch": {"branches": [{"case": test, "then": value} for test, value in branches], "default": default}
        }


def _told_apart(values: list[MqlValue], *, keeps_null: bool) -> list[MqlValue]:
    """A field that is the value of two branches in two ways: a `$group` of MongoDB 6 fails on `{$cond: [test, "$x", "$x"]}`."""
    return [
        {"$ifNull": [value, value if keeps_null else None]}
        if isinstance(value, str) and value.startswith("$") and value != ABSENT_FIELD and value in values[:at]
        else value
        for at, value in enumerate(values)
    ]


def _bits(parameter: Parameter) -> int:
    """The number of MySQL's bits, or 0 for other types."""
    is_of_mysql = parameter.type.name is TypeName.BITS and parameter.rules is Rules.MYSQL
    return bit_count(parameter.type) if is_of_mysql else 0


def _written_form(kind: Type) -> str:
    """The word of the form in which texts of the type are written; empty where any text is one."""
    word = kind.carried or str(kind.name)
    return word if word in _CONVERTED or kind.subtype else ""
