"""Conversions between types: truth and numbers, SQLite's affinities, PostgreSQL's and MySQL's conversions."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal

from nestling.ir.statements.expression import (
    ANY,
    FALSE,
    NULL,
    TRUE,
    AttributeCast,
    Call,
    Case,
    Cast,
    Coerce,
    Column,
    Compare,
    Expression,
    InList,
    Literal,
    Parameter,
    Raw,
    ScalarSubquery,
)
from nestling.ir.statements.operands import is_integer, is_mixed, is_mixed_time, is_number, is_text, of_numbers
from nestling.ir.statements.operators import Affinity, Collation, Comparison, Function, Rules
from nestling.ir.types import (
    BOOLEAN,
    EXACT_NUMBERS,
    FLOAT,
    INTEGER,
    JSONB,
    KEPT_AS_TEXT,
    MAY_BE_ARRAYS,
    NUMBERS,
    TEXT,
    TEXTS,
    TIMES,
    TIMESTAMP,
    Type,
    TypeName,
)
from nestling.ir.value_forms.numeral import float_text
from nestling.ir.value_forms.zero_dates import is_zero, zero_of
from nestling.planner.sql.binary_subtypes import beside_subtype
from nestling.planner.sql.exact_decimals import exact_beside
from nestling.planner.sql.gaps import statement_gap
from nestling.planner.sql.literals import (
    DECIMAL,
    constant_of,
    instant_literal,
    number_as_written,
    number_literal,
    typed_literal,
)
from nestling.planner.sql.mysql.bits import beside_bits, is_bits, truth_of_bits
from nestling.planner.sql.mysql.digits import observed, observed_beside
from nestling.planner.sql.mysql.given_moments import refuse_text_beside
from nestling.planner.sql.mysql.mixed_types import beside_own, beside_years, constant_moment, refuse_own
from nestling.planner.sql.mysql.times_as_text import SHOWN_AS_TEXT, begins_with_constant, moment_of_text, text_of_time
from nestling.planner.sql.mysql.zero_dates import moment_of_number
from nestling.planner.sql.postgresql import char_n as chars
from nestling.planner.sql.postgresql.decimal_digits import with_digits
from nestling.planner.sql.postgresql.enums import ranked
from nestling.planner.sql.postgresql.given_times import given_beside
from nestling.planner.sql.postgresql.infinite_moments import placed_sides, refuse_infinite
from nestling.planner.sql.postgresql.type_errors import refuse_label, refuse_no_uuid, refuse_unlike
from nestling.planner.sql.scope import Translation
from nestling.planner.sql.supported_types import (
    refuse_bits,
    refuse_comparison,
    refuse_nan,
    refuse_order,
    refuse_stored_otherwise,
)

_NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*\Z", re.ASCII)
_SHORT_NUMERAL = re.compile(r"-?(?=[\d.]{1,15}\Z)\d+(?:\.\d+)?", re.ASCII)
"""A numeral with so few digits that the decimal and the float that MySQL makes of it are the same number."""
TIME_RANK = {TypeName.DATE: 0, TypeName.TIMESTAMP: 1, TypeName.TIMESTAMPTZ: 2}
_CONVERTED = TIMES | {TypeName.BOOLEAN, TypeName.UUID, TypeName.OBJECT_ID, TypeName.JSON, TypeName.ARRAY}


def affinity_of_type(kind: Type) -> Affinity:
    """The affinity of a SQLite column by its conceptual type."""
    if kind.name in (TypeName.TEXT, TypeName.OBJECT_ID):
        return Affinity.TEXT
    return Affinity.BLOB if kind.name in (TypeName.ANY, TypeName.BYTES) else Affinity.NUMERIC


def affinity(expression: Expression, translation: Translation) -> Affinity | None:
    """The affinity of a column, or of what stands for one; None for any other expression."""
    match expression:
        case Raw(operand=operand):
            return affinity(operand, translation)
        case Column(alias=alias, name=name):
            return translation.affinities.get((alias, name))
        case ScalarSubquery(relation=relation):
            return affinity(relation.columns[0], translation)
        case Cast(operand=operand) if operand.type.name is TypeName.BOOLEAN:
            return None  # truth as a number, which no CAST of the statement made
        case Cast(type=kind):
            return Affinity.NUMERIC if kind == ANY else affinity_of_type(kind)
        case _:
            return None


def plain(expression: Expression, translation: Translation) -> Expression:
    """The value as the dialect's own operations see it: SQLite knows no dates, and truth is 0 or 1 there and in MySQL."""
    if expression.type.name is TypeName.OBJECT_ID:
        return _digits(expression)
    if not translation.dialect.lenient or expression.type.name not in _CONVERTED:
        return expression
    if expression.type.name is TypeName.BOOLEAN:
        return _number_of_truth(expression, translation.dialect.rules)
    if translation.dialect.is_sqlite and not isinstance(expression, Parameter):
        return Raw(expression, ANY if is_mixed(expression) else TEXT)
    return expression


