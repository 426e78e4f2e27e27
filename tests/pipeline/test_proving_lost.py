"""A server that dies while designs are proved, or whose disk is full: what was measured before is told, and what is missing."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import pytest
from pymongo import MongoClient

from nestling.common.errors import ConnectionFailed, DiskFull, LibraryMissing, ServerNotFound
from nestling.common.server import Server, start_server
from nestling.emitters.proof import html
from nestling.ir.proof import Proof
from nestling.ir.watching import Watch
from nestling.ir.words.proof_words import verdict
from nestling.pipeline.parameter_values import bindings
from nestling.pipeline.proving import Effort, prove
from nestling.sources.front import open_rows
from tests.failing_server import failing_server, full_disk
from tests.pipeline.test_proving import READS, TINY, WRITES, source, two
from tests.servers import missing

QUICKLY_MS = 500


def proved(
    server: Server, client: MongoClient[dict[str, Any]], folder: Path, statements: str, effort: Effort, watch: Watch
) -> Proof:
    address, reading = source(folder, statements)
    values = bindings(reading, open_rows(address, reading.model))
    on = (server, client["nestling_prove"])
    return prove(reading, two(reading), lambda model: open_rows(address, model), values, on, effort=effort, watch=watch)


@contextmanager
def mortal() -> Iterator[tuple[Server, MongoClient[dict[str, Any]]]]:
    """A server that may be killed."""
    with (
        start_server() as server,
        MongoClient[dict[str, Any]](server.uri, serverSelectionTimeoutMS=QUICKLY_MS) as client,
    ):
        yield server, client


def killed(server: Server) -> None:
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)


def killed_after(server: Server, reads: int) -> None:
    """Kill it, from another thread, once it has answered so many more reads."""

    def asked(client: MongoClient[dict[str, Any]]) -> int:
        return int(client.admin.command("serverStatus")["opcounters"]["query"])

    def watch() -> None:
        with MongoClient[dict[str, Any]](server.uri, serverSelectionTimeoutMS=QUICKLY_MS) as client:
            until = asked(client) + reads
            while asked(client) < until:
                sleep(0.001)
        killed(server)

    Thread(target=watch, daemon=True).start()


@pytest.mark.thorough
def test_a_server_that_dies_in_a_round(tmp_path: Path) -> None:
    """The rounds before are told, none of the one it died in is counted, and it is said what is missing."""
    with mortal() as (server, client):

        def watch(what: str, *_: object) -> None:
            if what.startswith("round 4"):
                killed_after(server, 12)

        proof = proved(server, client, tmp_path, READS, replace(TINY, seconds=4.0, rounds=6), watch)
    rounds = proof.setting.rounds
    assert 3 <= rounds < 6
    assert "cannot reach the server: " in proof.missing
    assert f"after {rounds} of 6 rounds" in proof.missing
    assert "without the other rounds, the final comparison of rows" in proof.missing
    assert all(each.counts for each in proof.designs)
    chosen, embedded = proof.designs
    assert [one.latency and one.latency.runs for one in chosen.statements] == [
        one.latency and one.latency.runs for one in embedded.statements
    ]
    assert "Not all of it was measured" in html(proof)
    assert verdict(proof).endswith("not compared with a source: no source was given; NOT ALL MEASURED")


@pytest.mark.soak
def test_a_server_that_dies_in_the_open_loop(tmp_path: Path) -> None:
    """All rounds are told then, and their rows were compared."""
    with mortal() as (server, client):
        proof = proved(
            server, client, tmp_path, READS, TINY, lambda what, *_: killed(server) if what.startswith("open") else None
        )
    assert "after 4 of 4 rounds" in proof.missing
    assert proof.missing.endswith("without the open loop and the comparison of rows after it")
    assert all(each.counts and each.opened is None for each in proof.designs)


@pytest.mark.soak
def test_a_server_that_dies_before_anything_is_measured(tmp_path: Path) -> None:
    """Then there is nothing to tell but that."""
    with mortal() as (server, client), pytest.raises(ConnectionFailed):
        proved(
            server, client, tmp_path, READS, TINY, lambda what, *_: killed(server) if what.startswith("warm") else None
        )


@pytest.mark.soak
def test_a_disk_that_is_full(tmp_path: Path) -> None:
    """In a round it ends the run as a lost server does, and blames no design; when rows are loaded it is the error."""
    with ExitStack() as stack:
        try:
            client = stack.enter_context(failing_server(tmp_path))
        except (ServerNotFound, LibraryMissing) as error:
            missing(str(error))
        host, port = client.address or ("", 0)
        server = Server(f"mongodb://{host}:{port}/?directConnection=true", "", "")
        ours = stack.enter_context(MongoClient[dict[str, Any]](server.uri))

        def watch(what: str, *_: object) -> None:
            if what.startswith("round 3"):
                (first,) = (name for name in client.list_database_names() if name.endswith("_0"))
                stack.enter_context(full_disk(client, "update", f"{first}.author"))

        often = READS + WRITES.replace("rate: 2/s", "rate: 200/s")
        proof = proved(server, ours, tmp_path, often, TINY, watch)
        assert proof.missing.startswith("the server's disk is full, after 2 of 4 rounds")
        assert all(each.counts for each in proof.designs)

        def at_once(what: str, *_: object) -> None:
            if what.startswith("loading chosen"):
                (first,) = (name for name in client.list_database_names() if name.endswith("_0"))
                stack.enter_context(full_disk(client, "insert", f"{first.removesuffix('0')}1.author"))

        with pytest.raises(DiskFull):
            proved(server, ours, tmp_path, often, TINY, at_once)
