"""INSERT … SELECT that leaves a number out: each row has its place among the rows of the SELECT."""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.statements.algebra import (
    WHOLE_PARTITION,
    Distinct,
    Filter,
    LimitOffset,
    Named,
    NamedWindow,
    Project,
    Relation,
    Scan,
    Sort,
    SortKey,
    Window,
    WindowFunction,
    WindowOnly,
)
from nestling.ir.statements.expression import Arithmetic, Column, Expression, Literal
from nestling.ir.statements.operators import ArithmeticOperator
from nestling.ir.types import INTEGER
from nestling.planner.writes.draft.write_draft import WriteDraft

_PLACE = "its place"


def with_places(work: WriteDraft, source: Relation) -> tuple[Relation, Expression]:
    """Add to the rows their position, from 0, in the SELECT's order or else by the key that it reads."""
    numbered, place = _numbered(work, source)
    return numbered, Arithmetic(ArithmeticOperator.SUBTRACT, place, Literal(1, INTEGER), INTEGER)


def _numbered(work: WriteDraft, source: Relation) -> tuple[Relation, Column]:
    if isinstance(source, Project):
        below, place = _numbered(work, source.input)
        made = replace(source, input=below, outputs=(*source.outputs, Named(_PLACE, place)))
        return made, Column(source.alias, _PLACE, INTEGER, nullable=False)
    number = WindowFunction(WindowOnly.ROW_NUMBER, (), INTEGER, (), _order(work, source), WHOLE_PARTITION)
    window = Window(source, work.name("places"), (NamedWindow(_PLACE, number),))
    return window, Column(window.alias, _PLACE, INTEGER, nullable=False)


def _order(work: WriteDraft, source: Relation) -> tuple[SortKey, ...]:
    match source:
        case Sort(keys=keys):
            return keys
        case LimitOffset() | Filter() | Distinct():
            return _order(work, source.input)
        case Scan():
            columns = (source.column(name) for name in work.model.entity(source.entity).key)
            return tuple(SortKey(column, descending=False, nulls_first=True) for column in columns)
        case _:
            return ()
