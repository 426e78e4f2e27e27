"""A look at a live MongoDB takes the time it is given and says what it reads; two looks that differ for lack of time say so."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest
from pymongo.database import Database

from nestling.common.errors import InputError
from nestling.common.server import Server
from nestling.executors.facts import Budget, gather
from nestling.ir.facts import OUT_OF_TIME
from nestling.ir.reading import Gap, GapKind
from nestling.pipeline import in_place
from nestling.pipeline.migrating import designs_over_one_model

Db = Database[dict[str, Any]]


def test_two_looks_that_differ_for_lack_of_time_say_so(database: Db, mongod: Server) -> None:
    """The file's own gap tells which one was cut short; without one the database has changed."""
    address = mongod.uri.replace("/?", f"/{database.name}?")
    database.things.insert_many({"_id": n, "name": f"thing {n}"} for n in range(50))
    old = in_place(address).in_place
    database.things.update_many({}, {"$set": {"size": 3}})
    new = in_place(address).in_place
    with pytest.raises(InputError, match="changed between the two readings"):
        designs_over_one_model(old, new)
    why = f"the documents of x.things could not be looked at: only 7 were read: {OUT_OF_TIME}"
    with pytest.raises(InputError) as caught:
        designs_over_one_model(old, replace(new, gaps=(*new.gaps, Gap(GapKind.NOTIMPL, why))))
    said = str(caught.value)
    assert f"time ran out before the whole database was read (a gap of the new design: {why})" in said
    assert "--budget-seconds 1200 --rest 0 --design-out" in said
    assert "changed between the two readings" not in said


@pytest.mark.thorough
def test_what_there_was_no_time_for_is_a_gap(database: Db, mongod: Server) -> None:
    """A look that ends early says so in what is made of it."""
    database.things.insert_many({"_id": n, "name": f"thing {n}"} for n in range(50))
    address = mongod.uri.replace("/?", f"/{database.name}?")

    def dawdle(what: str, _: int, __: int | None) -> None:
        if "rows of" in what:
            time.sleep(3.1)

    found = in_place(address, seconds=3.0, rest=0, watch=dawdle)
    late = [str(each) for each in found.in_place.gaps if OUT_OF_TIME in each.what]
    assert late
    assert not any("nestling does not" in each for each in late)
    whole = in_place(address, seconds=30, rest=0)
    assert not any(OUT_OF_TIME in each.what for each in whole.in_place.gaps)


def test_fields_are_compared_in_the_same_time(database: Db, mongod: Server) -> None:
    """A count that there is no time to compare with its rows is a gap, and not called a count."""
    database.things.insert_many({"_id": n, "parts_count": n % 4} for n in range(1_000, 1_050))
    database.parts.insert_many({"thing_id": n, "no": m} for n in range(1_000, 1_050) for m in range(n % 4))
    address = mongod.uri.replace("/?", f"/{database.name}?")

    def dawdle(what: str, _: int, __: int | None) -> None:
        if "comparing" in what:
            time.sleep(3.1)

    found = in_place(address, seconds=3.0, rest=0, watch=dawdle)
    late = [each.what for each in found.in_place.gaps if OUT_OF_TIME in each.what]
    assert len(late) == 1
    assert late[0].startswith("`things.parts_count` looks like the number of rows of `parts`")
    assert "parts_count" in {each.name for each in found.reading.model.entity("things").attributes}
    whole = in_place(address, seconds=30, rest=0)
    assert not any(OUT_OF_TIME in each.what for each in whole.in_place.gaps)
    assert "parts_count" not in {each.name for each in whole.reading.model.entity("things").attributes}


@pytest.mark.parametrize("structure", [False, True])
def test_progress_names_what_is_read(database: Db, *, structure: bool) -> None:
    """Collections of documents first, no views and no system collections; then the rows of each, and what relates them."""
    database.makers.insert_many({"_id": n, "name": f"maker {n}"} for n in range(50))
    database.things.insert_many({"_id": n, "maker_id": n % 50} for n in range(200))
    database.create_collection("seen", viewOn="things", pipeline=[])
    heard: list[tuple[str, int]] = []
    budget = Budget(structure=structure, rest=0)
    gather(database.client, [database.name], budget, lambda what, done, _: heard.append((what, done)))
    name = database.name
    names = [what for what, _ in heard]
    assert names[:2] == [f"{name}.makers", f"{name}.things"]
    assert all("system" not in what and "seen" not in what for what in names)
    assert "rows of things" in names
    assert "references by values" in names
    assert {done for what, done in heard if what.startswith(("rows", "references"))} == {4}
