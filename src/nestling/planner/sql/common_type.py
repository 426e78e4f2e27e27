"""The common type of several values (CASE, COALESCE, UNION), and their conversion to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

from nestling.ir.statements.expression import ANY, NULL, Call, Case, Cast, Expression, Literal, Parameter
from nestling.ir.statements.operands import is_mixed, is_number, is_text
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.types import (
    BSON_DIGITS,
    EXACT_NUMBERS,
    FLOAT,
    INTEGER,
    MADE,
    MAY_BE_ARRAYS,
    NUMBERS,
    TEXT,
    TEXTS,
    TIMES,
    YEAR,
    Type,
    TypeName,
)
from nestling.planner.sql.binary_subtypes import refuse_subtypes
from nestling.planner.sql.conversions import TIME_RANK, adapt, as_kept, plain, text
from nestling.planner.sql.gaps import statement_gap
from nestling.planner.sql.literals import DECIMAL
from nestling.planner.sql.mysql.digits import together, with_zeros
from nestling.planner.sql.mysql.given_moments import refuse_text_of_moment
from nestling.planner.sql.mysql.mixed_types import TEXTS_AMONG_OTHERS
from nestling.planner.sql.mysql.times_as_text import SHOWN_AS_TEXT
from nestling.planner.sql.postgresql import char_n as chars
from nestling.planner.sql.postgresql.given_times import given_among
from nestling.planner.sql.scope import Translation
from nestling.planner.sql.supported_types import refuse_bits, refuse_stored_otherwise

_RANK = {TypeName.INTEGER: 0, TypeName.DECIMAL: 1, TypeName.FLOAT: 2}


def common(values: Sequence[Expression], translation: Translation) -> tuple[tuple[Expression, ...], Type]:
    """Values that become one (CASE, COALESCE, UNION), made alike, and their type; MySQL's constants with the zeros it shows."""
    given = given_among(values) if translation.dialect.rules is Rules.POSTGRESQL else values
    alike, kind = _alike(given, translation)
    return (with_zeros(alike, kind) if translation.dialect.rules is Rules.MYSQL else alike), kind


def _alike(values: Sequence[Expression], translation: Translation) -> tuple[tuple[Expression, ...], Type]:
    """The values converted to one type, and the type.

    In SQLite a parameter may be of any class, and timestamps of different precision are texts of different length. With years a
    parameter is a number, which the column turns into a year.
    """
    known = [value for value in values if value != NULL and not (isinstance(value, Parameter) and value.type == ANY)]
    names = {value.type.name for value in known}
    if translation.dialect.rules is Rules.POSTGRESQL and any(value.type.is_char for value in known):
        kind = chars.one_type(values)
        return tuple(adapt(value, kind) for value in values), kind
    _refuse_carried(values, known)
    if translation.dialect.is_sqlite and TypeName.BYTES in names and len(names) > 1:
        raise statement_gap("bytes and other types in one value, which MongoDB sorts differently")
    mixed = any(is_mixed(value) for value in known)
    open_class = translation.dialect.is_sqlite and any(isinstance(v, Parameter) and v.type == ANY for v in values)
    if len(names) == 1 and not (mixed or open_class or _differs_in_precision(known, translation)):
        kind = _of_one_kind(known, translation)
        if translation.dialect.rules is Rules.POSTGRESQL:
            return tuple(as_kept(adapt(value, kind), kind) for value in values), kind
        return (tuple(map(_whole, values)), INTEGER) if kind.carried == YEAR else (tuple(values), kind)
    alike = tuple(plain(value, translation) for value in values)
    if not translation.dialect.is_sqlite and _differs_in_precision(known, translation):
        raise statement_gap("timestamps of different precision in one value")
    if translation.dialect.rules is Rules.MYSQL and _are_texts(names):
        return tuple(text(value, translation) for value in values), TEXT
    if translation.dialect.rules is Rules.MYSQL and len(names) > 1 and names - TIMES:
        _refuse_apart(names, mixed=mixed)
    kind = _widest([value for value in alike if value != NULL], translation)
    kind = ANY if open_class else kind
    has_texts = any(is_text(v) or v.type.name is TypeName.ENUM for v in alike)
    if translation.dialect.rules is Rules.MYSQL and has_texts and any(map(is_number, alike)):
        return tuple(Cast(v, TEXT, Rules.MYSQL) if is_number(v) else v for v in alike), TEXT
    if translation.dialect.rules is Rules.POSTGRESQL:
        alike = tuple(as_kept(adapt(value, kind), kind) for value in alike)
    return (tuple(map(_as_float, alike)) if kind == FLOAT and not translation.dialect.is_sqlite else alike), kind


def _refuse_apart(names: set[TypeName], *, mixed: bool) -> None:
    """Raise the gap of types of which MySQL makes one in a way of its own."""
    if mixed:
        raise statement_gap(f"different types in one value: {' and '.join(sorted(names))}")
    if names & TEXTS_AMONG_OTHERS:
        raise statement_gap(f"{' and '.join(sorted(names))} in one value")


def _are_texts(names: set[TypeName]) -> bool:
    """Whether MySQL makes texts of such values: times among texts or numbers."""
    return (
        bool(names & SHOWN_AS_TEXT)
        and bool(names & (TEXTS | EXACT_NUMBERS))
        and names <= SHOWN_AS_TEXT | TEXTS | EXACT_NUMBERS
    )


