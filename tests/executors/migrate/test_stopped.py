"""A migration that is stopped by hand says what it leaves, and how it goes on or ends."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import MigrationError, Problem
from nestling.common.server import Server
from nestling.executors.migrate import migrating
from nestling.ir.migration import Phase
from nestling.ir.proposal import Proposal
from nestling.pipeline.migrating import abort_migration
from tests.executors.migrate.test_array_orders import designs

Documents = Database[dict[str, Any]]
_GOES_ON = "the same command continues; `nestling migrate --abort` undoes it"


@pytest.fixture
def moves(mongod: Server, database: Documents) -> tuple[Proposal, Proposal]:
    """Orders whose lines get a collection of their own."""
    database["orders"].insert_many({"_id": n, "lines": [{"line": k} for k in range(3)]} for n in range(50))
    return designs(mongod, database)


def _stopped(moves: tuple[Proposal, Proposal], database: Documents, patch: pytest.MonkeyPatch, step: str) -> str:
    """What is noted where Ctrl-C comes as soon as a step is done."""
    of = migrating.Migration if step.startswith("_") else migrating
    done = getattr(of, step)

    def stop(*given: Any, **more: Any) -> Any:
        done(*given, **more)
        raise KeyboardInterrupt

    patch.setattr(of, step, stop)
    with pytest.raises(KeyboardInterrupt) as stopped:
        pipeline.migrate(*moves, database, cutover=True)
    patch.undo()
    (note,) = stopped.value.__notes__
    return note


@pytest.mark.parametrize(
    ("step", "told"),
    [
        ("check_start", "no migration has begun, and nothing is built"),
        ("backfill", f"the old design is in use, and what has been built is kept: {_GOES_ON}"),
        ("fence", f"the old design is in use, and accepts writes again, and what has been built is kept: {_GOES_ON}"),
        ("set_aside", f"writes to the old collections are REFUSED now: {_GOES_ON}"),
    ],
)
def test_each_step_says_what_stays(
    step: str, told: str, moves: tuple[Proposal, Proposal], database: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing, what is built, the old design as it was, or one that takes no writes; running it again goes on."""
    assert _stopped(moves, database, monkeypatch, step) == told
    if "REFUSED" not in told:
        database["orders"].insert_one({"_id": 99, "lines": [{"line": 1}]})
    assert pipeline.migrate(*moves, database, cutover=True).phase is Phase.DONE


def test_an_abort_that_is_stopped(
    moves: tuple[Proposal, Proposal], database: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is to be run again."""
    assert pipeline.migrate(*moves, database).equal

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("nestling.executors.migrate.aborting.drop", stop)
    with pytest.raises(KeyboardInterrupt) as stopped:
        abort_migration(database)
    assert stopped.value.__notes__ == ["`nestling migrate --abort` continues where it stopped"]
    monkeypatch.undo()
    abort_migration(database)
    assert database.list_collection_names() == ["orders"]


def test_an_abort_while_the_documents_are_looked_at(
    moves: tuple[Proposal, Proposal], database: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It hears that a migration is about to begin, not that there is none; what is refused then leaves nothing behind."""
    told: list[str] = []

    def look(*_: object, **__: object) -> None:
        with pytest.raises(MigrationError) as refused:
            abort_migration(database)
        told.append(str(refused.value))
        raise MigrationError(Problem("it would lose something"))

    monkeypatch.setattr(migrating, "require_nothing_lost", look)
    with pytest.raises(MigrationError, match="it would lose something"):
        pipeline.migrate(*moves, database)
    assert "a migration is about to begin: another process is examining the documents first" in told[0]
    assert database.list_collection_names() == ["orders"]
    with pytest.raises(MigrationError, match="no migration has begun"):
        abort_migration(database)
    monkeypatch.undo()
    assert pipeline.migrate(*moves, database).equal
