"""CHECK constraints of target tables, for what is allowed for attributes and rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from nestling.ir.constraints.allowed import Allowed
from nestling.ir.constraints.condition_text import Writing, condition_text
from nestling.ir.statements.operands import compared_columns
from nestling.ir.statements.sql_dialects import SQLITE
from nestling.ir.types import CHECKED, NUMBERS, TEXT, TypeName
from nestling.sources.checks import compares_plainly, means_the_same
from nestling.sources.row_checks import compares_alike
from nestling.sources.sql.engines import engine_of

if TYPE_CHECKING:
    from nestling.ir.constraints.allowed import Scalar
    from nestling.ir.constraints.row_check import RowCheck
    from nestling.ir.model import Attribute, Entity


def check_ddl(attribute: Attribute, entity: Entity, column: str, declared: str, dialect: str) -> str:
    """The constraint of a column with this declaration; "" if there is none, or the column compares differently."""
    said, allowed = _with_allowed(attribute, dialect)
    engine = engine_of(dialect)
    if attribute.type.carried == CHECKED and engine.statements == SQLITE and not attribute.also:
        return f"CHECK (json_valid({column}) OR {column} IS NULL)"
    if engine.says_allowed(attribute, declared) or engine.takes_no_check(attribute, entity, declared):
        return ""
    if allowed is None or not declared or not compares_plainly(declared, said.type, engine_of(dialect).statements):
        return ""
    if not means_the_same(said, allowed, engine_of(dialect).statements):
        return ""
    if any("\0" in str(value) for value in allowed.values):  # which no statement can write
        return ""
    return f"CHECK ({' AND '.join(_conditions(allowed, column, dialect))})"


def row_check_ddl(check: RowCheck, entity: Entity, declared: Mapping[str, str], dialect: str, writing: Writing) -> str:
    """The constraint of rows whose columns are declared so; empty where the columns compare otherwise."""
    statements = engine_of(dialect).statements
    if not compares_alike(check.condition, entity, statements) or "\0" in str(check):
        return ""
    for name in {column.name for column in compared_columns(check.condition)}:
        kind = entity.attribute(name).type
        if kind.name in NUMBERS | {TypeName.TEXT} and not compares_plainly(declared[name], kind, statements):
            return ""
    return f"CHECK ({condition_text(check.condition, writing)})"


def _with_allowed(attribute: Attribute, dialect: str) -> tuple[Attribute, Allowed | None]:
    """The attribute with its allowed values: an enum is one of a few texts, if columns enforce their types."""
    if attribute.type.name is not TypeName.ENUM or attribute.also or not engine_of(dialect).enforces_types:
        return attribute, attribute.allowed
    return replace(attribute, type=TEXT), Allowed(tuple(dict.fromkeys(attribute.type.values)))


def _conditions(allowed: Allowed, column: str, dialect: str) -> Iterator[str]:
    if allowed.values:
        yield f"{column} IN ({', '.join(_constant(value, dialect) for value in allowed.values)})"
    if allowed.minimum is not None:
        yield f"{column} {'>' if allowed.exclusive_minimum else '>='} {allowed.minimum}"
    if allowed.maximum is not None:
        yield f"{column} {'<' if allowed.exclusive_maximum else '<='} {allowed.maximum}"
    length = f"{engine_of(dialect).length_function}({column})"
    if allowed.minimum_length is not None:
        yield f"{length} >= {allowed.minimum_length}"
    if allowed.maximum_length is not None:
        yield f"{length} <= {allowed.maximum_length}"


def _constant(value: Scalar, dialect: str) -> str:
    if not isinstance(value, str):
        return str(value)
    return engine_of(dialect).text_literal(value)
