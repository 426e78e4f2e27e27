"""Scans: the rows of an entity from wherever its home is, with only the attributes that are used.

Documents of a place are not changed, and columns are paths in them. A home with several places gives several branches, which
are united only if an operation needs all rows at once.
"""

from __future__ import annotations

from dataclasses import replace

from nestling.common.errors import DesignError
from nestling.ir.invariants import paths_in
from nestling.ir.paths.access_path import FieldPath, GroupDocuments, Union
from nestling.ir.paths.row_steps import Add, Layout
from nestling.ir.statements.algebra import Scan
from nestling.ir.statements.expression import Column
from nestling.ir.storage.layout import NodeKind, Place, StoredCollection
from nestling.ir.storage.names import stored_name
from nestling.planner.homes.attribute import AttributeAccess, attribute_at, file_split
from nestling.planner.homes.place import documents_at, with_joins
from nestling.planner.homes.views import place_rows
from nestling.planner.reads.gaps import read_gap, untold
from nestling.planner.reads.rows import Lowered, LoweringContext, PlacedScan


def scan_branches(scan: Scan, context: LoweringContext) -> list[Lowered]:
    """The entity's rows, one branch for each place; together they are all rows."""
    places = context.design.places.get(scan.entity, ())
    columns = tuple(column for column in scan.columns if (column.alias, column.name) in context.used)
    try:
        branches = [_one_place(place, scan, columns, context) for place in places if place.copy is None]
        copied = [place for place in places if place.copy is not None]
        return [_once(copied, scan, context), *branches] if copied else branches
    except DesignError as error:
        raise untold(error) from error


def _one_place(place: Place, scan: Scan, columns: tuple[Column, ...], context: LoweringContext) -> Lowered:
    rows = Lowered(documents_at(place), Layout(), top_fields(place.store), {scan.alias: PlacedScan(place)})
    rows = with_attributes(rows, place, columns, context)
    return replace(rows, identity=identity_paths(place))


def top_fields(store: StoredCollection) -> frozenset[str]:
    """The top-level fields the documents of a collection may have."""
    return frozenset(path.split(".", 1)[0] for path in paths_in(store)) | {"_id"}


def identity_paths(place: Place) -> tuple[str, ...]:
    """The paths of the parts of the collection's compound `_id`, in order; none if it is a single value.

    The `_id` of a variant with members begins with the discriminator, which no statement names.
    """
    variant, root = place.store.collection.variant, place.nodes[0]
    if root.kind is not NodeKind.ROOT or (variant is not None and variant.members):
        return ()
    paths = tuple(root.path_of(attribute) or "" for attribute in place.store.id)
    return paths if all(path.startswith("_id.") for path in paths) else ()


def with_attributes(rows: Lowered, place: Place, columns: tuple[Column, ...], context: LoweringContext) -> Lowered:
    """The rows with an entity's columns, whose place's documents they are."""
    for column in columns:
        if file_split(place, column.name) is not None:
            raise read_gap(f"`{column.name}`, which is stored in files (GridFS)")
    found = {column: attribute_at(context.design, place, len(place.nodes) - 1, column.name) for column in columns}
    direct = {
        (column.alias, column.name): item.value.path
        for column, item in found.items()
        if isinstance(item.value, FieldPath) and not item.joins
    }
    indirect = {column: item for column, item in found.items() if (column.alias, column.name) not in direct}
    rows = Lowered(rows.step, rows.layout | Layout.of(direct), rows.taken, rows.standing)
    return rows if not indirect else _with_indirect(rows, indirect)


def _with_indirect(rows: Lowered, found: dict[Column, AttributeAccess]) -> Lowered:
    """Give fields of their own to values that need joins or are no plain field."""
    step = with_joins(rows.step, found.values())
    taken = rows.taken | {each.field for item in found.values() for each in item.joins}
    rows = Lowered(step, rows.layout, taken, rows.standing)
    fields, paths = [], {}
    for column, item in found.items():
        if isinstance(item.value, FieldPath):
            paths[column.alias, column.name] = item.value.path
            continue
        name = rows.fresh(column.name)
        rows = Lowered(rows.step, rows.layout, rows.taken | {name}, rows.standing)
        fields.append((name, item.value))
        paths[column.alias, column.name] = name
    step = Add(rows.step, tuple(fields)) if fields else rows.step
    return Lowered(step, rows.layout | Layout.of(paths), rows.taken, rows.standing)


def _once(places: list[Place], scan: Scan, context: LoweringContext) -> Lowered:
    """Unite rows whose home are copies, each once; all attributes decide which are the same."""
    names = {column.name: stored_name(column.name) for column in scan.columns}
    if len(set(names.values())) < len(names):
        names = {name: str(position) for position, name in enumerate(names)}
    branches = [place_rows(context.design, place, names) for place in places]
    step = GroupDocuments(branches[0] if len(branches) == 1 else Union(tuple(branches)), tuple(names.values()))
    layout = Layout.of({(c.alias, c.name): names[c.name] for c in scan.columns if (c.alias, c.name) in context.used})
    return Lowered(step, layout, frozenset(names.values()) | {"_id"})
