"""An application that writes, as a process of its own: `python -m tests.chaos.client ORDER.json`; it may be killed at any time.

Every statement is written down before it is asked, and again with what came of it, so that whoever reads the log knows which
were acknowledged. It ends with the first statement of which it does not know.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from pathlib import Path
from random import Random
from typing import Any

from pymongo import MongoClient
from pymongo.errors import PyMongoError

from nestling.common.errors import ConstraintError, GapError, ReadError, WriteError
from nestling.executors.write import run_write
from nestling.ir.paths.write_path import Violation
from nestling.ir.proposal import Proposal
from nestling.ir.text import read_file
from tests.generators.writes import Writer
from tests.write_traces import Trace

UNKNOWN = 3


def main(order: dict[str, object]) -> int:
    """Write `count` statements to `uri`'s database and to a SQLite file of its own."""
    proposal = read_file(Path(str(order["design"])))
    assert isinstance(proposal, Proposal)
    connection = sqlite3.connect(str(order["sqlite"]))
    connection.execute("PRAGMA foreign_keys = ON")
    writer = Writer(proposal.design.model, connection, Random(int(str(order["seed"]))))
    with MongoClient[Any](str(order["uri"])) as client, Path(str(order["log"])).open("a", encoding="utf-8") as log:
        database = client[str(order["database"])]
        run = Trace(proposal.design, database, None, connection)  # type: ignore[arg-type]
        for _ in range(int(str(order["count"]))):
            sql = writer.statement()
            try:
                write = run.compiled(sql)
            except GapError:
                continue
            _note(log, "asked", sql)
            try:
                run_write(database, write)
                _note(log, "done", sql)
            except WriteError as error:
                _note(log, "refused" if _by_both(error) else "refused here", sql)
                continue
            except (PyMongoError, ReadError) as error:
                _note(log, "unknown", f"{sql} -- {error!r}"[:500])
                return UNKNOWN
            with connection:
                connection.execute(sql)
    return 0


def _by_both(error: WriteError) -> bool:
    """Whether SQLite refuses it too: the design may have no place for it, its validator may know types better."""
    has_no_place = isinstance(error, ConstraintError) and error.violation == Violation.PLACE
    return isinstance(error, ConstraintError) and not has_no_place and "which alone keeps that" not in str(error)


def _note(log: object, what: str, sql: str) -> None:
    log.write(json.dumps([what, sql]) + "\n")  # type: ignore[attr-defined]
    log.flush()  # type: ignore[attr-defined]
    os.fsync(log.fileno())  # type: ignore[attr-defined]


if __name__ == "__main__":
    sys.exit(main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))