def _digits(expression: Expression) -> Expression:
    """An ObjectId as the 24 hexadecimal digits it is in every SQL database."""
    if isinstance(expression, Parameter):
        return replace(expression, type=TEXT)
    return Raw(expression, ANY if is_mixed(expression) else TEXT)


def _number_of_truth(expression: Expression, rules: Rules) -> Expression:
    if expression in (TRUE, FALSE):
        return Literal(int(expression == TRUE), INTEGER)
    if isinstance(expression, Column):
        return Raw(expression, ANY if expression.mixed else INTEGER)
    return Cast(expression, INTEGER, rules)


def as_shown(expression: Expression, translation: Translation) -> Expression:
    """The value as a result shows it: attributes as they are stored, computed truth as the dialect shows it."""
    if translation.dialect.rules is Rules.MYSQL and expression.type.name is TypeName.DECIMAL:
        return observed(expression)
    if isinstance(expression, Column | Parameter) or expression.type.name is not TypeName.BOOLEAN:
        return expression
    return plain(expression, translation)


def ordered(expression: Expression, translation: Translation) -> Expression:
    """The value as it is ordered and grouped by: itself, unless it mixes dates with texts, or MySQL rounds it first.

    MongoDB has an order of types, in which every value is as it is.
    """
    if is_strict(translation, expression):
        return expression
    if is_mixed(expression):
        return plain(expression, translation)
    return observed(expression) if translation.dialect.rules is Rules.MYSQL else expression


def truth(expression: Expression, translation: Translation) -> Expression:
    """The value as a condition."""
    if expression.type.name is TypeName.BOOLEAN and not is_mixed(expression):
        return expression
    if not translation.dialect.lenient:
        return Parameter(expression.name, BOOLEAN) if isinstance(expression, Parameter) else expression
    if isinstance(expression, Literal) and isinstance(expression.value, int | float):
        return TRUE if expression.value else FALSE
    if is_bits(expression) and translation.dialect.rules is Rules.MYSQL:
        return truth_of_bits(expression)
    return Cast(plain(expression, translation), BOOLEAN, translation.dialect.rules)


def number(expression: Expression, translation: Translation) -> Expression:
    """The value as an operand of arithmetic."""
    value = plain(expression, translation)
    if value.type.carried:
        refuse_stored_otherwise("arithmetic", None, value)
    if isinstance(value, Parameter) and value.type == ANY and translation.dialect.rules is Rules.MYSQL:
        return replace(value, type=DECIMAL, exact=True, no_float=True)  # it has the type of the number that is given
    if is_number(value) or value == NULL or not translation.dialect.lenient:
        return (
            Parameter(value.name, DECIMAL)
            if isinstance(value, Parameter) and not translation.dialect.lenient
            else value
        )
    return Cast(value, DECIMAL, translation.dialect.rules)


def whole(expression: Expression, translation: Translation) -> Expression:
    """SQLite's integer of a value: of a text the whole number it begins with, which is 1 of `1e1`."""
    value = number(expression, translation)
    return value if is_integer(value) else Cast(plain(expression, translation), INTEGER, Rules.SQLITE)


def argument(expression: Expression, translation: Translation) -> Expression:
    """The value as a function of numbers takes it: in SQLite NULL unless the whole text is a number, where arithmetic takes 0."""
    value = plain(expression, translation)
    if translation.dialect.rules is Rules.POSTGRESQL and isinstance(value, Literal):
        return adapt(value, FLOAT)  # what is written in quotes
    if not translation.dialect.is_sqlite or of_numbers(value) or value == NULL:
        return number(expression, translation)
    if isinstance(value, Literal):
        text = value.value if isinstance(value.value, str) else ""
        return number_as_written(text) if _NUMBER.match(text) else NULL
    return Call(Function.NUMBER_OF, (value,), DECIMAL, Rules.SQLITE)


