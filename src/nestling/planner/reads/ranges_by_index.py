"""Ranges between columns of two tables that an index supports together with the equalities of a lookup.

An example is `m.room_id = r.room_id AND m.id > r.last_read`, with an index on the room and the id. The server cannot do this
for a field in an array: it compares rows by `$expr`, which sees the whole array.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from nestling.ir.indexes.planned_indexes import planned_indexes
from nestling.ir.statements import algebra as a
from nestling.ir.statements.expression import Expression
from nestling.ir.storage.layout import Place
from nestling.planner.reads.correlate import ordered_columns, stored_path
from nestling.planner.reads.rows import LoweringContext


def ranges_by_index(
    scan: a.Scan, conditions: Sequence[Expression], equal: Collection[str], context: LoweringContext
) -> list[Expression]:
    """Return the conditions with such a range on the scan; `equal`: its columns that are fixed by equality."""
    places = context.design.places.get(scan.entity, ())
    if len(places) != 1 or any(node.form.to_many for node in places[0].nodes):
        return []
    columns = {column.name: column for column in scan.columns}
    fixed = {path for name in equal if (path := stored_path(places[0], columns[name], context)) is not None}
    found = set(_ranged_paths(places[0], fixed, context))
    pairs = ((each, ordered_columns(each, scan.alias)) for each in conditions)
    return [each for each, pair in pairs if pair is not None and stored_path(places[0], pair[0], context) in found]


def _ranged_paths(place: Place, fixed: set[str], context: LoweringContext) -> Iterator[str]:
    """Yield the paths that follow fixed paths in an index."""
    for index in planned_indexes(context.design):
        if index.collection == place.store.name and not index.partial:
            paths = [path for path, _ in index.keys]
            behind = next((number for number, path in enumerate(paths) if path not in fixed), len(paths))
            yield from paths[behind : behind + 1] if behind else ()
