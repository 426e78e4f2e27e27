"""CHECK constraints: what of them attributes carry, and a sentence for the rest.

Carried is what means the same of the conceptual values as of the source's: numbers, texts that are equal letter by letter, and
how long texts are. Everything else is told.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from sqlglot.expressions import Anonymous, Expr

from nestling.common.errors import InputError
from nestling.ir.allowed import Allowed, Scalar
from nestling.ir.expression import Collation
from nestling.ir.model import Attribute, Entity
from nestling.ir.quantity_words import first_of
from nestling.ir.sql_dialects import GRAMMARS, MYSQL, SQLITE
from nestling.ir.types import Type, TypeName
from nestling.sources.check_conditions import Conditions, parts
from nestling.sources.tables import Check, Table

_SHOWN_TABLES = 5
_SHOWN_CHARACTERS = 160
_FLOAT_DIGITS = 6
"""Decimal digits that every width of float keeps."""
_PLAIN = re.compile(
    r"(?:tiny|small|medium|big)?int(?:eger)?|int\d|(?:big|small)?serial\d?|numeric|decimal|dec|fixed|real|double(?: precision)?"
    r"|float\d?|text|(?:tiny|medium|long)text|varchar|character varying"
)
_SIZE = re.compile(r"\s*\([\d,\s]*\)")
_SIGN = re.compile(r"\s+(?:unsigned|signed|zerofill)\b")


@dataclass(frozen=True, slots=True)
class Left:
    """A condition that only the source enforced, and of which table."""

    sql: str
    place: str


def compares_plainly(declared: str, kind: Type, dialect: str) -> bool:
    """Whether a column declared so compares numbers as numbers, and texts as nothing but texts."""
    if dialect == SQLITE:  # where the affinity decides
        is_text = "int" not in declared.lower() and any(part in declared.lower() for part in ("char", "clob", "text"))
        return is_text if kind.name is TypeName.TEXT else not (is_text or "blob" in declared.lower())
    return _PLAIN.fullmatch(_SIGN.sub("", _SIZE.sub("", declared.lower())).strip()) is not None


def carried(entity: Entity, table: Table, dialect: str) -> tuple[Entity, tuple[Left, ...]]:
    """The entity with what its table's checks say of single attributes, and the conditions that are left."""
    if not table.checks:
        return entity, ()
    allowed: dict[str, Allowed] = {}
    left: list[Left] = []
    for check in table.checks:
        found = parts(check.sql, dialect) if check.holds else []
        conditions = Conditions(entity, check, dialect)
        rest = [part for part in found if not _carry(part, conditions, allowed, table.plain)]
        if rest or not found:
            some = " AND ".join(part.sql(dialect=GRAMMARS[dialect], comments=False) for part in rest)
            left.append(Left(some if len(rest) < len(found) else check.sql, _place(entity, check)))
    attributes = (replace(each, allowed=allowed.get(each.name)) for each in entity.attributes)
    return replace(entity, attributes=tuple(attributes)), tuple(left)


def _carry(part: Expr, conditions: Conditions, allowed: dict[str, Allowed], plain: frozenset[str]) -> bool:
    """Add what a condition says to what is allowed; whether that is all it says."""
    if (said := conditions.said(part)) is None:
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
    if isinstance(part, Anonymous) and part.name.casefold() == "json_valid":
        return conditions.dialect == MYSQL
    attribute = conditions.is_not_null(part)
    return attribute is not None and not attribute.nullable


def is_any(attribute: Attribute, allowed: Allowed) -> bool:
    """Whether it allows every value of the type: what says that numbers are truths."""
    return attribute.type.name is TypeName.BOOLEAN and {0, 1} <= set(allowed.values)


def means_the_same(attribute: Attribute, allowed: Allowed, dialect: str) -> bool:
    """Whether it allows the same of the values as they are stored as the source does of its own."""
    if not all(map(allowed.is_of, (attribute.type, *attribute.also))):
        return False
    if attribute.type.name is TypeName.TEXT:  # MySQL's texts are equal whatever blanks follow, whatever the collation
        return bool(allowed.lengths) or (dialect != MYSQL and attribute.collation is Collation.BINARY)
    if dialect == SQLITE and attribute.type.name in (TypeName.FLOAT, TypeName.DECIMAL):
        return True  # all of its fractions are doubles
    constants = (*allowed.values, *allowed.bounds)
    if any(kind.name is TypeName.FLOAT for kind in (attribute.type, *attribute.also)):
        return all(map(_is_any_float, constants))
    return dialect != SQLITE or all(isinstance(each, int) or _is_any_float(each) for each in constants)


def _is_any_float(value: Scalar) -> bool:
    """Whether floats of every width, and the decimal texts of them, compare alike with a number."""
    try:
        single = Decimal(struct.unpack("f", struct.pack("f", float(value)))[0])
    except OverflowError:
        return False
    return single == value and len(Decimal(value).normalize().as_tuple().digits) <= _FLOAT_DIGITS


def _place(entity: Entity, check: Check) -> str:
    place = f"`{entity.name}.{check.column}`" if check.column else f"`{entity.name}`"
    return f"{place} ({check.name})" if check.name else place


def left_to_applications(left: Iterable[Left]) -> Iterator[str]:
    """A note for each condition that is left, with the tables it is of."""
    places: dict[str, list[str]] = {}
    for each in left:
        said = " ".join(each.sql.split())
        said = said if len(said) <= _SHOWN_CHARACTERS else f"{said[:_SHOWN_CHARACTERS]} …"
        places.setdefault(said, []).append(each.place)
    for said, found in places.items():
        yield f"CHECK ({said}) of {first_of(found, _SHOWN_TABLES)} is left out: the application has to enforce it"
