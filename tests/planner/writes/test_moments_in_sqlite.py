# ruff: noqa: DTZ001 - SQLite's moments have no zone
"""Moments written in SQLite's dialect among dates: kept as they are, or refused with the form that is wanted."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import GapError, NestlingError, WorkloadError
from nestling.ir.proposal import Proposal
from tests.written_module import written_function

NOW = datetime(2026, 6, 1, 12, 0, 0, 123456)
KEPT = datetime(2026, 6, 1, 12, 0, 0, 123000)
WRITE = "INSERT INTO review (id, at, fine, day) VALUES (:id, :at, :fine, :day)"
Write = Callable[..., object]


@pytest.fixture
def log(tmp_path: Path, database: Database[dict[str, Any]]) -> Proposal:
    """Reviews with moments to the second, moments to the microsecond and days."""
    with closing(sqlite3.connect(tmp_path / "log.db")) as connection, connection:
        connection.execute("CREATE TABLE review (id INTEGER PRIMARY KEY, at TIMESTAMP, fine TIMESTAMP, day DATE)")
        rows = [(n, f"2026-05-{n:02} 10:00:00", f"2026-05-{n:02} 10:00:00.000456", f"2026-05-{n:02}") for n in (1, 20)]
        connection.executemany("INSERT INTO review VALUES (?, ?, ?, ?)", rows)
    address = f"sqlite:///{tmp_path / 'log.db'}"
    proposal = pipeline.design(pipeline.inspect(address), "normalized")
    assert [str(a.type) for a in proposal.design.model.entities[0].attributes] == [
        "integer", "timestamp", "timestamp(6)", "date",
    ]  # fmt: skip
    pipeline.load(proposal, address, database)
    return proposal


@pytest.fixture(params=["store", "module"])
def write(request: pytest.FixtureRequest, log: Proposal, database: Database[dict[str, Any]]) -> Write:
    """The same INSERT, run by a store and by a written module."""
    if request.param == "store":
        store = Store(log, database)
        return lambda **values: store.execute(WRITE, **{"fine": None, "day": None, "at": None} | values)
    function = written_function(log, WRITE, "sqlite")
    return lambda **values: function(database, **{"fine": None, "day": None, "at": None} | values)


@pytest.mark.thorough
def test_a_datetime_of_milliseconds_is_found(log: Proposal, write: Write, database: Database[dict[str, Any]]) -> None:
    """The newest is first, ranges find it, functions read it, and it equals what was given."""
    write(id=3, at=KEPT)
    store = Store(log, database)
    assert {type(each["at"]) for each in database["review"].find()} == {datetime}
    newest = store.execute("SELECT id, at FROM review ORDER BY at DESC LIMIT 1")
    assert newest[0] == {"id": 3, "at": KEPT}
    for condition in (
        "at >= '2026-05-25'",
        "at > '2026-06-01 12:00:00'",
        "at = :kept",
        "at <= :kept AND id = 3",
        "at = '2026-06-01 12:00:00.123000'",
    ):
        values = {"kept": KEPT} if ":kept" in condition else {}
        found = store.execute(f"SELECT id FROM review WHERE {condition} ORDER BY id DESC LIMIT 1", **values)
        assert list(found) == [{"id": 3}], condition
    for expression in ("at > '2026-06-01 12:00:00'", "at = :kept", "substr(at, 12) = '12:00:00.123000'"):
        values = {"kept": KEPT} if ":kept" in expression else {}
        found = store.execute(f"SELECT id FROM review WHERE coalesce({expression}, 0)", **values)
        assert list(found) == [{"id": 3}], expression
    for condition in ("at <= '2026-06-01 12:00:00'", "at < '2026-06-01 12:00:00.1'"):
        assert 3 not in [row["id"] for row in store.execute(f"SELECT id FROM review WHERE {condition}")]
    years = store.execute("SELECT strftime('%Y', at) AS y, COUNT(*) AS n FROM review GROUP BY 1")
    assert list(years) == [{"y": "2026", "n": 3}]


@pytest.mark.one_in(2)
@pytest.mark.in_turn("write")
@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"at": KEPT}, {"at": KEPT}),
        ({"at": "2026-06-01 12:00:00"}, {"at": KEPT.replace(microsecond=0)}),
        ({"at": "2026-06-01 12:00:00.123000"}, {"at": KEPT}),
        ({"fine": NOW}, {"fine": "2026-06-01T12:00:00.123456"}),
        ({"fine": "2026-06-01 12:00:00.123456"}, {"fine": "2026-06-01T12:00:00.123456"}),
        ({"day": date(2026, 6, 1)}, {"day": datetime(2026, 6, 1)}),
        ({"day": "2026-06-01"}, {"day": datetime(2026, 6, 1)}),
    ],
    ids=str,
)
def test_what_is_written_as_others_are_is_stored(
    given: dict[str, Any], kept: dict[str, Any], write: Write, database: Database[dict[str, Any]]
) -> None:
    """Objects of Python and texts in the column's own form."""
    write(id=3, **given)
    assert list(database["review"].find({"_id": 3}, {"_id": 0})) == [kept]


