"""Fetches: the rows of a statement as the columns that the following steps need, read place by place.

They read homes alone: copies may still be stale when a fetch runs after others' changes. A statement's own conditions are
rewritten as for a SELECT, and read in the cheapest way; the current row is looked up as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from nestling.ir.design import Design
from nestling.ir.model import Entity, Relationship
from nestling.ir.paths.row_steps import Layout, Shape
from nestling.ir.paths.work import Work
from nestling.ir.paths.write_path import Fetch
from nestling.ir.programs.compiled import OutputColumn, ReadPlan
from nestling.ir.statements.algebra import Named, Project, Relation, Scan, Values, filtered
from nestling.ir.statements.columns import column_of
from nestling.ir.statements.expression import ANY, CELL, Column, Compare, Expression, Parameter
from nestling.ir.statements.operands import conjunction
from nestling.ir.statements.operators import Collation, Comparison
from nestling.ir.statistics import Statistics
from nestling.ir.storage.collations import attributes_linked, followed_links, is_collated
from nestling.ir.storage.layout import Place
from nestling.ir.storage.names import join
from nestling.ir.tolerance import Tolerated
from nestling.ir.types import Type
from nestling.planner.reads import ways
from nestling.planner.reads.agreeing_keys import keys_agree
from nestling.planner.reads.collation import collated
from nestling.planner.reads.lower import branches, lower
from nestling.planner.reads.rewrites.case_as_pattern import with_cases_as_patterns
from nestling.planner.reads.rows import Lowered, LoweringContext, PlacedScan, VariableNames
from nestling.planner.reads.traverse import used
from nestling.planner.upkeep.source import HOMES


@dataclass(frozen=True, slots=True)
class FetchPrices:
    """What tells the cheapest way to read: the numbers of rows, and seconds of work. Without `price`, it is the first one."""

    statistics: Statistics = field(default_factory=Statistics)
    price: Callable[[Work], float] | None = None

    def cheapest(self, ways: Sequence[Sequence[ReadPlan]], design: Design) -> int:
        """The place of the cheapest among ways to read, each of one plan or several."""
        from nestling.planner.work import estimate

        price = self.price
        if price is None or len(ways) == 1:
            return 0
        costs = [sum(price(estimate(each, design, self.statistics)) for each in way) for way in ways]
        return costs.index(min(costs))

    def ways(self, relation: Relation, design: Design) -> Iterator[Relation]:
        """The relation rewritten in each of the ways that homes allow."""
        return ways(relation, design, HOMES, Tolerated(), self.statistics, priced=self.price is not None)


Outputs = Sequence[tuple[str, Expression]]
_Raw = Callable[[Place], Mapping[str, str]]
"""Columns that are whatever lies at a path of the place's documents."""


def scan_of(entity: Entity, alias: str) -> Scan:
    """All rows of an entity."""
    columns = tuple(column_of(attribute, alias) for attribute in entity.attributes)
    return Scan(entity.name, alias, columns)


def rows_by_place(
    design: Design,
    scan: Scan,
    predicate: Expression | None,
    outputs: Outputs,
    raw: _Raw,
    prices: FetchPrices | None = None,
) -> list[tuple[Place | None, ReadPlan]]:
    """The rows of the scan at each of its places; None for those whose home is copies."""
    rows_said = Project(filtered(scan, predicate), "row", tuple(Named(name, value) for name, value in outputs))
    forms = collated(with_cases_as_patterns(rows_said), design)
    asked = (
        [(each, collation) for form, collation in forms for each in prices.ways(form, design)]
        if prices is not None
        else []
    )
    found = [made for each, collation in asked if (made := _by_place(each, scan, raw, design, collation)) is not None]
    if prices is None or not found:
        made = _by_place(forms[0][0], scan, raw, design, forms[0][1])
        assert made is not None, "a scan alone is read where it stands"
        return made
    return found[prices.cheapest([[plan for _, plan in each] for each in found], design)]