def summand(expression: Expression, translation: Translation) -> Expression:
    """The value as it is summed: SQLite makes a float of a text that is not a number, or only begins with one."""
    value = number(expression, translation)
    if not (translation.dialect.is_sqlite and isinstance(value, Cast) and value.type == DECIMAL):
        return value
    if of_numbers(value.operand):
        return value
    read = coerce(value.operand, Affinity.NUMERIC)
    known = Call(Function.TYPE_OF, (read,), TEXT, Rules.SQLITE)
    is_none = InList(known, (Literal("text", TEXT), Literal("blob", TEXT)))
    return Case(((is_none, Cast(value.operand, FLOAT, Rules.SQLITE)),), read, DECIMAL)


def numeric(expression: Expression, translation: Translation) -> Cast:
    """SQLite's CAST AS NUMERIC, which leaves numbers as they are: floats, too, which sums of large integers become."""
    value = plain(expression, translation)
    may_be_float = value.type.name is TypeName.INTEGER and not isinstance(value, Column | Literal)
    return Cast(value, value.type if is_number(value) and not may_be_float else ANY, Rules.SQLITE)


def text_as_shown(expression: Expression, translation: Translation) -> Expression:
    """The value as PostgreSQL's `concat` and `format` write it, which is as a result shows it: truth is one letter."""
    found = chars.filled(text(expression, translation))
    if expression.type.name is not TypeName.BOOLEAN or translation.dialect.rules is not Rules.POSTGRESQL:
        return found
    if isinstance(found, Literal) and isinstance(found.value, str):
        return Literal(found.value[0], TEXT)
    first = (found, Literal(1, INTEGER), Literal(1, INTEGER))
    return Call(Function.SUBSTRING, first, TEXT, translation.dialect.rules)


def text(expression: Expression, translation: Translation) -> Expression:
    """The value as an operand of a text function; a parameter that says no type itself is given as a text."""
    if isinstance(expression, Parameter) and expression.type == ANY:
        return replace(expression, type=TEXT)
    value = plain(expression, translation)
    is_enum = value.type.name is TypeName.ENUM and not is_mixed(value)
    if value.type.carried and value.type.name in KEPT_AS_TEXT:
        refuse_order("a text", None, value)
    if translation.dialect.rules is Rules.MYSQL:
        refuse_bits("a text", None, value)
        if value.type.name in SHOWN_AS_TEXT and not isinstance(value, Literal | Parameter):
            return text_of_time(value, translation)
    if is_text(value) or is_enum or value == NULL:
        return value
    if isinstance(value, Literal) and isinstance(value.value, int):
        return Literal(str(value.value).lower(), TEXT)
    if isinstance(value, Literal) and isinstance(value.value, Decimal):
        return Literal(f"{value.value:f}", TEXT)
    if isinstance(value, Literal) and isinstance(value.value, datetime) and not translation.dialect.is_sqlite:
        raise statement_gap("a constant timestamp as a text; write the text")
    refuse_infinite("a text", None, translation, value)
    return Cast(as_written(value, translation), TEXT, translation.dialect.rules)


def as_written(number: Expression, translation: Translation) -> Expression:
    """A number with the digits that are written: MySQL's as it shows it, PostgreSQL's year or hour as the integer it is."""
    if translation.dialect.rules is Rules.MYSQL:
        return observed(number)
    match number:
        case Call(function=Function.TIME_PART, arguments=(Literal(value=unit), _)) if unit not in ("second", "epoch"):
            return replace(number, type=INTEGER)
        case _ if translation.dialect.rules is Rules.POSTGRESQL:
            return with_digits(number, translation)
        case _:
            return number


def coerce(expression: Expression, wanted: Affinity) -> Expression:
    """SQLite's affinity applied, unless it certainly changes nothing; constants at once."""
    if wanted is Affinity.BLOB:
        return expression
    if isinstance(expression, Literal):
        return _coerced_literal(expression, wanted)
    if wanted is Affinity.NUMERIC:
        idle = of_numbers(expression) or (
            isinstance(expression, Raw) and expression.operand.type.name in TIMES and expression.type != ANY
        )
        return expression if idle else Coerce(expression, wanted)
    return expression if is_text(expression) else Coerce(expression, wanted)


def _coerced_literal(literal: Literal, wanted: Affinity) -> Literal:
    value = literal.value
    if wanted is Affinity.NUMERIC and isinstance(value, str) and _NUMBER.match(value):
        return number_literal(value.strip())
    if wanted is Affinity.TEXT and isinstance(value, int):
        return Literal(str(value), TEXT)
    if wanted is Affinity.TEXT and isinstance(value, float):
        return Literal(float_text(value), TEXT)
    return literal


