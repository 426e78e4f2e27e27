"""The bundled shop as SQL and as documents of several designs, and what is needed to ask both the same."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from bson import Decimal128
from pymongo import MongoClient
from pymongo.database import Database

from nestling import pipeline
from nestling.ir.proposal import Proposal
from nestling.recorder import Recorder
from nestling.sources.capture.sql.workload import CapturedStatement, CapturedWorkload

Db = Database[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Shop:
    """One design of the shop, loaded; `folder` holds `shop.db` and `workload.sql`."""

    folder: Path
    proposal: Proposal
    database: Db
    uri: str

    @contextmanager
    def recorded(self, name: str) -> Iterator[tuple[Recorder, Db]]:
        """The database through a client that records to a file of this name, with sample values."""
        with (
            Recorder(self.folder / name, samples=True) as recorder,
            MongoClient[dict[str, Any]](self.uri, appname="app", event_listeners=[recorder]) as client,
        ):
            yield recorder, client[self.database.name]

    def said(self, recorder: Recorder) -> CapturedWorkload:
        """What was recorded, as statements."""
        return pipeline.captured_workload(recorder.capture(), self.proposal.design)

    def rows(self, sql: str, values: Mapping[str, object] | None = None) -> list[tuple[object, ...]]:
        """What SQLite answers."""
        with closing(sqlite3.connect(self.folder / "shop.db")) as connection:
            return [tuple(map(plain, row)) for row in connection.execute(sql, dict(values or {}))]

    def answer(self, said: CapturedStatement) -> list[tuple[object, ...]]:
        """What SQLite answers to a captured statement, with its sample values."""
        return self.rows(said.sql, dict(said.samples))


def plain(value: object) -> object:
    """A value as SQLite would have it."""
    match value:
        case Decimal128():
            return float(value.to_decimal())
        case Decimal():
            return float(value)
        case datetime():
            return value.isoformat(sep=" ") if value.time() != value.min.time() else value.date().isoformat()
        case date():
            return value.isoformat()
        case _:
            return value


def leaves(document: Mapping[str, Any]) -> tuple[object, ...]:
    """The scalar values of a document, in order."""
    found: list[object] = []
    for value in document.values():
        found += leaves(value) if isinstance(value, Mapping) else [plain(value)]
    return tuple(found)
