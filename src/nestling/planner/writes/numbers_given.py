"""Numbers that never return: the highest one ever given is read before a row is numbered, and raised with every new row.

Of other numbers no highest one is kept; but where no index compares all rows, every new row changes the same document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from nestling.ir.algebra import Named, Project, filtered
from nestling.ir.design import Design
from nestling.ir.expression import Compare, Comparison, Literal, Parameter, ScalarSubquery
from nestling.ir.kept_numbers import LAST, NUMBERS, OF, TIMES, counted, counter, is_contended
from nestling.ir.model import Entity
from nestling.ir.names import NUMBERS_COLLECTION
from nestling.ir.types import INTEGER, TEXT, Type
from nestling.ir.write import GeneratedValue
from nestling.ir.write_path import Constant, Each, Extend, Fetch, Increment, Match, UpdateDocuments, WriteStep
from nestling.planner.writes.draft.cells import Cells
from nestling.planner.writes.draft.fetch import cell, fetch, plan, same_row, scan_of
from nestling.planner.writes.draft.write_draft import WriteDraft

_LAST = "last_"
"""What the columns of the highest numbers begin with."""


def last_of(attribute: str) -> str:
    """The column of the highest number an attribute had."""
    return f"{_LAST}{attribute}"


def never_return(entity: Entity, made: Iterable[str]) -> tuple[str, ...]:
    """Those of the numbered attributes whose numbers never return."""
    kept = set(counted(entity))
    return tuple(name for name in made if name in kept)


def with_last(
    work: WriteDraft, entity: Entity, kept: Sequence[str], types: Mapping[str, Type], made: Fetch
) -> list[WriteStep]:
    """The fetch of rows that are numbered, after the highest numbers are read; `types` are the cells of the row at hand."""
    if not kept:
        return [made]
    name, row = work.name(f"numbers of {entity.name}"), same_row(types)
    outputs = [Named(column.name, column) for column in row.columns]
    outputs += [Named(last_of(attribute), _last(work, entity, attribute)) for attribute in kept]
    read = plan(NUMBERS, Project(row, "row", tuple(outputs)))
    cells = (*types, *map(last_of, kept))
    return [fetch(name, read, tuple(types)), Each(name, (fetch(made.rows, made.plan, cells),))]


def last(attribute: str) -> Parameter:
    """The highest number, inside the fetch."""
    return cell(last_of(attribute), INTEGER)


def _last(work: WriteDraft, entity: Entity, attribute: str) -> ScalarSubquery:
    scan = scan_of(NUMBERS.model.entity(NUMBERS_COLLECTION), work.name("numbers"))
    of, highest = (next(column for column in scan.columns if column.name == name) for name in (OF, LAST))
    one = filtered(scan, Compare(Comparison.EQUAL, of, Literal(counter(entity, attribute), TEXT)))
    return ScalarSubquery(Project(one, work.name("last"), (Named(LAST, highest),)), INTEGER)


def raised(
    design: Design, entity: Entity, generated: Iterable[GeneratedValue], row: Cells
) -> Iterator[UpdateDocuments]:
    """Keep the new row's numbers as the highest, where they are; of numbers two writers could both make, how many there were."""
    kept = {*counted(entity)}
    for attribute in (each.attribute for each in generated):
        one = Match("_id", Constant(counter(entity, attribute)))
        if attribute in kept:
            yield UpdateDocuments(
                NUMBERS_COLLECTION, (one,), (Extend(LAST, row[attribute], greater=True),), on_insert=()
            )
        elif is_contended(design, entity, attribute):
            yield UpdateDocuments(NUMBERS_COLLECTION, (one,), (Increment(TIMES, Constant(1)),), on_insert=())
