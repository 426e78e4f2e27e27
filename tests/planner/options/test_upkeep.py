"""What is kept of children is priced as one change where a program makes one, and as read again where that reads again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nestling.ir.candidate import Aggregate, Candidate, FirstChildren
from nestling.ir.design import Design
from nestling.ir.design_problem import Charge
from nestling.ir.freshness import TRANSACTION
from nestling.ir.model import Attribute, Model
from nestling.ir.paths.write_path import Each, Fetch, Increment, UpdateDocuments, steps_within
from nestling.ir.primitives import Collection, Document, Holder, Order, Reference
from nestling.ir.reading import Reading
from nestling.ir.rows import AggregateKind
from nestling.ir.situation import Thresholds, situation
from nestling.ir.statistics import Statistics
from nestling.ir.types import Type
from nestling.ir.workload import Access, Statement, StatementKind, Workload
from nestling.planner.options.modes import Modes
from nestling.planner.options.sizes.document_sizes import DocumentSizes
from nestling.planner.options.sizes.sizes import Sizes
from nestling.planner.options.structures.places import Places
from nestling.planner.options.writes.copy_costs import Copies
from nestling.planner.options.writes.upkeep import UpkeepCosts
from nestling.planner.upkeep import ChangeKind, RowChange, upkeep_steps
from tests.planner.homes.home_cases import entity, link

BOX = entity("box", "id:integer!", "id")
PLAIN = entity("thing", "id:integer! box_id:integer! whole:integer! maybe:integer real:float! document:json!", "id")
MIXED = Attribute("mixed", Type.parse("integer"), nullable=False, also=(Type.parse("text"),))
THING = replace(PLAIN, attributes=(*PLAIN.attributes, MIXED))
LINK = link("things", "box.id", "thing.box_id")
MODEL = Model("m", (BOX, THING), (LINK,))

INSERT, UPDATE, DELETE = StatementKind.INSERT, StatementKind.UPDATE, StatementKind.DELETE
ALL = frozenset({"put in", "changed", "moved", "taken out"})
CASES = [
    # function, attribute, the writes that add to it
    (AggregateKind.COUNT, None, ALL - {"changed"}),  # of which nothing follows
    (AggregateKind.COUNT, "whole", ALL),
    (AggregateKind.COUNT, "mixed", ALL),
    (AggregateKind.COUNT, "maybe", frozenset()),
    (AggregateKind.COUNT, "document", frozenset()),
    (AggregateKind.SUM, "whole", frozenset({"put in", "changed"})),
    (AggregateKind.SUM, "mixed", frozenset()),
    (AggregateKind.SUM, "maybe", frozenset()),
    (AggregateKind.SUM, "real", frozenset()),
    (AggregateKind.MAX, "whole", frozenset()),
]


@pytest.mark.parametrize(("function", "attribute", "added"), CASES)
def test_price_and_program_agree(function: AggregateKind, attribute: str | None, added: frozenset[str]) -> None:
    """On every kind of write, of counts and sums of every kind of attribute."""
    part = Aggregate(LINK.name, function, attribute, TRANSACTION)
    changed = () if attribute is None else (attribute,)
    writes = {
        "put in": Access("thing", INSERT),
        "changed": Access("thing", UPDATE, changed),
        "moved": Access("thing", UPDATE, (*changed, "box_id")),
        "taken out": Access("thing", DELETE),
    }
    assert {name for name, access in writes.items() if _is_priced_as_added(part, access)} == added
    assert {name for name, access in writes.items() if _is_added(part, access)} == added


def _is_priced_as_added(part: Aggregate, access: Access) -> bool:
    """Whether the write is charged for it, and no rows are grouped."""
    statement = Statement("s", "", access.kind, accesses=(access,))
    known = situation(Reading(MODEL, Workload((statement,)), Statistics()), Thresholds())
    sizes = Sizes(known)
    places = Places(known, [Candidate("number", ("by hand",), part)], sizes)
    modes = Modes(known, places, sizes, DocumentSizes(known, places, sizes), lambda work: work.grouped)
    costs = UpkeepCosts(modes, Copies(modes)).of(statement, access, 1.0).costs
    charged = [each.cost for each in costs if isinstance(each, Charge)]
    return charged == [0.0]


NEWEST = [
    # attributes kept, the first of how many, the writes that change the array by one operator
    (("id", "whole"), None, frozenset({"put in", "taken out"})),
    (("id", "whole"), 3, frozenset({"put in"})),
    (("whole",), None, frozenset()),  # nothing in an element tells it
]


@pytest.mark.parametrize(("attributes", "limit", "placed"), NEWEST)
def test_price_and_program_agree_on_children(
    attributes: tuple[str, ...], limit: int | None, placed: frozenset[str]
) -> None:
    """The children are read again, by one more request, where the program reads them."""
    order = () if limit is None else (Order("id"),)
    part = FirstChildren(LINK.name, attributes, order, limit, TRANSACTION)
    writes = {"put in": INSERT, "changed": UPDATE, "taken out": DELETE}
    accesses = {name: Access("thing", kind, ("whole",) if kind is UPDATE else ()) for name, kind in writes.items()}
    assert {name for name, access in accesses.items() if _requests(part, access) == 1.0} == placed
    assert {name for name, access in accesses.items() if not _is_read_again(part, access)} == placed


def _requests(part: FirstChildren, access: Access) -> float:
    statement = Statement("s", "", access.kind, accesses=(access,))
    known = situation(Reading(MODEL, Workload((statement,)), Statistics()), Thresholds())
    sizes = Sizes(known)
    places = Places(known, [Candidate("newest", ("by hand",), part)], sizes)
    modes = Modes(known, places, sizes, DocumentSizes(known, places, sizes), lambda work: work.round_trips)
    costs = UpkeepCosts(modes, Copies(modes)).of(statement, access, 1.0).costs
    return sum(each.cost for each in costs if isinstance(each, Charge))


def _is_read_again(part: FirstChildren, access: Access) -> bool:
    """Whether the program reads anything."""
    box = Document("box", copies=(part.copy(MODEL, "newest"),))
    thing = Document("thing", references=(Reference(LINK.name, Holder.CHILD),))
    design = Design(MODEL, (Collection("boxes", box, ("id",)), Collection("things", thing, ("id",))))
    change = RowChange("thing", ChangeKind(access.kind.value), "rows", frozenset(access.attributes))
    return any(isinstance(step, Fetch) for step in steps_within(upkeep_steps(design, change).steps))


def _is_added(part: Aggregate, access: Access) -> bool:
    """Whether the program's updates are increments, and it has some."""
    box = Document("box", computed=(part.computed(MODEL, "number"),))
    thing = Document("thing", references=(Reference(LINK.name, Holder.CHILD),))
    design = Design(MODEL, (Collection("boxes", box, ("id",)), Collection("things", thing, ("id",))))
    change = RowChange("thing", ChangeKind(access.kind.value), "rows", frozenset(access.attributes))
    steps = [step for each in upkeep_steps(design, change).steps if isinstance(each, Each) for step in each.steps]
    changes = [each for step in steps if isinstance(step, UpdateDocuments) for each in step.changes]
    return len(changes) == len(steps) > 0 and all(isinstance(each, Increment) for each in changes)
