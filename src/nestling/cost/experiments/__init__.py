"""The experiments a server is measured with: a small relational database made the same on every machine, and reads over it.

Being a database and a workload like any other, they go the way of any other: inspected, designed twice (normalized, embedded),
loaded, planned. So the work that is fitted is counted by the estimator that predicts, from statistics of the same kind.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

STRATEGIES = ("normalized", "embedded")
SMALL, LARGE, TAGS, FEW, MANY, DEEP = 12_000, 2_000, 200, 2_000, 250, 50
FEW_ITEMS, MANY_ITEMS, DEEP_PARTS, DEEP_ITEMS = 3, 40, 10, 10
_WORDS = ("oak", "brass", "quiet", "folding", "enamel", "portable", "ljus", "kettle", "saw", "grommet")


def schema() -> str:
    """The DDL of the tables that the experiments use."""
    return files(__name__).joinpath("schema.sql").read_text(encoding="utf-8")


def workload() -> str:
    """The reads that the experiments measure."""
    return files(__name__).joinpath("workload.sql").read_text(encoding="utf-8")


@contextmanager
def source() -> Iterator[tuple[str, Path]]:
    """The address of the database and the file of its workload, while they are needed."""
    with TemporaryDirectory(prefix="nestling-calibrate-") as folder:
        database, reads = Path(folder) / "experiments.db", Path(folder) / "workload.sql"
        create_database(database)
        reads.write_text(workload(), encoding="utf-8")
        yield f"sqlite:///{database}", reads


def create_database(path: Path) -> None:
    """Write the database to a new SQLite file at `path`."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(schema())
        for table, rows in _tables():
            marks = ", ".join("?" * len(rows[0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608 - our own table names


def _tables() -> Iterator[tuple[str, list[tuple[object, ...]]]]:
    yield "small", [_small(n) for n in range(SMALL)]
    yield "large", [(n, n % 10, n % 100, *(_text(n * 31 + t, 6) for t in range(20))) for n in range(LARGE)]
    yield "tag", [(n, n % 10, _text(n, 2)) for n in range(TAGS)]
    yield "few", [(n, n % 10, _text(n, 3)) for n in range(FEW)]
    yield "few_item", [(n, n // FEW_ITEMS, n % 7, n * 37 % 1000, _text(n, 4)) for n in range(FEW * FEW_ITEMS)]
    yield "many", [(n, n % 10, _text(n, 3)) for n in range(MANY)]
    items = range(MANY * MANY_ITEMS)
    tags = [(n * 7 + n // MANY_ITEMS * 13) % TAGS for n in items]  # a tenth of `many` has all of them
    yield "many_item", [(n, n // MANY_ITEMS, tags[n], n % 7, n * 37 % 1000, _text(n, 4)) for n in items]
    yield "deep", [(n, n % 10, _text(n, 3)) for n in range(DEEP)]
    parts = DEEP * DEEP_PARTS
    yield "deep_part", [(n, n // DEEP_PARTS, n % 7, _text(n, 3)) for n in range(parts)]
    yield "deep_item", [(n, n // DEEP_ITEMS, n % 7, n * 37 % 1000, _text(n, 3)) for n in range(parts * DEEP_ITEMS)]


def _small(number: int) -> tuple[object, ...]:
    """A row of `small`: one in ten labels has the pattern asked for, and `number` is all of 0 to 11,999 in no order."""
    label = _text(number, 4) + (" zz" if number % 10 == 3 else "")
    return number, number % 10, number % 100, number % 1000, number * 7919 % SMALL, label


def _text(seed: int, words: int) -> str:
    """Some words that depend on the seed alone."""
    picked = ((seed * 2654435761 + place * 40503) % 4294967296 for place in range(words))
    return " ".join(f"{_WORDS[pick % len(_WORDS)]}{pick % 997}" for pick in picked)
