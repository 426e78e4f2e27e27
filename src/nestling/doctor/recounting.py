"""Commands for the MongoDB shell about counters that differ from the rows they count: one shows them, a merge corrects them."""

from __future__ import annotations

from nestling.doctor.guards import single
from nestling.doctor.words import aggregation_in, in_database
from nestling.ir.facts import field_path
from nestling.ir.facts.steps import is_plain
from nestling.ir.facts.structure import Counted
from nestling.ir.literals import quoted


def can_recount(counter: Counted) -> bool:
    """Whether the commands are correct: documents count documents, by one field each, or the elements of one of their arrays."""
    if counter.is_inside:
        return not counter.node and all(is_plain(each) for each in (counter.column, counter.child_node[:-1]))
    columns = (*counter.child_columns, *counter.key, counter.column)
    is_flat = not counter.node and not counter.child_node and all(is_plain(each) for each in columns)
    return is_flat and len(counter.child_columns) == len(counter.key) == 1


def showing(counter: Counted) -> str:
    """The query for documents whose counters differ, with the counter and the number of rows."""
    return aggregation_in(counter.database, counter.collection, _differing(counter))


def recounting(counter: Counted) -> str:
    """The merge that corrects counters. It writes only if the counter has not changed since the rows were counted.

    Elements are counted by the update itself.
    """
    field = field_path(counter.column)
    if counter.is_inside:
        there, size = single(field, "$exists: true"), _size(counter)
        differing = f"$expr: {{$ne: [{quoted('$' + field)}, {size}]}}"
        collection = in_database(counter.database, counter.collection)
        return f"{collection}.updateMany({{$and: [{there}, {{{differing}}}]}}, [{{$set: {{{quoted(field)}: {size}}}}}])"
    value, name = quoted("$" + field), quoted(field)
    kept = f"{{$cond: [{{$eq: [{value}, '$$new.was']}}, '$$new.now', {value}]}}"
    merge = (
        f"into: {quoted(counter.collection)}, whenMatched: [{{$set: {{{name}: {kept}}}}}], whenNotMatched: 'discard'"
    )
    return aggregation_in(counter.database, counter.collection, (*_differing(counter), f"{{$merge: {{{merge}}}}}"))


def _differing(counter: Counted) -> tuple[str, ...]:
    """The stages that give the documents whose counters differ. A document without the field counts nothing wrong."""
    field = field_path(counter.column)
    if counter.is_inside:
        return (
            f"{{$match: {single(field, '$exists: true')}}}",
            f"{{$project: {{was: {quoted('$' + field)}, now: {_size(counter)}}}}}",
            "{$match: {$expr: {$ne: ['$was', '$now']}}}",
        )
    fields = f"localField: {quoted(field_path(counter.key[0]))}, foreignField: {quoted(field_path(counter.child_columns[0]))}"
    return (
        f"{{$match: {single(field, '$exists: true')}}}",
        f"{{$lookup: {{from: {quoted(counter.child)}, {fields}, as: 'nestling_found'}}}}",
        f"{{$project: {{was: {quoted('$' + field)}, now: {{$size: '$nestling_found'}}}}}}",
        "{$match: {$expr: {$ne: ['$was', '$now']}}}",
    )


def _size(counter: Counted) -> str:
    """The number of elements of an array; 0 without an array."""
    array = quoted("$" + field_path(counter.child_node[:-1]))
    return f"{{$cond: [{{$isArray: {array}}}, {{$size: {array}}}, 0]}}"
