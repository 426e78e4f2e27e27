"""The servers that faults are tried on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from nestling.common.errors import LibraryMissing, ServerNotFound
from tests.chaos.replica_set import ReplicaSet, find_clock_library, replica_set
from tests.servers import missing


@pytest.fixture(scope="module")
def servers() -> Iterator[ReplicaSet]:
    """A replica set of three."""
    try:
        with replica_set() as found:
            yield found
    except (ServerNotFound, LibraryMissing) as error:
        missing(str(error))


@pytest.fixture(scope="module")
def servers_with_clocks() -> Iterator[ReplicaSet]:
    """A replica set of three whose clocks can be set."""
    library = find_clock_library()
    if library is None:
        pytest.skip("libfaketime is not installed (apt-get install libfaketime)")
    with replica_set(library) as found:
        yield found
