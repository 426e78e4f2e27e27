"""`EXISTS`, `IN (SELECT …)` and `= (SELECT …)` as conditions: distinct values are computed first, and their rows looked up.

`… FROM post WHERE id IN (SELECT post_id FROM tagging JOIN tag … WHERE tag.name = :name)` begins with the tag. If it were looked
up from each post, the tag would be read as often as there are posts. If a set is found by another set, that one may be computed
before it. A key identifies one row: an `EXISTS` for it is a join with that row, in the order that reads least. Writes use this
for parents that are deleted. Which is cheaper depends on the numbers of rows on either side, on indexes and on limits:
`plan_read` makes all these plans and takes the cheapest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import inf

from nestling.ir.model import Model
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import JoinKind, Relation
from nestling.ir.statements.expression import Column, Compare, Exists, Expression, InSubquery, ScalarSubquery
from nestling.ir.statements.operands import conjunction, conjuncts
from nestling.ir.statements.operators import Comparison
from nestling.ir.statistics import Statistics
from nestling.planner.reads.correlate import equal_columns
from nestling.planner.reads.rewrites.conjuncts import about, restricted
from nestling.planner.reads.rewrites.join_order import inner_leaves
from nestling.planner.reads.rewrites.links import scan_of
from nestling.planner.reads.rewrites.pushdown import push_predicates
from nestling.planner.reads.rewrites.rows_left import rows_left
from nestling.planner.reads.subqueries import by_key
from nestling.planner.reads.traverse import aliases, free_columns, single

_Pair = tuple[Column, Column]
"""A column of the rows, and that of the set which is equal to it."""


def with_set_first(relation: Relation, model: Model, statistics: Statistics) -> Iterator[Relation]:
    """Yield the relation with a condition evaluated first: as a join with the set of its values, or from the rows it selects.

    Sets made of fewer rows come first, whatever the order of the conditions.
    """
    match relation:
        case a.Filter():
            rows, asked = _with_told(relation, model)
            if rows is not relation.input:
                yield restricted(rows, asked)
            found = list(_joined(rows, asked, model, statistics))
            yield from (joined for _, joined in sorted(found, key=lambda each: _rows(each[0], model, statistics)))
            for each in with_set_first(relation.input, model, statistics):
                yield replace(relation, input=each)
        case a.Project() | a.Sort() | a.LimitOffset() | a.GroupBy() | a.Distinct() | a.Window():
            for each in with_set_first(relation.input, model, statistics):
                yield replace(relation, input=each)
        case a.Join(kind=JoinKind.INNER | JoinKind.CROSS | JoinKind.LEFT):
            for each in with_set_first(relation.left, model, statistics):
                yield replace(relation, left=each)
        case _:
            return


def _joined(
    rows: Relation, asked: Sequence[Expression], model: Model, statistics: Statistics
) -> Iterator[tuple[Relation, Relation]]:
    """The values a condition looks for, as they are or with what they look for made before them; and the rows joined to them."""
    for each in asked:
        if (found := set_of(each, model)) is not None:
            values, pairs = found
            equal = conjunction(*(Compare(Comparison.EQUAL, own, of_set) for own, of_set in pairs))
            rest = [other for other in asked if other is not each]
            for made in (values, *with_set_first(values, model, statistics)):
                yield made, restricted(a.Join(JoinKind.INNER, made, rows, equal), rest)


def _rows(values: Relation, model: Model, statistics: Statistics) -> float:
    """How many rows a set is made of, as far as that is known."""
    left = rows_left(push_predicates(values), model, statistics)
    return left.rows if left is not None else inf


def _with_told(relation: a.Filter, model: Model) -> tuple[Relation, list[Expression]]:
    """The rows beside those that conditions tell by their keys, and those asked of these in turn; and what else is asked."""
    rows, rest = relation.input, list[Expression]()
    waiting = conjuncts(relation.predicate)
    while waiting:
        predicate, *waiting = waiting
        found = _told(predicate, model)
        if found is None:
            rest.append(predicate)
            continue
        scans, asked = found
        for scan in scans:
            rows = a.Join(JoinKind.CROSS, rows, scan)
        waiting = [*asked, *waiting]
    return rows, rest


def _told(predicate: Expression, model: Model) -> tuple[list[a.Scan], list[Expression]] | None:
    """The tables of each of which an EXISTS or IN asks for one row at most, and all that it asks of them."""
    match predicate:
        case Exists(relation=relation):
            equal: tuple[Expression, ...] = ()
        case InSubquery(operator=Comparison.EQUAL, relation=relation):
            relation, equal = _made_equal(predicate)
        case _:
            return None
    leaves, asked = inner_leaves(relation.input if isinstance(relation, a.Project) else relation)
    asked = [*asked, *equal]
    scans: list[a.Scan] = []
    for leaf in leaves:
        scan, own = scan_of(leaf)
        if scan is None:
            return None
        scans.append(scan)
        asked += own
    waiting = list(scans)
    while waiting:
        told = next((each for each in waiting if _is_told(each, waiting, asked, model)), None)
        if told is None:
            return None
        waiting.remove(told)
    return scans, asked


def _made_equal(predicate: InSubquery) -> tuple[Relation, tuple[Expression, ...]]:
    """The rows that an IN takes its values from, and what it asks of them: its operands are equal to the values' expressions."""
    relation = predicate.relation
    while isinstance(relation, a.Distinct | a.Sort) and not (isinstance(relation, a.Distinct) and relation.collations):
        relation = relation.input
    if not isinstance(relation, a.Project):
        return relation, ()
    shown = {each.name: each.expression for each in relation.outputs}
    values = [shown[column.name] for column in predicate.relation.columns]
    pairs = zip(predicate.operands, values, strict=True)
    return relation.input, tuple(Compare(Comparison.EQUAL, *pair, predicate.collation) for pair in pairs)


