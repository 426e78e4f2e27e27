"""CHECK constraints: the parts that attributes and entities can express, and a sentence for the rest.

A condition is carried over if it means the same for the conceptual values as for the source's. A condition on one column with
constants becomes part of the attribute, one on a row part of the entity. Everything else is reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from sqlglot.expressions import Expr

from nestling.common.errors import InputError
from nestling.ir.constraints.allowed import Allowed
from nestling.ir.constraints.condition_text import quoted_name
from nestling.ir.constraints.partial_unique import PartialUnique
from nestling.ir.constraints.row_check import RowCheck
from nestling.ir.model import Attribute, Entity
from nestling.ir.quantity_words import first_of
from nestling.ir.statements.expression import Expression
from nestling.ir.statements.operands import compared_columns, conjunction
from nestling.ir.statements.operators import Collation
from nestling.ir.statements.sql_dialects import GRAMMARS, MYSQL, SQLITE
from nestling.ir.types import NUMBERS, TEXTS, Type, TypeName
from nestling.sources import json_checks
from nestling.sources.check_conditions import Conditions, parts
from nestling.sources.remarks import IS_DEFERRABLE, unique_by_expression, unique_for_some
from nestling.sources.row_checks import compares_alike
from nestling.sources.single_floats import is_any_float
from nestling.sources.tables import CheckConstraint, Table, find_name

_SHOWN_TABLES = 5
_SHOWN_CHARACTERS = 160
_PLAIN = re.compile(
    r"(?:tiny|small|medium|big)?int(?:eger)?|int\d|(?:big|small)?serial\d?|numeric|decimal|dec|fixed|real|double(?: precision)?"
    r"|float\d?|text|(?:tiny|medium|long)text|varchar|character varying"
)
_SIZE = re.compile(r"\s*\([\d,\s]*\)")
_SIGN = re.compile(r"\s+(?:unsigned|signed|zerofill)\b")


ReadCheck: TypeAlias = Callable[[Entity, str, str], Expression | None]
"""A function that parses an SQL condition on an entity's rows, by dialect; None if no `RowCheck` expresses it."""


@dataclass(frozen=True, slots=True)
class Left:
    """A condition that only the source enforced, and its table."""

    sql: str
    place: str


def compares_plainly(declared: str, kind: Type, dialect: str) -> bool:
    """Whether a column declared so compares numbers as numbers, and texts as nothing but texts."""
    if dialect == SQLITE:  # where the affinity decides
        is_text = "int" not in declared.lower() and any(part in declared.lower() for part in ("char", "clob", "text"))
        return is_text if kind.name is TypeName.TEXT else not (is_text or "blob" in declared.lower())
    return _PLAIN.fullmatch(_SIGN.sub("", _SIZE.sub("", declared.lower())).strip()) is not None


def carried(
    entity: Entity, table: Table, dialect: str, read: ReadCheck | None = None
) -> tuple[Entity, tuple[Left, ...]]:
    """Add what the table's checks say about attributes and rows to the entity. Return it with the remaining conditions."""
    if not table.checks:
        return entity, ()
    allowed = {each.name: each.allowed for each in entity.attributes if each.allowed is not None}  # as the type says
    left: list[Left] = []
    of_rows: list[RowCheck] = []
    for check in table.checks:
        found = parts(check.sql, dialect) if check.holds else []
        conditions = Conditions(entity, check, dialect)
        rest = [part for part in found if not _carry(part, conditions, allowed, table.plain)]
        said = [_of_rows(part, conditions, table.plain, read) for part in rest]
        if (condition := conjunction(*said)) is not None:
            of_rows.append(RowCheck(check.name, condition))
        rest = [part for part, is_said in zip(rest, said, strict=True) if is_said is None]
        if rest or not found:
            some = " AND ".join(part.sql(dialect=GRAMMARS[dialect], comments=False) for part in rest)
            left.append(Left(some if len(rest) < len(found) else check.sql, _place(entity, check)))
    attributes = (replace(each, allowed=allowed.get(each.name)) for each in entity.attributes)
    return replace(entity, attributes=tuple(attributes), checks=tuple(dict.fromkeys(of_rows))), tuple(left)


def with_partial_uniques(
    entity: Entity, table: Table, dialect: str, read: ReadCheck | None
) -> tuple[Entity, tuple[str, ...]]:
    """Add partial unique groups to the entity. Return it with a note for each condition that would mean something else here."""
    found, notes = list[PartialUnique](), list[str]()
    for index in table.partial:
        names = list(dict.fromkeys(find_name(name, entity.attribute_names) for name in index.columns))
        lower = tuple(filter(None, (find_name(name, entity.attribute_names) for name in index.lower)))
        where = quoted_name(lower[0]) + " IS NOT NULL" if index.of_all and lower else index.where
        condition = said_of_rows(where, entity, dialect, table.plain, read)
        if condition is None or None in names or any(entity.attribute(name).type.name not in TEXTS for name in lower):
            notes.append(unique_by_expression(entity.name) if index.lower else unique_for_some(entity.name))
        else:
            found.append(
                PartialUnique(
                    tuple(filter(None, names)), condition, index.name, lower, ascii=bool(lower) and dialect == SQLITE
                )
            )
    return replace(entity, partial_uniques=tuple(found)), tuple(notes)


