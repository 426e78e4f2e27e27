"""What `design` says there is to do between today's design and its own is what `plan` finds on the database."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.server import Server
from nestling.emitters.design_summary import moves_lines
from nestling.ir.migration import CollectionOrigin
from nestling.pipeline.reversing import in_place, redesign
from tests.doctor.faults import FAULTS, clean


@pytest.mark.one_in(4)
@pytest.mark.parametrize("strategy", ["embedded", "normalized", "tree"])
@pytest.mark.parametrize("name", sorted(FAULTS))
def test_a_design_names_all_that_plan_finds(
    name: str, strategy: str, database: Database[dict[str, Any]], mongod: Server
) -> None:
    """Every collection that is built or set aside, and every index, but those that no design can name."""
    clean(database)
    database.books.create_index("author_id")
    FAULTS[name].plant(database, True)
    found = in_place(mongod.uri.replace("/?", f"/{database.name}?"))
    made = redesign(found, strategy)
    plan = pipeline.plan_migration(found.in_place, made.proposal, database)
    told, unsaid = made.moves, {gap.where for gap in found.reading.gaps if gap.what.startswith("index ")}
    assert told.anew == tuple(each.collection for each in plan.moves if each.way is not CollectionOrigin.KEPT)
    assert told.left == plan.left

    def named(indexes: tuple[str, ...]) -> set[str]:
        return {each for each in indexes if each.partition(": ")[0] not in unsaid}

    assert named(tuple(map(": ".join, (*told.built, *told.besides)))) == named(plan.indexes_built)
    assert named(tuple(map(": ".join, told.dropped))) == named(plan.indexes_dropped)
    lines = "\n".join(moves_lines(told))
    assert all(each in lines for each in (*told.anew, *told.left))
    assert all(words in lines for indexes in (told.built, told.besides, told.dropped) for _, words in indexes)
    assert told.dropped