@pytest.mark.one_in(6)
@pytest.mark.in_turn("write")
@pytest.mark.parametrize(
    ("given", "move"),
    [
        ({"at": "2026-06-01 12:00:00.123456"}, "give milliseconds, or design again"),
        ({"at": NOW}, 'open the Store with microseconds="round"; or give milliseconds'),
        ({"at": "2026-02-30 12:00:00"}, "give a timestamp that exists"),
        ({"at": "2026-06-01"}, "YYYY-MM-DD HH:MM:SS"),
        ({"at": "2026-06-01T12:00:00"}, "YYYY-MM-DD HH:MM:SS"),
        ({"at": "2026-06-01 12:00:00.123"}, "YYYY-MM-DD HH:MM:SS"),
        ({"at": "2026-06-01 12:00:00.5"}, "YYYY-MM-DD HH:MM:SS"),
        ({"at": "soon"}, "YYYY-MM-DD HH:MM:SS"),
        ({"at": date(2026, 6, 1)}, "give a datetime"),
        ({"at": NOW.replace(tzinfo=UTC)}, "without a zone"),
        ({"at": KEPT.replace(microsecond=0, tzinfo=UTC)}, "without a zone"),
        ({"fine": NOW.replace(tzinfo=UTC)}, "without a zone"),
        ({"fine": "2026-06-01 12:00:00"}, "YYYY-MM-DD HH:MM:SS.ffffff"),
        ({"day": KEPT}, "YYYY-MM-DD"),
        ({"day": "2026-06-01 00:00:00"}, "YYYY-MM-DD"),
    ],
    ids=str,
)
def test_other_forms_are_refused(
    given: dict[str, Any],
    move: str,
    write: Write,
    log: Proposal,
    database: Database[dict[str, Any]],
    request: pytest.FixtureRequest,
) -> None:
    """Before the server is asked: the value, the attribute and the form that is wanted; a constant is a gap that says it."""
    ((name, value),) = given.items()
    by_store = request.node.callspec.params["write"] == "store"
    with pytest.raises(WorkloadError if by_store else (TypeError, ValueError)) as refused:
        write(id=3, **given)
    assert database["review"].count_documents({}) == 2
    assert f"`{name}`" in str(refused.value)
    if by_store:
        assert move in str(refused.value)
        assert str(value) in str(refused.value)
    if isinstance(value, str):
        with pytest.raises(GapError) as gap:
            Store(log, database).execute(f"UPDATE review SET {name} = '{value}' WHERE id = 1")
        assert f"`{name}`" in str(gap.value)
        assert move in str(gap.value)


def test_what_the_server_computes_is_no_finer(log: Proposal, database: Database[dict[str, Any]]) -> None:
    """A text put together is a moment among dates, or the statement fails."""
    store = Store(log, database)
    store.execute("UPDATE review SET at = substr(at, 1, 19) || '.250000' WHERE id = 1")
    assert store.execute("SELECT at FROM review WHERE id = 1")[0]["at"] == datetime(2026, 5, 1, 10, 0, 0, 250000)
    for sql in ("UPDATE review SET at = substr(at, 1, 19) || '.123456'", "UPDATE review SET at = fine"):
        with pytest.raises(NestlingError, match="`at` keeps milliseconds"):
            store.execute(sql)
    assert {type(each["at"]) for each in database["review"].find()} == {datetime}


def test_a_design_of_dates_stops_at_microseconds(log: Proposal, tmp_path: Path, database: Database[Any]) -> None:
    """Rows that have got some since the design was made; what is loaded as text by policy is verified and unloaded."""
    from nestling.common.errors import LoadError
    from nestling.ir.values import Policy

    address = f"sqlite:///{tmp_path / 'log.db'}"
    with closing(sqlite3.connect(tmp_path / "log.db")) as connection, connection:
        connection.execute("UPDATE review SET at = '2026-05-20 10:00:00.000456' WHERE id = 20")
    with pytest.raises(LoadError, match=r"(?s)`review\.at`.*design again from the database itself"):
        pipeline.load(log, address, database, mode=pipeline.LoadMode.REPLACE)
    text = Policy(microseconds="text")
    done = pipeline.load(log, address, database, mode=pipeline.LoadMode.REPLACE, policy=text)
    assert "review.at (1)" in done.report.notes[0]
    assert done.verified is not None
    assert done.verified.equal
    assert pipeline.verify(log, address, database).equal
    pipeline.unload(log, f"sqlite:///{tmp_path / 'copy.db'}", database)
