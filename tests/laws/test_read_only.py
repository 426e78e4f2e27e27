"""Law 7: what only reads does not write – a user who may only read is enough, and the source stays as it was, byte for byte."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from nestling.common.server import Server
from nestling.ir.proposal import Proposal
from nestling.ir.text import write_proposal
from tests.cli.commands import nestling
from tests.executors.check.library import library, rows
from tests.servers import PASSWORD, guarded_mongod
from tests.sqlite_rows import sqlite_source


@pytest.fixture(scope="module")
def reader(mongod: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A folder with a library, its design and a workload, and the address of the same loaded, of a user who may only read it."""
    folder = tmp_path_factory.mktemp("library")
    sqlite_source(folder / "library.db", rows().model, rows().rows)
    (folder / "design.yaml").write_text(write_proposal(Proposal("", library())), encoding="utf-8")
    with guarded_mongod() as address, MongoClient[dict[str, Any]](f"mongodb://root:{PASSWORD}@{address}") as client:
        everything = f"mongodb://root:{PASSWORD}@{address}/library?authSource=admin"
        loaded = nestling("load", "design.yaml", "--from", "sqlite:///library.db", "--to", everything, cwd=folder)
        assert loaded.code == 0, loaded.err
        client.admin.command("createUser", "reader", pwd="reads", roles=[{"role": "read", "db": "library"}])
        yield folder, f"mongodb://reader:reads@{address}/library?authSource=admin"


@pytest.mark.parametrize(
    "arguments",
    [
        ("inspect", "{mongodb}"),
        ("design", "{mongodb}", "--strategy", "normalized"),
        ("doctor", "{mongodb}"),
        ("check", "design.yaml", "{mongodb}"),
        ("verify", "design.yaml", "{mongodb}", "--from", "sqlite:///library.db"),
        ("inspect", "sqlite:///library.db"),
        ("design", "sqlite:///library.db"),
    ],
    ids=lambda each: " ".join(each[:2]),
)
def test_reading_needs_no_right_to_write(reader: tuple[Path, str], arguments: tuple[str, ...]) -> None:
    """Each command that only reads comes to its end as a user who may only read, and the SQL source is the same file."""
    folder, mongodb = reader
    before = _files(folder)
    done = nestling(*(each.format(mongodb=mongodb) for each in arguments), cwd=folder)
    assert done.code == 0, done.err
    assert _files(folder) == before


def _files(folder: Path) -> dict[str, bytes]:
    """What lies in the folder: a source that is written to is another file, or leaves a journal beside it."""
    return {each.name: each.read_bytes() for each in sorted(folder.iterdir())}
