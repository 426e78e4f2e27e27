"""Make a lone mongod the primary of a replica set of one: transactions and change streams need that."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from pymongo.errors import OperationFailure

from nestling.common.errors import Problem, ServerError
from nestling.common.server_codes import NOT_YET_INITIALIZED

if TYPE_CHECKING:
    from pymongo import MongoClient

NAME = "nestling"
POLL_SECONDS = 0.01


def become_primary(client: MongoClient[dict[str, Any]], host: str, *, timeout_seconds: float) -> None:
    """Initiate the set, or move one found in a reused data directory to `host`, and wait for the primary.

    Raises ServerError when the directory's set cannot be ours, or when no primary is elected in time.
    """
    try:
        _configure(client, host)
    except OperationFailure as error:
        said = (error.details or {}).get("errmsg", str(error))
        raise _no_primary(f"the replica set cannot be set up: {said}") from error
    end = time.monotonic() + timeout_seconds
    while not client.admin.command("hello").get("isWritablePrimary"):
        if time.monotonic() > end:
            raise _no_primary(f"the server at {host} did not become primary within {timeout_seconds:g} s")
        time.sleep(POLL_SECONDS)


def _no_primary(what: str) -> ServerError:
    move = f"use a directory created by nestling, or one of a single-member replica set named `{NAME}`"
    return ServerError(Problem(what, next_move=move))


def _configure(client: MongoClient[dict[str, Any]], host: str) -> None:
    """Give the set its one member, at this host and port."""
    member = {"_id": 0, "host": host}
    try:
        config = client.admin.command("replSetGetConfig")["config"]
    except OperationFailure as error:
        if error.code != NOT_YET_INITIALIZED:
            raise
        client.admin.command("replSetInitiate", {"_id": NAME, "version": 1, "members": [member]})
        return
    hosts = [found["host"] for found in config["members"]]
    if config["_id"] != NAME or len(hosts) != 1:  # somebody's real server: not ours to reconfigure
        raise _no_primary(f"the data belongs to the replica set `{config['_id']}` of {', '.join(hosts)}")
    if hosts != [host]:
        config |= {"version": config["version"] + 1, "members": [member]}
        client.admin.command("replSetReconfig", config, force=True)  # by force: a moved member cannot vote
