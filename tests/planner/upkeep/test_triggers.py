"""What changes trigger: the same for a structure that has a price as for what it becomes in a design."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nestling.ir.candidate import Candidate, CopiedAttribute
from nestling.ir.design import Design
from nestling.ir.freshness import SNAPSHOT, TRANSACTION, Freshness
from nestling.ir.model import Model
from nestling.ir.primitives import Collection, Document, Holder, Reference
from nestling.ir.rows import up
from nestling.ir.workload import Access, StatementKind
from nestling.planner.options.structures.triggered import Triggered
from nestling.planner.upkeep import ChangeKind, RowChange, upkeep_steps
from tests.planner.homes.home_cases import entity, link

LINK = replace(link("things", "maker.id", "thing.maker_id"), required=False)
MAKER, THING = entity("maker", "id:integer! name town", "id"), entity("thing", "id:integer! maker_id:integer", "id")
CASES = [
    # of thing or of maker, the attributes that change, enforced, triggered; of a snapshot
    ("thing", StatementKind.INSERT, (), True, True, True),
    ("thing", StatementKind.UPDATE, ("maker_id",), True, True, False),
    ("thing", StatementKind.DELETE, (), True, False, False),
    ("maker", StatementKind.UPDATE, ("name",), True, True, False),
    ("maker", StatementKind.UPDATE, ("id",), True, True, False),
    ("maker", StatementKind.UPDATE, ("town",), True, False, False),
    ("maker", StatementKind.INSERT, (), True, False, False),
    ("maker", StatementKind.INSERT, (), False, True, False),
    ("maker", StatementKind.DELETE, (), True, False, False),
    ("maker", StatementKind.DELETE, (), False, True, False),
]


@pytest.mark.parametrize(("of", "kind", "attributes", "enforced", "triggered", "of_snapshot"), CASES)
def test_a_copied_name(
    of: str, kind: StatementKind, attributes: tuple[str, ...], enforced: bool, triggered: bool, of_snapshot: bool
) -> None:
    """A maker that comes or goes has no things yet, or no more, where the foreign key is enforced; else it may have some."""
    model = Model("m", (MAKER, THING), (replace(LINK, enforced=enforced),))
    for freshness, expected in ((TRANSACTION, triggered), (SNAPSHOT, of_snapshot)):
        part = CopiedAttribute("thing", (up(LINK),), "name", freshness)
        known = Triggered(model, [Candidate("name", ("by hand",), part)])
        access = Access(of, kind, attributes)
        assert bool({**known.own(access, CopiedAttribute), **known.others(access, CopiedAttribute)}) is expected
        change = RowChange(of, ChangeKind(kind.value), "rows", frozenset(attributes))
        assert bool(upkeep_steps(_design(model, part, freshness), change).steps) is expected


def _design(model: Model, part: CopiedAttribute, freshness: Freshness) -> Design:
    thing = Document("thing", references=(Reference(LINK.name, Holder.CHILD),), copies=(part.copy("maker"),))
    assert thing.copies[0].freshness == freshness
    return Design(model, (Collection("makers", Document("maker"), ("id",)), Collection("things", thing, ("id",))))
