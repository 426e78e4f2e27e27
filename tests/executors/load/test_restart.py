"""Whatever stops a load, resuming ends with exactly the documents of a load that nothing stopped."""

from __future__ import annotations

import os
import random
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.common.connection import connect
from nestling.common.errors import ConnectionFailed, LoadError
from nestling.common.server import Server, start_server
from nestling.emitters.mql import aggregation
from nestling.executors.load import load, sender, writer
from nestling.executors.verify import verify
from nestling.ir.codec import CODEC
from nestling.ir.design import Design
from nestling.ir.rows import RowQuery, RowSource
from nestling.ir.storage.names import CHECKPOINT_COLLECTION
from nestling.planner.homes.views import home_views
from tests.executors.load import loading_process
from tests.executors.load.loads import load_source
from tests.executors.load.shops import DESIGN, MODEL, shop_rows
from tests.forked import forked
from tests.soaking import examples
from tests.sqlite_rows import sqlite_source

ORDERS = 60


class StoppedError(Exception):
    """Stands for whatever ends a load."""


def stop() -> None:
    """End a load."""
    raise StoppedError


def interrupt() -> None:
    """Ctrl-C."""
    signal.raise_signal(signal.SIGINT)


class Stopping:
    """A source in which something happens before the last of so many rows."""

    def __init__(self, source: RowSource, rows: int, stop: Callable[[], None] = stop) -> None:
        self.model = source.model
        self._source, self._rows, self._stop = source, rows, stop

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with self._source.snapshot():
            yield

    def count(self, entity: str) -> int:
        return self._source.count(entity)

    def highest_number(self, entity: str, attribute: str) -> int | None:
        return self._source.highest_number(entity, attribute)

    def rows(self, query: RowQuery) -> Iterator[tuple[object, ...]]:
        for row in self._source.rows(query):
            self._rows -= 1
            if self._rows == 0:
                self._stop()
            yield row


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every few documents are a batch, and every batch is followed by a checkpoint."""
    monkeypatch.setattr(sender, "BATCH_DOCUMENTS", 7)
    monkeypatch.setattr(writer, "CHECKPOINT_SECONDS", 0.0)


@pytest.fixture
def source(tmp_path: Path) -> RowSource:
    """The shop in SQLite."""
    return sqlite_source(tmp_path / "shop.db", MODEL, shop_rows(ORDERS))


def contents(database: Database[Any]) -> dict[str, list[str]]:
    """Every document of every collection, without times of computation."""
    names = [name for name in database.list_collection_names() if not name.startswith("system.")]
    return {name: sorted(_text(document) for document in _collection(database, name).find()) for name in names}


def _collection(database: Database[Any], name: str) -> Any:
    return database.get_collection(name, codec_options=CODEC)


def _text(document: dict[str, Any]) -> str:
    document.get("about", {}).pop("at", None)
    document.pop("uploadDate", None)
    return repr(sorted(document.items()))  # a time series gives fields back in any order


@pytest.mark.thorough
def test_stopped_anywhere_and_resumed(database: Database[Any], source: RowSource, small_batches: None) -> None:
    """Stopped again and again, each time some rows later, the load still ends as one that ran through."""
    load_source(DESIGN, source, database)
    whole, report = contents(database), None
    read = 0
    for stops in range(1, 1000):
        read = 60 + stops * 9
        stopping: RowSource = Stopping(source, read)
        with suppress(StoppedError):
            report = load_source(DESIGN, stopping, database, replace=stops == 1, resume=stops > 1)
            break
    assert stops > 10
    assert contents(database) == whole
    assert report is not None
    assert report.entities == {name: (len(rows), len(rows)) for name, rows in shop_rows(ORDERS).items()}
    assert {name: n for name, n in report.documents.items() if n} == {
        name: len(found) for name, found in whole.items() if found
    }
    assert CHECKPOINT_COLLECTION not in database.list_collection_names()


@pytest.mark.thorough
def test_what_is_loaded_gives_the_rows_back(database: Database[Any], source: RowSource) -> None:
    """Reading all homes of the shop back gives its rows: the documents compared above are right, and not just equal."""
    load_source(DESIGN, source, database)
    homes = {name: aggregation(view) for name, view in home_views(DESIGN).items()}
    report = verify(MODEL, homes, source, database)
    assert report.equal, report.differences


def test_ctrl_c_keeps_what_was_handed_over(database: Database[Any], source: RowSource, small_batches: None) -> None:
    """The interruption says how to go on, and going on does not begin again."""
    with pytest.raises(KeyboardInterrupt) as caught:
        load_source(DESIGN, Stopping(source, 400, interrupt), database)
    assert "--resume" in str(caught.value.__notes__)
    written = database.orders.count_documents({})
    assert written > 0
    read = Counting(source)
    load_source(DESIGN, read, database, resume=True)
    assert database.orders.count_documents({}) > written
    assert read.roots["order"] < ORDERS


class Counting(Stopping):
    """A source that counts the rows read of each entity as a root."""

    def __init__(self, source: RowSource) -> None:
        super().__init__(source, -1)
        self.roots: Counter[str] = Counter()

    def rows(self, query: RowQuery) -> Iterator[tuple[object, ...]]:
        for row in super().rows(query):
            self.roots[query.entity] += not any(column.path for column in query.order)
            yield row


@pytest.mark.thorough
def test_nothing_is_resumed_over_another_design_or_source(
    database: Database[Any], source: RowSource, tmp_path: Path, small_batches: None
) -> None:
    """Both are named, and nothing is written."""
    with pytest.raises(StoppedError):
        load_source(DESIGN, Stopping(source, 400), database)
    before = contents(database)
    other = Design(MODEL, (replace(DESIGN.collections[0], constants=(("version", 3),)), *DESIGN.collections[1:]))
    with pytest.raises(LoadError, match="another design"):
        load(other, source, database, resume=True)
    more = sqlite_source(tmp_path / "more.db", MODEL, shop_rows(ORDERS + 1))
    with pytest.raises(LoadError, match="`order` had 60 rows and has 61"):
        load(DESIGN, more, database, resume=True)
    assert contents(database) == before


@pytest.mark.thorough
def test_a_finished_load_is_not_resumed(database: Database[Any], source: RowSource) -> None:
    """What is loaded is not loaded again."""
    load_source(DESIGN, source, database)
    with pytest.raises(LoadError, match=r"`orders` \(32\), `old_orders` \(28\)"):
        load(DESIGN, source, database, resume=True)


@pytest.mark.thorough
def test_a_document_that_is_there_already_must_be_the_same(
    database: Database[Any], source: RowSource, small_batches: None
) -> None:
    """A batch is repeated over its own documents only: a different one under the same `_id` is an error."""
    with pytest.raises(StoppedError):
        load_source(DESIGN, Stopping(source, 400), database)
    database.customers.insert_one({"_id": "c001", "name": "not from the source"})
    with pytest.raises(LoadError, match="c001"):
        load(DESIGN, source, database, resume=True)


CUSTOMERS = examples(100, 300)
LONGER = 1.03
"""A busy machine gets less done in the same time."""


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(2, 11))])
def test_killed_at_random_points(mongod: Server, database: Database[Any], tmp_path: Path, seed: int) -> None:
    """A loading process is killed (SIGKILL) again and again; in the end nothing is lost or doubled."""
    path = tmp_path / "shop.db"
    source = sqlite_source(path, MODEL, shop_rows(CUSTOMERS))
    chance, kills = random.Random(seed), 0
    for attempt in range(200):
        with forked(loading_process.main, path, mongod.uri, database.name, attempt > 0) as process:
            process.join(timeout=chance.uniform(0.0, 0.6) * LONGER**attempt)
        if process.exitcode == 0 or is_finished(database):
            break
        kills += 1
    assert kills >= 1
    killed = contents(database)
    load_source(DESIGN, source, database, replace=True)
    assert killed == contents(database)


def is_finished(database: Database[Any]) -> bool:
    """Whether a load has ended: its last collection is filled and its checkpoint is gone."""
    return database.tags.find_one() is not None and CHECKPOINT_COLLECTION not in database.list_collection_names()


@pytest.mark.thorough
def test_the_server_is_killed(tmp_path: Path, database: Database[Any], source: RowSource, small_batches: None) -> None:
    """mongod dies (SIGKILL) in the middle: the load says so, and goes on when the server is back."""
    folder = tmp_path / "data"
    with start_server(data_directory=folder) as server, connect(server.uri, selection_seconds=1) as client:
        assert server.pid is not None
        target = client["shop"]
        with pytest.raises(ConnectionFailed, match="reach the server"):
            load_source(DESIGN, Stopping(source, 900, partial(os.kill, server.pid, signal.SIGKILL)), target)
    with start_server(data_directory=folder) as server, connect(server.uri) as client:
        load_source(DESIGN, source, client["shop"], resume=True)
        killed = contents(client["shop"])
    load_source(DESIGN, source, database)
    assert killed == contents(database)
