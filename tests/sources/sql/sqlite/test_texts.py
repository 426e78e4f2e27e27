"""Texts with NUL characters in SQLite: what a note says of them, and what docs/statements/sqlite.md says was measured."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from pymongo.database import Database

from nestling import Store, pipeline
from nestling.ir.text import write_proposal

DIFFER = (
    "length(m)", "substr(m, 2)", "substr(m, -1)", "m LIKE '%z'", "m GLOB '*z'", "m LIKE 'a'", "m GLOB 'a'", "m LIKE 'a_z'",
    "printf('%s', m)",
)  # fmt: skip
ALIKE = (
    "m = 'a'", "m < 'a'", "m IN ('a')", "m || 'x'", "upper(m)", "lower(m)", "trim(m, 'z')", "replace(m, 'z', 'q')",
    "instr(m, 'z')", "CAST(m AS INTEGER)", "m + 1",
)  # fmt: skip


def write(path: Path, texts: tuple[str, ...]) -> str:
    """A file with these texts, and its address."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, m TEXT, n INTEGER)")
        connection.executemany("INSERT INTO t (m, n) VALUES (?, 'b' || char(0))", [(text,) for text in texts])
    return f"sqlite:///{path}"


def test_a_note_names_the_columns(tmp_path: Path) -> None:
    """Columns of any type that hold such texts, with their rows; without such texts there is no note."""
    notes = pipeline.inspect(write(tmp_path / "a.db", ("a\0z", "\0", "plain"))).notes
    (note,) = (each for each in notes if "NUL" in each)
    assert note.startswith(
        "`t.m` (2 rows), `t.n` (3 rows) have texts with NUL characters: SQLite's LIKE, GLOB, length,"
    )
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection, connection:
        connection.execute("UPDATE t SET m = 'plain', n = 1")
    assert not [each for each in pipeline.inspect(tmp_path / "a.db").notes if "NUL" in each]


def test_texts_that_are_not_utf8(tmp_path: Path, database: Database[Any]) -> None:
    """`inspect` counts them in columns of any type, and `load` says why they are bytes, and not to design again."""
    source = write(tmp_path / "a.db", ("größe", "plain", "x"))
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection, connection:
        connection.execute("UPDATE t SET m = CAST(x'ff41' AS TEXT), n = CAST(x'c3' AS TEXT) WHERE m = 'x'")
    found = pipeline.inspect(source)
    (note,) = (each for each in found.notes if "UTF-8" in each)
    assert note.startswith("`t.m` (1 row), `t.n` (1 row) have texts that are not UTF-8: they are stored as bytes")
    proposal = pipeline.design(found, "normalized")
    loaded = pipeline.load(proposal, source, database)
    assert loaded.verified is not None
    assert loaded.verified.equal
    (note,) = (each for each in loaded.report.notes if "UTF-8" in each)
    assert "t.m (1), t.n (1)" in note
    assert not [each for each in loaded.report.notes if "design again" in each]


def test_texts_in_utf16(tmp_path: Path) -> None:
    """A file that keeps its texts in UTF-16 has none that are told."""
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection, connection:
        connection.execute("PRAGMA encoding = 'UTF-16'")
    assert not [each for each in pipeline.inspect(write(tmp_path / "a.db", ("größe", "Łódź"))).notes if "UTF-8" in each]


def test_what_differs_is_as_documented(tmp_path: Path, database: Database[Any]) -> None:
    """The statements of the table answer otherwise than SQLite, those said to be alike do not."""
    source = write(tmp_path / "a.db", ("a\0z",))
    proposal = pipeline.design(source, "normalized")
    pipeline.load(proposal, source, database)
    (tmp_path / "d.yaml").write_text(write_proposal(proposal), encoding="utf-8")
    (tmp_path / "w.sql").write_text("-- name: all, rate: 1/s\nSELECT id FROM t;\n", encoding="utf-8")
    store = Store(tmp_path / "d.yaml", database, workload=tmp_path / "w.sql")
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        for told, expressions in ((True, DIFFER), (False, ALIKE)):
            for expression in expressions:
                sql = f"SELECT {expression} AS v FROM t"
                ((there,),), (here,) = connection.execute(sql).fetchall(), list(store.execute(sql))
                assert (here["v"] != there) == told, expression
    page = Path("docs/statements/sqlite.md").read_text(encoding="utf-8")
    assert not [each for each in DIFFER if f"`{each}`" not in page]
