"""A join along an embedding: the rows are inside the documents already.

*Children*: the left side stands at the parent's place, and the child's home is an embedding in it. The array is unwound, the
sub-document taken as it is. *Parent*: the left side stands at the child's place; its parent is further up in the same document.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nestling.ir.model import Relationship
from nestling.ir.paths.access_path import FieldHasValue, FieldPath, FilterDocuments, Holds, Mark, Marks, Step, Unwind
from nestling.ir.paths.row_steps import Add, KeepElements, Layout
from nestling.ir.primitives import Form
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import JoinKind
from nestling.ir.statements.expression import ANY, NULL, Case, Column, Expression, IsNull
from nestling.ir.statements.operands import conjunction, conjuncts, has_subquery
from nestling.ir.storage.collations import goes_by_collation
from nestling.ir.storage.layout import Node, NodeKind, Place, Role
from nestling.ir.storage.names import is_within
from nestling.ir.storage.names import join as join_path
from nestling.planner.homes.attribute import attribute_at, file_split
from nestling.planner.reads.rewrites import Rewrite
from nestling.planner.reads.rewrites.conjuncts import about
from nestling.planner.reads.rewrites.links import scan_of, without_link
from nestling.planner.reads.rows import Lowered, LoweringContext, PlacedScan
from nestling.planner.reads.subqueries import where


def embedded(join: a.Join, left: Lowered, context: LoweringContext) -> Lowered | None:
    """The join without a lookup, None when no embedding says it."""
    scan, own = scan_of(join.right)
    if scan is None or join.kind not in (JoinKind.INNER, JoinKind.LEFT):
        return None
    conditions = [*conjuncts(join.condition), *own]
    for alias, standing in left.standing.items():
        said = left.said_of(alias, conditions)
        found = _child(join.kind, left, alias, standing, scan, said, context) or _parent(
            join.kind, left, alias, standing, scan, said, context
        )
        if found is not None:
            return found
    return None


def _child(
    kind: JoinKind,
    left: Lowered,
    alias: str,
    at: PlacedScan,
    scan: a.Scan,
    conditions: Sequence[Expression],
    context: LoweringContext,
) -> Lowered | None:
    if not context.may(Rewrite.EMBEDDED_CHILD):
        return None
    place = home_inside(scan.entity, at.place, context)
    if place is None:
        return None
    node = place.node
    assert node.embedding is not None
    link = context.design.model.relationship(node.embedding.relationship)
    rest = without_link(conditions, link, parent=alias, child=scan.alias)
    if rest is None or (kind is JoinKind.LEFT and rest and not _are_of_elements(rest, scan, node)):
        return None
    field = join_path(at.prefix, place.path)
    others = () if node.form is Form.INLINE else left.standing.values()
    if any(comes_from(other, field) for other in others if other is not at):
        return None  # unwound for another alias of the same children already
    if node.form is Form.SCALARS and kind is JoinKind.LEFT and _may_be_null(scan.entity, link, context):
        return None  # a row of NULL alone and no row at all would look the same
    inside = PlacedScan(place, at.prefix, optional=kind is JoinKind.LEFT)
    before = left if kind is JoinKind.INNER else _with_elements(left, rest, scan, inside, field, context)
    step = _entered(before.step, place, field, at.prefix, kind) if before is not None else None
    if step is None:
        return None
    rows = with_columns(Lowered(step, left.layout, left.taken, left.standing), scan, inside, context)
    if rows is None or kind is JoinKind.INNER:
        predicate = conjunction(*rest)
        return rows if rows is None or predicate is None else where(rows, predicate, context)
    if node.form is Form.INLINE:
        return _null_where_no_subtype(rows, scan, inside, conditions, context)
    return null_where_none(rows, scan, field, conditions, context)


def _are_of_elements(conditions: Sequence[Expression], scan: a.Scan, node: Node) -> bool:
    """Whether all of them can be asked of each element of an array by itself."""
    return node.form.to_many and all(about(each) == {scan.alias} and not has_subquery(each) for each in conditions)


def _with_elements(
    left: Lowered,
    conditions: Sequence[Expression],
    scan: a.Scan,
    at: PlacedScan,
    field: str,
    context: LoweringContext,
) -> Lowered | None:
    """The rows with those elements alone that an outer join adds; None where what it asks is no plain field."""
    asked = conjunction(*conditions)
    if asked is None:
        return left
    seen = with_columns(left, scan, at, context)
    return (
        None if seen is None else replace(left, step=KeepElements(left.step, asked, context.seen(seen.layout), field))
    )


def _null_where_no_subtype(
    rows: Lowered, scan: a.Scan, at: PlacedScan, conditions: Sequence[Expression], context: LoweringContext
) -> Lowered | None:
    """A subtype's own fields are missing where it is not; of those its parent tells, the discriminator says where they are."""
    presence = at.place.node.presence
    if presence is None:
        return None
    wanted = context.beyond(conditions, scan.columns)
    shared = [each for each in wanted if each in rows.layout and is_around(at.place, each.name)]
    if not shared:
        return rows
    name = rows.fresh(presence.value)
    told = Marks((Mark(presence.value, is_certain=False),), join_path(at.prefix, presence.path))
    found = replace(rows, step=Add(rows.step, ((name, told),)), taken=rows.taken | {name})
    return _null_without(found, shared, name, context)


