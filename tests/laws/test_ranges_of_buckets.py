"""Law 1 for ranges of time over buckets, at and across their boundaries: the rows are SQLite's."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.executors.run import run_read
from nestling.executors.write import run_write
from nestling.ir.design import Design
from nestling.ir.primitives import Bucket, BucketWindow, Collection, Document, WindowUnit
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.proposal import Proposal
from tests.patterns.scenario import scenario

TABLE = "CREATE TABLE event (series INTEGER NOT NULL, number INTEGER PRIMARY KEY NOT NULL, at {type});"
START = datetime.fromisoformat("2026-02-28")
SERIES = 2
SELECT = "SELECT number FROM event WHERE"
RANGES = (
    f"{SELECT} series = :series AND at >= :one AND at < :other ORDER BY number",
    f"{SELECT} series = :series AND at > :one AND at <= :other ORDER BY number",
    f"{SELECT} series = :series AND at BETWEEN :one AND :other ORDER BY number",
    f"{SELECT} series = :series AND :one <= at ORDER BY number",
    f"{SELECT} at < :other ORDER BY number",
    f"{SELECT} at = :one ORDER BY number",
    "SELECT count(*) FROM event WHERE series = :series AND at > :one",
)
WRITES = (
    "INSERT INTO event (series, number, at) VALUES (:series, :number, :at)",
    "UPDATE event SET at = :at WHERE series = :series AND at >= :one AND at < :other",
    "DELETE FROM event WHERE series = :series AND at BETWEEN :one AND :other",
)


def moment(chance: random.Random, unit: WindowUnit) -> datetime:
    """A moment near the boundary of a window, or at it: of minutes of an hour, hours of three days, days of three months."""
    far = {
        WindowUnit.MINUTE: timedelta(minutes=1),
        WindowUnit.HOUR: timedelta(hours=1),
        WindowUnit.DAY: timedelta(days=1),
    }
    begun = START + chance.randrange(60) * far.get(unit, timedelta(days=1))
    return begun + timedelta(seconds=chance.choice([0, 0, 0, 1, 59, -1]))


def texts(chance: random.Random, unit: WindowUnit, kind: str) -> list[str | None]:
    """What ranges begin and end with: moments and days, texts that are none, and NULL."""
    found = [moment(chance, unit) for _ in range(5)]
    shown = [f"{each:%Y-%m-%d}" if kind == "DATE" else f"{each:%Y-%m-%d %H:%M:%S}" for each in found]
    return [*shown, f"{found[0]:%Y-%m-%d}", f"{found[1]:%Y-%m}", f"{found[2]:%Y-%m-%dT%H}", "z", None]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("unit", "kind", "seed"), [
    *((unit, kind, seed) for unit in WindowUnit for kind, seed in product(("TIMESTAMP", "TIMESTAMP NOT NULL"), range(2))),
    *((unit, "DATE", seed) for unit in (WindowUnit.DAY, WindowUnit.MONTH) for seed in range(2)),
])  # fmt: skip
def test_the_same_rows(unit: WindowUnit, kind: str, seed: int, tmp_path: Path, database: Database[Any]) -> None:
    """Of events loaded, added, moved by a range and deleted by one, in full and half full buckets, some without a time."""
    chance = random.Random(seed)

    def at() -> str | None:
        nothing = "NOT NULL" not in kind and chance.random() < 0.1
        found = moment(chance, unit)
        return None if nothing else f"{found:%Y-%m-%d}" if kind == "DATE" else f"{found:%Y-%m-%d %H:%M:%S}"

    rows = [(chance.randrange(SERIES), number, at()) for number in range(150)]
    application = scenario(tmp_path, TABLE.format(type=kind), {"event": rows}, "")
    bucket = Bucket(("series",), "events", chance.choice([2, 5, 100]), BucketWindow("at", unit))
    homes = (Collection("event", Document("event"), (), bucket=bucket),)
    made = Proposal("by hand", Design(application.reading.model, homes), dialect="sqlite")
    pipeline.load(made, application.address, database)
    ranges, writes = ([pipeline.convert(made, sql) for sql in each] for each in (RANGES, WRITES))
    with closing(sqlite3.connect(application.address.removeprefix("sqlite:///"))) as connection:

        def check() -> None:
            for sql, read in zip(RANGES, ranges, strict=True):
                assert isinstance(read, CompiledRead)
                for one, other in product(chance.sample(texts(chance, unit, kind), 4), repeat=2):
                    values = {"series": chance.randrange(SERIES), "one": one, "other": other}
                    given = {name: values[name] for name in read.parameters}
                    assert list(run_read(database, read, given)) == connection.execute(sql, values).fetchall(), (
                        sql,
                        values,
                    )

        check()
        for number in range(40):
            sql, write = chance.choice(list(zip(WRITES, writes, strict=True)))
            assert isinstance(write, CompiledWrite)
            one, other = sorted(filter(None, (moment(chance, unit), moment(chance, unit))))
            shown = [f"{each:%Y-%m-%d}" if kind == "DATE" else f"{each:%Y-%m-%d %H:%M:%S}" for each in (one, other)]
            if "DELETE" in sql:
                shown[1] = shown[0]
            values = {
                "series": chance.randrange(SERIES),
                "number": 1_000 + number,
                "at": at(),
                "one": shown[0],
                "other": shown[1],
            }
            run_write(database, write, {name: values[name] for name in write.parameters})
            connection.execute(sql, values)
        check()
