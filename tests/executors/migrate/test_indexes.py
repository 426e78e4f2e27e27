"""Indexes of collections that stay: those of the new design come, those of the old one alone go at the cutover."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import InputError, LoadError, Problem
from nestling.emitters.commands import index_commands
from nestling.executors.migrate import migrating
from nestling.ir.design import Design
from nestling.ir.migration import Phase
from nestling.ir.model import Model, Relationship
from nestling.ir.primitives import Collection, Document, Holder, Index, Reference
from nestling.ir.proposal import IN_PLACE, Proposal
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.pipeline.migrating import abort_migration
from tests.executors.load.loads import load_rows
from tests.planner.homes.home_cases import entity

Documents = Database[dict[str, Any]]
MODEL = Model("m", (entity("note", "id:integer! city:text at:timestamp", "id"),))
FEW = Index("notes", (("city", 1),), partial=(Clause("city", ClauseOperator.EQUAL, "Bonn"),))
ALL = Index("notes", (("city", 1),))
PLAIN = Index("notes", (("at", 1),))
ANY_CASE = Index("notes", (("city", 1),), any_case=True)
EXPIRING = Index("notes", (("at", 1),), expire_after_seconds=10**9)


def _design(*indexes: Index) -> Proposal:
    return Proposal("", Design(MODEL, (Collection("notes", Document("note"), ("id",)),), indexes))


def _told(database: Documents) -> dict[str, set[str]]:
    """By name: what each index has besides keys; that on `_id` left out."""
    return {
        name: set(index) & {"partialFilterExpression", "expireAfterSeconds"}
        for name, index in database.notes.index_information().items()
        if name != "_id_"
    }


@pytest.mark.thorough
@pytest.mark.parametrize(("old", "new"), [(ALL, FEW), (FEW, ALL), (PLAIN, EXPIRING), (EXPIRING, PLAIN)])
def test_an_index_over_the_same_keys_takes_the_old_ones_place(
    old: Index, new: Index, database: Documents, tmp_path: Path
) -> None:
    """One over some documents, over all, or one that removes documents: only the new design's is there in the end."""
    before, after = _design(old), _design(new)
    load_rows(before.design, {"note": [(1, "Bonn", None), (2, "Ulm", None)]}, database, tmp_path)
    there = _told(database)
    plan = pipeline.plan_migration(before, after, database)
    assert [len(plan.indexes_built), len(plan.indexes_dropped)] == [1, 1]
    assert plan.indexes_built != plan.indexes_dropped
    assert pipeline.migrate(before, after, database, cutover=True, may_lose=["indexes"]).phase is Phase.DONE
    assert _told(database) == _expected(after)
    assert _told(database) != there


@pytest.mark.thorough
def test_a_switch_that_is_taken_back(database: Documents, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The indexes are those of the old design again when the migration ends halfway through its last step and is aborted."""
    before, after = _design(PLAIN, ALL), _design(EXPIRING)
    load_rows(before.design, {"note": [(1, "Bonn", None)]}, database, tmp_path)
    there = _told(database)

    def lost(*_: object) -> None:
        raise LoadError(Problem("the connection was lost"))

    with monkeypatch.context() as patched:
        patched.setattr(migrating, "forget_images", lost)
        with pytest.raises(LoadError):
            pipeline.migrate(before, after, database, cutover=True, may_lose=["indexes"])
    assert _told(database) == _expected(after)
    abort_migration(database)
    assert _told(database) == there


def test_a_reference_only_the_old_design_knows_gets_no_index(database: Documents, tmp_path: Path) -> None:
    """The new design's indexes are built, and none for what its model does not know."""
    entities = (entity("note", "id:integer! n:integer", "id"),)
    link = Relationship("notes", "note", "note", ("id",), ("n",), enforced=False)
    knowing = Document("note", references=(Reference("notes", Holder.CHILD),))
    before = Proposal("", Design(Model("m", entities, (link,)), (Collection("notes", knowing, ("id",)),)))
    after = Proposal("", Design(Model("m", entities), (Collection("notes", Document("note"), ("id",)),)))
    load_rows(after.design, {"note": [(1, 1), (2, 1)]}, database, tmp_path)
    assert pipeline.plan_migration(before, after, database).indexes_built == ()
    assert pipeline.plan_migration(after, before, database).indexes_built == ("notes: n",)
    assert pipeline.migrate(before, after, database, cutover=True).phase is Phase.DONE
    assert [*database.notes.index_information()] == ["_id_"]


def test_designs_of_a_database_read_at_two_times(database: Documents, tmp_path: Path) -> None:
    """Where their models differ, be it in what a relationship needs, it is said where, and what to do."""
    attributes = ("id:integer! n:integer", "id:integer! n:text m:integer")
    one, other = (Model("m", (entity("note", each, "id"),)) for each in attributes)
    link = Relationship("notes", "note", "note", ("id",), ("m",), enforced=False)
    other = Model("m", other.entities, (link,))
    knowing = Document("note", references=(Reference("notes", Holder.CHILD),))
    today = Proposal(IN_PLACE, Design(one, (Collection("notes", Document("note"), ("id",)),)))
    new = Proposal("", Design(other, (Collection("notes", knowing, ("id",)),)))
    with pytest.raises(
        InputError, match="different models: attribute of `note` `m` is only in the new model"
    ) as failed:
        pipeline.plan_migration(today, new, database)
    assert "nestling inspect URI --design-out OLD.yaml" in (failed.value.problems[0].next_move or "")


def _expected(proposal: Proposal) -> dict[str, set[str]]:
    return {each.name: set(each.options) - {"name", "unique"} for each in index_commands(proposal.design)}


@pytest.mark.thorough
@pytest.mark.parametrize(("old", "new"), [((ALL,), (ALL, ANY_CASE)), ((ALL, ANY_CASE), (ALL,)), ((ANY_CASE,), (ALL,))])
def test_an_index_whatever_the_case_comes_and_goes(
    old: tuple[Index, ...], new: tuple[Index, ...], database: Documents, tmp_path: Path
) -> None:
    """Beside one that finds the same texts to the letter, or in its place, which is not the same."""
    before, after = _design(*old), _design(*new)
    load_rows(before.design, {"note": [(1, "Bonn", None), (2, "Ulm", None)]}, database, tmp_path)
    plan = pipeline.plan_migration(before, after, database)
    assert [len(plan.indexes_built), len(plan.indexes_dropped)] == [len({*new} - {*old}), len({*old} - {*new})]
    assert pipeline.migrate(before, after, database, cutover=True, may_lose=["indexes"]).phase is Phase.DONE
    there = {name for name, index in database.notes.index_information().items() if "collation" in index}
    assert there == ({"city_1_ci"} if ANY_CASE in new else set())
