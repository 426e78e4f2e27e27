"""Commands that rename a field where no field has the new name yet, for the MongoDB shell."""

from __future__ import annotations

from nestling.doctor.commands import find, here, update_many
from nestling.doctor.guards import NO_ARRAY
from nestling.ir.facts import ANY_KEY, ELEMENT, CollectionFacts
from nestling.ir.facts.steps import is_plain
from nestling.ir.programs.compiled import Mql

SETS_ANY_NAME = 5
"""The first server version that can set and take away fields of any name."""


def renaming(collection: CollectionFacts, steps: tuple[str, ...], name: str, version: str) -> tuple[str, ...]:
    """The command that renames the field at these steps, and a query for documents that have both names.

    None if the field is in an array, the name would be that of the key, or the server cannot rename it.
    """
    *above, old = steps
    if ELEMENT in above or ANY_KEY in above or (above and not is_plain(tuple(above))) or (*above, name) == ("_id",):
        return ()
    if is_plain((old,)) and is_plain((name,)):
        return _plainly(collection, tuple(above), old, name)
    major = version.partition(".")[0]
    return _by_literal(collection, tuple(above), old, name) if major.isdigit() and int(major) >= SETS_ANY_NAME else ()


def _plainly(collection: CollectionFacts, above: tuple[str, ...], old: str, name: str) -> tuple[str, ...]:
    """The command where a query can say both names."""
    old, name = ".".join((*above, old)), ".".join((*above, name))
    rest: Mql = {old: {"$exists": True}, **dict.fromkeys(_fields(above), NO_ARRAY)}
    rename = update_many(here(collection), {name: {"$exists": False}, **rest}, {"$rename": {old: name}})
    return rename, find(here(collection), {name: {"$exists": True}, **rest})


def _by_literal(collection: CollectionFacts, above: tuple[str, ...], old: str, name: str) -> tuple[str, ...]:
    """The command where the old name is empty, has a dot or begins with a dollar: only a literal in an expression says it."""
    field = ".".join(above)
    around = f"${field}" if above else "$$ROOT"
    value = {"$getField": {"field": {"$literal": old}, "input": around}}
    other = {"$getField": {"field": {"$literal": name}, "input": around}}
    there = {"$ne": [{"$type": value}, "missing"]}
    made: Mql = {"$setField": {"field": {"$literal": name}, "input": around, "value": value}}
    made = {"$unsetField": {"field": {"$literal": old}, "input": made}}
    stage: Mql = {"$set": {field: made}} if above else {"$replaceWith": made}

    def which(comparison: str) -> Mql:
        only = [{each: {"$type": "object"} | NO_ARRAY} for each in _fields(above)]
        asked: Mql = {"$expr": {"$and": [there, {comparison: [{"$type": other}, "missing"]}]}}
        return {"$and": [*only, asked]} if only else asked

    return update_many(here(collection), which("$eq"), [stage]), find(here(collection), which("$ne"))


def _fields(above: tuple[str, ...]) -> list[str]:
    return [".".join(above[:count]) for count in range(1, len(above) + 1)]
