"""`ORDER BY … LIMIT n` before what other tables are asked for: the rows come in order, and are asked in turn until `n` are found.

`SELECT id FROM post WHERE NOT EXISTS (SELECT 1 FROM report …) ORDER BY id DESC LIMIT 5` sorts the posts first, which an index has
in that order, and looks for the reports of one post after the other. Neither a lookup nor an unwind changes the order, so the
limit behind them ends the lookups. Where few rows are kept, most are looked up all the same: `plan_read` takes the cheaper plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import JoinKind, Relation
from nestling.ir.statements.expression import Column, Or
from nestling.ir.statements.operands import conjuncts, has_subquery
from nestling.planner.reads.rewrites.conjuncts import restricted
from nestling.planner.reads.rewrites.links import scan_of
from nestling.planner.reads.traverse import aliases, subqueries


def with_order_first(relation: Relation) -> Relation | None:
    """The relation sorted as its first table is read.

    None if no limited order is about the table at which the joins start alone, or if there is no other table.
    """
    match relation:
        case a.LimitOffset(input=a.Sort() as sort) if relation.count is not None:
            below = _sorted(sort.input, sort) if ordered_table(sort) is not None else None
            return replace(relation, input=below) if below is not None and not isinstance(below, a.Sort) else None
        case a.Project() | a.LimitOffset() | a.Sort() | a.GroupBy() | a.Distinct() | a.Window():
            found = with_order_first(relation.input)
            return replace(relation, input=found) if found is not None else None
        case _:
            return None


def limited_tables(relation: Relation) -> Iterator[str]:
    """The tables that the outermost limited order is about, if it is about columns of one."""
    while isinstance(relation, a.Project | a.LimitOffset | a.Sort | a.GroupBy | a.Distinct | a.Window):
        if isinstance(relation, a.LimitOffset) and isinstance(relation.input, a.Sort):
            found = ordered_table(relation.input)
            yield from () if found is None else (found,)
            return
        relation = relation.input


def ordered_table(sort: a.Sort) -> str | None:
    """The table all keys are columns of."""
    found = {key.expression.alias if isinstance(key.expression, Column) else None for key in sort.keys}
    return found.pop() if len(found) == 1 else None


def _sorted(relation: Relation, sort: a.Sort) -> Relation | None:
    """The relation with its table sorted before anything else is asked; None where that table is not where it starts."""
    match relation:
        case a.Filter():
            asked = conjuncts(relation.predicate)
            late = [each for each in asked if has_subquery(each)]
            early = [each for each in asked if each not in late]
            if scan_of(relation)[0] is not None:
                # the sides of an OR are asked of each row anyway
                asked_once = [each for each in late if not isinstance(each, Or)]
                if not all(_is_of_table(inner.relation) for each in asked_once for inner in subqueries(each)):
                    return None
                return restricted(replace(sort, input=restricted(relation.input, early)), late)
            below = _sorted(relation.input, sort)
            return replace(relation, input=below) if below is not None else None
        case a.Join(kind=JoinKind.INNER | JoinKind.CROSS | JoinKind.LEFT) if ordered_table(sort) in aliases(
            relation.left
        ) and _is_of_table(relation.right):
            below = _sorted(relation.left, sort)
            return replace(relation, left=below) if below is not None else None
        case a.Scan() if relation.alias == ordered_table(sort):
            return replace(sort, input=relation)
        case _:
            return None


def _is_of_table(rows: Relation) -> bool:
    """Whether they are rows of one table: groups and joins would be made anew for each row that is asked."""
    while isinstance(rows, a.Project | a.LimitOffset):
        rows = rows.input
    return scan_of(rows)[0] is not None
