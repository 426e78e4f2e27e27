"""Statements as algebra, each translated once for a model: designs are many, and what a statement asks is the same for all."""

from __future__ import annotations

from nestling.common.errors import NestlingError
from nestling.ir.model import Model
from nestling.ir.once import once
from nestling.ir.statements.algebra import Query
from nestling.ir.statements.write import Write
from nestling.planner.sql import translate

Translations = dict[tuple[str, str], Query | Write | NestlingError]


def translated(sql: str, model: Model, dialect: str) -> Query | Write:
    """What `translate` makes of a statement; raises as it does."""
    known = _of(model)
    if (sql, dialect) not in known:
        try:
            known[sql, dialect] = translate(sql, model, dialect)
        except NestlingError as error:
            known[sql, dialect] = error
    found = known[sql, dialect]
    if isinstance(found, NestlingError):
        raise found.with_traceback(None)
    return found


@once
def _of(_model: Model) -> Translations:
    """By text and dialect."""
    return {}