def _of_rows(part: Expr, conditions: Conditions, plain: frozenset[str], read: ReadCheck | None) -> Expression | None:
    """The part of a check as a condition on rows."""
    if conditions.check.column:
        return None
    sql = part.sql(dialect=GRAMMARS[conditions.dialect], comments=False)
    return said_of_rows(sql, conditions.entity, conditions.dialect, plain, read)


def said_of_rows(
    sql: str, entity: Entity, dialect: str, plain: frozenset[str], read: ReadCheck | None
) -> Expression | None:
    """A condition on rows; None if it would mean something else for the values as they are stored."""
    if read is None:
        return None
    said = read(entity, sql, dialect)
    if said is None or not compares_alike(said, entity, dialect):
        return None
    compared = {column.name for column in compared_columns(said)}
    of_kinds = [name for name in compared if entity.attribute(name).type.name in NUMBERS | {TypeName.TEXT}]
    return said if plain.issuperset(of_kinds) else None


def _carry(part: Expr, conditions: Conditions, allowed: dict[str, Allowed], plain: frozenset[str]) -> bool:
    """Add what a condition allows. Return whether that is all it says."""
    if (said := conditions.allowed_by(part)) is None:
        return _goes_without_saying(part, conditions)
    attribute, more = said
    if is_any(attribute, more):
        return True
    if attribute.name not in plain or not means_the_same(attribute, more, conditions.dialect):
        return False
    try:
        allowed[attribute.name] = allowed[attribute.name].meet(more) if attribute.name in allowed else more
    except InputError:  # nothing is allowed by both
        return False
    return True


def _goes_without_saying(part: Expr, conditions: Conditions) -> bool:
    """Whether a type or NOT NULL says it."""
    if (name := json_checks.said_to_be_json(part, conditions.dialect)) is not None:
        return json_checks.is_kept(conditions.entity, name, conditions.dialect)
    attribute = conditions.is_not_null(part)
    return attribute is not None and not attribute.nullable


def is_any(attribute: Attribute, allowed: Allowed) -> bool:
    """Whether it allows every value of the type, as when numbers are declared to be truth values."""
    return attribute.type.name is TypeName.BOOLEAN and not allowed.lengths and allowed.holds(0) and allowed.holds(1)


def means_the_same(attribute: Attribute, allowed: Allowed, dialect: str) -> bool:
    """Whether it allows the same for the stored values as the source does for its own."""
    if not all(map(allowed.is_of, (attribute.type, *attribute.also))):
        return False
    if attribute.type.name is TypeName.TEXT:  # MySQL's texts are equal whatever blanks follow, whatever the collation
        return bool(allowed.lengths) or (dialect != MYSQL and attribute.collation is Collation.BINARY)
    if dialect == SQLITE and attribute.type.name in (TypeName.FLOAT, TypeName.DECIMAL):
        return True  # all of its fractions are doubles
    constants = (*allowed.values, *allowed.bounds)
    if any(kind.name is TypeName.FLOAT for kind in (attribute.type, *attribute.also)):
        return all(map(is_any_float, constants))
    return dialect != SQLITE or all(isinstance(each, int) or is_any_float(each) for each in constants)


def _place(entity: Entity, check: CheckConstraint) -> str:
    place = f"`{entity.name}.{check.column}`" if check.column else f"`{entity.name}`"
    return f"{place} ({check.name})" if check.name else place


_LEFT = " is left out: the application has to enforce it"


def left_to_applications(left: Iterable[Left]) -> Iterator[str]:
    """A note for each remaining condition, with its tables."""
    places: dict[str, list[str]] = {}
    for each in left:
        places.setdefault(_cut(each.sql), []).append(each.place)
    for said, found in places.items():
        yield f"CHECK ({said}) of {first_of(found, _SHOWN_TABLES)}{_LEFT}"


def exclusion_left_out(said: str, table: str, name: str = "") -> str:
    """A note on an exclusion constraint of PostgreSQL: no two rows have values that conflict by its operators."""
    return f"{_cut(said)} of `{table}`{f' ({name})' if name else ''}{_LEFT}"


def not_made(notes: Iterable[str]) -> Iterator[str]:
    """A note for each of these conditions and each DEFERRABLE, by the notes of a design, on tables that are made of it."""
    for each in notes:
        if each.endswith(_LEFT):
            yield f"{each.removesuffix(_LEFT)} is not in the design: a table created here lacks it until you add it"
        elif each.startswith("UNIQUE (") and f"`{IS_DEFERRABLE}: " in each:
            yield f"{each.partition(f'{IS_DEFERRABLE}: ')[0]} is not DEFERRABLE in a table created here"


def _cut(sql: str) -> str:
    said = " ".join(sql.split())
    return said if len(said) <= _SHOWN_CHARACTERS else f"{said[:_SHOWN_CHARACTERS]} …"
