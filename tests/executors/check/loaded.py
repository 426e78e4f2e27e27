"""Designs of any shape, loaded, to be checked."""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pymongo import MongoClient
from pymongo.database import Database

from nestling.emitters.commands import collection_commands, unseen_commands
from nestling.executors.check import CheckReport
from nestling.executors.create import create
from nestling.executors.load import load, written_collections
from nestling.ir.design import Design
from nestling.ir.proposal import Proposal
from nestling.pipeline.checking import check
from nestling.sources.sql.row_source import SqlDatabase
from tests.generators.worlds import World, with_seen_types
from tests.sqlite_rows import sqlite_source

Row = dict[str, Any]


@contextmanager
def loaded(client: MongoClient[Row], world: World, design: Design) -> Iterator[tuple[Proposal, Database[Row]]]:
    """The design, its types as they were seen, in a database of its own without validation: people edit by hand here."""
    database = client[f"check_{uuid.uuid4().hex}"]
    with tempfile.TemporaryDirectory() as directory:
        source = sqlite_source(Path(directory) / "source.db", world.model, world.rows)
        design = Design(with_seen_types(design.model, source), design.collections)
        try:
            create(collection_commands(design), database, written_collections(design))
            load(design, SqlDatabase(source.address, design.model), database, unseen=unseen_commands(design))
            for name in database.list_collection_names(filter={"type": "collection"}):
                if not name.startswith("system."):
                    database.command("collMod", name, validationLevel="off")
            yield Proposal("", design), database
        finally:
            client.drop_database(database.name)


def checked(proposal: Proposal, database: Database[Row], **options: Any) -> CheckReport:
    """The report of a check."""
    return check(proposal, database, **options)
