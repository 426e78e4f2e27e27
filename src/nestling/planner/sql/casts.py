"""CAST: what a constant or parameter is sent as, and what is converted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal

from sqlglot import exp

from nestling.ir.statements.expression import Call, Cast, Expression, Literal, Parameter
from nestling.ir.statements.operands import is_mixed_time, is_text
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.types import CHAR, EXACT_NUMBERS, TIMES, Type, TypeName
from nestling.planner.sql import conversions
from nestling.planner.sql.gaps import statement_gap
from nestling.planner.sql.literals import constant_of
from nestling.planner.sql.mysql.calendar import cut_time
from nestling.planner.sql.mysql.clock import whole_time_of_day
from nestling.planner.sql.mysql.given_moments import cast_given
from nestling.planner.sql.mysql.times_as_text import SHOWN_AS_TEXT, moment_of_text
from nestling.planner.sql.postgresql.constant_casts import fitted
from nestling.planner.sql.postgresql.given_times import given_beside
from nestling.planner.sql.postgresql.infinite_moments import refuse_infinite
from nestling.planner.sql.postgresql.type_errors import refuse_no_uuid
from nestling.planner.sql.scope import Bind, Env
from nestling.planner.sql.supported_types import refuse_stored_otherwise

_WORDS: dict[str, TypeName] = {
    **dict.fromkeys(("INT", "BIGINT", "SMALLINT", "TINYINT", "MEDIUMINT", "UBIGINT", "UINT"), TypeName.INTEGER),
    **dict.fromkeys(("DECIMAL", "NUMERIC", "UDECIMAL"), TypeName.DECIMAL),
    **dict.fromkeys(("FLOAT", "DOUBLE"), TypeName.FLOAT),
    **dict.fromkeys(("TEXT", "VARCHAR", "CHAR", "NCHAR", "NVARCHAR"), TypeName.TEXT),
    "BOOLEAN": TypeName.BOOLEAN,
    "DATE": TypeName.DATE,
    **dict.fromkeys(("TIMESTAMP", "DATETIME", "TIMESTAMPNTZ"), TypeName.TIMESTAMP),
    "UUID": TypeName.UUID,
}
_CHARS = ("CHAR", "NCHAR", "BPCHAR")
"""PostgreSQL's texts that blanks fill up."""
SENT = {
    **_WORDS,
    "TIME": TypeName.TIME,
    "TIMESTAMPTZ": TypeName.TIMESTAMPTZ,
    **dict.fromkeys(("JSON", "JSONB"), TypeName.JSON),
    "VARBINARY": TypeName.BYTES,
}
"""What a constant or parameter may be cast to, which is nothing to convert."""

_READ_BY_TYPE = (TypeName.JSON, TypeName.TIME)
"""Types of which a parameter's value may be given in several ways."""


def cast_type(to: exp.DataType, env: Env, node: exp.Expr, casts: Mapping[str, TypeName] = _WORDS) -> Type:
    """The type a cast says, of those there are words for; raises a gap for others."""
    word = to.this.value if isinstance(to.this, exp.DataType.Type) else str(to)
    numbers = tuple(int(part.name) for part in to.expressions if part.name.isdecimal())
    if env.dialect.rules is Rules.POSTGRESQL and word in _CHARS:
        return Type(TypeName.TEXT, numbers or (() if word == "BPCHAR" else (1,)), carried=CHAR)
    name = casts.get(word)
    is_rounded = name is TypeName.TIME and bool(numbers)
    if (
        name is None
        or is_rounded
        or (env.dialect.is_sqlite and name not in (TypeName.INTEGER, TypeName.FLOAT, TypeName.TEXT, TypeName.DECIMAL))
    ):
        is_bytes = to.this is exp.DataType.Type.BINARY and env.dialect.rules is Rules.MYSQL
        instead = "; `x COLLATE utf8mb4_bin` compares a text exactly" if is_bytes else ""
        raise statement_gap(f"CAST to {to.sql(dialect=env.dialect.grammar)}{instead}", node)
    counted = name in (TypeName.DECIMAL, TypeName.TEXT) and not env.dialect.is_sqlite
    return Type(name, numbers if counted else ())


def _sent(node: exp.Cast, operand: Expression, env: Env) -> Expression | None:
    """PostgreSQL: a constant or parameter whose cast tells its type, as drivers write them; None for what is converted.

    A type of the user's own, an enum, takes the text as it is.
    """
    is_text = isinstance(operand, Literal) and isinstance(operand.value, str)
    is_named = node.to.this is exp.DataType.Type.USERDEFINED
    if is_named and (is_text or isinstance(operand, Parameter) or operand.type.name is TypeName.ENUM):
        return operand
    if node.to.this is exp.DataType.Type.ARRAY and node.to.expressions:
        return _array_sent(node, operand, env)
    if isinstance(operand, Parameter):
        sent = cast_type(node.to, env, node, SENT)
        if not sent.numbers:
            return replace(operand, type=sent, exact=sent.name not in _READ_BY_TYPE)
    if is_text and isinstance(operand, Literal):
        kind = cast_type(node.to, env, node, SENT)
        if kind.is_char and kind.numbers:
            return Cast(operand, kind, Rules.POSTGRESQL)
        refuse_no_uuid(str(operand.value), kind)
        return fitted(constant_of(str(operand.value), kind), kind, node)
    if isinstance(operand, Literal) and isinstance(operand.value, int | Decimal):
        return _number_sent(operand, cast_type(node.to, env, node), node)
    return None


