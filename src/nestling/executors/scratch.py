"""Databases of our own on a user's server: with unique names, and always dropped at the end."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from pymongo.database import Database
from pymongo.errors import ConnectionFailure


@contextmanager
def scratch_databases(beside: Database[Any], labels: Sequence[str]) -> Iterator[list[Database[Any]]]:
    """Create a new database for each label, on the server of `beside`."""
    stem = f"nestling_scratch_{uuid.uuid4().hex[:12]}"
    names = [f"{stem}_{label}" for label in labels]
    try:
        yield [beside.client[name] for name in names]
    finally:
        with suppress(ConnectionFailure):  # on a server that is gone there is nothing to drop
            for name in names:
                beside.client.drop_database(name)