def _by_place(
    relation: Relation, scan: Scan, raw: _Raw, design: Design, collation: Collation
) -> list[tuple[Place | None, ReadPlan]] | None:
    """The relation's rows at each place of the scan; None where they are not told apart by place."""
    context = _context(relation, design)
    parts = branches(relation, context)
    found = [part.standing.get(scan.alias) for part in parts]
    places = design.places[scan.entity]
    standing: list[Place | None] = [place for place in places if place.copy is None]
    if len(standing) < len(places):
        standing.insert(0, None)
    if [at.place if at is not None else None for at in found] != standing:
        return None
    return [
        (place, _plan(rows, relation, _raw(at, raw), context, collation))
        for place, at, rows in zip(standing, found, parts, strict=True)
    ]


def _raw(at: PlacedScan | None, raw: _Raw) -> Mapping[str, str]:
    return {} if at is None else {name: join(at.prefix, path) for name, path in raw(at.place).items()}


def plan(design: Design, relation: Relation, prices: FetchPrices | None = None) -> ReadPlan:
    """The rows of a relation, NULLs left out."""
    plans = [
        _plan_of(each, design, collation)
        for form, collation in collated(relation, design)
        for each in (prices.ways(form, design) if prices is not None else [form])
    ]
    return plans[0] if prices is None else plans[prices.cheapest([[each] for each in plans], design)]


def _plan_of(relation: Relation, design: Design, collation: Collation) -> ReadPlan:
    context = _context(relation, design)
    return _plan(lower(relation, context), relation, {}, context, collation)


def _context(relation: Relation, design: Design) -> LoweringContext:
    uses = Counter((column.alias, column.name) for column in (*used(relation), *relation.columns))
    return LoweringContext(design, uses, HOMES, VariableNames())


def _plan(
    rows: Lowered, relation: Relation, raw: Mapping[str, str], context: LoweringContext, collation: Collation
) -> ReadPlan:
    layout = rows.layout | Layout.of({("", name): path for name, path in raw.items()})
    shown = [*relation.columns, *(Column("", name, ANY) for name in raw)]
    step = Shape(rows.step, tuple((column.name, column) for column in shown), context.seen(layout))
    return ReadPlan(step, tuple(OutputColumn(c.name, c.name, c.type, c.mixed) for c in shown), collation)


# --- one row again ---------------------------------------------------------------------------------------------------


def cell(name: str, kind: Type = ANY) -> Parameter:
    """A column of the current row, inside a fetch."""
    return Parameter(f"{CELL}{name}", kind)


def fetch(rows: str, made: ReadPlan, cells: Sequence[str]) -> Fetch:
    """A fetch inside the steps of a row, whose cells it mentions."""
    return Fetch(rows, made, tuple((f"{CELL}{name}", name) for name in cells))


def same_row(types: Mapping[str, Type]) -> Values:
    """The current row as a relation of its own."""
    columns = tuple(Column("row", name, kind) for name, kind in types.items())
    return Values("row", columns, (tuple(cell(name, kind) for name, kind in types.items()),))


def equal_cells(scan: Scan, attributes: Mapping[str, str], rule: Collation = Collation.BINARY) -> Expression | None:
    """The condition that attributes equal columns of the current row."""
    columns = {column.name: column for column in scan.columns}
    return conjunction(
        *(
            Compare(Comparison.EQUAL, columns[name], cell(held, columns[name].type), rule)
            for name, held in attributes.items()
        )
    )


def rule_of_new(design: Design, link: Relationship) -> Collation:
    """How a new foreign key is compared with its parent's: exactly if stored data follows it so."""
    return Collation.BINARY if link.name in followed_links(design.stores) else rule_of(design, link)


def rule_of(design: Design, link: Relationship) -> Collation:
    """How the source compares a foreign key with its parent's: by a collation, or exactly."""
    agree = is_collated(attributes_linked(design.model, link)) and keys_agree(design, [link.parent, link.child])
    return Collation.UNICODE_CI if agree else Collation.BINARY
