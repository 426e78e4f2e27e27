"""The application-level join: one side is read, its ids are collected, and the other side is queried by these ids.

*Parents by the ids of their children*: the statement without the parent, whose columns are added afterwards. *Children by the
ids of their parents*: the parents that satisfy a condition are found first, and the rest of the statement – order, limit,
groups – runs on the children. *Children of each parent*: the parents in their order, each with its children.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from nestling.ir.design import Design
from nestling.ir.programs.client_join import Joining, JoinPlan
from nestling.ir.programs.compiled import OutputColumn, ReadPlan
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import JoinKind, Named, Query, Relation
from nestling.ir.statements.expression import Column, Compare, Expression, Parameter
from nestling.ir.statements.operands import conjuncts, has_subquery
from nestling.ir.statements.operators import Comparison
from nestling.ir.tolerance import Tolerated
from nestling.ir.types import TypeName
from nestling.planner.reads.gaps import read_gap
from nestling.planner.reads.outputs import field_names
from nestling.planner.reads.rewrites import ALL_REWRITES, Rewrite
from nestling.planner.reads.rewrites.conjuncts import about, restricted
from nestling.planner.reads.rewrites.links import scan_of, without_link
from nestling.planner.reads.rewrites.pushdown import push_predicates
from nestling.planner.reads.rewrites.unneeded_join import without_unneeded
from nestling.planner.reads.traverse import everything, expressions, with_inputs

IDS = "ids found before"
_KEYS = frozenset({TypeName.INTEGER, TypeName.TEXT, TypeName.UUID})


def plan_client_join(query: Query, design: Design, *, tolerated: Tolerated | None = None) -> JoinPlan:
    """Two reads and how the client joins them; raises `ReadGap` where no join of the statement can be the client's."""
    from nestling.planner.reads import plan_read

    joined = _joined(query, design)
    allowed = ALL_REWRITES - {Rewrite.IDENTITY}  # a list of ids is no range of a compound id

    def plan(half: Query) -> ReadPlan:
        return plan_read(half, design, rewrites=allowed, tolerated=tolerated)

    for way in (_parents_by_children, _children_by_parents, _children_of_parents):
        halves = way(joined)
        if halves is not None:
            first, second = plan(halves.first), plan(halves.second)
            outputs = tuple((side, (first, second)[side].columns[place].field) for side, place in halves.places)
            found = second.columns[-1].field if halves.matched else ""
            joining = replace(halves.joining, given=first.columns[-1].field, found=found, outputs=outputs)
            return JoinPlan(first, second, _columns(query), joining, IDS)
    raise read_gap("a join in the client with sorting, limits or grouping over both sides")


def has_join(query: Query) -> bool:
    """Whether the statement joins anything."""
    return any(isinstance(each, a.Join) for each in everything(query.relation))


@dataclass(frozen=True, slots=True)
class _Joined:
    """A statement around one join along a relationship: outputs above `chain` (from the top down) above the join."""

    outputs: tuple[Named, ...]
    chain: tuple[Relation, ...]
    join: a.Join
    parent: a.Scan
    parent_rows: Relation
    child: a.Scan
    child_rows: Relation
    key: Column
    reference: Column
    is_total: bool

    @property
    def parent_is_right(self) -> bool:
        return self.join.right is self.parent_rows

    def mentions(self, nodes: Iterable[Relation], alias: str) -> bool:
        """Whether any of the operators mentions a column of that alias."""
        return any(alias in about(each) for node in nodes for each in expressions(node))


@dataclass(frozen=True, slots=True)
class _Halves:
    """The two reads, each with the id as its last column, and for each output its read and its place there.

    Unless `matched` the second has no id, and its rows are the answer.
    """

    first: Query
    second: Query
    places: tuple[tuple[int, int], ...]
    joining: Joining
    matched: bool = True


def _columns(query: Query) -> tuple[OutputColumn, ...]:
    fields = field_names(query.names)
    columns = query.relation.columns
    return tuple(
        OutputColumn(name, field, column.type, column.mixed, query.typed)
        for name, field, column in zip(query.names, fields, columns, strict=True)
    )


