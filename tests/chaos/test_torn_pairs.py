"""`same-document` and `transaction` copies: a concurrent reader never sees a source and its copy that do not agree."""

from __future__ import annotations

import os
import time
import uuid
from random import Random

import pytest
from pymongo.database import Database

from nestling.common.server import Server
from tests.chaos.replica_set import ReplicaSet
from tests.chaos.torn_pairs import KINDS, Pairs
from tests.laws.tally import Counts

READS = int(os.environ.get("NESTLING_TORN_READS", "2000000"))
FAULT_SECONDS = 5.0


def test_nobody_sees_a_torn_pair(mongod: Server, database: Database[dict[str, object]], tally: Counts) -> None:
    """Two seconds of writers and readers on one server."""
    pairs = Pairs(mongod.uri, database.name)
    pairs.load()
    with pairs.under_way():
        time.sleep(2)
    assert (pairs.surprises, pairs.torn.total(), pairs.failed) == ([], 0, 0)
    assert pairs.written > 0
    assert pairs.least_seen > 0
    _count(tally, pairs)


def test_a_torn_pair_is_seen(mongod: Server, database: Database[dict[str, object]]) -> None:
    """The same readers find a name and a line changed behind the copies' backs."""
    pairs = Pairs(mongod.uri, database.name)
    pairs.load()
    database["customers"].update_one({"_id": 1}, {"$set": {"name": "torn"}})
    database["purchases"].update_one({"_id": 2}, {"$push": {"lines": {"number": 99, "quantity": 1}}})
    with pairs.under_way(writers=0):
        while not pairs.least_seen and not pairs.surprises:
            time.sleep(0.01)
    assert pairs.surprises == []
    assert all(pairs.torn[kind] > 0 for kind in KINDS)


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_nobody_sees_a_torn_pair_in_a_failover(servers: ReplicaSet, tally: Counts) -> None:
    """Millions of reads of each kind, while the primary is killed, stalled and told to step down."""
    chance, pairs = Random(1), Pairs(servers.uri, f"torn_{uuid.uuid4().hex}")
    pairs.load()
    with pairs.under_way():
        while pairs.least_seen < READS and not pairs.surprises:
            kind = chance.choice(("kill", "stall", "step down"))
            _fault(servers, kind)
            tally["torn pairs: faults", kind] += 1
            time.sleep(FAULT_SECONDS)
    assert (pairs.surprises, pairs.torn.total()) == ([], 0)
    assert pairs.written > 0
    _count(tally, pairs)


def _fault(servers: ReplicaSet, kind: str) -> None:
    primary = servers.primary()
    if kind == "step down" or primary is None:
        servers.step_down()
    elif kind == "kill":
        primary.kill()
        time.sleep(1)
    else:
        primary.proxy.stall()
        time.sleep(3)
    servers.heal()


def _count(tally: Counts, pairs: Pairs) -> None:
    tally.update({("torn pairs: read", kind): number for kind, number in pairs.seen.items()})
    tally["torn pairs", "rows written meanwhile"] += pairs.written
    tally["torn pairs", "writes refused meanwhile"] += pairs.failed
