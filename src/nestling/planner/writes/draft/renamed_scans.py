"""A condition or relation for another scan of the same entity, with new names for what is made inside it."""

from __future__ import annotations

from nestling.ir.statements.algebra import Relation, Scan
from nestling.ir.statements.expression import Expression
from nestling.planner.reads.traverse import made_by, made_inside, renamed
from nestling.planner.writes.draft.write_draft import WriteDraft


def said_of(work: WriteDraft, expression: Expression, scan: Scan, other: Scan) -> Expression:
    """The expression about `other`, a scan of the same entity, instead of `scan`."""
    names = {name: work.name(name) for name in dict.fromkeys(made_inside(expression))}
    return renamed(expression, names | {scan.alias: other.alias})


def rows_of(work: WriteDraft, relation: Relation) -> Relation:
    """A copy of the relation with new names, for another place in the same read."""
    names = {name: work.name(f"{name} again") for name in dict.fromkeys(made_by(relation))}
    return renamed(relation, names)
