"""What a subquery finds, read once for all rows that ask for it: a list of foreign keys, in which each row looks for its own key.

`… FROM customer WHERE NOT EXISTS (SELECT * FROM orders WHERE orders.customer_id = customer.id)` reads all orders, and no order
is looked up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nestling.ir.design_problem import Mode
from nestling.ir.paths import work_of
from nestling.ir.paths.work import Work
from nestling.ir.storage.collations import linked_by_expression
from nestling.ir.workload import Statement
from nestling.planner.options.reads.hops import JoinHop
from nestling.planner.options.reads.lookups_together import HOP
from nestling.planner.options.reads.starts import Starts
from nestling.planner.work.expressions import listed_weight

_CONDITION_WEIGHT = 9.0
"""Values the server computes for one row beside the elements: that the list is there, and what is so where it is not."""


def values_first(starts: Starts, statement: Statement, hop: JoinHop) -> Iterator[Mode]:
    """The ways of the first visit of a statement's only subquery, from all rows it may find."""
    modes, visit, link = starts.modes, hop.visit, hop.link
    if not visit.down or visit.access.walk is not None:
        return
    if linked_by_expression(modes.situation.model, link) or modes.sizes.table(statement, visit.access).shown:
        return
    rows = modes.sizes.found(visit.access)
    keys = min(rows, modes.sizes.rows(link.parent))
    made = HOP + Work(lookups=1, lookup_stages=1) + work_of.group(rows, keys)
    made += work_of.pass_on(2 * rows) + work_of.project(rows, 2)
    outer = max(visit.outer, hop.before.rows)  # all of them, also where a LIMIT needs few
    made += work_of.pass_on(outer) + work_of.ask(outer, _CONDITION_WEIGHT + listed_weight(keys))
    for home in modes.places.homes[visit.entity]:
        for start in starts.finds(statement, visit.access, home):
            text, without = f"{start.text}, once for all", (*start.without, *hop.tails)
            yield replace(start, text=text, cost=start.cost + modes.price(made), without=without)
