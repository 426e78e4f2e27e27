"""Generated numbers: those that are never reused come from a counter, outside the write's transaction.

So writers do not wait for each other, and a failed write leaves a gap. Other numbers have no counter; but if no index compares
all rows, every new row changes the same document in its transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from nestling.ir.design import Design
from nestling.ir.model import Entity
from nestling.ir.paths.write_path import COUNT, HIGHEST, Constant, Extend, FieldMatch, Increment, UpdateDocuments
from nestling.ir.statements.algebra import (
    AggregateCall,
    AggregateFunction,
    GroupBy,
    LimitOffset,
    Named,
    NamedAggregate,
    Project,
    Relation,
    Sort,
    SortKey,
)
from nestling.ir.statements.expression import NULL, Arithmetic, AttributeCast, Case, Compare, Expression, Literal
from nestling.ir.statements.operators import ArithmeticOperator, Comparison, Rules
from nestling.ir.storage.kept_numbers import LAST, TIMES, counter, crossing, is_contended, numbered_attributes
from nestling.ir.storage.names import NUMBERS_COLLECTION
from nestling.ir.types import INTEGER
from nestling.planner.writes.draft.cells import Cells
from nestling.planner.writes.draft.fetch import plan, scan_of
from nestling.planner.writes.draft.write_draft import WriteDraft


def never_return(entity: Entity, made: Iterable[str]) -> tuple[str, ...]:
    """The numbered attributes whose numbers are never reused."""
    kept = set(numbered_attributes(entity))
    return tuple(name for name in made if name in kept)


def highest(work: WriteDraft, entity: Entity, attribute: str) -> Relation:
    """Read the highest existing number; no row if there is none."""
    scan = scan_of(entity, work.name("numbered"))
    held = next(replace(each, mixed=False) for each in scan.columns if each.name == attribute)
    downwards = Sort(scan, (SortKey(held, descending=True, nulls_first=False),))
    return Project(LimitOffset(downwards, Literal(1, INTEGER)), work.name(HIGHEST), (Named(HIGHEST, held),))


def next_numbers(work: WriteDraft, entity: Entity, attribute: str, count: int) -> list[Expression]:
    """The next numbers of an attribute whose numbers never return."""
    kind = entity.attribute(attribute).type
    read = plan(work.design, highest(work, entity, attribute), work.prices)
    numbers = work.names.next_numbers(counter(entity, attribute), read, kind, count)
    return [AttributeCast(each, kind, Rules.POSTGRESQL) for each in numbers]


def taken_for_rows(work: WriteDraft, entity: Entity, attribute: str, rows: Relation, place: Expression) -> Expression:
    """The number for the row at this place, among as many as were counted; NULL if more rows are found than counted."""
    kind = entity.attribute(attribute).type
    read = plan(work.design, highest(work, entity, attribute), work.prices)
    count = plan(work.design, _counted(work, rows), work.prices)
    found = work.names.numbers_for_rows(counter(entity, attribute), read, kind, count)
    first, last = (AttributeCast(each, kind, Rules.POSTGRESQL) for each in found)
    number = Arithmetic(ArithmeticOperator.ADD, first, place, INTEGER)
    return Case(((Compare(Comparison.LESS_OR_EQUAL, number, last), number),), NULL, INTEGER)


def _counted(work: WriteDraft, rows: Relation) -> Relation:
    """Count the rows; yields no row if there are none, which is a shorter query."""
    count = NamedAggregate(COUNT, AggregateCall(AggregateFunction.COUNT, None, INTEGER))
    group = GroupBy(_unsorted(rows), work.name("all"), (Named("all", Literal(1, INTEGER)),), (count,))
    return Project(group, work.name(COUNT), (Named(COUNT, group.columns[1]),))


def _unsorted(rows: Relation) -> Relation:
    """The relation without its order."""
    match rows:
        case Project():
            return replace(rows, input=_unsorted(rows.input))
        case Sort():
            return _unsorted(rows.input)
        case _:
            return rows


def raise_counters(entity: Entity, given: Iterable[str], row: Cells) -> Iterator[UpdateDocuments]:
    """Raise the counters to the numbers that the statement gives, before the row is there."""
    for attribute in never_return(entity, given):
        one = FieldMatch("_id", Constant(counter(entity, attribute)))
        change = Extend(LAST, row[attribute], greater=True)
        yield UpdateDocuments(NUMBERS_COLLECTION, (one,), (change,), on_insert=(), apart=True)


def cross_numbers(
    design: Design, entity: Entity, numbered: Iterable[str], given: Collection[str]
) -> Iterator[UpdateDocuments]:
    """Change one document with every row whose number two writers could both store: of two at once one is tried again."""
    for attribute in numbered:
        is_taken = attribute not in given and attribute in numbered_attributes(entity)
        if is_contended(design, entity, attribute) and not is_taken:
            one = FieldMatch("_id", Constant(crossing(entity, attribute)))
            yield UpdateDocuments(NUMBERS_COLLECTION, (one,), (Increment(TIMES, Constant(1)),), on_insert=())
