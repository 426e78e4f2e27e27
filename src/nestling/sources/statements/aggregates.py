"""What of each occurrence a SELECT shows row by row, and what only as an aggregate."""

from __future__ import annotations

from sqlglot import exp

from nestling.ir.rows import AggregateKind
from nestling.sources.statements.occurrences import NameScope, add_aggregate, add_shown
from nestling.sources.statements.walk import StatementWalk

FUNCTIONS: dict[type[exp.Expr], AggregateKind] = {
    exp.Count: AggregateKind.COUNT,
    exp.Sum: AggregateKind.SUM,
    exp.Avg: AggregateKind.AVG,
    exp.Min: AggregateKind.MIN,
    exp.Max: AggregateKind.MAX,
}
"""Aggregates a document can keep."""


def note_outputs(query: exp.Select, walk: StatementWalk, scope: NameScope) -> None:
    """Note the columns of the outputs and the grouping by themselves, and the plain aggregates with their columns.

    What a subquery in an output shows is noted with the subquery.
    """
    group = query.args.get("group")
    for item in (*query.expressions, *(group.expressions if group is not None else ())):
        for node in item.find_all(exp.Column):
            if not isinstance(node.this, exp.Star) and node.find_ancestor(exp.Select) is query:
                call = node.find_ancestor(exp.AggFunc, exp.Select)
                plain = isinstance(call, exp.AggFunc) and call.this is node and type(call) in FUNCTIONS
                if plain:
                    add_aggregate(FUNCTIONS[type(call)], walk.origins(node))
                else:
                    add_shown(walk.origins(node))
        for call in item.find_all(exp.Count):
            if isinstance(call.this, exp.Star | exp.Literal) and call.find_ancestor(exp.Select) is query:
                for occurrence in walk.occurrences_of(scope):
                    occurrence.aggregates.setdefault((AggregateKind.COUNT, None))
