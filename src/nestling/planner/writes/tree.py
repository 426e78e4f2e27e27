"""Trees of rows that refer to rows of their own entity: all below some of them."""

from __future__ import annotations

from nestling.ir import algebra as a
from nestling.ir.algebra import Scan, filtered
from nestling.ir.expression import Column, Compare, Comparison, Expression, InSubquery
from nestling.ir.model import Relationship
from nestling.planner.writes.draft import WriteDraft, gap
from nestling.planner.writes.fetch import scan_of
from nestling.planner.writes.referring_rows import RowSet
from nestling.planner.writes.renamed_scans import said_of


def below(work: WriteDraft, link: Relationship, rows: RowSet, scan: Scan) -> Expression:
    """That a row of `scan` is one of `rows` or below one of them in the tree of the relationship."""
    if len(link.parent_attributes) != 1:
        raise gap(f"DELETE that follows `{link.name}`, of several attributes, down a tree")
    (key,), (reference,) = link.parent_attributes, link.child_attributes
    entity = work.model.entity(link.parent)
    top, lower = (scan_of(entity, work.name(wish)) for wish in ("top of the tree", "below in the tree"))
    own = {each.alias: {column.name: column for column in each.columns} for each in (top, lower, scan)}
    alias, working = work.name("tree"), work.name("level")
    found = Column(working, "k", own[top.alias][key].type)
    chosen = None if rows.predicate is None else said_of(work, rows.predicate, rows.scan, top)
    base = a.Project(filtered(top, chosen), work.name("start"), (a.Named("k", own[top.alias][key]),))
    level = a.Working(alias, working, (found,))
    downwards = Compare(Comparison.EQUAL, own[lower.alias][reference], found)
    joined = a.Join(a.JoinKind.INNER, level, lower, downwards)
    step = a.Project(joined, work.name("next"), (a.Named("k", own[lower.alias][key]),))
    tree = a.Recursive(alias, (Column(alias, "k", found.type),), base, step, all=False)
    return InSubquery((own[scan.alias][key],), tree)