def null_where_none(
    rows: Lowered, scan: a.Scan, field: str, conditions: Sequence[Expression], context: LoweringContext
) -> Lowered | None:
    """The rows with attributes that are the parent's own, such as the foreign key, as NULL if there is no child."""
    outside = [
        column
        for column in context.beyond(conditions, scan.columns)
        if column in rows.layout and not is_within(rows.layout.path(column), field)
    ]
    return _null_without(rows, outside, field, context) if outside else rows


def _null_without(rows: Lowered, columns: Sequence[Column], field: str, context: LoweringContext) -> Lowered:
    """The rows with these columns NULL where they have no such field."""
    child = Column("", f"child at {field}", ANY)
    seen = replace(rows, layout=rows.layout | Layout((((child.alias, child.name), field),)))
    values = {column: Case(((IsNull(child), NULL),), column, column.type) for column in columns}
    found = seen.computed(values, context)
    return replace(found, standing=rows.standing)


def is_around(place: Place, attribute: str) -> bool:
    """Whether the document around a row has the attribute, even if it has no such row."""
    own = len(place.nodes) - 1
    return place.source(attribute, own)[0] < own


def comes_from(standing: PlacedScan, field: str) -> bool:
    """Whether the standing's rows come from that array."""
    return is_within(join_path(standing.prefix, standing.place.path), field)


def home_inside(entity: str, parent: Place, context: LoweringContext) -> Place | None:
    """The one place of the entity's rows that have such a parent: straight inside it.

    Other parents' children lie in other documents, and orphans have no parent; pages of an overflow would have to be united.
    Orphans that spell their parent's key otherwise have one all the same.
    """
    if parent.copy is not None:
        return None
    places = context.design.places.get(entity, ())
    inside = [p for p in places if p.copy is None and p.store == parent.store and p.nodes[:-1] == parent.nodes]
    if len(inside) != 1 or inside[0].node.embedding is None:
        return None
    name = inside[0].node.embedding.relationship
    others = [p for p in places if p.node.embedding is None or p.node.embedding.relationship != name]
    if others and goes_by_collation(context.design.model, context.design.model.relationship(name)):
        return None
    return inside[0] if all(p.store.role is Role.ORPHANS and p.copy is None for p in others) else None


def _may_be_null(entity: str, link: Relationship, context: LoweringContext) -> bool:
    """Whether an attribute of a child's own may be NULL."""
    own = (each for each in context.design.model.entity(entity).attributes if each.name not in link.child_attributes)
    return any(each.nullable for each in own)


def _entered(step: Step, place: Place, field: str, prefix: str, kind: JoinKind) -> Step | None:
    node = place.node
    if node.embedding is None or node.embedding.slots is not None or node.embedding.overflow is not None:
        return None
    if node.form.to_many:
        return Unwind(step, field, keep_empty=kind is JoinKind.LEFT)
    if kind is JoinKind.LEFT:
        return step
    if node.presence is not None:
        held = node.presence
        return FilterDocuments(step, Holds(join_path(prefix, held.path), held.value, held.several))
    return FilterDocuments(step, FieldHasValue(field)) if node.form is Form.OBJECT else None


def _parent(
    kind: JoinKind,
    left: Lowered,
    alias: str,
    at: PlacedScan,
    scan: a.Scan,
    conditions: Sequence[Expression],
    context: LoweringContext,
) -> Lowered | None:
    node = at.place.node
    if not context.may(Rewrite.EMBEDDED_PARENT) or node.kind is not NodeKind.EMBEDDED or node.embedding is None:
        return None
    if at.optional:
        return None  # where there is no child, the document around it is not its parent
    above = at.place.nodes[:-1]
    places = context.design.places.get(scan.entity, ())
    # The parent this row lies in is the one it refers to, wherever else rows of the parent's entity may live.
    place = next((p for p in places if p.store == at.place.store and p.nodes == above and p.copy is None), None)
    if place is None:
        return None
    link = context.design.model.relationship(node.embedding.relationship)
    rest = without_link(conditions, link, parent=scan.alias, child=alias)
    if rest is None or (kind is JoinKind.LEFT and rest):
        return None
    rows = with_columns(left, scan, PlacedScan(place, at.prefix), context)
    predicate = conjunction(*rest)
    return rows if rows is None or predicate is None else where(rows, predicate, context)


def with_columns(rows: Lowered, scan: a.Scan, at: PlacedScan, context: LoweringContext) -> Lowered | None:
    """The scan's columns as paths into the document; None if one of them is not a plain field there."""
    paths = {}
    for column in scan.columns:
        if (column.alias, column.name) not in context.used:
            continue
        path = plain_path(at, column, context)
        if path is None:
            return None
        paths[column.alias, column.name] = path
    layout = rows.layout | type(rows.layout).of(paths)
    return Lowered(rows.step, layout, rows.taken, {**rows.standing, scan.alias: at})


def plain_path(at: PlacedScan, column: Column, context: LoweringContext) -> str | None:
    """The attribute's path in the documents; None if it is not a plain field."""
    found = attribute_at(context.design, at.place, len(at.place.nodes) - 1, column.name)
    if found.joins or not isinstance(found.value, FieldPath) or file_split(at.place, column.name) is not None:
        return None
    if at.place.node.form is Form.SCALARS and not at.place.node.field:
        return None
    return join_path(at.prefix, found.value.path)
