"""Commands for stale copies in the MongoDB shell: a query for documents that differ, and a merge that corrects them."""

from __future__ import annotations

from collections.abc import Sequence

from nestling.doctor.guards import single
from nestling.doctor.words import aggregation_in
from nestling.ir.facts import ELEMENT, Copied, field_path
from nestling.ir.facts.structure import Steps
from nestling.ir.literals import quoted


def can_refresh(copied: Copied) -> bool:
    """Whether the commands are correct: reference and copy are in the same array, and no array is directly in another."""
    around = _around(copied.steps)
    pairs = zip(copied.steps, copied.steps[1:], strict=False)
    return _around(copied.reference) == around and copied.steps[-1] != ELEMENT and (ELEMENT, ELEMENT) not in pairs


def showing(copied: Copied) -> str:
    """The query for documents whose copies differ, with the copy and its source."""
    return aggregation_in(copied.database, copied.collection, _differing(copied))


def refreshing(copied: Copied) -> str:
    """The merge that updates copies. It writes only over what it read, so others' writes are kept."""
    field = field_path(_written(copied))
    name, value = quoted(field), quoted("$" + field)
    kept = f"{{$cond: [{{$eq: [{value}, '$$new.was']}}, '$$new.now', {value}]}}"
    merge = f"into: {quoted(copied.collection)}, whenMatched: [{{$set: {{{name}: {kept}}}}}], whenNotMatched: 'discard'"
    return aggregation_in(copied.database, copied.collection, (*_differing(copied), f"{{$merge: {{{merge}}}}}"))


def _written(copied: Copied) -> Steps:
    """The field to write: the copy, or the outermost array around it."""
    return copied.steps[: copied.steps.index(ELEMENT)] if ELEMENT in copied.steps else copied.steps


def _differing(copied: Copied) -> tuple[str, ...]:
    """The stages that give the documents whose copies differ."""
    around, written = _around(copied.steps), _written(copied)
    field = field_path(written)
    value = quoted("$" + field)
    now = _array(copied, value, written, 0) if around else "{$first: '$nestling_found.value'}"
    return (
        f"{{$match: {_arrays(field) if around else single(field, '$exists: true')}}}",
        _lookup(copied),
        *(() if around else ("{$match: {nestling_found: {$size: 1}, 'nestling_found.value': {$exists: true}}}",)),
        f"{{$project: {{was: {value}, now: {now}}}}}",
        "{$match: {$expr: {$ne: ['$was', '$now']}}}",
    )


def _around(steps: Steps) -> Steps:
    """The steps up to the innermost array."""
    return steps[: len(steps) - steps[::-1].index(ELEMENT)] if ELEMENT in steps else ()


def _arrays(field: str) -> str:
    """A filter for documents that have the array, not in another one."""
    above = single(field.rpartition(".")[0])[1:-1] if "." in field else ""
    return f"{{{quoted(field)}: {{$type: 'array'}}{f', {above}' if above else ''}}}"


def _lookup(copied: Copied) -> str:
    """The lookup of the documents that the references lead to."""
    where = f"from: {quoted(copied.target)}, localField: {quoted(field_path(copied.reference))}"
    key, value = quoted("$" + copied.target_key), quoted("$" + copied.target_field)
    known = f"{{key: {_of('$$this', key)}, value: {_of('$$this', value)}}}"
    return (
        f"{{$lookup: {{{where}, foreignField: {quoted(copied.target_key)}, as: 'nestling_found'}}}}, "
        f"{{$set: {{nestling_found: {{$map: {{input: '$nestling_found', in: {known}}}}}}}}}"
    )


def _of(variable: str, path: str) -> str:
    """A path of the document, in quotes, as one of a variable."""
    return path.replace("$", f"{variable}.", 1)


def _array(copied: Copied, value: str, at: Steps, depth: int) -> str:
    """The array at these steps with updated copies in its elements."""
    element = f"each{depth}"
    inside = copied.steps[len(at) + 1 :]
    made = _element(copied, f"$${element}", inside, (*at, ELEMENT), depth)
    return f"{{$map: {{input: {value}, as: '{element}', in: {made}}}}}"


def _element(copied: Copied, document: str, inside: Steps, at: Steps, depth: int) -> str:
    """An element, or a document in it, with the updated copy at `inside`; unchanged if there is nothing to copy."""
    if ELEMENT in inside:
        way = inside[: inside.index(ELEMENT)]
        value = quoted(".".join((document, *way)))
        again = _array(copied, value, (*at, *way), depth + 1)
        return f"{{$cond: [{{$isArray: {value}}}, {_with(document, way, again)}, {quoted(document)}]}}"
    mine = quoted(".".join((document, *inside)))
    reference = quoted(".".join((document, *copied.reference[len(at) :])))
    sources = f"{{$filter: {{input: '$nestling_found', cond: {{$eq: ['$$this.key', {reference}]}}}}}}"
    now = "{$first: '$$own.value'}"
    differs = (
        "{$eq: [{$size: '$$own'}, 1]}",
        f"{{$ne: [{{$type: {now}}}, 'missing']}}",
        f"{{$ne: [{{$type: {mine}}}, 'missing']}}",
        f"{{$not: {{$isArray: {mine}}}}}",
    )
    made = f"{{$cond: [{{$and: [{', '.join(differs)}]}}, {_with(document, inside, now)}, {quoted(document)}]}}"
    return f"{{$let: {{vars: {{own: {sources}}}, in: {made}}}}}"


def _with(document: str, way: Sequence[str], value: str) -> str:
    """A document, given as a variable, with another value at the end of the way."""
    if not way:
        return value
    inner = _with(f"{document}.{way[0]}", way[1:], value)
    return f"{{$mergeObjects: [{quoted(document)}, {{{quoted(way[0])}: {inner}}}]}}"
