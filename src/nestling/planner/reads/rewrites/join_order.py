"""Inner joins in the order that reads least: from the table that is restricted most, along what is near.

Near are children in the document read already, then tables an equality reaches, then the rest. A LEFT JOIN waits until the inner
joins behind it that do not ask for it are done: before them, it would hide which table is restricted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from nestling.ir.design import Design
from nestling.ir.primitives import Form
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import INNER_JOINS, JoinKind, Relation
from nestling.ir.statements.expression import Column, Compare, Expression, ScalarSubquery
from nestling.ir.statements.operands import conjunction, conjuncts, has_subquery
from nestling.ir.statements.operators import Comparison
from nestling.ir.statistics import Statistics
from nestling.planner.reads.rewrites.conjuncts import about, restricted
from nestling.planner.reads.rewrites.grouped_in_as_join import joined_groups
from nestling.planner.reads.rewrites.links import fixed_column, forms_inside, scan_of, without_link
from nestling.planner.reads.rewrites.rows_left import rows_left
from nestling.planner.reads.traverse import (
    aliases,
    everything,
    everywhere,
    free_columns,
    inputs,
    made_inside,
    mentioned,
    rewritten,
    single,
    subqueries,
    used,
)


def order_joins(
    relation: Relation,
    design: Design,
    statistics: Statistics,
    *,
    begin: str = "",
) -> Relation:
    """The relation with inner joins reordered; without `statistics` the form of predicates tells which table is restricted most.

    `begin`: the alias of the table with which its joins begin, whatever its restrictions. Of equally restricted tables, the one
    that a limited order is about comes first.
    """
    relation = everywhere(relation, joined_groups)
    if any(isinstance(each, a.Filter) for each in everything(relation)):
        relation = everywhere(relation, _inner_first)
    limited = frozenset(_limited_tables(relation))
    return everywhere(
        relation,
        lambda each: _early_subqueries(_ordered(each, design, statistics, limited, begin=begin), all_kinds=bool(begin)),
    )


def other_starts(relation: Relation, design: Design) -> tuple[str, ...]:
    """The tables, other than the one read first, with which the statement may begin just as well: by copies, or by conditions.

    Each of the second kind is the only one that a subquery's condition concerns: it excludes rows before others are joined to
    them. So may groups that are joined to, which would be built for each row if they were looked up.

    For a limited order the first kind is the table that is ordered by, if its rows have copies of others, and tables whose rows
    have copies of what is ordered by: an index over both has the rows in that order. Otherwise it is tables whose rows have
    copies of everything used of the table read first, which then need not be read.
    """
    limited, first = _limited_tables(relation), relation
    while below := inputs(first):
        first = below[0]
    scans = [each for each in everything(relation) if isinstance(each, a.Scan)]
    wanted = {scan.entity: limited[scan.alias] for scan in scans if scan.alias in limited}
    if not wanted and isinstance(first, a.Scan):
        asked = frozenset(column.name for column in used(relation) if column.alias == first.alias)
        wanted = {first.entity: asked - {*design.model.entity(first.entity).key}}
    others = (scan for scan in scans if scan is not first)
    copied = (each.alias for each in others if _has_copies(each, each.alias in limited, wanted, design))
    asked_of = {*_asked_by_subqueries(relation)}
    alone = (each.alias for each in scans if each.alias in asked_of)
    return tuple(dict.fromkeys((*copied, *alone, *_joined_groups(relation))))


def _joined_groups(relation: Relation) -> Iterator[str]:
    """The names of groups among what inner joins join."""
    for each in everything(relation):
        for leaf in inner_leaves(each)[0] if isinstance(each, a.Join) and each.kind in INNER_JOINS else ():
            if (name := _name(leaf)) and any(isinstance(inner, a.GroupBy) for inner in everything(leaf)):
                yield name


def _name(relation: Relation) -> str:
    """What the statement calls a table, or the rows of a subquery; empty where there are several."""
    names = {column.alias for column in relation.columns}
    return names.pop() if len(names) == 1 else ""


def _asked_by_subqueries(relation: Relation) -> Iterator[str]:
    """The tables that are each the only one a condition with a subquery is about, of those over joins."""
    for each in everything(relation):
        if isinstance(each, a.Filter) and isinstance(each.input, a.Join):
            tables = [_asked_about(one) for one in conjuncts(each.predicate) if has_subquery(one)]
            yield from (next(iter(found)) for found in tables if len(found) == 1)


def _has_copies(scan: a.Scan, is_limited: bool, wanted: Mapping[str, frozenset[str]], design: Design) -> bool:
    """Whether the table's rows have copies of rows they refer to: of any where it is ordered by, else of all that is wanted."""
    places = design.places.get(scan.entity, ())
    copies = [copy for place in places for copy in place.node.body.copies if copy.is_to_one(design.model)]
    if is_limited:
        return bool(copies)
    held: dict[str, set[str]] = {}
    for copy in copies:
        held.setdefault(copy.path[-1].target(design.model), set()).update(each.attribute for each in copy.attributes)
    return any(entity in held and names <= held[entity] for entity, names in wanted.items())


