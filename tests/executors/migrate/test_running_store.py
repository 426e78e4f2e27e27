"""A `Store` that was made before a cutover notices it: what it writes is carried over, or refused."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from operator import methodcaller
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import ConstraintError, DataError, MigrationError, NestlingError, VerifyError, WriteError
from nestling.executors.migrate import cutover, migrating
from nestling.ir.proposal import Proposal

TABLES = """
CREATE TABLE shelf (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL);
CREATE TABLE thing (
  id INTEGER PRIMARY KEY AUTOINCREMENT, shelf_id INTEGER NOT NULL REFERENCES shelf, name TEXT NOT NULL
);
INSERT INTO shelf VALUES (1, 'a'), (2, 'b');
INSERT INTO thing VALUES (1, 1, 'first');
"""
pytestmark = pytest.mark.beside

ADD = "INSERT INTO thing (shelf_id, name) VALUES (1, :name)"
STATEMENTS = (
    ADD.replace(":name", "'late'"),
    "INSERT INTO shelf (name) VALUES ('late')",
    "UPDATE shelf SET name = 'late' WHERE id = 1",
    "DELETE FROM thing WHERE id = 1",
    "SELECT name FROM thing",
)


@pytest.fixture
def designs(tmp_path: Path, database: Database[Any]) -> tuple[Proposal, Proposal]:
    """Things in a collection of their own, as they are loaded, and in their shelves."""
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection:
        connection.executescript(TABLES)
    reading = pipeline.inspect(tmp_path / "s.db")
    before, after = pipeline.design(reading, "normalized"), pipeline.design(reading, "embedded")
    pipeline.load(before, tmp_path / "s.db", database)
    return before, after


@pytest.mark.thorough
@pytest.mark.parametrize("is_dropped", [False, True])
def test_a_store_of_the_old_design_is_refused(
    is_dropped: bool, designs: tuple[Proposal, Proposal], database: Database[Any]
) -> None:
    """Whatever it asks, whether its collections are gone or others have their names; the new design goes on."""
    old = Store(designs[0], database)
    old.execute(ADD, name="before")
    assert pipeline.migrate(*designs, database, cutover=True).equal
    if is_dropped:
        pipeline.drop_old(*designs, database)
    for sql in STATEMENTS:
        with pytest.raises(VerifyError if is_dropped else MigrationError):
            old.execute(sql)
        with pytest.raises(VerifyError if is_dropped else MigrationError):
            old.transaction(methodcaller("execute", sql))
    new = Store(designs[1], database)
    assert [row["name"] for row in new.execute("SELECT name FROM thing ORDER BY id")] == ["first", "before"]
    assert "thing" not in database.list_collection_names()


def test_no_write_is_lost_beside_a_cutover(designs: tuple[Proposal, Proposal], database: Database[Any]) -> None:
    """A program writes on and on: what was taken is there afterwards, and from then on all is refused."""
    old, taken, refused = Store(designs[0], database), list[str](), list[NestlingError]()
    is_over = threading.Event()

    def write() -> None:
        while not is_over.is_set():
            name = f"thing {len(taken) + len(refused)}"
            try:
                old.execute(ADD, name=name)
            except (WriteError, ConstraintError, MigrationError, VerifyError) as error:
                refused.append(error)
            else:
                taken.append(name)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert pipeline.migrate(*designs, database, cutover=True).equal
        count = len(taken)
    finally:
        is_over.set()
        writer.join()
    assert len(taken) == count > 0
    new = Store(designs[1], database)
    assert [row["name"] for row in new.execute("SELECT name FROM thing ORDER BY id")] == ["first", *taken]
    assert pipeline.check(designs[1], database).clean


@pytest.mark.thorough
@pytest.mark.parametrize("sql", ["DELETE FROM thing WHERE id = 1", ADD.replace(":name", "'late'")])
def test_a_write_in_the_last_moments_is_refused_in_words(
    sql: str, designs: tuple[Proposal, Proposal], database: Database[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A view is in place of the collection then."""
    old, aside = Store(designs[0], database), cutover.set_aside

    def then_write(*given: Any) -> None:
        aside(*given)
        with pytest.raises(MigrationError, match=r"(?s)collections are being renamed.*→ try again in a second"):
            old.execute(sql)
        monkeypatch.setattr("nestling.executors.migrate.active_design._require_in_use", lambda *_: None)  # asked before
        with pytest.raises(WriteError, match=r"(?s)as at the end of a migration.*→ try again in a second"):
            old.execute(sql)
        monkeypatch.undo()

    monkeypatch.setattr(migrating, "set_aside", then_write)
    assert pipeline.migrate(*designs, database, cutover=True).equal


@pytest.mark.thorough
@pytest.mark.parametrize("sql", ["UPDATE thing SET name = 'late' WHERE id = 1", ADD.replace(":name", "'late'")])
def test_a_write_while_the_old_collections_take_none_is_refused_in_words(
    sql: str, designs: tuple[Proposal, Proposal], database: Database[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is wrong with its values, and it may be tried again."""
    old, fence = Store(designs[0], database), cutover.fence

    def then_write(*given: Any) -> Any:
        state = fence(*given)
        with pytest.raises(
            WriteError, match=r"(?s)refuses writes while a migration.*→ try again in a second"
        ) as refused:
            old.execute(sql)
        assert not isinstance(refused.value, DataError)
        return state

    monkeypatch.setattr(migrating, "fence", then_write)
    assert pipeline.migrate(*designs, database, cutover=True).equal


@pytest.mark.thorough
def test_check_names_collections_that_were_written_after_the_cutover(
    designs: tuple[Proposal, Proposal], database: Database[Any]
) -> None:
    """By a program that does not ask which design is in use."""
    assert pipeline.migrate(*designs, database, cutover=True).equal
    assert pipeline.check(designs[1], database).strays == {}
    database["thing"].insert_many(
        [{"_id": 7, "shelf_id": 1, "name": "lost"}, {"_id": 8, "shelf_id": 1, "name": "lost"}]
    )
    report = pipeline.check(designs[1], database)
    assert report.clean
    assert report.strays == {"thing": 2}
