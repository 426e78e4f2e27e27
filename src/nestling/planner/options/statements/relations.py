"""The relations a statement is made of, those of its subqueries among them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import Query, Relation
from nestling.ir.statements.operands import has_subquery
from nestling.ir.statements.write import Delete, Insert, Update, Write
from nestling.planner.reads.traverse import expressions, inputs, subqueries


def rows_asked(query: Query | Write) -> Relation:
    """The rows that a statement reads or changes, with what it shows of them, or reads to give it to them."""
    match query:
        case Query(relation=relation) | Insert(source=relation):
            return relation
        case Update(target=target, predicate=predicate, assignments=assignments):
            rows = a.filtered(target, predicate)
            read = [each for each in assignments if has_subquery(each.expression)]
            outputs = tuple(a.Named(each.attribute, each.expression) for each in read)
            return a.Project(rows, "written", outputs) if outputs else rows
        case Delete(target=target, predicate=predicate):
            return a.filtered(target, predicate)
        case _:
            assert_never(query)


def relations_within(relation: Relation) -> Iterator[Relation]:
    """A relation and all inside it, those of subqueries too."""
    yield relation
    for below in inputs(relation):
        yield from relations_within(below)
    for expression in expressions(relation):
        for inner in subqueries(expression):
            yield from relations_within(inner.relation)