def _array_sent(node: exp.Cast, operand: Expression, env: Env) -> Expression | None:
    """An array that is given or written as a text."""
    kind = Type(TypeName.ARRAY, element=cast_type(node.to.expressions[0], env, node, SENT))
    if isinstance(operand, Parameter):
        return replace(operand, type=kind)
    is_text = isinstance(operand, Literal) and isinstance(operand.value, str)
    return Cast(operand, kind, Rules.POSTGRESQL) if is_text else None


def _number_sent(number: Literal, kind: Type, node: exp.Cast) -> Expression | None:
    found = fitted(number, kind, node)
    return found if found != number else None


def _cast(node: exp.Cast, env: Env, bound: Bind) -> Expression:
    from nestling.planner.sql.comparisons import cast_one_by_one

    written = cast_one_by_one(node)
    if isinstance(written, exp.Array):
        return bound(written)
    if env.dialect.rules is Rules.MYSQL and (cut := _cut(node, env, bound)) is not None:
        return cut
    operand = bound(node.this)
    if (sent := _told(node, operand, env)) is not None:
        return sent
    kind = cast_type(node.to, env, node)
    operand = given_beside(operand, kind) if env.dialect.rules is Rules.POSTGRESQL else operand
    if env.dialect.is_sqlite and kind.name is TypeName.DECIMAL:
        return conversions.numeric(operand, env.translation)
    if env.dialect.rules is Rules.MYSQL:
        operand = _of_mysql(operand, kind, node, env)
    if env.dialect.rules is Rules.MYSQL and kind.name is TypeName.DATE and is_mixed_time(operand):
        return Call(Function.DATE_OF, (operand,), kind, Rules.MYSQL)
    refuse_infinite("a CAST", node, env.translation, operand)
    if operand.type.carried:
        refuse_stored_otherwise("a CAST", node, operand)
    if kind.name is TypeName.TEXT:
        is_constant = isinstance(operand, Literal) or _is_mysql_time(operand, env)
        operand = (
            conversions.text(operand, env.translation)
            if is_constant
            else conversions.as_written(operand, env.translation)
        )
    return Cast(conversions.plain(operand, env.translation), kind, env.dialect.rules)


def _cut(node: exp.Cast, env: Env, bound: Bind) -> Expression | None:
    """MySQL's casts of which a part of a time is left: a time of day, or the first moment of a unit."""
    if node.to.this is exp.DataType.Type.TIME and not node.to.expressions:
        return whole_time_of_day(bound(node.this), node, env.translation)
    return cut_time(node, cast_type(node.to, env, node), env, bound)


def _told(node: exp.Cast, operand: Expression, env: Env) -> Expression | None:
    """A constant or parameter of which the cast tells the type; in MySQL a parameter that is a time."""
    if env.dialect.rules is Rules.POSTGRESQL:
        return _sent(node, operand, env)
    if env.dialect.rules is not Rules.MYSQL or not isinstance(operand, Parameter):
        return None
    name = cast_type(node.to, env, node).name
    return cast_given(operand, name, node) if name in TIMES else None


def _of_mysql(operand: Expression, kind: Type, node: exp.Cast, env: Env) -> Expression:
    """What MySQL's cast is of: a number that is given, and the moment that a text is of."""
    if isinstance(operand, Parameter) and kind.name in EXACT_NUMBERS:
        operand = conversions.number(operand, env.translation)
    if kind.name in TIMES and is_text(operand):
        operand = moment_of_text(operand, env.translation) or operand
    if kind.name is TypeName.TIMESTAMP:
        _refuse_finer(operand, node)
    return operand


def _is_mysql_time(operand: Expression, env: Env) -> bool:
    return env.dialect.rules is Rules.MYSQL and operand.type.name in SHOWN_AS_TEXT


def _refuse_finer(operand: Expression, node: exp.Cast) -> None:
    """MySQL rounds what a cast to DATETIME leaves out, MariaDB cuts it off."""
    digits = int(node.to.expressions[0].name) if node.to.expressions else 0
    if operand.type.name in TIMES and operand.type.fraction_digits > digits:
        raise statement_gap(f"CAST to {node.to.sql(dialect='mysql')} of a time with more digits", node)


CASTS: dict[type[exp.Expr], Callable[..., Expression]] = {exp.Cast: _cast}
