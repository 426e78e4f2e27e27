"""Children are not looked up where their parent holds copies of them: all, or the first few when no more are needed."""

from __future__ import annotations

from nestling.ir.model import Relationship
from nestling.ir.paths.access_path import FieldHasValue, FilterDocuments, Step, Unwind
from nestling.ir.paths.row_steps import Layout
from nestling.ir.primitives import Copy, Form
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import JoinKind
from nestling.ir.statements.expression import ANY, Column
from nestling.ir.statements.operands import conjunction, conjuncts
from nestling.ir.storage.layout import NodeKind
from nestling.ir.storage.names import join as join_path
from nestling.planner.reads.rewrites import Rewrite
from nestling.planner.reads.rewrites.embedded import null_where_none, plain_path
from nestling.planner.reads.rewrites.first_children import is_fresh_for, suffices
from nestling.planner.reads.rewrites.links import scan_of, without_link
from nestling.planner.reads.rows import Lowered, LoweringContext, PlacedScan
from nestling.planner.reads.subqueries import where


def copied_children(join: a.Join, left: Lowered, context: LoweringContext) -> Lowered | None:
    """The join without a lookup, None when no copy holds the children."""
    scan, own = scan_of(join.right)
    if scan is None or join.kind not in (JoinKind.INNER, JoinKind.LEFT) or not context.may(Rewrite.COPIED_CHILDREN):
        return None
    every = [*conjuncts(join.condition), *own]
    for alias, at in left.standing.items():
        conditions = left.said_of(alias, every)
        for copy in at.place.node.body.copies if at.place.node.kind is not NodeKind.GROUP else ():
            link = _link(copy, context)
            field = join_path(at.prefix, at.place.path, copy.name)
            if link is None or (link.parent, link.child) != (at.place.node.entity, scan.entity):
                continue
            if join.kind is JoinKind.LEFT and _may_hold_null(copy, link, context):
                continue
            rest = without_link(conditions, link, parent=alias, child=scan.alias)
            if rest is None or _mark(field) in left.layout or (rest and (join.kind is JoinKind.LEFT or copy.limit)):
                continue
            asked = [each for each in conditions if each not in rest]
            wanted = context.beyond(asked, scan.columns)
            paths = _paths(copy, link, wanted, alias, at, context)
            key = context.design.model.entity(link.child).key
            if paths is None or not suffices(copy, context.first.get(scan.alias), key):
                continue
            step = _entered(left.step, copy, field, join.kind)
            layout = left.layout | Layout.of(paths) | Layout((((_mark(field).alias, _mark(field).name), field),))
            rows = Lowered(step, layout, left.taken, left.standing)
            predicate = conjunction(*rest)
            if join.kind is JoinKind.LEFT:
                return null_where_none(rows, scan, field, conditions, context)
            return rows if predicate is None else where(rows, predicate, context)
    return None


def _entered(step: Step, copy: Copy, field: str, kind: JoinKind) -> Step:
    """A row for each child, or the one there may be: a sub-document is no array, neither to `$elemMatch` nor to people."""
    if copy.form is not Form.OBJECT:
        return Unwind(step, field, keep_empty=kind is JoinKind.LEFT)
    return step if kind is JoinKind.LEFT else FilterDocuments(step, FieldHasValue(field))


def _mark(field: str) -> Column:
    """What tells that the array was unwound for an alias already."""
    return Column("", f"copied from {field}", ANY)


def _may_hold_null(copy: Copy, link: Relationship, context: LoweringContext) -> bool:
    """Whether an element may look like none: a bare value that is NULL."""
    child = context.design.model.entity(link.child)
    return copy.form is Form.SCALARS and any(child.attribute(each.attribute).nullable for each in copy.attributes)


def _link(copy: Copy, context: LoweringContext) -> Relationship | None:
    if len(copy.path) != 1 or copy.path[0].up or copy.form not in (Form.ARRAY, Form.SCALARS, Form.OBJECT):
        return None
    return context.design.model.relationship(copy.path[0].relationship)


def _paths(
    copy: Copy, link: Relationship, wanted: list[Column], parent: str, at: PlacedScan, context: LoweringContext
) -> dict[tuple[str, str], str] | None:
    """Where each wanted attribute is: in the copy, or for the foreign key in the parent; None when one is not there."""
    base = join_path(at.prefix, at.place.path, copy.name)
    bare = copy.form is Form.SCALARS  # the elements are the values
    copied = {field.attribute: base if bare else join_path(base, field.path) for field in copy.attributes}
    keys = dict(zip(link.child_attributes, link.parent_attributes, strict=True))
    paths: dict[tuple[str, str], str] = {}
    for column in wanted:
        path = copied.get(column.name)
        if path is None and column.name in keys:
            path = plain_path(at, Column(parent, keys[column.name], column.type), context)
        if path is None:
            return None
        paths[column.alias, column.name] = path
    names = {column.name for column in wanted if column.name not in keys}
    return paths if is_fresh_for(copy, link.child, names, context.tolerated) else None
