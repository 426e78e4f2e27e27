"""Law 1 for the newest and oldest rows of a series in buckets, overlapping and with ties: the values are SQLite's."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.executors.run import run_read
from nestling.executors.write import run_write
from nestling.ir.design import Design
from nestling.ir.primitives import Bucket, BucketWindow, Collection, Document, Index, WindowUnit
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.proposal import Proposal
from tests.patterns.scenario import scenario

TABLE = "CREATE TABLE event (series INTEGER NOT NULL, at TIMESTAMP NOT NULL, number INTEGER NOT NULL);"
START = datetime.fromisoformat("2026-03-01")
SERIES = 3


def moment(chance: random.Random) -> str:
    """One of few moments of two days, so that many meet."""
    return f"{START + timedelta(minutes=20 * chance.randrange(144)):%Y-%m-%d %H:%M:%S}"


def shown(value: object) -> object:
    """A value as SQLite has it."""
    return f"{value:%Y-%m-%d %H:%M:%S}" if isinstance(value, datetime) else value


@pytest.mark.one_in(8)
@pytest.mark.parametrize("seed", range(8))
def test_the_same_values(seed: int, tmp_path: Path, database: Database[Any]) -> None:
    """Of rows loaded and rows that came and went later: wherever an answer cuts rows of one value, its values are the same."""
    chance = random.Random(seed)
    rows = [(chance.randrange(SERIES), moment(chance), chance.randrange(50)) for _ in range(120)]
    application = scenario(tmp_path, TABLE, {"event": rows}, "")
    window = chance.choice([None, BucketWindow("at", WindowUnit.HOUR), BucketWindow("at", WindowUnit.DAY)])
    bucket = Bucket(("series",), "events", chance.randrange(1, 5), window)
    indexes = (Index("event", (("series", 1), ("events.at", 1))),) if seed % 2 else ()
    homes = (Collection("event", Document("event"), (), bucket=bucket),)
    made = Proposal("by hand", Design(application.reading.model, homes, indexes), dialect="sqlite")
    pipeline.load(made, application.address, database)
    add = pipeline.convert(made, "INSERT INTO event (series, at, number) VALUES (:series, :at, :number)")
    remove = pipeline.convert(made, "DELETE FROM event WHERE series = :series AND number = :number")
    assert isinstance(add, CompiledWrite)
    assert isinstance(remove, CompiledWrite)
    with closing(sqlite3.connect(application.address.removeprefix("sqlite:///"))) as connection:
        for _ in range(30):
            values = {"series": chance.randrange(SERIES), "at": moment(chance), "number": chance.randrange(50)}
            run_write(database, add, values)
            connection.execute("INSERT INTO event VALUES (:series, :at, :number)", values)
            run_write(database, remove, gone := {"series": values["series"], "number": chance.randrange(50)})
            connection.execute("DELETE FROM event WHERE series = :series AND number = :number", gone)
        for column, limit in (
            ("at", "1"),
            ("at", "3"),
            ("at", "9 OFFSET 2"),
            ("at", "90"),
            ("number", "4"),
            ("number", "30"),
        ):
            first = f"SELECT {column} FROM event WHERE series = :series ORDER BY {column}"
            greatest, least = (f"SELECT {each}({column}) FROM event WHERE series = :series" for each in ("max", "min"))
            for sql in (f"{first} DESC LIMIT {limit}", f"{first} LIMIT {limit}", greatest, least):
                read = pipeline.convert(made, sql)
                assert isinstance(read, CompiledRead)
                assert [next(iter(stage)) for stage in read.pipeline[:4]] == ["$match", "$sort", "$limit", "$unwind"]
                for series in range(SERIES + 1):
                    expected = connection.execute(sql, {"series": series}).fetchall()
                    assert [(shown(value),) for (value,) in run_read(database, read, {"series": series})] == expected, (
                        sql
                    )
