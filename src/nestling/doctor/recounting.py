"""Commands for the MongoDB shell about counters that differ from the rows they count: one shows them, a merge corrects them."""

from __future__ import annotations

from nestling.doctor.guards import single
from nestling.doctor.words import in_database
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


def showing(counter: Counted, *, indexed: bool) -> str:
    """The query for documents whose counters differ, with the counter and the number of rows.

    `indexed`: an index finds the rows of each document; without one they are counted in one pass over all of them.
    """
    return _aggregation(counter, _differing(counter, indexed=indexed), indexed=indexed)


def recounting(counter: Counted, *, indexed: bool) -> str:
    """The merge that corrects counters. It writes only if the counter has not changed since the rows were counted.

    Elements are counted by the update itself. `indexed` is as in `showing`.
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
    stages = (*_differing(counter, indexed=indexed), f"{{$merge: {{{merge}}}}}")
    return _aggregation(counter, stages, indexed=indexed)


def _aggregation(counter: Counted, stages: tuple[str, ...], *, indexed: bool) -> str:
    """The command; a pass over all rows may need more memory than the server allows a stage."""
    options = "" if indexed or counter.is_inside else ", {allowDiskUse: true}"
    return f"{in_database(counter.database, counter.collection)}.aggregate([{', '.join(stages)}]{options})"


def _differing(counter: Counted, *, indexed: bool) -> tuple[str, ...]:
    """The stages that give the documents whose counters differ. A document without the field counts nothing wrong."""
    field = field_path(counter.column)
    if counter.is_inside:
        return (
            f"{{$match: {single(field, '$exists: true')}}}",
            f"{{$project: {{was: {quoted('$' + field)}, now: {_size(counter)}}}}}",
            "{$match: {$expr: {$ne: ['$was', '$now']}}}",
        )
    if not indexed:
        return _in_one_pass(counter, field)
    fields = f"localField: {quoted(field_path(counter.key[0]))}, foreignField: {quoted(field_path(counter.child_columns[0]))}"
    return (
        f"{{$match: {single(field, '$exists: true')}}}",
        f"{{$lookup: {{from: {quoted(counter.child)}, {fields}, as: 'nestling_found'}}}}",
        f"{{$project: {{was: {quoted('$' + field)}, now: {{$size: '$nestling_found'}}}}}}",
        "{$match: {$expr: {$ne: ['$was', '$now']}}}",
    )


def _in_one_pass(counter: Counted, field: str) -> tuple[str, ...]:
    """The stages without a lookup: the rows are counted by their reference, and meet the counters by the key."""
    key, reference = (quoted("$" + field_path(each)) for each in (counter.key[0], counter.child_columns[0]))
    rows = f"{{$group: {{_id: {reference}, now: {{$sum: 1}}}}}}, {{$project: {{_id: 0, key: '$_id', now: 1}}}}"
    return (
        f"{{$match: {single(field, '$exists: true')}}}",
        f"{{$project: {{_id: 0, key: {key}, holder: {{_id: '$_id', was: {quoted('$' + field)}}}}}}}",
        f"{{$unionWith: {{coll: {quoted(counter.child)}, pipeline: [{rows}]}}}}",
        "{$group: {_id: '$key', holders: {$push: '$holder'}, now: {$sum: '$now'}}}",
        "{$unwind: '$holders'}",
        "{$project: {_id: '$holders._id', was: '$holders.was', now: 1}}",
        "{$match: {$expr: {$ne: ['$was', '$now']}}}",
    )


def _size(counter: Counted) -> str:
    """The number of elements of an array; 0 without an array."""
    array = quoted("$" + field_path(counter.child_node[:-1]))
    return f"{{$cond: [{{$isArray: {array}}}, {{$size: {array}}}, 0]}}"