def _with_given(values: Sequence[Expression], translation: Translation) -> tuple[tuple[Expression, ...], Type]:
    """Values made alike; MySQL's parameters among numbers or texts are of their type."""
    if translation.dialect.rules is Rules.MYSQL:
        refuse_bits("one value of several", None, *values)
        for value in values:
            refuse_text_of_moment(value)
    alike, kind = common(values, translation)
    if translation.dialect.rules is not Rules.MYSQL or kind.carried or kind.name not in NUMBERS | {TypeName.TEXT}:
        return alike, kind
    given = Type(kind.name)
    return tuple(replace(e, type=given) if isinstance(e, Parameter) and e.type == ANY else e for e in alike), kind


def _whole(value: Expression) -> Expression:
    """A parameter as the whole number it must be."""
    return replace(value, type=INTEGER, exact=True) if isinstance(value, Parameter) else value


def _refuse_carried(values: Sequence[Expression], known: Sequence[Expression]) -> None:
    if len({value.type for value in values if value != NULL}) > 1:
        refuse_subtypes("one value of different types", *known)
    if len({value.type for value in known}) > 1:
        refuse_stored_otherwise("one value of different types", None, *(value for value in known if value.type.carried))


def _as_float(value: Expression) -> Expression:
    """A number among floats, as one."""
    if not is_number(value) or value.type.name is TypeName.FLOAT or value == NULL or isinstance(value, Parameter):
        return value
    if isinstance(value, Literal) and isinstance(value.value, int | Decimal):
        return Literal(float(value.value), FLOAT)
    return Cast(value, FLOAT, Rules.POSTGRESQL)


def _differs_in_precision(values: Sequence[Expression], translation: Translation) -> bool:
    """Whether there are timestamps of different precision; in SQLite also finer than a millisecond, as those are texts."""
    digits = {value.type.fraction_digits for value in values if value.type.name in TIMES}
    if translation.dialect.is_sqlite:
        return len(digits) > 1 or max(digits, default=0) > BSON_DIGITS
    return len({each > BSON_DIGITS for each in digits}) > 1


def _of_one_kind(values: Sequence[Expression], translation: Translation) -> Type:
    """The type of one of several values whose types differ in their numbers or labels at most."""
    if all(one.type == other.type for one, other in pairwise(values)):
        return values[0].type
    if values[0].type.name is TypeName.ENUM:
        return _of_enums(translation)
    if values[0].type.name in MAY_BE_ARRAYS:
        made = [value.type for value in values if not isinstance(value, Cast)]
        return made[0] if len(set(made)) == 1 else _of_several(values)
    kind = Type(values[0].type.name)
    exact = translation.dialect.rules is Rules.MYSQL and kind.name is TypeName.DECIMAL
    return together(values) or kind if exact else kind


def _of_enums(translation: Translation) -> Type:
    """One type of labels of several enums: texts, which PostgreSQL does not make of them by itself."""
    if translation.dialect.rules is Rules.POSTGRESQL:
        raise statement_gap("labels of different enums in one value; cast them to text")
    return TEXT


def _of_several(values: Sequence[Expression]) -> Type:
    """One type of JSON and JSON of which no text is kept, and of arrays of texts of several lengths; other arrays have none."""
    if values[0].type.name is TypeName.JSON:
        return Type(TypeName.JSON, carried=MADE)
    elements = {value.type.element for value in values}
    if all(each is not None and each.name is TypeName.TEXT and not each.carried for each in elements):
        return Type(TypeName.ARRAY, element=TEXT)
    raise statement_gap(f"{' and '.join(sorted({str(value.type) for value in values}))} in one value")


def _widest(values: Sequence[Expression], translation: Translation) -> Type:
    names = {value.type.name for value in values}
    if names and names <= set(_RANK) and all(map(is_number, values)):
        # In SQLite each value keeps its own class: a number, but not which.
        widest = max(names, key=_RANK.__getitem__)
        if translation.dialect.rules is Rules.MYSQL and widest is TypeName.DECIMAL:
            return together(values) or DECIMAL
        return DECIMAL if translation.dialect.is_sqlite and len(names) > 1 else Type(widest)
    if names and names <= set(TIME_RANK):
        return Type(max(names, key=TIME_RANK.__getitem__))
    typed = {value.type for value in values if value.type.name is not TypeName.TEXT}
    if translation.dialect.rules is Rules.POSTGRESQL and len(typed) == 1:
        return typed.pop()
    if names <= TEXTS and (translation.dialect.rules is Rules.MYSQL or all(map(is_text, values))):
        return ANY if any(is_mixed(value) for value in values) else TEXT
    return ANY


def case(branches: Sequence[tuple[Expression, Expression]], default: Expression, translation: Translation) -> Case:
    """CASE with values made alike."""
    values, kind = _with_given([*(value for _, value in branches), default], translation)
    predicates = (predicate for predicate, _ in branches)
    return Case(tuple(zip(predicates, values[:-1], strict=True)), values[-1], kind)


def coalesce(values: Sequence[Expression], translation: Translation) -> Expression:
    """The first that is not NULL, values made alike."""
    alike, kind = _with_given(values, translation)
    return Call(Function.COALESCE, alike, kind, translation.dialect.rules)
