"""Loads the shop, in small batches and with a pause after each: a process to kill."""

from __future__ import annotations

import time
from multiprocessing.connection import Connection
from pathlib import Path

from nestling.common.connection import connect
from nestling.executors.load import loading, sender, writer
from nestling.sources.sql import open_database
from tests.executors.load.loads import load_source
from tests.executors.load.shops import DESIGN, MODEL

PAUSE_SECONDS = 0.005


class SlowWriter(writer.Writer):
    """Gives whoever wants to kill this process time to do so in the middle."""

    def write(self, batch: writer.DocumentBatch) -> None:
        super().write(batch)
        time.sleep(PAUSE_SECONDS)


def main(path: Path, uri: str, database: str, resume: bool, begins: Connection) -> None:
    """Load."""
    vars(sender)["BATCH_DOCUMENTS"] = 5
    vars(writer)["CHECKPOINT_SECONDS"] = 0.02
    vars(loading)["Writer"] = SlowWriter
    with connect(uri) as client:
        source = open_database(f"sqlite:///{path}", model=MODEL)
        begins.send("begins")  # what the test waits for
        load_source(DESIGN, source, client[database], resume=resume)
