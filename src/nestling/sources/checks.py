"""CHECK constraints: a sentence for those that nothing of a design holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from nestling.common.sql_dialects import MYSQL
from nestling.ir.model import Entity
from nestling.sources.tables import Check

_SHOWN_TABLES = 5
_SHOWN_CHARACTERS = 160
_JSON = re.compile(r"json_valid\(\W*\w+\W*\)", re.IGNORECASE)
_NOT_NULL = re.compile(r"[(\s]*[\"`\[]?(\w+)[\"`\]]?\s+IS\s+NOT\s+NULL[)\s]*", re.IGNORECASE)


def left_to_applications(checks: Iterable[tuple[Entity, Check]], dialect: str) -> Iterator[str]:
    """A note for each condition that only the source enforced, with the tables it is of; those that say nothing left out."""
    places: dict[str, list[str]] = {}
    for entity, check in checks:
        if not _goes_without_saying(check, entity, dialect):
            said = " ".join(check.sql.split())
            said = said if len(said) <= _SHOWN_CHARACTERS else f"{said[:_SHOWN_CHARACTERS]} …"
            place = f"`{entity.name}.{check.column}`" if check.column else f"`{entity.name}`"
            places.setdefault(said, []).append(f"{place} ({check.name})" if check.name else place)
    for said, found in places.items():
        shown = ", ".join(found[:_SHOWN_TABLES])
        more = f" and {len(found) - _SHOWN_TABLES} more" if len(found) > _SHOWN_TABLES else ""
        yield f"CHECK ({said}) of {shown}{more} is left out: the application has to enforce it"


def _goes_without_saying(check: Check, entity: Entity, dialect: str) -> bool:
    """Whether types and NOT NULL say it already."""
    if _JSON.fullmatch(check.sql):
        return dialect == MYSQL
    named = _NOT_NULL.fullmatch(check.sql)
    return named is not None and named[1] in entity and not entity.attribute(named[1]).nullable