def _joined(query: Query, design: Design) -> _Joined:
    relation = without_unneeded(push_predicates(query.relation), design)
    outputs, below = tuple(Named(each.name, each) for each in relation.columns), relation
    if isinstance(relation, a.Project):
        outputs, below = relation.outputs, relation.input
    chain: list[Relation] = []
    while isinstance(below, a.LimitOffset | a.Sort | a.GroupBy | a.Distinct | a.Filter | a.Project):
        chain.append(below)
        below = below.input
    if not isinstance(below, a.Join):
        raise read_gap("a join in the client for a statement without a join")
    parts = [*(out.expression for out in outputs), *(each for node in chain for each in expressions(node))]
    if any(map(has_subquery, parts)):
        raise read_gap("a join in the client together with a subquery")
    for parent_rows, child_rows in ((below.right, below.left), (below.left, below.right)):
        found = _link(below, parent_rows, child_rows, design)
        if found is not None:
            parent, child, key, reference, is_total = found
            return _Joined(
                outputs, tuple(chain), below, parent, parent_rows, child, child_rows, key,
                reference, is_total,
            )  # fmt: skip
    raise read_gap("a join in the client that is not on a key of one attribute")


def _link(
    join: a.Join, parent_rows: Relation, child_rows: Relation, design: Design
) -> tuple[a.Scan, a.Scan, Column, Column, bool] | None:
    """The parent's scan, the child's, their columns that must be equal, and whether every child has a parent."""
    parent, _ = scan_of(parent_rows)
    if parent is None:
        return None
    scans = [each for each in everything(child_rows) if isinstance(each, a.Scan)]
    for link in design.model.relationships:
        for child in scans:
            if (link.parent, link.child) != (parent.entity, child.entity) or len(link.child_attributes) != 1:
                continue
            if without_link(conjuncts(join.condition), link, parent=parent.alias, child=child.alias) != []:
                continue
            key = next(each for each in parent.columns if each.name == link.parent_attributes[0])
            reference = next(each for each in child.columns if each.name == link.child_attributes[0])
            alike = key.type.name is reference.type.name and not key.mixed and not reference.mixed
            if alike and key.type.name in _KEYS:
                return parent, child, key, reference, design.model.is_total(link)
    return None


def _parents_by_children(joined: _Joined) -> _Halves | None:
    """The statement without the parent, then the parents its rows refer to."""
    kinds = (JoinKind.INNER, JoinKind.LEFT) if joined.parent_is_right else (JoinKind.INNER,)
    inner = joined.join.kind is JoinKind.INNER
    limits = any(isinstance(each, a.LimitOffset) for each in joined.chain)
    if joined.join.kind not in kinds or not isinstance(joined.parent_rows, a.Scan) or not _are_plain(joined.chain):
        return None
    if joined.mentions(joined.chain, joined.parent.alias) or (inner and limits and not joined.is_total):
        return None
    split = _split(joined, own=joined.parent.alias)
    if split is None:
        return None
    kept, bare = split
    first = _query(
        _rebuilt(joined.chain, joined.child_rows), [joined.outputs[p].expression for p in kept], joined.reference
    )
    second = _query(_by_ids(joined.parent, joined.key), [joined.outputs[p].expression for p in bare], joined.key)
    return _Halves(first, second, _places(joined, kept, bare, 0), Joining("", "", (), lonely=not inner))


def _children_by_parents(joined: _Joined) -> _Halves | None:
    """The parents first, then the rest of the statement over the children that refer to them."""
    if joined.join.kind is not JoinKind.INNER or joined.mentions(joined.chain, joined.parent.alias):
        return None
    split = _split(joined, own=joined.parent.alias)
    if split is None:
        return None
    kept, bare = split
    groups = any(isinstance(each, a.GroupBy | a.Distinct | a.Project) for each in joined.chain)
    if groups:
        return _grouped_children(joined, kept) if not bare else None
    rows = _restricted(joined.child_rows, joined)
    first = _query(joined.parent_rows, [joined.outputs[p].expression for p in bare], joined.key)
    second = _query(_rebuilt(joined.chain, rows), [joined.outputs[p].expression for p in kept], joined.reference)
    joining = Joining("", "", (), ordered_by=1, whole=bool(joined.chain))
    return _Halves(first, second, _places(joined, kept, bare, 1), joining)


