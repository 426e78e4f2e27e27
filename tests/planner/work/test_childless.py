"""How many parents have no children is told by the foreign keys that were counted, in arrays and behind lookups alike."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nestling.ir.design import Design
from nestling.ir.statistics import EntityStatistics, Quantity, Statistics
from tests.planner.work.town import PEOPLE, STATISTICS, apart, inside, work

WITHOUT = "SELECT bio FROM person WHERE NOT EXISTS (SELECT 1 FROM pet WHERE pet.owner = person.id)"
WITH = WITHOUT.replace("NOT ", "")


def owners(distinct: float | None) -> Statistics:
    """As many people have pets, or nobody counted them."""

    def counted(entity: EntityStatistics) -> EntityStatistics:
        known = Quantity(distinct) if distinct is not None else None
        attributes = (
            (name, replace(each, distinct=known) if name == "owner" else each) for name, each in entity.attributes
        )
        return replace(entity, attributes=tuple(attributes))

    return replace(STATISTICS, entities=tuple((name, counted(each)) for name, each in STATISTICS.entities))


@pytest.mark.parametrize("design", [apart(), inside()])
def test_parents_without_children_are_counted(design: Design) -> None:
    """What EXISTS and NOT EXISTS leave; some are taken to have none even where all seem to have some."""
    for distinct, share in ((0.6 * PEOPLE, 0.4), (0.1 * PEOPLE, 0.9), (PEOPLE, 0.01), (None, 0.01)):
        found = [work(sql, design, statistics=owners(distinct)).results for sql in (WITHOUT, WITH)]
        assert found == pytest.approx([share * PEOPLE, (1 - share) * PEOPLE]), distinct


def test_fewer_children_than_parents_leave_parents_without() -> None:
    """However few they are, in an array as in a collection."""
    few = replace(STATISTICS, relationships=(("owns", replace(STATISTICS.relationship("owns"), mean=Quantity(0.25))),))
    assert work(WITHOUT, inside(), statistics=few).results == pytest.approx(0.75 * PEOPLE)
