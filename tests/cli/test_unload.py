"""`nestling unload`: the copy is what the original was."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.commands import nestling, process


def _tables(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(path)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: sorted(connection.execute(f'SELECT * FROM "{name}"'), key=repr) for name in sorted(names)}


@pytest.mark.thorough
def test_the_copy_equals_the_original(shop: Path, tmp_path: Path, target: str) -> None:
    """Loaded, embedded, and unloaded again, every table of the shop has the rows it had, to the type."""
    design = tmp_path / "design.yaml"
    nestling("design", "model.yaml", "--strategy", "embedded", "-o", design, cwd=shop)
    loaded = nestling("load", design, "--from", "sqlite:///shop.db", "--to", target, cwd=shop)
    assert loaded.code == 0, loaded.err
    done = process("unload", design, "--from", target, "--to", f"sqlite:///{tmp_path}/copy.db")
    assert done.code == 0, done.err
    assert "Unloaded 25,315 rows of 10 entities" in done.out
    assert _tables(tmp_path / "copy.db") == _tables(shop / "shop.db")


def test_json_shape(loaded: Path, target: str) -> None:
    """`--json` counts the rows written of each entity."""
    found = nestling("unload", "design.yaml", "--from", target, "--to", "sqlite:///copy.db", "--json", cwd=loaded).json
    assert set(found) == {"entities", "seconds", "notes"}
    assert [note.partition(",")[0] for note in found["notes"]] == ["non-unique indexes"]
    assert found["entities"] == {"author": 3, "book": 3}


@pytest.mark.thorough
def test_tables_with_rows_are_refused(loaded: Path, target: str) -> None:
    """Nothing is written over: the original itself is refused as a target, and stays as it was."""
    before = _tables(loaded / "library.db")
    done = nestling("unload", "design.yaml", "--from", target, "--to", "sqlite:///library.db", cwd=loaded)
    assert (done.code, done.out) == (2, "")
    assert "author" in done.err
    assert _tables(loaded / "library.db") == before


def test_a_folder_that_is_not_there(loaded: Path, target: str) -> None:
    """A copy in a folder that does not exist is refused with what to do."""
    done = nestling("unload", "design.yaml", "--from", target, "--to", "sqlite:///nowhere/copy.db", cwd=loaded)
    assert (done.code, done.out) == (2, "")
    assert "there is no folder `nowhere`" in done.err
    assert "create it, or choose another path" in done.err


def test_a_database_that_was_never_loaded(library: Path, target: str) -> None:
    """An empty database is not unloaded as no rows: the missing collection is named."""
    done = nestling("unload", "design.yaml", "--from", target, "--to", "sqlite:///copy.db", cwd=library)
    assert done.code == 2
    assert "collections of the design do not exist: `author`" in done.err


def test_a_source_must_be_named(library: Path) -> None:
    """There is nothing to unload from a MongoDB just started."""
    done = nestling("unload", "design.yaml", "--to", "sqlite:///copy.db", cwd=library)
    assert done.code == 2
    assert "no MongoDB given: give --from" in done.err


def test_all_notes_are_shown(tmp_path: Path, target: str) -> None:
    """What the copy does not have is shown whole, one kind after the other, in lines that are not long."""
    tables = [f"a_table_with_a_long_name_{number}" for number in range(9)]
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        for name in tables:
            made = "twice INT AS (id * 2), low TEXT DEFAULT (lower('X'))"
            connection.execute(f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, {made})")
            connection.execute(f"INSERT INTO {name} (id) VALUES (1)")
        connection.commit()
    nestling("inspect", "sqlite:///a.db", "-o", "model.yaml", cwd=tmp_path)
    nestling("design", "model.yaml", "--strategy", "normalized", "-o", "design.yaml", cwd=tmp_path)
    nestling("load", "design.yaml", "--from", "sqlite:///a.db", "--to", target, cwd=tmp_path)
    done = nestling("unload", "design.yaml", "--from", target, "--to", "sqlite:///copy.db", cwd=tmp_path)
    assert done.code == 0, done.err
    assert max(map(len, done.err.splitlines()[1:])) <= 100
    notes = " ".join(done.err.split()).split("note: ")[1:]
    assert [note.split("`")[1] for note in notes[:18]] == tables * 2
    assert all("the source computes `twice`" in note for note in notes[:9])
    assert all("the default of `low` is not declared" in note for note in notes[9:18])
    assert len(notes) == 19
