"""A small source in every form nestling takes, so that damage hits something that matters."""

from __future__ import annotations

import sqlite3
import uuid
from contextlib import closing
from pathlib import Path

import pytest
from pymongo import MongoClient

from nestling.common.server import Server
from nestling.recorder import Recorder
from nestling.store import Store
from tests.cli.commands import nestling
from tests.fuzz.doors import TEXTS


@pytest.fixture(scope="session")
def small_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a schema, a database, a workload, a model, and a design that embeds."""
    folder = tmp_path_factory.mktemp("small")
    for path in TEXTS.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    (folder / "sqlite.sql").rename(folder / "schema.sql")
    with closing(sqlite3.connect(folder / "shop.db")) as connection, connection:
        connection.executescript((folder / "schema.sql").read_text())
        connection.execute("INSERT INTO author VALUES (1, 'Ada', '1815-12-10')")
        connection.execute("INSERT INTO book VALUES (1, 1, 2.5)")
    _run(folder, "inspect", "sqlite:///shop.db", "--workload", "workload.sql", "-o", "model.yaml")
    _run(folder, "design", "model.yaml", "--strategy", "embedded", "-o", "design.yaml")
    (folder / "sqlite.sql").write_bytes((folder / "schema.sql").read_bytes())
    return folder


@pytest.fixture(scope="session")
def small(small_files: Path, mongod: Server) -> dict[str, bytes]:
    """The files by name, with what a live server gives: facts, a report, a recording and a log."""
    name = f"fuzz_{uuid.uuid4().hex[:8]}"
    uri = mongod.uri.replace("/?", f"/{name}?")
    _run(small_files, "load", "design.yaml", "--from", "sqlite:///shop.db", "--to", uri)
    _use(small_files, uri, name)
    _run(small_files, "doctor", uri, "--save", "facts.json", "--fail-on", "never")
    report = nestling("doctor", "--facts", "facts.json", "--json", cwd=small_files)
    (small_files / "baseline.json").write_text(report.out, encoding="utf-8")
    with MongoClient[dict](mongod.uri) as client:
        client.drop_database(name)
    return {path.name: path.read_bytes() for path in small_files.iterdir()}


def _use(folder: Path, uri: str, name: str) -> None:
    """Run the workload while it is recorded and noted in the server's log."""
    with (
        Recorder(folder / "capture.json") as recorder,
        MongoClient[dict](uri, appname="app", event_listeners=[recorder]) as client,
    ):
        database = client[name]
        database.command("profile", 0, slowms=0)
        store = Store(folder / "design.yaml", database, workload=folder / "workload.sql")
        store.run("page", id=1)
        store.run("cheap", least=1, name="Ada", other="Bob")
        store.run("add", b=2, a=1)
        store.run("rename", id=1, name="Eve")
        database["author"].update_one({"_id": 1}, {"$push": {"x": {"$each": [1], "$slice": 3}}}, upsert=True)
        database.command("profile", 0, slowms=100)
        lines = client.admin.command("getLog", "global")["log"]
    noted = [line.strip() for line in lines if "Slow query" in line and name in line]
    (folder / "mongod.log").write_text("\n".join(noted), encoding="utf-8")


def _run(folder: Path, *arguments: str) -> None:
    done = nestling(*arguments, cwd=folder)
    assert done.code == 0, done.err
