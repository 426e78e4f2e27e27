"""Every command of every finding runs as it is written; those that mend make the finding go, and bring no other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pymongo.database import Database

from tests.doctor.faults import FAULTS, clean
from tests.doctor.looking import found, look, looked_before, places
from tests.doctor.shell import run

MENDED = {
    *("dynamic-field-names", "awkward-field-names", "weak-validator", "mixed-types", "null-or-missing", "unused-index"),
    *("redundant-index", "missing-ttl", "unindexed-reference", "stale-copy", "unindexed-lookup", "missing-index"),
    *("drifted-counter", "hidden-index", "numbers-as-texts"),
}
"""Faults whose commands mend them: the others' only show where to look, or mend by a new design."""
FOLLOWS = {
    "dynamic-field-names": {"unused-index"},
    "unindexed-reference": {"unused-index"},
    "unindexed-lookup": {"unused-index", "excessive-lookup", "read-together", "unindexed-reference"},
    "missing-index": {"unindexed-reference", "unused-index"},
}
"""What may be left: an index just made has no use yet, and a join goes on joining."""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", sorted(FAULTS))
def test_commands_run_and_mend(name: str, database: Database[dict[str, Any]]) -> None:
    """The commands are accepted by a real server, and what they mend is not found again."""
    fault = FAULTS[name]
    clean(database)
    fault.plant(database, True)
    earlier = looked_before(database) if fault.grow else None
    if fault.grow is not None:
        fault.grow(database, True)
    mine = [each for each in found(look(database), earlier, fault.thresholds) if each.rule == name]
    assert mine
    for finding in mine:
        for command in finding.commands:
            run(database.client, command)
    if name in MENDED:
        left = places(found(look(database), thresholds=fault.thresholds))
        assert name not in {rule for rule, _, _ in left}
        assert {rule for rule, _, _ in left} <= FOLLOWS.get(name, set())


@pytest.mark.parametrize("name", ["dangling-reference", "two-way-disagreement", "violated-validator", "mixed-types"])
def test_commands_show_what_is_meant(name: str, database: Database[dict[str, Any]]) -> None:
    """The command that shows the faulty documents shows some, and none when there is no fault."""
    fault = FAULTS[name]
    fault.plant(database, True)
    (finding,) = [each for each in found(look(database)) if each.rule == name]
    shown = run(database.client, finding.commands[0])
    assert 0 < len(shown) < database[fault.collection].count_documents({})


@pytest.mark.parametrize(
    ("path", "held"),
    [
        ("a", lambda items: {"a": items}),
        ("a.b", lambda items: {"a": {"b": items}}),
        ("a[].b", lambda items: {"a": [{"b": []}, {"b": items}, {}]}),
        ("a[]", lambda items: {"a": [[1], items]}),
        ("a[].b[]", lambda items: {"a": [{"b": [[1], items]}]}),
    ],
)
def test_the_documents_with_too_long_arrays_are_shown(
    path: str, held: Callable[[list[Any]], dict[str, Any]], database: Database[dict[str, Any]]
) -> None:
    """All with more elements than the threshold, not only the longest; those with as many, or no array, are not."""
    lengths = [0, 1, 5, 6, 7, 30]
    database.things.insert_many({"_id": n, **held([*range(n)])} for n in lengths)
    database.things.insert_many([{"_id": "none"}, {"_id": "null", "a": None}, {"_id": "empty", "a": []}])
    thresholds = {"unbounded-array.values": 5.5, "unbounded-array.documents": 5.5}
    findings = {
        each.path: each for each in found(look(database), thresholds=thresholds) if each.rule == "unbounded-array"
    }
    shown = run(database.client, findings[path].commands[0])
    assert [each["_id"] for each in shown] == [6, 7, 30]
