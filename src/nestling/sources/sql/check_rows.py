"""Checks that a database's rows violate, or that do not suit the types of its values: these are not carried over."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from nestling.ir.constraints.condition_text import condition_text
from nestling.ir.quantity_words import counted
from nestling.ir.types import CHECKED, Type, TypeName
from nestling.sources.checks import is_any, means_the_same
from nestling.sources.row_checks import compares_alike
from nestling.sources.sql.engines import engine_of
from nestling.sources.sql.table_ddl import writing_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from nestling.ir.constraints.allowed import Allowed, Scalar
    from nestling.ir.constraints.row_check import RowCheck
    from nestling.ir.model import Attribute, Entity
    from nestling.sources.sql.measure import Connected
    from nestling.sources.sql.row_sql import Tables


def with_kept_checks(entity: Entity, tables: Tables, database: Connected) -> tuple[Entity, list[str]]:
    """The entity with the checks that its rows keep, and a sentence for each of the others."""
    engine = engine_of(tables.dialect)
    alike = {
        a.name: a
        for a in entity.attributes
        if a.allowed is not None and means_the_same(a, a.allowed, engine.statements)
    }
    broken = _rows_that_break(list(alike.values()), entity.name, tables, database)
    attributes, notes = [], []
    for each in entity.attributes:
        if each.allowed is None or (each.name in alike and not broken.get(each.name)):
            attributes.append(each)
            continue
        attributes.append(replace(each, allowed=None))
        why = (
            f"violated by {counted(rows, 'row')}"
            if (rows := broken.get(each.name, 0))
            else f"its values are {each.type}"
        )
        if not is_any(each, each.allowed):
            notes.append(f"the CHECK of `{entity.name}.{each.name}` ({each.allowed}) is left out: {why}")
    attributes, about_json = _with_checked_json(attributes, entity, tables, database)
    kept, said = _kept_row_checks(entity, tables, database)
    uniques = tuple(
        each for each in entity.partial_uniques if compares_alike(each.condition, entity, engine.statements)
    )
    said += [
        f"{each} of `{entity.name}` is left out: its condition compares values of different types"
        for each in entity.partial_uniques
        if each not in uniques
    ]
    return replace(entity, attributes=tuple(attributes), checks=kept, partial_uniques=uniques), [
        *notes,
        *about_json,
        *said,
    ]


def _with_checked_json(
    attributes: Sequence[Attribute], entity: Entity, tables: Tables, database: Connected
) -> tuple[list[Attribute], list[str]]:
    """Attributes with values that are not JSON lose the type that a check declares; a note on each of these."""
    table, checked = tables.table(entity.name), [each for each in attributes if each.type.carried == CHECKED]
    columns = [table.c[each.name] for each in checked]
    kept = [sa.or_(column.is_(None), sa.func.json_valid(column) == 1) for column in columns]
    found = zip(checked, _counted(kept, table, tables, database), strict=True)
    broken = {each.name: rows for each, rows in found if rows}
    notes = [
        f"the CHECK that `{entity.name}.{name}` is JSON is left out: violated by {counted(rows, 'row')}"
        for name, rows in broken.items()
    ]
    plain = Type(TypeName.JSON)
    return [replace(each, type=plain) if each.name in broken else each for each in attributes], notes


def _kept_row_checks(entity: Entity, tables: Tables, database: Connected) -> tuple[tuple[RowCheck, ...], list[str]]:
    """The checks of the entity's rows that they keep, and a sentence for each of the others."""
    dialect = engine_of(tables.dialect).statements
    alike = [check for check in entity.checks if compares_alike(check.condition, entity, dialect)]
    table = tables.table(entity.name)

    writing = writing_of(tables.dialect, database.dialect.identifier_preparer)
    conditions: list[Any] = [sa.literal_column(f"({condition_text(each.condition, writing)})") for each in alike]
    broken = _counted(conditions, table, tables, database)
    rows = dict(zip(alike, broken, strict=True))
    notes = []
    for check in entity.checks:
        if rows.get(check) == 0:
            continue
        kinds = ", ".join(f"`{name}` is {entity.attribute(name).type}" for name in check.columns)
        why = f"violated by {counted(rows[check], 'row')}" if check in rows else kinds
        notes.append(f"{check} of `{entity.name}` is left out: {why}")
    return tuple(check for check in entity.checks if rows.get(check) == 0), notes


def _rows_that_break(
    attributes: list[Attribute], entity: str, tables: Tables, database: Connected
) -> Mapping[str, int]:
    """How many rows violate the check of each attribute; some databases can be told not to check."""
    table = tables.table(entity)
    kept = [
        sa.and_(*_conditions(table.c[each.name], each.allowed, tables.dialect))
        for each in attributes
        if each.allowed is not None
    ]
    found = _counted(kept, table, tables, database)
    return {each.name: rows for each, rows in zip(attributes, found, strict=True)}


def _counted(conditions: Sequence[Any], table: Any, tables: Tables, database: Connected) -> Sequence[int]:
    """How many rows violate each condition; 0 if the database enforces checks."""
    if not conditions or engine_of(tables.dialect).enforces_checks:
        return [0] * len(conditions)
    sums = [sa.func.sum(sa.case((sa.not_(kept), 1), else_=0)) for kept in conditions]
    found = database.row(sa.select(*(total.label(f"m{place}") for place, total in enumerate(sums))).select_from(table))
    return [int(rows or 0) for rows in found]


def _conditions(column: Any, allowed: Allowed, dialect: str) -> Iterator[Any]:
    if allowed.values:
        yield column.in_([_constant(value) for value in allowed.values])
    if allowed.minimum is not None:
        least = _constant(allowed.minimum)
        yield column > least if allowed.exclusive_minimum else column >= least
    if allowed.maximum is not None:
        most = _constant(allowed.maximum)
        yield column < most if allowed.exclusive_maximum else column <= most
    if allowed.lengths:
        length = engine_of(dialect).character_length(column)
        yield length >= (allowed.minimum_length or 0)
        if allowed.maximum_length is not None:
            yield length <= allowed.maximum_length
    if allowed.lengths:
        yield from engine_of(dialect).counts_all_characters(column)


def _constant(value: Scalar) -> Any:
    return sa.literal(value) if isinstance(value, str) else sa.literal_column(str(value))
