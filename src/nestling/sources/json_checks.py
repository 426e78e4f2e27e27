"""Columns that a CHECK declares to be JSON, as MariaDB does for its JSON type, and Django for its `JSONField` in SQLite.

Such a text column becomes JSON, and the type keeps the CHECK. A column in a key, a unique group or a foreign key remains a
text: its characters matter there, and two different texts may be the same JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sqlglot import exp

from nestling.ir.model import Entity
from nestling.ir.statements.sql_dialects import MYSQL, SQLITE
from nestling.ir.types import CHECKED, Type, TypeName
from nestling.sources.check_conditions import parts
from nestling.sources.tables import CheckConstraint, find_name

_FUNCTION = "json_valid"
_TYPES = {MYSQL: Type(TypeName.JSON), SQLITE: Type(TypeName.JSON, carried=CHECKED)}
"""MySQL's JSON is always checked; SQLite's type name JSON alone allows any value."""


def said_to_be_json(part: exp.Expr, dialect: str) -> str | None:
    """The column that a condition declares to be JSON, alone or with `OR … IS NULL`; None for other conditions."""
    part = part.unnest()
    if isinstance(part, exp.Or):
        for side, other in ((part.left, part.right), (part.right, part.left)):
            name = said_to_be_json(side, dialect)
            if name is not None and _is_null(other.unnest(), name):
                return name
    if dialect not in _TYPES or not isinstance(part, exp.Anonymous) or part.name.casefold() != _FUNCTION:
        return None
    asked = [each.unnest() for each in part.expressions]
    return asked[0].name if len(asked) == 1 and isinstance(asked[0], exp.Column) else None


def json_columns(
    checks: Iterable[CheckConstraint], dialect: str, types: Mapping[str, Type], groups: Iterable[tuple[str, ...]]
) -> dict[str, Type]:
    """The type of each column that is JSON by these checks; `groups`: the columns of keys, unique groups and foreign keys."""
    by_letters = {find_name(name, types) for group in groups for name in group}
    found = _checked(checks, dialect, types)
    return {
        name: _TYPES[dialect]
        for name in found
        if types[name].name is TypeName.JSON or (types[name].name is TypeName.TEXT and name not in by_letters)
    }


def is_kept(entity: Entity, column: str, dialect: str) -> bool:
    """Whether a column's type already implies the CHECK that it is JSON."""
    name = find_name(column, entity.attribute_names)
    return name is not None and entity.attribute(name).type == _TYPES[dialect]


def kept_as_text(entity: Entity, checks: Iterable[CheckConstraint], dialect: str) -> Iterator[str]:
    """A note on each attribute that remains a text although a check declares it to be JSON."""
    types = {each.name: each.type for each in entity.attributes}
    for name in _checked(checks, dialect, types):
        if types[name].name is TypeName.TEXT:
            yield (
                f"`{entity.name}.{name}` stays text, though a CHECK says it is JSON: it is in a key, where the same JSON can be "
                f"several texts; if yours are all spelled alike, give it the type `{_TYPES[dialect]}` in the model"
            )


def _checked(checks: Iterable[CheckConstraint], dialect: str, types: Mapping[str, Type]) -> dict[str, None]:
    found: dict[str, None] = {}
    for check in checks:
        if check.holds and not check.column and _FUNCTION in check.sql.casefold():
            said = (said_to_be_json(part, dialect) for part in parts(check.sql, dialect))
            known = (find_name(name, types) for name in said if name is not None)
            found.update((name, None) for name in known if name is not None)
    return found


def _is_null(node: exp.Expr, column: str) -> bool:
    is_test = isinstance(node, exp.Is) and isinstance(node.this, exp.Column) and isinstance(node.expression, exp.Null)
    return is_test and node.this.name.casefold() == column.casefold()
