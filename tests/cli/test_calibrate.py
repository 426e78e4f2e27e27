"""`nestling calibrate`: a profile of the server at hand, and nothing left on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from nestling.common.server import Server
from nestling.cost import default_profile, price, read_profile
from nestling.ir.paths import work_of
from nestling.ir.paths.work import NAMES
from tests.cli.commands import nestling


def test_a_server_is_measured(mongod: Server, mongo_client: MongoClient[dict[str, Any]], tmp_path: Path) -> None:
    """The file and `--json` hold the same coefficients of that server; what was predicted is near; no database is left."""
    before = set(mongo_client.list_database_names())
    done = nestling("calibrate", mongod.uri, "-o", "profile.yaml", "--seconds", "5", "--json", cwd=tmp_path)
    assert done.code == 0
    profile = read_profile(tmp_path / "profile.yaml")
    found = done.json
    assert list(found) == ["name", "identity", "compression", "coefficients", "measurements"]
    assert list(found["coefficients"]) == list(NAMES)
    assert found["identity"]["server"] == profile.identity.server == mongod.version
    assert profile.identity.cache_bytes > 0
    assert {each["name"].split("/")[0] for each in found["measurements"]} >= {"normalized", "embedded", "transaction_1"}
    errors = sorted(each["q_error"] for each in found["measurements"])
    assert errors[len(errors) // 2] < 2
    read = work_of.request() + work_of.fetch_by_index(10, 500) + work_of.send(10, 500)
    assert price(read, profile) == pytest.approx(price(read, default_profile()), rel=9)
    assert {n for n in mongo_client.list_database_names() if n.startswith("nestling_scratch")} == set()
    assert set(mongo_client.list_database_names()) <= before | {"config"}


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    """A profile that could not be kept is refused before anything is measured."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = nestling("calibrate", "-o", "file/profile.yaml", cwd=tmp_path)
    assert done.code == 2
    assert "cannot be written" in done.err


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    """No server: exit code 2 and a sentence."""
    done = nestling("calibrate", "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100", cwd=tmp_path)
    assert done.code == 2
    assert "cannot reach the server" in done.err
