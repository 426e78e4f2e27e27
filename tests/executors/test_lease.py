"""One process has a lease; whoever waits for it gets it when that process is gone, whatever the clocks say."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import pytest
from pymongo.database import Database

from nestling.common.errors import LeaseLost
from nestling.executors.lease import Lease

SECONDS = 1.0
LATER = datetime(2200, 1, 1, tzinfo=UTC)


@pytest.fixture
def leases(database: Database[Any]) -> tuple[Lease, Lease]:
    """Two that want the same."""
    return Lease(database, "leases", "it", "it", seconds=SECONDS), Lease(database, "leases", "it", "it", seconds=0.1)


def waited(lease: Lease, seconds: float) -> bool:
    """Whether the lease is had within so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if lease.taken() is not None:
            return True
        time.sleep(0.05)
    return False


def test_a_clock_that_was_set_back_keeps_no_dead_process_alive(
    leases: tuple[Lease, Lease], database: Database[Any]
) -> None:
    """A lease that ends in two hundred years and is not renewed is taken after its own time, and not before."""
    dead, other = leases
    assert dead.taken() is not None
    database["leases"].update_one({"_id": "it"}, {"$set": {"expires": LATER}})
    began = time.monotonic()
    assert waited(other, 10 * SECONDS)
    assert time.monotonic() - began > SECONDS
    with pytest.raises(LeaseLost):
        dead.change({"$set": {"point": 1}})


@pytest.mark.thorough
def test_a_lease_that_is_renewed_is_not_taken(leases: tuple[Lease, Lease]) -> None:
    """However short the time of the one who waits."""
    alive, other = leases
    assert alive.taken() is not None
    alive.keep()
    assert not waited(other, 3 * SECONDS)
    alive.release()
    assert waited(other, 10 * SECONDS)
