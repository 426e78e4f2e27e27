"""A server that has no primary for a while: a migration waits for it, or says that the same command goes on."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database
from pymongo.errors import PyMongoError

from nestling import pipeline
from nestling.common.errors import LibraryMissing, NestlingError, ServerNotFound
from nestling.executors.migrate import waiting
from nestling.ir.migration import Phase
from nestling.ir.proposal import Proposal
from tests.failing_server import failing_server
from tests.servers import missing

Documents = Database[dict[str, Any]]
INTERRUPTED, NOT_PRIMARY, BAD_VALUE = 11602, 10107, 2


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MongoClient[dict[str, Any]]]:
    """A server that can be told to refuse commands, and to step down."""
    try:
        with failing_server(tmp_path_factory.mktemp("failing")) as found:
            yield found
    except (ServerNotFound, LibraryMissing) as error:
        missing(str(error))


@pytest.fixture
def posts(client: MongoClient[dict[str, Any]]) -> Iterator[Documents]:
    """Posts with comments."""
    database = client["blog"]
    database.posts.insert_many(
        [{"_id": n, "comments": [{"_id": 3 * n + k, "text": f"t{k}"} for k in range(3)]} for n in range(900)]
    )
    yield database
    client.drop_database("blog")


@pytest.fixture
def moves(posts: Documents, client: MongoClient[dict[str, Any]]) -> tuple[Proposal, Proposal]:
    """What is there, and the comments in a collection of their own."""
    host, port = client.address or ("", 0)
    found = pipeline.in_place(f"mongodb://{host}:{port}/blog?directConnection=true")
    return found.in_place, pipeline.design(found.reading, "normalized")


@contextmanager
def failing(client: MongoClient[dict[str, Any]], command: str, code: int, mode: object) -> Iterator[None]:
    """While the block lasts, such commands fail."""
    told = {"failCommands": [command], "errorCode": code}
    client.admin.command("configureFailPoint", "failCommand", mode=mode, data=told)
    try:
        yield
    finally:
        client.admin.command("configureFailPoint", "failCommand", mode="off")


@pytest.mark.thorough
@pytest.mark.parametrize("command", ["aggregate", "createIndexes", "insert", "update"])
@pytest.mark.parametrize("code", [INTERRUPTED, NOT_PRIMARY])
def test_what_passes_is_waited_for(
    command: str, code: int, posts: Documents, moves: tuple[Proposal, Proposal], client: MongoClient[dict[str, Any]]
) -> None:
    """Whatever the migration was at."""
    told: list[str] = []
    with failing(client, command, code, {"times": 4}):
        done = pipeline.migrate(*moves, posts, cutover=True, watch=lambda what, *_: told.append(what))
    assert (done.phase, done.equal, posts.comments.count_documents({})) == (Phase.DONE, True, 2_700)


@pytest.mark.thorough
def test_a_primary_that_steps_down(
    posts: Documents, moves: tuple[Proposal, Proposal], client: MongoClient[dict[str, Any]]
) -> None:
    """While documents are built, and at the cutover; the member is elected again seconds later."""
    told: list[str] = []

    def watch(what: str, *_: object) -> None:
        if what in ("migrating comments", "migrating cutover") and what not in told:
            threading.Thread(target=step_down).start()
            time.sleep(0.2)
        told.append(what)

    def step_down() -> None:
        with suppress(PyMongoError):
            client.admin.command("replSetStepDown", 2, secondaryCatchUpPeriodSecs=1, force=True)

    done = pipeline.migrate(*moves, posts, cutover=True, watch=watch)
    assert {"waiting for the server", "migrating cutover"} <= {*told}
    assert (done.phase, done.equal, posts.comments.count_documents({})) == (Phase.DONE, True, 2_700)


def test_what_does_not_pass_says_what_to_do(
    posts: Documents,
    moves: tuple[Proposal, Proposal],
    client: MongoClient[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After a while, in a message that says how to go on; any other error is told at once."""
    told: list[str] = []
    monkeypatch.setattr(waiting, "PATIENCE_SECONDS", 1.0)
    with (
        failing(client, "aggregate", INTERRUPTED, "alwaysOn"),
        pytest.raises(NestlingError, match=waiting.CONTINUE_BY_RUNNING_AGAIN),
    ):
        pipeline.migrate(*moves, posts)
    with failing(client, "aggregate", BAD_VALUE, "alwaysOn"), pytest.raises((NestlingError, PyMongoError)) as refused:
        pipeline.migrate(*moves, posts, watch=lambda what, *_: told.append(what))
    assert waiting.CONTINUE_BY_RUNNING_AGAIN not in str(refused.value)
    assert "waiting for the server" not in told
