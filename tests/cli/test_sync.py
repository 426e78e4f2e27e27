"""`nestling sync` as people run it."""

from __future__ import annotations

import json
import signal
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.common.server import Server
from tests.cli.commands import nestling, started
from tests.small_shop import small_shop


def _shop(database: Database[Any], mongod: Server, folder: Path) -> tuple[Path, str]:
    database.customers.insert_one({"_id": 1, "name": "Ada"})
    database.purchases.insert_one({"_id": 1, "customer_id": 1})
    (folder / "design.yaml").write_text(small_shop())
    return folder / "design.yaml", mongod.uri.replace("/?", f"/{database.name}?")


def test_once_brings_everything_up_to_date(database: Database[Any], mongod: Server, tmp_path: Path) -> None:
    """It says what it did; whether an instance is active is another question, with an exit code of its own."""
    design, uri = _shop(database, mongod, tmp_path)
    never = nestling("sync", design, uri, "--status")
    assert (never.code, never.out) == (1, "No sync has run here yet.\n")
    ran = nestling("sync", design, uri, "--once", "--json")
    assert (ran.code, ran.json["written"], ran.json["state"]) == (0, 1, "stopped")
    assert database.purchases.find_one()["customer"] == {"name": "Ada"}  # type: ignore[index]
    idle = nestling("sync", design, uri, "--status", "--json")
    assert (idle.code, idle.json["active"]) == (1, False)
    assert idle.json["resume_point"] is not None


def test_a_check_says_whether_waiting_helps(database: Database[Any], mongod: Server, tmp_path: Path) -> None:
    """Where no sync is running, copies that lag stay behind: the check names the command. Otherwise it says to wait."""
    design, uri = _shop(database, mongod, tmp_path)
    told = nestling("check", design, uri).out
    assert f"values kept async(1s) stay behind, as no sync is running: run `nestling sync {design} '{uri}'`" in told
    assert nestling("sync", design, uri, "--once").code == 0
    database.customers.update_one({"_id": 1}, {"$set": {"name": "Eve"}})
    assert "stay behind, as no sync is running" in nestling("check", design, uri).out
    held = {"owner": "somebody", "expires": datetime(2100, 1, 1, tzinfo=UTC)}
    database["_nestling_sync"].update_one({"_id": "shop"}, {"$set": held})
    told = nestling("check", design, uri).out
    assert "values kept async(1s) may still be catching up: check again after that time" in told


def _is_done(status: Path) -> bool:
    """Whether a sync tells that a copy was written and that nothing is left to do."""
    told = json.loads(status.read_text()) if status.exists() else {"written": 0}
    return told["written"] > 0 and told["waiting"] == told["lag_changes"] == 0


def test_it_stops_when_it_is_told_to(database: Database[Any], mongod: Server, tmp_path: Path) -> None:
    """SIGTERM ends it in good order: exit code 0, the lease let go."""
    design, uri = _shop(database, mongod, tmp_path)
    running = started("sync", design, uri, "--status-file", tmp_path / "status.json", "--listen", "0")
    try:
        end = time.monotonic() + 120  # a busy machine starts it late
        while not _is_done(tmp_path / "status.json"):
            assert time.monotonic() < end
            time.sleep(0.05)
        running.send_signal(signal.SIGTERM)
        out, err = running.communicate(timeout=120)
    finally:
        running.kill()
    assert running.returncode == 0, err
    assert "Metrics at http://127.0.0.1:" in err
    assert "1 copy written" in out
    assert json.loads((tmp_path / "status.json").read_text())["state"] == "stopped"
    assert "NOT active" in nestling("sync", design, uri, "--status").out


def test_no_mongodb_is_a_mistake(tmp_path: Path) -> None:
    """A MongoDB just started would be empty: none is."""
    (tmp_path / "design.yaml").write_text(small_shop())
    ran = nestling("sync", tmp_path / "design.yaml")
    assert ran.code == 2
    assert "no MongoDB given" in ran.err


@pytest.mark.thorough
def test_stopped_with_copies_left_it_says_so(database: Database[Any], mongod: Server, tmp_path: Path) -> None:
    """SIGTERM while copies are being mended: exit code 1, and that some may be stale; the next run mends the rest."""
    design, uri = _shop(database, mongod, tmp_path)
    database.purchases.insert_many([{"_id": n, "customer_id": 1} for n in range(2, 20_000)])
    running = started("sync", design, uri)
    try:
        end = time.monotonic() + 120  # a busy machine starts it late
        while database.purchases.find_one({"customer": {"$exists": True}}) is None:
            assert time.monotonic() < end
            time.sleep(0.01)
        running.send_signal(signal.SIGTERM)
        out, err = running.communicate(timeout=120)
    finally:
        running.kill()
    assert database.purchases.find_one({"customer": {"$exists": False}}) is not None, "it was too quick for this test"
    assert running.returncode == 1, err
    assert "Stopped early: 1 task is not done" in out
    assert nestling("sync", design, uri, "--once").code == 0
    assert database.purchases.find_one({"customer": {"$exists": False}}) is None


def test_copies_left_are_told_apart(database: Database[Any], mongod: Server, tmp_path: Path) -> None:
    """A copy whose source row is gone is no copy written: it stays, with what to do about it, and the exit code is 1."""
    design, uri = _shop(database, mongod, tmp_path)
    assert nestling("sync", design, uri, "--once").code == 0
    database.customers.delete_one({"_id": 1})
    ran = nestling("sync", design, uri, "--once")
    assert ran.code == 1
    assert "1 change followed, 0 copies written" in ran.out
    assert "1 copy left in place whose source is gone; the latest:\n  purchases.customer of 1\n" in ran.out
    assert "or remove the copy too (--remove)" in ran.out
    again = nestling("sync", design, uri, "--once")
    assert again.code == 1
    assert "1 copy left in place" in again.out
    standing = nestling("sync", design, uri, "--status")
    assert "NOT all repaired: purchases.customer." in standing.out
    taken = nestling("sync", design, uri, "--once", "--remove", "--json")
    assert nestling("sync", design, uri, "--status", "--json").json["unrepaired"] == []
    assert nestling("sync", design, uri, "--once").code == 0
    assert (taken.code, taken.json["written"], taken.json["sourceless"], taken.json["left_copies"]) == (0, 1, 0, [])


def test_status_does_nothing_else(database: Database[Any], mongod: Server, tmp_path: Path) -> None:
    """What would act beside `--status` is refused, not ignored."""
    design, uri = _shop(database, mongod, tmp_path)
    ran = nestling("sync", design, uri, "--status", "--once", "--restart")
    assert ran.code == 2
    assert "leave out --once and --restart" in ran.err