def _limited_tables(relation: Relation) -> Mapping[str, frozenset[str]]:
    """The tables whose rows alone a limited order is about, with the attributes it mentions: nothing need be joined to rows
    beyond the limit.
    """
    sorts = (
        each.input
        for each in everything(relation)
        if isinstance(each, a.LimitOffset) and isinstance(each.input, a.Sort)
    )
    found: dict[str, frozenset[str]] = {}
    for sort in sorts:
        columns = [column for key in sort.keys for column in mentioned(key.expression)]
        if len({column.alias for column in columns}) == 1:
            alias = columns[0].alias
            found[alias] = found.get(alias, frozenset()) | {column.name for column in columns}
    return found


def _inner_first(relation: Relation) -> Relation:
    """An inner join that asks nothing of what a LEFT JOIN adds is done before it: that adds the same to each row.

    It pays where something is restricted. Else all rows are read anyway, and the LEFT JOIN would only look up for more of them.
    """
    if not isinstance(relation, a.Join) or relation.kind is not JoinKind.INNER:
        return relation
    above = conjuncts(relation.left.predicate) if isinstance(relation.left, a.Filter) else []
    outer = relation.left.input if isinstance(relation.left, a.Filter) else relation.left
    if not isinstance(outer, a.Join) or outer.kind is not JoinKind.LEFT:
        return relation
    added = aliases(outer.right)
    if not added.isdisjoint(_asked_outside(relation.right)):
        return relation
    asked = conjuncts(relation.condition)
    late = [each for each in asked if not about(each).isdisjoint(added)]
    early = [each for each in asked if each not in late]
    if not any(_links(each, outer.left, relation.right) for each in early):
        return relation
    inner = _inner_first(replace(relation, left=outer.left, condition=conjunction(*early)))
    return restricted(replace(outer, left=inner), [*above, *late])


def _links(condition: Expression, one: Relation, other: Relation) -> bool:
    """Whether it is about both."""
    return not any(about(condition).isdisjoint(aliases(each)) for each in (one, other))


def _early_subqueries(relation: Relation, *, all_kinds: bool) -> Relation:
    """What is asked about the table the joins start at alone is asked there, before rows are multiplied.

    That are whole predicates, and of others the subqueries that yield one value. `all_kinds`: also those that read other tables.
    """
    if not isinstance(relation, a.Filter) or not isinstance(relation.input, a.Join):
        return relation
    start = _start(relation.input)
    asking = [each for each in conjuncts(relation.predicate) if has_subquery(each)]
    if not asking or start is relation.input:
        return relation
    early = [each for each in asking if (_asked_about(each) if all_kinds else about(each)) <= aliases(start)]
    rest = [each for each in conjuncts(relation.predicate) if each not in early]
    first, rest = _with_values(restricted(start, early), rest, aliases(start))
    return restricted(_with_start(relation.input, first), rest)


def _asked_about(predicate: Expression) -> frozenset[str]:
    """The tables it is about, those of its subqueries left aside."""
    return about(predicate).difference(made_inside(predicate))