def compare(
    operator: Comparison,
    left: Expression,
    right: Expression,
    translation: Translation,
    collation: Collation | None = None,
    *,
    as_computed: bool = False,
) -> Compare:
    """A comparison, its operands converted as the dialect does. `as_computed`: with all digits that MySQL keeps, shown or not."""
    refuse_comparison(left, right, ordered=operator.is_order)
    labels = left.type.values or right.type.values
    if translation.dialect.lenient and not operator.is_order:
        left, right = _truth_beside(left, right), _truth_beside(right, left)
    left, right = comparable(left, right, translation)
    if translation.dialect.rules is Rules.MYSQL and not as_computed:
        left, right = observed_beside(left, right)
    if translation.dialect.rules is Rules.POSTGRESQL and operator.is_order:
        refuse_nan("a comparison", None, left, right)
        left, right = placed_sides(ranked(left, labels), ranked(right, labels), translation)
    strict = is_strict(translation, left, right)
    return Compare(operator, left, right, collation or translation.dialect.collation, strict)


def _truth_beside(value: Expression, other: Expression) -> Expression:
    """0 and 1 beside an attribute that holds nothing but truth values are false and true: an index knows those."""
    is_truth = isinstance(other, Column) and other.type.name is TypeName.BOOLEAN and not other.mixed
    if not is_truth or not isinstance(value, Literal) or type(value.value) is not int or value.value not in (0, 1):
        return value
    return TRUE if value.value else FALSE


def comparable(left: Expression, right: Expression, translation: Translation) -> tuple[Expression, Expression]:
    """Both operands, converted so that a plain comparison does what the dialect does."""
    if is_strict(translation, left, right):
        return as_given(left), as_given(right)
    left, right = beside_subtype(left, right), beside_subtype(right, left)
    ids = [side.type.name is TypeName.OBJECT_ID for side in (left, right)]
    if any(ids) and not all(ids):
        left, right = (_digits(side) if is_id else side for side, is_id in zip((left, right), ids, strict=True))
    match translation.dialect.rules:
        case Rules.SQLITE:
            return _comparable_sqlite(left, right, translation)
        case Rules.POSTGRESQL:
            refuse_unlike(left, right)
            return _beside(left, right.type), _beside(right, left.type)
        case Rules.MYSQL if left.type.name is right.type.name is TypeName.BOOLEAN and not _mixed(left, right):
            return left, right
        case Rules.MYSQL:
            if TypeName.BITS in (left.type.name, right.type.name):
                return beside_bits(left, right), beside_bits(right, left)
            refuse_text_beside(left, right)
            left, right = beside_years(left, right)
            return _mysql(left, right, translation), _mysql(right, left, translation)


def is_strict(translation: Translation, *sides: Expression) -> bool:
    """Whether one is a column of several types in a model of MongoDB's, which is compared by the types of its values."""
    return translation.model.strict_types and any(
        isinstance(side, Column) and side.mixed and not side.numbers for side in sides
    )


def as_given(expression: Expression) -> Expression:
    """The value with the BSON type it has; a parameter with the one it is given with."""
    if isinstance(expression, Parameter):
        return Parameter(expression.name, listed=expression.listed, strict=True, rules=expression.rules)
    return expression


def _mixed(*sides: Expression) -> bool:
    return any(is_mixed(side) for side in sides)


def _comparable_sqlite(left: Expression, right: Expression, translation: Translation) -> tuple[Expression, Expression]:
    same = left.type.name is right.type.name in _CONVERTED
    if same and not _mixed(left, right):
        return left, right
    of_left, of_right = affinity(left, translation), affinity(right, translation)
    left, right = exact_beside(left, right, translation), exact_beside(right, left, translation)
    left, right = plain(left, translation), plain(right, translation)
    if Affinity.NUMERIC in (of_left, of_right):
        left = left if of_left is Affinity.NUMERIC else coerce(left, Affinity.NUMERIC)
        right = right if of_right is Affinity.NUMERIC else coerce(right, Affinity.NUMERIC)
    elif of_left is Affinity.TEXT and of_right is None:
        right = coerce(right, Affinity.TEXT)
    elif of_right is Affinity.TEXT and of_left is None:
        left = coerce(left, Affinity.TEXT)
    return left, right


def is_untyped(expression: Expression) -> bool:
    """PostgreSQL: whether it is a parameter, or a constant in quotes, that has the type of what it meets."""
    if isinstance(expression, Parameter):
        return expression.type == ANY
    return isinstance(expression, Literal) and isinstance(expression.value, str) and expression.type == TEXT


