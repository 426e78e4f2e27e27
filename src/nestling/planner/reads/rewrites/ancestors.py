"""Replaces a walk along a tree if each row's document holds those above it, and these are fresh enough.

All rows below one are those that hold it among their ancestors; all rows above one are in its own document. The distance between
two is the position among those above.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from nestling.ir.paths.access_path import (
    Behind,
    CollectionScan,
    DocumentOf,
    FieldPath,
    PathExpression,
    Unwind,
    WithLast,
)
from nestling.ir.paths.row_steps import Add, Correlate, Keep, Layout, Where
from nestling.ir.primitives import Copy, Form
from nestling.ir.statements.expression import Column, Compare, Expression, Or
from nestling.ir.statements.operators import Comparison
from nestling.ir.storage.layout import NodeKind, Place
from nestling.ir.storage.names import join as join_path
from nestling.ir.types import TypeName
from nestling.planner.homes.place import documents_at
from nestling.planner.reads.correlate import stored_path
from nestling.planner.reads.rewrites import Rewrite
from nestling.planner.reads.rewrites.freshness import is_fresh
from nestling.planner.reads.rows import Lowered, LoweringContext
from nestling.planner.reads.scan import top_fields


@dataclass(frozen=True, slots=True)
class RowTree:
    """A walk over the rows of one place, whose documents are its rows: `key` and `reference` are its columns, `down` the way.

    `wanted`: the columns of the rows met that are used; `depth`: the column that counts the steps, when it is.
    """

    place: Place
    key: Column
    reference: Column
    down: bool
    wanted: Sequence[Column]
    depth: Column | None


def kept_walk(rows: Lowered, alias: str, tree: RowTree, context: LoweringContext) -> Lowered | None:
    """Each row (a scan's, under that alias) and those met from it, without a walk; None when no copy tells them.

    `depth` counts from 0, which is the row itself.
    """
    at = rows.standing.get(alias)
    if at is None or at.prefix or at.optional or at.place != tree.place or not context.may(Rewrite.ANCESTORS):
        return None
    own = {column.name: stored_path(tree.place, column, context) for column in (tree.key, *tree.wanted)}
    paths = {name: path for name, path in own.items() if path is not None and "." not in path}
    if len(paths) < len(own) or not isinstance(documents_at(tree.place), CollectionScan):
        return None
    for copy in _copies(tree, context):
        keys = _keys(copy, tree)
        if tree.down and _is_fresh(copy, tree, (), context):
            return _below(rows, tree, copy, keys, paths)
        copied = {field.attribute: field.path for field in copy.attributes}
        if not tree.down and own.keys() <= copied.keys() and _is_fresh(copy, tree, tree.wanted, context):
            return _above(rows, tree, copy, keys, paths)
    return None


def found_below(tree: RowTree, start: Expression, context: LoweringContext) -> Lowered | None:
    """The row with that key and all below it, by one condition that two indexes serve; None when no copy tells them.

    Keys are integers: what an array holds of them is asked for as a single one is.
    """
    if not context.may(Rewrite.ANCESTORS) or tree.key.type.name is not TypeName.INTEGER or tree.key.mixed:
        return None
    own = {column: stored_path(tree.place, column, context) for column in (tree.key, *tree.wanted)}
    paths = {(c.alias, c.name): path for c, path in own.items() if path is not None}
    copy = next((each for each in _copies(tree, context) if _is_fresh(each, tree, (), context)), None)
    if copy is None or len(paths) < len(own) or tree.depth is not None or not tree.down:
        return None
    scan = documents_at(tree.place)
    if not isinstance(scan, CollectionScan):
        return None
    above = replace(tree.key, alias="", name="above", nullable=False)
    layout = Layout.of({**paths, (above.alias, above.name): _keys(copy, tree)})
    either = Or(tuple(Compare(Comparison.EQUAL, column, start) for column in (tree.key, above)))
    return Lowered(Where(scan, either, layout), layout, top_fields(tree.place.store))


def _copies(tree: RowTree, context: LoweringContext) -> Iterator[Copy]:
    """The copies of all rows above each, their keys among what is copied; the smallest comes first."""
    found = []
    for copy in tree.place.node.body.copies if tree.place.node.kind is not NodeKind.GROUP else ():
        if copy.closure and copy.limit is None and copy.form in (Form.SCALARS, Form.ARRAY) and copy.path[0].up:
            link = context.design.model.relationship(copy.path[0].relationship)
            along = (link.parent_attributes, link.child_attributes) == ((tree.key.name,), (tree.reference.name,))
            plain = all("." not in field.path for field in copy.attributes)
            if along and plain and any(field.attribute == tree.key.name for field in copy.attributes):
                found.append(copy)
    yield from sorted(found, key=lambda copy: len(copy.attributes))


def _keys(copy: Copy, tree: RowTree) -> str:
    """The path of the keys of the rows above, in the row's document."""
    field = next(field for field in copy.attributes if field.attribute == tree.key.name)
    return copy.name if copy.form is Form.SCALARS else join_path(copy.name, field.path)


def _is_fresh(copy: Copy, tree: RowTree, columns: Sequence[Column], context: LoweringContext) -> bool:
    entity, behind = tree.place.node.entity, context.tolerated.behind
    return all(is_fresh(copy.freshness, behind.get((entity, each.name))) for each in (tree.key, *columns))


def _below(rows: Lowered, tree: RowTree, copy: Copy, keys: str, own: dict[str, str]) -> Lowered:
    """The documents that hold the row among those above them, found by one lookup, and its own."""
    key, line = own[tree.key.name], rows.fresh(tree.key.alias)
    found = Correlate(rows.step, documents_at(tree.place), line, Keep.TOGETHER, equal=(key, keys))
    top = dict.fromkeys([*own.values(), *([copy.name] if tree.depth is not None else ())])
    itself = DocumentOf(tuple((name, FieldPath(name)) for name in top))
    step = Unwind(Add(found, ((line, WithLast(FieldPath(line), itself)),)), line)
    met = Lowered(step, rows.layout | _layout(tree, line, own), rows.taken | {line}, rows.standing)
    above = WithLast(FieldPath(f"{line}.{keys}"), FieldPath(f"{line}.{key}"))
    return _with_depth(met, tree, above, FieldPath(key))


def _above(rows: Lowered, tree: RowTree, copy: Copy, keys: str, own: dict[str, str]) -> Lowered:
    """The elements of the row's own document, and the row itself."""
    line = rows.fresh(tree.key.alias)
    if copy.form is Form.SCALARS:
        itself: PathExpression = FieldPath(own[tree.key.name])
        layout, key = Layout.of({(each.alias, each.name): line for each in tree.wanted}), line
    else:
        copied = {field.attribute: field.path for field in copy.attributes}
        itself = DocumentOf(tuple((copied[name], FieldPath(path)) for name, path in own.items()))
        layout, key = _layout(tree, line, copied), join_path(line, copied[tree.key.name])
    step = Unwind(Add(rows.step, ((line, WithLast(FieldPath(copy.name), itself)),)), line)
    met = Lowered(step, rows.layout | layout, rows.taken | {line}, rows.standing)
    return _with_depth(met, tree, WithLast(FieldPath(keys), FieldPath(own[tree.key.name])), FieldPath(key))


def _layout(tree: RowTree, line: str, paths: dict[str, str]) -> Layout:
    return Layout.of({(each.alias, each.name): join_path(line, paths[each.name]) for each in tree.wanted})


def _with_depth(rows: Lowered, tree: RowTree, keys: PathExpression, key: PathExpression) -> Lowered:
    """The number of steps from one row to the other: how many stand behind the key of the upper one."""
    if tree.depth is None:
        return rows
    field = rows.fresh("depth")
    step = Add(rows.step, ((field, Behind(keys, key)),))
    layout = rows.layout | Layout((((tree.depth.alias, tree.depth.name), field),))
    return Lowered(step, layout, rows.taken | {field}, rows.standing)
