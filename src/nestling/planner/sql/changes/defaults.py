"""What an INSERT's rows get in the attributes it leaves out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from math import isfinite
from typing import assert_never

from sqlglot import exp

from nestling.ir.constraints.defaults import (
    NEW_IDS,
    NUMBERED,
    ComputedAttribute,
    ConstantDefault,
    Generated,
    OtherDefault,
)
from nestling.ir.fraction import MOST_DIGITS
from nestling.ir.model import Attribute, Entity
from nestling.ir.statements.algebra import Named, Project, Relation, Values
from nestling.ir.statements.expression import NULL, Case, Expression, IsNull, Literal, Parameter
from nestling.ir.statements.operands import bare, nullable
from nestling.ir.statements.operators import Rules
from nestling.ir.statements.write import GeneratedValue
from nestling.ir.types import BOOLEAN, FLOAT, INTEGER, TEXT, Type, TypeName
from nestling.planner.sql.expressions import bind
from nestling.planner.sql.gaps import statement_gap
from nestling.planner.sql.literals import DECIMAL
from nestling.planner.sql.scope import Env

_MADE_BY_STORE = (*NUMBERED, *NEW_IDS)
_OF_DAYS: dict[Generated, exp.Expr] = {
    Generated.TIMESTAMP: exp.CurrentTimestamp(),
    Generated.DATE: exp.CurrentDate(),
    Generated.TIME: exp.CurrentTime(),
}


def default_expression(attribute: Attribute, env: Env, node: exp.Expr) -> Expression | None:
    """The attribute's default; None where it is NULL or made by whoever stores the row. A gap where only the source knows."""
    match attribute.default:
        case None:
            return None
        case ConstantDefault(value=value):
            return Literal(value, _type_of(value, attribute.type))
        case ComputedAttribute():
            return None  # `generated_attributes` has it
        case OtherDefault(sql=sql):
            raise statement_gap(f"the default of `{attribute.name}`, `{sql}`", node)
        case Generated() as made:
            if made in _MADE_BY_STORE:
                return None
            return bind(_clock(attribute, made, env), env)
        case _:
            assert_never(attribute.default)


def omitted_default(attribute: Attribute, env: Env, node: exp.Expr) -> Expression | None:
    """The default of an attribute that an INSERT leaves out: in MySQL the first label of an enum that is NOT NULL."""
    label = _first_label(attribute, env)
    return default_expression(attribute, env, node) if label is None else Literal(label, TEXT)


def _first_label(attribute: Attribute, env: Env) -> str | None:
    is_enum = attribute.type.name is TypeName.ENUM and not attribute.nullable and attribute.default is None
    return attribute.type.values[0] if is_enum and env.dialect.rules is Rules.MYSQL else None


def written_default(attribute: Attribute, env: Env, node: exp.Expr) -> exp.Expr:
    """The expression in place of DEFAULT in one of several rows; a gap for generated values and those only the source knows."""
    match attribute.default:
        case None:
            label = _first_label(attribute, env)
            return exp.Null() if label is None else exp.Literal.string(label)
        case ConstantDefault(value=bool() | int() | str() as value):
            return exp.convert(value)
        case ConstantDefault(value=float() | Decimal() as value) if isfinite(value):  # sqlglot makes NULL of NaN
            return exp.convert(value)
        case ConstantDefault(value=date() as value):
            return exp.Literal.string(str(value))
        case Generated() as made if made not in _MADE_BY_STORE:
            return _clock(attribute, made, env).copy()
        case _:
            raise statement_gap(f"DEFAULT of `{attribute.name}` in some rows only", node)


def _clock(attribute: Attribute, made: Generated, env: Env) -> exp.Expr:
    """What tells the time. MySQL's has no more digits of a second than are asked for, and a column asks for its own."""
    found = _OF_DAYS[Generated.DATE if attribute.type.name is TypeName.DATE else made]
    if not isinstance(found, exp.CurrentTimestamp) or env.dialect.rules is not Rules.MYSQL:
        return found
    digits = MOST_DIGITS if attribute.fraction is None else attribute.fraction.digits
    return exp.CurrentTimestamp(this=exp.Literal.number(digits))


def with_defaults(rows: Relation, attributes: Sequence[Attribute], env: Env, node: exp.Expr) -> Relation:
    """The rows with defaults for NULLs of NOT NULL attributes, as SQLite's OR REPLACE has it; parameters are taken for values."""
    defaults = [
        None if each.nullable or isinstance(each.default, OtherDefault) else default_expression(each, env, node)
        for each in attributes
    ]
    if not any(defaults) or len(rows.columns) != len(attributes):
        return rows
    if isinstance(rows, Values):
        return replace(rows, rows=tuple(tuple(map(_unless_null, row, defaults)) for row in rows.rows))
    filled = map(_unless_null, rows.columns, defaults)
    named = tuple(Named(column.name, value) for column, value in zip(rows.columns, filled, strict=True))
    return Project(rows, env.translation.alias("filled"), named)


def _unless_null(value: Expression, default: Expression | None) -> Expression:
    if default is None or not nullable(value) or isinstance(bare(value), Parameter):
        return value
    return default if bare(value) == NULL else Case(((IsNull(value), default),), value, value.type)


def generated_values(entity: Entity, listed: Collection[str], env: Env) -> Iterator[GeneratedValue]:
    """The attributes the store makes values of: those not listed, and in SQLite and MySQL a numbered one that is NULL."""
    for attribute in entity.attributes:
        made = Generated.OBJECT_ID if _is_own_object_id(attribute, entity, env) else attribute.default
        if not isinstance(made, Generated) or made not in _MADE_BY_STORE:
            continue
        for_null = made in NUMBERED and env.dialect.rules is not Rules.POSTGRESQL
        if attribute.name not in listed or for_null:
            yield GeneratedValue(attribute.name, made)


def _is_own_object_id(attribute: Attribute, entity: Entity, env: Env) -> bool:
    """Whether it is a key of ObjectIds that refers to nothing: a driver makes one for a document that comes without."""
    if (
        attribute.default is not None
        or entity.key != (attribute.name,)
        or attribute.type.name is not TypeName.OBJECT_ID
    ):
        return False
    return not any(attribute.name in link.child_attributes for link in env.translation.model.parents_of(entity.name))


def _type_of(value: object, kind: Type) -> Type:
    match value:
        case bool():
            return BOOLEAN
        case int():
            return INTEGER
        case float():
            return FLOAT
        case Decimal():
            return DECIMAL
        case datetime():
            return kind
        case str():
            return kind if kind.name is TypeName.BITS else TEXT
        case _:
            return kind
