"""Turns `SELECT DISTINCT` of one table's key and columns, joined with others only for conditions, into that table with an EXISTS.

`SELECT DISTINCT p.id, p.at FROM post p LEFT JOIN tagging g … LEFT JOIN tag t … WHERE p.title LIKE :q OR t.name LIKE :q ORDER BY
p.at LIMIT 20`, as an admin's search sends it, has each post once: rows need not be compared with each other, and a limited order
may end the search.

For inner joins, one row of the others must meet all their conditions. For outer joins, each side of an OR that concerns others
needs a row by itself; it must refuse the row of NULLs that stands for no row, which the table's own sides see as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from nestling.ir.model import Model
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import JoinKind, Relation
from nestling.ir.statements.expression import Column, Exists, Expression, Or
from nestling.ir.statements.operands import conjuncts, disjunction, has_subquery
from nestling.planner.reads.rewrites.conjuncts import about, restricted
from nestling.planner.reads.rewrites.join_order import cross_product, inner_leaves
from nestling.planner.reads.rewrites.links import keys_of, scan_of
from nestling.planner.reads.rewrites.parents_of_groups import replaced
from nestling.planner.reads.rewrites.pushdown import never_null


def with_distinct_asked(relation: Relation, model: Model) -> Relation | None:
    """The relation with EXISTS instead of DISTINCT over joins; None if DISTINCT is needed, or the joins do more than test."""
    match relation:
        case a.Distinct(input=a.Project() as shown, collations=()):
            rows = _asked(shown, model)
            return replace(shown, input=rows) if rows is not None else None
        case a.Sort() | a.LimitOffset() | a.Project():
            found = with_distinct_asked(relation.input, model)
            if isinstance(found, a.Project) and not isinstance(relation, a.Project):
                return replace(found, input=_below(relation, found))
            return replace(relation, input=found) if found is not None else None
        case _:
            return None


def _below(relation: a.Sort | a.LimitOffset, shown: a.Project) -> Relation:
    """The order or limit of what is shown, of the rows it is shown of."""
    if isinstance(relation, a.LimitOffset):
        return replace(relation, input=shown.input)
    names = {(shown.alias, each.name): each.expression for each in shown.outputs}
    keys = tuple(replace(key, expression=replaced(key.expression, names)) for key in relation.keys)
    return a.Sort(shown.input, keys)


def _asked(shown: a.Project, model: Model) -> Relation | None:
    """The rows of the one table that is shown with its key, restricted by what is asked of those joined to it."""
    columns = {each.expression for each in shown.outputs if isinstance(each.expression, Column)}
    shows = {alias for each in shown.outputs for alias in about(each.expression)}
    joined = _inner(shown.input) or _outer(shown.input)
    if len(shows) != 1 or joined is None or any(map(has_subquery, joined.conditions)):
        return None
    (table,) = shows
    scan = joined.scans.get(table)
    if scan is None or not any(columns.issuperset(key) for key in keys_of(scan, model.entity(scan.entity))):
        return None
    asked = joined.asked_of(table)
    return restricted(scan, asked) if asked is not None else None


@dataclass(frozen=True, slots=True)
class _Inner:
    """Tables joined by inner joins, in order, and all that is asked of their rows together."""

    scans: Mapping[str, a.Scan]
    conditions: Sequence[Expression]

    def asked_of(self, table: str) -> Sequence[Expression]:
        """What is asked of one of the tables, the others inside of an EXISTS."""
        others = [scan for alias, scan in self.scans.items() if alias != table]
        inside = [each for each in self.conditions if about(each) - {table}]
        return [
            *(each for each in self.conditions if each not in inside),
            Exists(restricted(cross_product(others), inside)),
        ]


@dataclass(frozen=True, slots=True)
class _Outer:
    """Tables that LEFT joins add to the first, in order, each with what it is joined by, and what is asked of their rows."""

    scans: Mapping[str, a.Scan]
    joined_by: Mapping[str, Sequence[Expression]]
    asked: Sequence[Expression]

    @property
    def conditions(self) -> Sequence[Expression]:
        """All of them."""
        return [*self.asked, *(each for found in self.joined_by.values() for each in found)]

    def asked_of(self, table: str) -> Sequence[Expression] | None:
        """What is asked of the first table, the others inside of EXISTS; None for another, and where only all together tell."""
        if table in self.joined_by:
            return None
        own = [each for each in self.asked if not about(each) - {table}]
        others = [each for each in self.asked if each not in own]
        if len(others) > 1:
            return None
        for each in others:
            plain, apart = list[Expression](), defaultdict[tuple[str, ...], list[Expression]](list)
            for side in each.operands if isinstance(each, Or) else (each,):
                met = self._met(side, table)
                if met is None:
                    return None
                (apart[met] if met else plain).append(side)
            own.append(disjunction(*plain, *(self._exists(met, sides) for met, sides in apart.items())))
        return own

    def _met(self, side: Expression, table: str) -> tuple[str, ...] | None:
        """The tables that have a row where a side is true; None where it may be true of the NULLs in place of one."""
        waiting, met = conjuncts(side), set[str]()
        while waiting:
            predicate = waiting.pop()
            mentioned = about(predicate) - {table} - met
            if not mentioned <= {column.alias for column in never_null(predicate)}:
                return None
            met |= mentioned
            waiting += [each for alias in mentioned for each in self.joined_by[alias]]
        return tuple(alias for alias in self.scans if alias in met)

    def _exists(self, met: tuple[str, ...], sides: Sequence[Expression]) -> Expression:
        joined = [condition for alias in met for condition in self.joined_by[alias]]
        return Exists(restricted(cross_product([self.scans[alias] for alias in met]), [*joined, disjunction(*sides)]))


def _inner(relation: Relation) -> _Inner | None:
    """What inner joins join; None where that is more than tables."""
    leaves, conditions = inner_leaves(relation)
    scans: dict[str, a.Scan] = {}
    for leaf in leaves:
        scan, own = scan_of(leaf)
        if scan is None:
            return None
        scans[scan.alias] = scan
        conditions += own
    return _Inner(scans, conditions) if len(scans) > 1 else None


def _outer(relation: Relation) -> _Outer | None:
    """What LEFT joins add to a table, one table after the other; None where there is another join among them."""
    asked = list[Expression]()
    if isinstance(relation, a.Filter):
        asked, relation = conjuncts(relation.predicate), relation.input
    scans, joined_by = dict[str, a.Scan](), dict[str, Sequence[Expression]]()
    while isinstance(relation, a.Join):
        scan, own = scan_of(relation.right)
        if relation.kind is not JoinKind.LEFT or scan is None:
            return None
        scans[scan.alias], joined_by[scan.alias] = scan, [*conjuncts(relation.condition), *own]
        relation = relation.left
    first, own = scan_of(relation)
    if first is None or not scans:
        return None
    return _Outer({first.alias: first, **dict(reversed(scans.items()))}, joined_by, [*asked, *own])
