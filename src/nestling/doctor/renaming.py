"""Commands that rename a field where no field has the new name yet, for the MongoDB shell."""

from __future__ import annotations

from nestling.doctor.guards import NO_ARRAY
from nestling.doctor.words import here
from nestling.ir.facts import ANY_KEY, ELEMENT, CollectionFacts
from nestling.ir.facts.steps import is_plain
from nestling.ir.literals import quoted

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
    there = f"{quoted(old)}: {{$exists: true}}"
    around = "".join(f", {quoted(each)}: {{{NO_ARRAY}}}" for each in _fields(above))
    which = f"{{{quoted(name)}: {{$exists: false}}, {there}{around}}}"
    rename = f"{here(collection)}.updateMany({which}, {{$rename: {{{quoted(old)}: {quoted(name)}}}}})"
    return rename, f"{here(collection)}.find({{{quoted(name)}: {{$exists: true}}, {there}{around}}})"


def _by_literal(collection: CollectionFacts, above: tuple[str, ...], old: str, name: str) -> tuple[str, ...]:
    """The command where the old name is empty, has a dot or begins with a dollar: only a literal in an expression says it."""
    field = ".".join(above)
    around = quoted("$" + field) if above else quoted("$$ROOT")
    value = f"{{$getField: {{field: {{$literal: {quoted(old)}}}, input: {around}}}}}"
    other = f"{{$getField: {{field: {{$literal: {quoted(name)}}}, input: {around}}}}}"
    there = f"{{$ne: [{{$type: {value}}}, 'missing']}}"
    made = f"{{$setField: {{field: {{$literal: {quoted(name)}}}, input: {around}, value: {value}}}}}"
    made = f"{{$unsetField: {{field: {{$literal: {quoted(old)}}}, input: {made}}}}}"
    stage = f"{{$set: {{{quoted(field)}: {made}}}}}" if above else f"{{$replaceWith: {made}}}"

    def which(comparison: str) -> str:
        only = "".join(f"{{{quoted(each)}: {{$type: 'object', {NO_ARRAY}}}}}, " for each in _fields(above))
        asked = f"{{$expr: {{$and: [{there}, {{{comparison}: [{{$type: {other}}}, 'missing']}}]}}}}"
        return f"{{$and: [{only}{asked}]}}" if only else asked

    return (
        f"{here(collection)}.updateMany({which('$eq')}, [{stage}])",
        f"{here(collection)}.find({which('$ne')})",
    )


def _fields(above: tuple[str, ...]) -> list[str]:
    return [".".join(above[:count]) for count in range(1, len(above) + 1)]
