"""A parent is not looked up where the child's document holds copies of all that is wanted of it, and fresh enough ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nestling.ir.freshness import Freshness
from nestling.ir.model import Relationship
from nestling.ir.paths.access_path import FieldHasValue, FilterDocuments
from nestling.ir.paths.row_steps import Layout
from nestling.ir.primitives import Copy, Form
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import JoinKind
from nestling.ir.statements.expression import Column, Expression
from nestling.ir.statements.operands import conjunction, conjuncts
from nestling.ir.storage.collations import goes_by_collation
from nestling.ir.storage.layout import NodeKind
from nestling.ir.storage.names import join as join_path
from nestling.planner.reads.rewrites import Rewrite
from nestling.planner.reads.rewrites.embedded import is_around, plain_path
from nestling.planner.reads.rewrites.freshness import is_fresh
from nestling.planner.reads.rewrites.links import scan_of, without_link
from nestling.planner.reads.rewrites.pushdown import never_null
from nestling.planner.reads.rows import Lowered, LoweringContext, PlacedScan
from nestling.planner.reads.subqueries import where


def copied_parent(join: a.Join, left: Lowered, context: LoweringContext) -> Lowered | None:
    """The join without a lookup, None when no copy says it."""
    scan, own = scan_of(join.right)
    if scan is None or join.kind not in (JoinKind.INNER, JoinKind.LEFT) or not context.may(Rewrite.COPIED):
        return None
    asked = [*conjuncts(join.condition), *own]
    for alias, at in left.standing.items():
        conditions = left.said_of(alias, asked)
        if at.optional and join.kind is not JoinKind.LEFT:
            continue  # where there is no child, it has no parent either: an outer join has neither
        for link, copies in _copies(at, scan.entity, context):
            rest = without_link(conditions, link, parent=scan.alias, child=alias)
            if rest is None or (join.kind is JoinKind.LEFT and rest):
                continue
            wanted = context.beyond([each for each in conditions if each not in rest], scan.columns)
            paths = _paths(copies, link, wanted, alias, at, context, inner=join.kind is JoinKind.INNER)
            if paths is None:
                continue
            rows: Lowered | None = left
            if join.kind is JoinKind.INNER:
                told = next((paths[each] for each in _asked_for_value(rest, link) if each in paths), None)
                rows = _existing(left, copies, link, at, context, told)
            if rows is None:
                continue
            rows = Lowered(rows.step, rows.layout | Layout.of(paths), rows.taken, rows.standing, rows.identity)
            predicate = conjunction(*rest)
            return rows if predicate is None else where(rows, predicate, context)
    return None


def _copies(at: PlacedScan, parent: str, context: LoweringContext) -> Iterator[tuple[Relationship, list[Copy]]]:
    """By relationship to the parent, the copies of it that the child's document holds, the freshest first."""
    if at.place.node.kind is NodeKind.GROUP:
        return
    found: dict[str, list[Copy]] = {}
    for copy in at.place.node.body.copies:
        link = _link(copy, context)
        if link is not None and link.parent == parent and link.child == at.place.node.entity:
            found.setdefault(link.name, []).append(copy)
    for name, copies in found.items():
        yield context.design.model.relationship(name), sorted(copies, key=lambda each: each.freshness.weakness)


def _link(copy: Copy, context: LoweringContext) -> Relationship | None:
    """The relationship whose parent the copy holds, one sub-document or its fields."""
    return context.design.model.relationship(copy.path[0].relationship) if copy.is_of_parent else None


def _paths(
    copies: Sequence[Copy],
    link: Relationship,
    wanted: Sequence[Column],
    child: str,
    at: PlacedScan,
    context: LoweringContext,
    *,
    inner: bool,
) -> dict[tuple[str, str], str] | None:
    """Where each wanted attribute is: its copy, or for the key what refers to it; None when one is missing or not fresh."""
    own = join_path(at.prefix, at.place.path)
    keys = dict(zip(link.parent_attributes, link.child_attributes, strict=True))
    is_told = _tells_key(link, context, inner=inner)
    child_entity = context.design.model.entity(link.child)
    paths = {}
    for column in wanted:
        path = _copied(copies, own, column.name, context.tolerated.behind.get((link.parent, column.name)))
        if path is None and column.name in keys and is_told:
            attribute = child_entity.attribute(keys[column.name])
            path = plain_path(at, Column(child, attribute.name, attribute.type), context)
            if path is not None and at.optional and is_around(at.place, attribute.name):
                return None  # the document around the child says it, also where there is no child
        if path is None:
            return None
        paths[column.alias, column.name] = path
    return paths


def _copied(copies: Sequence[Copy], own: str, attribute: str, tolerated: Freshness | None) -> str | None:
    """Where the freshest copy of an attribute is; None where there is none, or none fresh enough."""
    for copy in copies:
        for field in copy.attributes if is_fresh(copy.freshness, tolerated) else ():
            if field.attribute == attribute:
                return join_path(own, "" if copy.form is Form.INLINE else copy.name, field.path)
    return None


def _tells_key(link: Relationship, context: LoweringContext, *, inner: bool) -> bool:
    """Whether what refers to a parent is that parent's key, and NULL where there is none."""
    model = context.design.model
    if goes_by_collation(model, link):
        return False
    return inner or model.is_total(link) or (len(link.child_attributes) == 1 and _never_dangles(link, context))


def _never_dangles(link: Relationship, context: LoweringContext) -> bool:
    """Whether the source refuses rows without their parent, and none was counted: SQLite may have let some in before."""
    dangling = context.statistics.relationship(link.name).dangling
    return link.enforced and dangling is not None and dangling.value == 0


def _asked_for_value(conditions: Sequence[Expression], link: Relationship) -> Iterator[tuple[str, str]]:
    """The columns of a parent without whose value a condition is not true; what refers to the parent may have one by itself."""
    for each in conditions:
        for column in never_null(each):
            if column.name not in link.parent_attributes:
                yield column.alias, column.name


def _existing(
    left: Lowered,
    copies: Sequence[Copy],
    link: Relationship,
    at: PlacedScan,
    context: LoweringContext,
    told: str | None,
) -> Lowered | None:
    """The rows that have a parent; None when nothing tells. `told`: a copied value that is asked for besides."""
    if context.design.model.is_total(link):
        return left
    copy = next((each for each in copies if each.form is Form.OBJECT), None)
    path = join_path(at.prefix, at.place.path, copy.name) if copy is not None else told
    if path is None:
        return None
    return Lowered(
        FilterDocuments(left.step, FieldHasValue(path)), left.layout, left.taken, left.standing, left.identity
    )