def _is_told(scan: a.Scan, waiting: Sequence[a.Scan], asked: Sequence[Expression], model: Model) -> bool:
    """Whether its key is equal to what is known, columns of what waits to be told left out."""
    unknown = {each.alias for each in waiting}
    pairs = [pair for each in asked if (pair := _pair(each, {scan.alias})) is not None]
    return model.entity(scan.entity).is_superkey({own.name for outer, own in pairs if outer.alias not in unknown})


def set_of(predicate: Expression, model: Model) -> tuple[Relation, list[_Pair]] | None:
    """What a condition looks for, each once, and the columns that must be equal; None where it asks for more than that."""
    match predicate:
        case InSubquery(operator=Comparison.EQUAL, operands=operands, relation=relation, collation=collation):
            equal = (
                Compare(Comparison.EQUAL, *each, collation) for each in zip(operands, relation.columns, strict=True)
            )
            pairs = [_pair(each, {column.alias for column in relation.columns}) for each in equal]
            found = [each for each in pairs if each is not None]
            known = len(found) == len(pairs) and not free_columns(relation)
            return (a.Distinct(relation), found) if known else None
        case Exists(relation=a.Project(input=relation, alias=alias)):
            return _correlated(relation, alias)
        case Exists(relation=a.Filter(input=rows) as relation):
            return _correlated(relation, f"values of {min(aliases(rows))}")
        case Compare(operator=Comparison.EQUAL, left=ScalarSubquery() as value, right=other, collation=collation):
            return set_of(InSubquery((other,), value.relation, collation), model) if _is_one(value, model) else None
        case Compare(operator=Comparison.EQUAL, right=ScalarSubquery() as value) as equal:
            return set_of(replace(equal, left=value, right=equal.left), model)
        case _:
            return None


def _is_one(value: ScalarSubquery, model: Model) -> bool:
    """Whether the subquery finds one value at most."""
    return single(value.relation) or by_key(value.relation, model)


def _correlated(relation: Relation, alias: str) -> tuple[Relation, list[_Pair]] | None:
    rows, asked = _without_outside(relation, frozenset(aliases(relation)))
    found = {each: pair for each in asked if (pair := _pair(each, aliases(rows))) is not None}
    outputs = tuple(a.Named(f"{inner.alias}_{inner.name}", inner) for _, inner in dict.fromkeys(found.values()))
    values = a.Distinct(a.Project(restricted(rows, [each for each in asked if each not in found]), alias, outputs))
    if not found or free_columns(values):
        return None
    columns = zip(dict.fromkeys(found.values()), values.columns, strict=True)
    return values, [(outer, of_set) for (outer, _), of_set in columns]


def _without_outside(relation: Relation, own: frozenset[str]) -> tuple[Relation, list[Expression]]:
    """The relation without the conditions that mention other tables than its own, wherever in its joins they are; and these."""
    match relation:
        case a.Filter():
            below, outside = _without_outside(relation.input, own)
            kept = [each for each in conjuncts(relation.predicate) if about(each) <= own]
            return restricted(below, kept), [*outside, *_others(relation.predicate, kept)]
        case a.Join(JoinKind.INNER | JoinKind.CROSS):
            left, of_left = _without_outside(relation.left, own)
            right, of_right = _without_outside(relation.right, own)
            kept = [each for each in conjuncts(relation.condition) if about(each) <= own]
            kind = relation.kind if kept else JoinKind.CROSS
            joined = replace(relation, kind=kind, left=left, right=right, condition=conjunction(*kept))
            return joined, [*of_left, *of_right, *_others(relation.condition, kept)]
        case _:
            return relation, []


def _others(predicate: Expression | None, kept: Sequence[Expression]) -> list[Expression]:
    return [each for each in conjuncts(predicate) if each not in kept]


def _pair(condition: Expression, inside: Iterable[str]) -> _Pair | None:
    """The column outside and that inside which a condition says are equal, as they are stored."""
    found = next((pair for alias in inside if (pair := equal_columns(condition, alias)) is not None), None)
    if found is None or found[1].alias in inside or not isinstance(condition, Compare):
        return None
    return (found[1], found[0]) if {condition.left, condition.right} == set(found) else None
