"""A cutover that was ended halfway leaves the old collections refusing writes: whoever looks is told why, and what to do."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database
from pymongo.errors import WriteError

from nestling import pipeline
from nestling.common.server import Server
from nestling.executors.migrate.cutover import fence
from nestling.executors.migrate.state import States
from nestling.ir.migration import REFUSES_ALL, Phase
from nestling.ir.proposal import Proposal
from tests.doctor.looking import found, look
from tests.executors.migrate.test_array_orders import designs

Documents = Database[dict[str, Any]]
RULES = {"weak-validator", "violated-validator", "no-validator"}


def _ended(mongod: Server, database: Documents, monkeypatch: pytest.MonkeyPatch) -> tuple[Proposal, Proposal]:
    """The designs of a migration that something ended as soon as writes were refused."""
    database["orders"].insert_many({"_id": n, "lines": [{"line": k} for k in range(3)]} for n in range(200))
    moves = designs(mongod, database)

    def ended(*given: Any) -> None:
        fence(*given)
        raise RuntimeError

    monkeypatch.setattr("nestling.executors.migrate.migrating.fence", ended)
    with pytest.raises(RuntimeError):
        pipeline.migrate(*moves, database, cutover=True)
    with pytest.raises(WriteError):
        database["orders"].insert_one({"_id": -1})
    return moves


@pytest.mark.thorough
def test_the_doctor_leaves_the_fence_of_a_migration_up(
    mongod: Server, database: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no validator of the application's: nobody is told to loosen it, but how writes are taken again."""
    _ended(mongod, database, monkeypatch)
    (finding,) = [each for each in found(look(database)) if each.rule in RULES and "orders" in each.namespace]
    assert finding.rule == "violated-validator"
    assert "the cutover of a migration is under way, or was interrupted" in finding.message
    assert "--abort" in finding.remedy
    assert "moderate" not in finding.remedy
    assert finding.commands == ()
    pipeline.abort_migration(database)
    assert not [each for each in found(look(database)) if each.rule == "violated-validator"]


def test_the_doctor_converts_nothing_meanwhile(
    mongod: Server, database: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No command carries the refusal of all writes, which no document takes: that is why there is none."""
    _ended(mongod, database, monkeypatch)
    pipeline.abort_migration(database)
    whole = {"_id": {"$lt": 3}}
    database["orders"].update_many(whole, {"$set": {"total": "4"}})
    database["orders"].update_many({"_id": {"$gte": 3}}, {"$set": {"total": 4}})
    (before,) = [each for each in found(look(database)) if each.rule == "mixed-types"]
    assert len(before.commands) == 2
    database.command("collMod", "orders", validator=dict(REFUSES_ALL))
    (during,) = [each for each in found(look(database)) if each.rule == "mixed-types"]
    assert during.commands == before.commands[:1]
    assert "a migration blocks all writes" in during.remedy
    assert not [each for each in found(look(database)) for command in each.commands if "_nestling_migrated" in command]


@pytest.mark.thorough
def test_a_plan_tells_that_writes_are_refused(
    mongod: Server, database: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the migration was found ready again since, or not noted yet what it had done."""
    moves = _ended(mongod, database, monkeypatch)
    state = States(database).read()
    assert state is not None
    assert state.phase is Phase.READY
    assert pipeline.plan_migration(*moves, database).phase is Phase.FENCED


@pytest.mark.thorough
def test_what_a_cutover_has_set_aside_is_not_to_be_dropped(
    mongod: Server, database: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it is not done, the old collections are the data."""
    _ended(mongod, database, monkeypatch)
    database["orders"].rename("orders.before")
    (told,) = [each.why for each in look(database).skipped if each.what.endswith("orders.before")]
    assert "--drop-old" not in told
    assert "`--abort` restores the name" in told


@pytest.mark.one_in(6)
@pytest.mark.parametrize("step", ["fence", "set_aside", "put_back", "switch", "switch_indexes", "unfence"])
def test_a_plan_knows_where_it_ended(
    step: str, mongod: Server, database: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It counts the same rows, takes the refusal of all writes for no validator, and calls nothing refused that goes on."""
    database["tickets"].insert_many(
        {"_id": n, "at": n % 7, "comments": [{"no": k, "by": f"u{k}"} for k in range(n % 4)]} for n in range(60)
    )
    moves = designs(mongod, database)
    before = pipeline.plan_migration(*moves, database)
    assert pipeline.migrate(*moves, database).equal

    def end(*_: object, **__: object) -> None:
        raise SystemExit

    def fenced(*given: Any) -> None:
        fence(*given)
        raise SystemExit

    monkeypatch.setattr(f"nestling.executors.migrate.migrating.{step}", fenced if step == "fence" else end)
    with pytest.raises(SystemExit):
        pipeline.migrate(*moves, database, cutover=True)
    monkeypatch.undo()
    plan = pipeline.plan_migration(*moves, database)
    assert plan.phase in (Phase.FENCED, Phase.SWITCHING)
    assert plan.rows == before.rows
    assert plan.refused == ()
    assert plan.risks == before.risks
    assert pipeline.migrate(*moves, database, cutover=True).phase is Phase.DONE
    assert pipeline.plan_migration(*moves, database).rows == before.rows
