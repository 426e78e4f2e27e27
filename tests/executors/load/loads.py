"""Loading a case's rows from SQLite into a real database, with everything a design brings along: validators and indexes."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

from pymongo.database import Database

from nestling.emitters.commands import collection_commands, index_commands, unseen_commands
from nestling.executors.create import create
from nestling.executors.load import LoadReport, load, written_collections
from nestling.ir.codec import CODEC
from nestling.ir.design import Design
from nestling.ir.rows import RowSource
from tests.sqlite_rows import sqlite_source

_numbers = count()


def load_rows(
    design: Design, rows: dict[str, list[tuple[object, ...]]], database: Database[Any], directory: Path, **more: Any
) -> LoadReport:
    """Create the design's collections and load rows of its entities."""
    source = sqlite_source(directory / f"source{next(_numbers)}.db", design.model, rows)
    return load_source(design, source, database, **more)


def load_source(design: Design, source: RowSource, database: Database[Any], **more: Any) -> LoadReport:
    """Create the design's collections and load a source."""
    names = written_collections(design)
    create(
        collection_commands(design),
        database,
        names,
        replace=more.pop("replace", False),
        resume=bool(more.get("resume")),
    )
    return load(design, source, database, indexes=index_commands(design), unseen=unseen_commands(design), **more)


def documents_in(database: Database[Any], name: str) -> list[dict[str, Any]]:
    """A collection's documents, by `_id`."""
    return list(database.get_collection(name, codec_options=CODEC).find().sort("_id", 1))