def _grouped_children(joined: _Joined, kept: Sequence[int]) -> _Halves | None:
    """For grouped children the rows are the answer, because groups no longer have ids of children."""
    rows = _restricted(joined.child_rows, joined)
    first = _query(joined.parent_rows, [], joined.key)
    outputs = [joined.outputs[place].expression for place in kept]
    if not outputs:
        return None
    second = _query(_rebuilt(joined.chain, rows), outputs, None)
    places = tuple((1, place) for place in range(len(outputs)))
    return _Halves(first, second, places, Joining("", "", (), ordered_by=1, whole=True), matched=False)


def _children_of_parents(joined: _Joined) -> _Halves | None:
    """The parents in their order, then the children that refer to them."""
    kinds = (JoinKind.INNER,) if joined.parent_is_right else (JoinKind.INNER, JoinKind.LEFT)
    if joined.join.kind not in kinds or any(not isinstance(each, a.Sort) for each in joined.chain):
        return None
    if not isinstance(joined.parent_rows, a.Scan | a.Filter) or scan_of(joined.child_rows)[0] is None:
        return None
    split = _split(joined, own=joined.child.alias)
    if joined.mentions(joined.chain, joined.child.alias) or split is None:
        return None
    kept, bare = split
    lonely = joined.join.kind is JoinKind.LEFT
    first = _query(_rebuilt(joined.chain, joined.parent_rows), [joined.outputs[p].expression for p in kept], joined.key)
    rows = _restricted(joined.child_rows, joined)
    second = _query(rows, [joined.outputs[p].expression for p in bare], joined.reference)
    return _Halves(first, second, _places(joined, kept, bare, 0), Joining("", "", (), lonely=lonely))


# --- halves ---------------------------------------------------------------------------------------------------------------


def _are_plain(chain: Sequence[Relation]) -> bool:
    return all(isinstance(each, a.LimitOffset | a.Sort) for each in chain)


def _split(joined: _Joined, *, own: str) -> tuple[list[int], list[int]] | None:
    """Split the outputs' positions into those without columns of `own` and plain columns of it; None if one mixes both."""
    kept, bare = list[int](), list[int]()
    for place, out in enumerate(joined.outputs):
        if own not in about(out.expression):
            kept.append(place)
        elif isinstance(out.expression, Column):
            bare.append(place)
        else:
            return None
    return kept, bare


def _places(joined: _Joined, kept: list[int], bare: list[int], side: int) -> tuple[tuple[int, int], ...]:
    """For each output which read has it, and where."""
    found = {place: (side, number) for number, place in enumerate(kept)}
    found |= {place: (1 - side, number) for number, place in enumerate(bare)}
    return tuple(found[place] for place in range(len(joined.outputs)))


def _query(rows: Relation, outputs: Sequence[Expression], last: Column | None) -> Query:
    """The outputs and at last the id."""
    wanted = [*outputs, *([last] if last is not None else [])]
    named = tuple(Named(f"column {place}", each) for place, each in enumerate(wanted))
    names = tuple(each.name if isinstance(each, Column) else f"value{place}" for place, each in enumerate(wanted))
    return Query(a.Project(rows, "half", named), names)


def _rebuilt(chain: Sequence[Relation], below: Relation) -> Relation:
    """The operators over other rows."""
    for each in reversed(chain):
        below = with_inputs(each, lambda _, rows=below: rows)  # type: ignore[misc]
    return below


def _by_ids(scan: a.Scan, column: Column) -> Relation:
    return restricted(scan, [Compare(Comparison.EQUAL, column, Parameter(IDS, column.type))])


def _restricted(relation: Relation, joined: _Joined) -> Relation:
    """The children's side with only the children that refer to an id."""
    asked = Compare(Comparison.EQUAL, joined.reference, Parameter(IDS, joined.reference.type))
    return push_predicates(restricted(relation, [asked]))