def _with_values(
    start: Relation, predicates: list[Expression], known: frozenset[str]
) -> tuple[Relation, list[Expression]]:
    """The start beside the one value of each subquery that mentions nothing else from outside, and predicates on these."""
    values: dict[ScalarSubquery, Column] = {}
    for found in dict.fromkeys(each for predicate in predicates for each in subqueries(predicate)):
        if isinstance(found, ScalarSubquery) and single(found.relation):
            outer = _asked_outside(found.relation)
            if outer and outer <= known:
                values[found] = replace(found.relation.columns[0], nullable=True)
    for found in values:
        start = a.Join(JoinKind.LEFT, start, found.relation, None)

    def value(expression: Expression) -> Expression | None:
        return values.get(expression) if isinstance(expression, ScalarSubquery) else None

    return start, [rewritten(each, value) for each in predicates]


def _start(relation: Relation) -> Relation:
    while isinstance(relation, a.Join) and relation.kind in INNER_JOINS:
        relation = relation.left
    return relation


def _with_start(relation: Relation, start: Relation) -> Relation:
    if isinstance(relation, a.Join) and relation.kind in INNER_JOINS:
        return replace(relation, left=_with_start(relation.left, start))
    return start


@dataclass(frozen=True, slots=True)
class _Leaf:
    relation: Relation
    aliases: frozenset[str]
    place: int


def _ordered(
    relation: Relation, design: Design, statistics: Statistics, limited: frozenset[str], *, begin: str
) -> Relation:
    if not isinstance(relation, a.Join) or relation.kind not in INNER_JOINS:
        return relation
    leaves: list[Relation] = []
    conditions: list[Expression] = []
    _flatten(relation, leaves, conditions)
    left = [_Leaf(leaf, aliases(leaf), place) for place, leaf in enumerate(leaves)]
    named = next((leaf for leaf in left if begin and _name(leaf.relation) == begin), None)
    start = named or _most_restricted(left, design, statistics, limited)
    start = _root_of(start, left, conditions, design)
    left.remove(start)
    found, seen = start.relation, start.aliases
    while left:
        nearest = min(left, key=lambda leaf: (_distance(leaf, seen, conditions, design), leaf.place))
        left.remove(nearest)
        seen |= nearest.aliases
        others = frozenset().union(*(leaf.aliases for leaf in left))
        ready = [each for each in conditions if about(each).isdisjoint(others)]
        conditions = [each for each in conditions if each not in ready]
        kind = JoinKind.INNER if ready else JoinKind.CROSS
        found = a.Join(kind, found, nearest.relation, conjunction(*ready))
    return restricted(found, conditions)


def _most_restricted(leaves: list[_Leaf], design: Design, statistics: Statistics, limited: frozenset[str]) -> _Leaf:
    windowed = next((leaf for leaf in leaves if _is_windowed(leaf.relation)), None)
    if windowed is not None:
        return windowed
    found = [
        (rest, leaf) for leaf in leaves if (rest := rows_left(leaf.relation, design.model, statistics)) is not None
    ]
    if len(found) == len(leaves):
        return min(
            found, key=lambda each: (each[0].share, each[1].aliases.isdisjoint(limited), each[0], each[1].place)
        )[1]
    return min(leaves, key=lambda leaf: (_restriction(leaf, design), leaf.aliases.isdisjoint(limited), leaf.place))


def _is_windowed(relation: Relation) -> bool:
    """Whether no condition can be asked before all its rows are there: looked up, they would be made anew for each row."""
    while isinstance(relation, a.Filter | a.Project | a.Sort):
        relation = relation.input
    return isinstance(relation, a.Window)


def inner_leaves(relation: Relation) -> tuple[list[Relation], list[Expression]]:
    """The relations that inner joins combine, and all conditions on them together."""
    leaves: list[Relation] = []
    conditions: list[Expression] = []
    if isinstance(relation, a.Filter) and isinstance(relation.input, a.Join):
        conditions += conjuncts(relation.predicate)
        relation = relation.input
    _flatten(relation, leaves, conditions)
    return leaves, conditions


def cross_product(leaves: Sequence[Relation]) -> Relation:
    """All combinations of the relations' rows, joined in this order."""
    first, *others = leaves
    for leaf in others:
        first = a.Join(JoinKind.CROSS, first, leaf)
    return first


