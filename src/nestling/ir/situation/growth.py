"""How fast an entity grows: by its statistics, or else by the workload's INSERTs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from nestling.ir.model import Relationship
from nestling.ir.quantity_words import first_of, short
from nestling.ir.rate import full_rate
from nestling.ir.statistics import Statistics, inferred
from nestling.ir.time_units import SECONDS_PER_DAY
from nestling.ir.workload import Statement, StatementKind

if TYPE_CHECKING:
    from nestling.ir.situation.situation import Situation

MOST_STATEMENTS = 3
"""Statements named as the origin of growth."""


def rows_per_day(situation: Situation, entity: str) -> float | None:
    """New rows per day; None if neither the statistics nor an INSERT show them."""
    return _new_rows_per_day(situation.statistics, entity, situation.statements_of[entity]) or None


def with_growth(statistics: Statistics, statements: tuple[Statement, ...]) -> Statistics:
    """The statistics with the growth that INSERTs show, if nothing else is known."""
    grown = (
        (name, replace(known, growth_per_day=inferred(found)))
        if (found := _new_rows_per_day(statistics, name, statements))
        else (name, known)
        for name, known in statistics.entities
    )
    return replace(statistics, entities=tuple(grown))


def _new_rows_per_day(statistics: Statistics, entity: str, statements: Iterable[Statement]) -> float:
    known = statistics.entity(entity).growth_per_day
    if known is not None and known.value > 0:
        return known.value
    return _rate(statements, entity, StatementKind.INSERT) * SECONDS_PER_DAY


def net_rows_per_day(statistics: Statistics, entity: str, statements: Iterable[Statement]) -> float:
    """The net growth of an entity per day: by its statistics, or else inserts less deletes of the statements."""
    known = statistics.entity(entity).growth_per_day
    if known is not None:
        return known.value
    inserted, deleted = (_rate(statements, entity, kind) for kind in (StatementKind.INSERT, StatementKind.DELETE))
    return max(inserted - deleted, 0.0) * SECONDS_PER_DAY


def growth_origin(
    statistics: Statistics,
    link: Relationship,
    statements_of: Mapping[str, Iterable[Statement]],
    *,
    is_counted: bool = True,
) -> str:
    """Why there will be more children per parent: the statistics, or the statements that insert them.

    If statements insert children and none inserts parents, all new children are attributed to today's parents, if `is_counted`
    with their number.
    """
    known = statistics.entity(link.child).growth_per_day
    if known is not None:
        return f"{short(known.value)} new `{link.child}` a day"
    adding = [
        f"{statement.name} inserts {full_rate(_rate([statement], link.child, StatementKind.INSERT))}"
        for statement in _inserting(statements_of.get(link.child, ()), link.child)
    ]
    said = first_of(adding, MOST_STATEMENTS)
    is_told = statistics.entity(link.parent).growth_per_day is not None
    if is_told or any(_inserting(statements_of.get(link.parent, ()), link.parent)):
        return said
    too_high = ", so the number is too high if new ones are added" if is_counted else ""
    return f"{said}; no statement inserts `{link.parent}`{too_high}"


def _inserting(statements: Iterable[Statement], entity: str) -> Iterator[Statement]:
    return (each for each in statements if _rate([each], entity, StatementKind.INSERT))


def _rate(statements: Iterable[Statement], entity: str, kind: StatementKind) -> float:
    """Rows of an entity that statements of a kind touch, a second, one each."""
    return sum(
        statement.rate_per_second
        for statement in statements
        for access in statement.accesses
        if access.entity == entity and access.kind is kind
    )


def is_only_added_to(situation: Situation, entity: str) -> bool:
    """Whether statements insert rows of the entity and never change or delete one."""
    kinds = {
        access.kind
        for statement in situation.statements_of[entity]
        for access in statement.accesses
        if access.entity == entity and access.kind.writes
    }
    return kinds <= {StatementKind.INSERT}
