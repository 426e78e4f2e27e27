"""Statements about the first children of one parent, as the planner may read them: by the foreign key, which equals the key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nestling.ir.reading import Reading
from nestling.ir.statements.algebra import Query
from nestling.ir.workload import Access, Statement
from nestling.planner.options.statements.translated import translated
from nestling.planner.reads.rewrites.parent_as_foreign_key import AskedParent, asked_parent
from nestling.planner.reads.rewrites.pushdown import push_predicates


def by_foreign_keys(reading: Reading) -> Reading:
    """The reading with the filters of such statements on the children."""
    statements = tuple(_by_foreign_key(each, reading) for each in reading.workload.statements)
    return replace(reading, workload=replace(reading.workload, statements=statements))


def _by_foreign_key(statement: Statement, reading: Reading) -> Statement:
    if len(statement.accesses) < 2 or not any(each.sort for each in statement.accesses):
        return statement
    query = translated(statement, reading)
    asked = asked_parent(push_predicates(query.relation), reading.model) if isinstance(query, Query) else None
    parents, children = (_of(statement, asked.parent.entity), _of(statement, asked.child.entity)) if asked else ((), ())
    if asked is None or len(parents) != 1 or len(children) != 1:
        return statement
    (parent,), (child,) = parents, children
    moved = {id(parent): replace(parent, filters=(), constants=()), id(child): _found_by(child, parent, asked)}
    return replace(statement, accesses=tuple(moved.get(id(each), each) for each in statement.accesses))


def _of(statement: Statement, entity: str) -> Sequence[Access]:
    return [each for each in statement.accesses if each.entity == entity]


def _found_by(child: Access, parent: Access, asked: AskedParent) -> Access:
    """The access to the children with what is asked of the parent's key."""
    to = dict(zip(asked.link.parent_attributes, asked.link.child_attributes, strict=True))
    filters = (replace(each, attribute=to[each.attribute]) for each in parent.filters)
    constants = (replace(each, name=to[each.name]) for each in parent.constants)
    return replace(
        child,
        filters=tuple(dict.fromkeys((*filters, *child.filters))),
        constants=tuple(dict.fromkeys((*constants, *child.constants))),
    )
