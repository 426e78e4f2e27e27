"""Fetches: the rows of a statement as the columns the steps that follow need, read place by place.

They read homes alone: copies may not be right again yet when a fetch runs after others' changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from nestling.ir.algebra import Named, Project, Relation, Scan, Values, filtered
from nestling.ir.collations import followed_links, is_collated, linked
from nestling.ir.columns import column_of
from nestling.ir.compiled import OutputColumn, ReadPlan
from nestling.ir.design import Design
from nestling.ir.expression import ANY, Collation, Column, Compare, Comparison, Expression, Parameter
from nestling.ir.layout import Place
from nestling.ir.model import Entity, Relationship
from nestling.ir.operands import conjunction
from nestling.ir.row_steps import Layout, Shape
from nestling.ir.types import Type
from nestling.ir.write_path import Fetch
from nestling.planner.reads.collation import keys_agree, with_one_collation
from nestling.planner.reads.lower import branches, lower
from nestling.planner.reads.rows import Context, Names, Rows
from nestling.planner.reads.traverse import used
from nestling.planner.upkeep.source import HOMES

Outputs = Sequence[tuple[str, Expression]]
Raw = Callable[[Place], Mapping[str, str]]
"""Columns that are whatever lies at a path of the place's documents."""


def scan_of(entity: Entity, alias: str) -> Scan:
    """All rows of an entity."""
    columns = tuple(column_of(attribute, alias) for attribute in entity.attributes)
    return Scan(entity.name, alias, columns)


def rows_by_place(
    design: Design, scan: Scan, predicate: Expression | None, outputs: Outputs, raw: Raw
) -> list[tuple[Place | None, ReadPlan]]:
    """The rows of the scan at each of its places; None for those whose home is copies."""
    rows_said = Project(filtered(scan, predicate), "row", tuple(Named(name, value) for name, value in outputs))
    relation, collation = with_one_collation(rows_said, design)
    context = _context(relation, design)
    parts = branches(relation, context)
    places = design.places[scan.entity]
    standing: list[Place | None] = [place for place in places if place.copy is None]
    if len(standing) < len(places):
        standing.insert(0, None)
    return [
        (place, _plan(rows, relation, raw(place) if place is not None else {}, context, collation))
        for place, rows in zip(standing, parts, strict=True)
    ]


def plan(design: Design, relation: Relation) -> ReadPlan:
    """The rows of a relation, NULLs left out."""
    relation, collation = with_one_collation(relation, design)
    context = _context(relation, design)
    return _plan(lower(relation, context), relation, {}, context, collation)


def _context(relation: Relation, design: Design) -> Context:
    uses = Counter((column.alias, column.name) for column in (*used(relation), *relation.columns))
    return Context(design, uses, HOMES, Names())


def _plan(rows: Rows, relation: Relation, raw: Mapping[str, str], context: Context, collation: Collation) -> ReadPlan:
    layout = rows.layout | Layout.of({("", name): path for name, path in raw.items()})
    shown = [*relation.columns, *(Column("", name, ANY) for name in raw)]
    step = Shape(rows.step, tuple((column.name, column) for column in shown), context.seen(layout))
    return ReadPlan(step, tuple(OutputColumn(c.name, c.name, c.type, c.mixed) for c in shown), collation)


# --- one row again ---------------------------------------------------------------------------------------------------


def cell(name: str, kind: Type = ANY) -> Parameter:
    """A column of the row at hand, inside a fetch."""
    return Parameter(f"cell {name}", kind)


def fetch(rows: str, made: ReadPlan, cells: Sequence[str]) -> Fetch:
    """A fetch inside the steps of a row, whose cells it mentions."""
    return Fetch(rows, made, tuple((f"cell {name}", name) for name in cells))


def same_row(types: Mapping[str, Type]) -> Values:
    """The row at hand as a relation of its own."""
    columns = tuple(Column("row", name, kind) for name, kind in types.items())
    return Values("row", columns, (tuple(cell(name, kind) for name, kind in types.items()),))


def equal_cells(scan: Scan, attributes: Mapping[str, str], rule: Collation = Collation.BINARY) -> Expression | None:
    """Rows whose attributes equal columns of the row at hand."""
    columns = {column.name: column for column in scan.columns}
    return conjunction(
        *(
            Compare(Comparison.EQUAL, columns[name], cell(held, columns[name].type), rule)
            for name, held in attributes.items()
        )
    )


def rule_of_new(design: Design, link: Relationship) -> Collation:
    """How a new foreign key is compared with its parent's: to the letter where what is kept follows it so."""
    return Collation.BINARY if link.name in followed_links(design.stores) else rule_of(design, link)


def rule_of(design: Design, link: Relationship) -> Collation:
    """How the source compares a foreign key with its parent's: as only the server can, or to the letter."""
    agree = is_collated(linked(design.model, link)) and keys_agree(design, [link.parent, link.child])
    return Collation.UNICODE_CI if agree else Collation.BINARY