def _asked_outside(relation: Relation) -> frozenset[str]:
    """The tables outside that a relation mentions: LATERAL those on its left."""
    return frozenset(alias for alias, _ in free_columns(relation))


def _is_lateral(join: a.Join) -> bool:
    """Whether the right mentions the left."""
    return not aliases(join.left).isdisjoint(_asked_outside(join.right))


def _flatten(relation: Relation, leaves: list[Relation], conditions: list[Expression]) -> None:
    """What LATERAL adds to rows goes nowhere without them."""
    if isinstance(relation, a.Join) and relation.kind in INNER_JOINS and not _is_lateral(relation):
        _flatten(relation.left, leaves, conditions)
        _flatten(relation.right, leaves, conditions)
        conditions += conjuncts(relation.condition)
    else:
        leaves.append(relation)


def _restriction(leaf: _Leaf, design: Design) -> int:
    """How little of the table is read: 0 by its whole key, 1 by an equality, 2 by anything else, 3 all of it."""
    scan, predicates = scan_of(leaf.relation)
    if scan is None:
        return 1 if isinstance(leaf.relation, a.Values) else 3
    fixed = {column.name for each in predicates if (column := fixed_column(each, scan.alias)) is not None}
    if design.model.entity(scan.entity).is_superkey(fixed):
        return 0
    return 1 if fixed else 2 if predicates else 3


def _root_of(leaf: _Leaf, leaves: list[_Leaf], conditions: list[Expression], design: Design) -> _Leaf:
    """Where the leaf's rows lie inside another's documents, that one: both are read in one go."""
    for other in leaves:
        if other is not leaf and _is_inside(leaf, other, conditions, design):
            rest = [each for each in leaves if each is not leaf]
            return _root_of(other, rest, conditions, design)
    return leaf


def _is_inside(child: _Leaf, parent: _Leaf, conditions: list[Expression], design: Design) -> bool:
    """Whether the child's home is straight inside the parent's documents, and they are joined along that."""
    inner, outer = scan_of(child.relation)[0], scan_of(parent.relation)[0]
    if inner is None or outer is None:
        return False
    # Bare values are no rows that a join with the parent finds in its document.
    return any(form is not Form.SCALARS for form in forms_inside(inner, outer, conditions, design))


def _distance(leaf: _Leaf, seen: frozenset[str], conditions: list[Expression], design: Design) -> int:
    joined = [
        each for each in conditions if not about(each).isdisjoint(leaf.aliases) and not about(each).isdisjoint(seen)
    ]
    if not joined:
        return 9
    if _is_embedded(leaf, joined, seen, design):
        return 0
    equal = any(isinstance(each, Compare) and each.operator is Comparison.EQUAL for each in joined)
    return (
        1 + (0 if equal else 4) + (0 if scan_of(leaf.relation)[1] else 1) + (0 if _is_one(leaf, joined, design) else 1)
    )


def _is_one(leaf: _Leaf, conditions: list[Expression], design: Design) -> bool:
    """Whether a row meets at most one of the leaf's: it is joined by a key."""
    scan, own = scan_of(leaf.relation)
    if scan is None:
        return False
    found = (fixed_column(each, scan.alias) for each in (*conditions, *own))
    return design.model.entity(scan.entity).is_superkey({column.name for column in found if column is not None})


def _is_embedded(leaf: _Leaf, conditions: list[Expression], seen: frozenset[str], design: Design) -> bool:
    """Whether the leaf is joined along an embedding with what is there, as child or as parent."""
    scan = scan_of(leaf.relation)[0]
    if scan is None:
        return False
    for link in design.model.relationships:
        if scan.entity not in (link.parent, link.child):
            continue
        pairs = [(alias, scan.alias) for alias in seen if link.child == scan.entity]
        pairs += [(scan.alias, alias) for alias in seen if link.parent == scan.entity]
        if any(without_link(conditions, link, parent=parent, child=child) is not None for parent, child in pairs):
            places = design.places.get(link.child, ())
            return any(p.node.embedding is not None and p.node.embedding.relationship == link.name for p in places)
    return False