def adapt(expression: Expression, wanted: Type) -> Expression:
    """PostgreSQL: an untyped constant or parameter takes the other side's type; dates become timestamps beside one."""
    if isinstance(expression, Parameter):
        return replace(expression, type=wanted) if expression.type == ANY else expression
    if isinstance(expression, Literal) and isinstance(expression.value, str) and expression.type.name is TypeName.TEXT:
        refuse_label(expression.value, wanted)
        refuse_no_uuid(expression.value, wanted)
        return constant_of(expression.value, wanted)
    expression = given_beside(expression, wanted)
    mine, other = expression.type.name, wanted.name
    if is_mixed_time(expression):
        return expression
    if mine in TIME_RANK and other in TIME_RANK and TIME_RANK[mine] < TIME_RANK[other]:
        known = expression.value if isinstance(expression, Literal) else None
        return instant_literal(known, wanted) if isinstance(known, date) else Cast(expression, wanted, Rules.POSTGRESQL)
    return expression


def as_kept(value: Expression, kind: Type) -> Expression:
    """A constant that is JSON or an array, as it is kept."""
    is_constant = isinstance(value, Cast) and isinstance(value.operand, Literal)
    if is_constant and isinstance(value, Cast) and kind.name is value.type.name and kind.name in MAY_BE_ARRAYS:
        return AttributeCast(value.operand, kind, Rules.POSTGRESQL)
    return value


def _beside(value: Expression, wanted: Type) -> Expression:
    """PostgreSQL: the value as it is compared with one of that type."""
    found = adapt(value, wanted)
    if wanted.carried != JSONB:
        return found
    if isinstance(found, Parameter) and found.type == wanted:
        raise statement_gap(
            "a comparison with a jsonb parameter, as MongoDB compares objects in the order of their keys"
        )
    return as_kept(found, wanted)


def _mysql(expression: Expression, other: Expression, translation: Translation) -> Expression:
    """MySQL: a text beside a number is taken for a float, beside a date for a timestamp.

    A parameter takes the other side's type: what clients send for a number or a date is one. Truth is a number.
    """
    if isinstance(expression, Parameter) and expression.type == ANY:
        kind = INTEGER if other.type.name is TypeName.BOOLEAN else other.type
        return replace(expression, type=kind, no_number=is_text(other))
    if (own := beside_own(expression, other)) is not None:
        return own
    refuse_own(expression, other)
    if other.type.name in TIMES and expression.type.name in (*TEXTS, TypeName.ANY):
        if not isinstance(expression, Literal) and begins_with_constant(other):
            raise statement_gap(
                "a text compared with a constant to which an interval is added, which MySQL turns into a text",
                move="write `CAST('…' AS DATE)` or `CAST('…' AS DATETIME)` around the constant",
            )
        return _text_beside_time(expression, other.type, translation)
    if other.type.name in TIMES and expression.type.name is TypeName.DATE and other.type != expression.type:
        if _mixed(expression) and _mixed(other):
            raise statement_gap("dates together with timestamps if both also contain zero dates")
        return Cast(expression, TIMESTAMP, Rules.MYSQL)
    value, beside = plain(expression, translation), plain(other, translation)
    if other.type.name in TIMES and value != NULL and value.type.name in NUMBERS:
        return moment_of_number(value, other.type)
    if not _is_numeric(beside, translation) or _is_numeric(value, translation) or value == NULL:
        return value
    if isinstance(value, Literal) and isinstance(value.value, str) and _SHORT_NUMERAL.fullmatch(value.value):
        return typed_literal(value.value, FLOAT if beside.type == FLOAT else DECIMAL)
    return value if value.type.name in TIMES else Cast(value, FLOAT, Rules.MYSQL)


def _text_beside_time(expression: Expression, wanted: Type, translation: Translation) -> Expression:
    """A text as the moment it says, for MySQL; beside dates, too."""
    said = expression.value if isinstance(expression, Literal) else None
    if is_zero(said):
        return Literal(zero_of(wanted), TEXT)
    if isinstance(said, str):
        if (found := constant_moment(said)) is not None:
            return found
        raise statement_gap(f"the constant '{said}' beside dates, as it is none in ISO form; write '2024-01-31'")
    return moment_of_text(expression, translation) or Cast(expression, TIMESTAMP, Rules.MYSQL)


def _is_numeric(expression: Expression, translation: Translation) -> bool:
    """Whether its values are certainly numbers, also where some are integers beyond 64 bits, which are kept as decimals."""
    if of_numbers(expression) or not isinstance(expression, Column) or not expression.mixed:
        return of_numbers(expression)
    entity = translation.scans.get(expression.alias)
    also = entity.attribute(expression.name).also if entity is not None else ()
    return bool(also) and all(kind.name in EXACT_NUMBERS for kind in (expression.type, *also))
