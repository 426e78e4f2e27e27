"""Row queries give what SQL would, in the same order on every dialect."""

from __future__ import annotations

import itertools
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from nestling.common.errors import SourceError
from nestling.ir.rows import AggregateKind, Hop, NewestRows, RowAggregate, RowColumn, RowQuery, RowSortKey
from nestling.sources.sql import SqlDatabase, open_database, open_sink
from nestling.sources.sql.row_source import BATCH_ROWS

SCHEMA = """
CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE member(team_id INTEGER REFERENCES team, no INTEGER NOT NULL, score INTEGER, boss INTEGER,
  id INTEGER PRIMARY KEY, FOREIGN KEY(boss) REFERENCES member(id));
INSERT INTO team VALUES(1,'a'),(2,NULL),(3,'c');
INSERT INTO member VALUES(1,1,10,NULL,1),(1,2,30,1,2),(2,1,NULL,2,3),(NULL,1,5,3,4),(9,1,7,7,5),(1,3,20,2,6),(1,4,20,5,7);
"""
TEAM_UP = (Hop("team_member", up=True),)
MEMBERS_DOWN = (Hop("team_member", up=False),)


@pytest.fixture(params=["sqlite", "postgresql", "mariadb"])
def league(request: pytest.FixtureRequest, tmp_path: Path) -> SqlDatabase:
    """The same small data on each dialect."""
    path = tmp_path / "league.db"
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA)
    connection.close()
    database = open_database(f"sqlite:///{path}")
    if request.param == "sqlite":
        return database
    url = request.getfixturevalue(f"{request.param}_urls")[1]
    sink = open_sink(url)
    sink.begin(database.model)
    for entity in database.model.entities:
        sink.write(entity, list(database.rows(RowQuery(entity.name, tuple(map(RowColumn, entity.attribute_names))))))
    sink.finish()
    return open_database(url, model=database.model)


def columns(*names: str) -> tuple[RowColumn, ...]:
    return tuple(map(RowColumn, names))


@pytest.mark.thorough
def test_a_parent_is_joined_and_missing_ones_are_null(league: SqlDatabase) -> None:
    """Columns along a path up come from the parent, NULL for orphans and dangling rows."""
    query = RowQuery("member", (RowColumn("id"), RowColumn("name", TEAM_UP), RowColumn("id", TEAM_UP)), columns("id"))
    expected = [(1, "a", 1), (2, "a", 1), (3, None, 2), (4, None, None), (5, None, None), (6, "a", 1), (7, "a", 1)]
    assert list(league.rows(query)) == expected
    inner = [row for row in expected if row[2]]
    assert list(league.rows(replace(query, inner=(TEAM_UP,)))) == inner


def test_a_table_that_is_gone(league: SqlDatabase) -> None:
    """A database that was emptied since its model was made is told by our error, whatever is asked."""
    model = league.model
    with closing(open_sink(league.address.url.render_as_string(hide_password=False))) as sink:
        for name in ("member", "team"):
            sink.run(f"DROP TABLE {name}")
        sink.connection.commit()
    again = SqlDatabase(league.address, model)
    with pytest.raises(SourceError, match="table member: the database has no such table"):
        list(again.rows(RowQuery("member", columns("id"))))
    with pytest.raises(SourceError, match="table team"):
        again.count("team")


@pytest.mark.thorough
def test_nulls_come_first(league: SqlDatabase) -> None:
    """An ascending order starts with NULL on every dialect."""
    query = RowQuery("member", columns("team_id", "id"), columns("team_id", "id"))
    assert list(league.rows(query)) == [(None, 4), (1, 1), (1, 2), (1, 6), (1, 7), (2, 3), (9, 5)]


def test_children_are_joined(league: SqlDatabase) -> None:
    """A path down gives a row per child, and one of NULLs for a parent without."""
    query = RowQuery(
        "team", (RowColumn("id"), RowColumn("id", MEMBERS_DOWN)), (RowColumn("id"), RowColumn("id", MEMBERS_DOWN))
    )
    assert list(league.rows(query)) == [(1, 1), (1, 2), (1, 6), (1, 7), (2, 3), (3, None)]


@pytest.mark.thorough
@pytest.mark.parametrize("key", [("team_id", "no"), ("id",)])
def test_after_goes_on_behind_a_key(league: SqlDatabase, key: tuple[str, ...]) -> None:
    """Starting after a key gives the rest of the same stream."""
    query = RowQuery("member", columns(*key), columns(*key))
    rows = list(league.rows(query))
    for position, row in enumerate(rows):
        if None not in row:
            assert list(league.rows(replace(query, after=row))) == rows[position + 1 :]


def test_rows_without_a_parent_or_children(league: SqlDatabase) -> None:
    """Orphans are children whose key is NULL or dangles; the childless are those nobody refers to."""
    orphans = RowQuery("member", columns("id"), columns("id"), without_parent="team_member")
    assert list(league.rows(orphans)) == [(4,), (5,)]
    childless = RowQuery("team", columns("id"), columns("id"), without_children="team_member")
    assert list(league.rows(childless)) == [(3,)]


@pytest.mark.thorough
def test_the_newest_of_each_group(league: SqlDatabase) -> None:
    """Only the first rows of each group stay, NULL scores last when descending."""
    order = (RowSortKey(RowColumn("score"), descending=True), RowSortKey(RowColumn("id")))
    newest = NewestRows(columns("team_id"), order, 2)
    query = RowQuery("member", columns("team_id", "id"), columns("team_id", "id"), newest=newest)
    assert list(league.rows(query)) == [(None, 4), (1, 2), (1, 6), (2, 3), (9, 5)]


def test_groups_are_aggregated(league: SqlDatabase) -> None:
    """One row per group; NULLs are left out, over nothing count is 0 and the rest is NULL."""
    score = RowColumn("score")
    functions = (AggregateKind.COUNT, AggregateKind.SUM, AggregateKind.AVG, AggregateKind.MIN, AggregateKind.MAX)
    aggregates = (RowAggregate(AggregateKind.COUNT), *(RowAggregate(function, score) for function in functions))
    query = RowQuery("member", (), columns("team_id"), group_by_order=True, aggregates=aggregates)
    assert [tuple(row) for row in league.rows(query)] == [
        (None, 1, 1, 5, 5.0, 5, 5),
        (1, 4, 4, 80, 20.0, 10, 30),
        (2, 1, 0, None, None, None, None),
        (9, 1, 1, 7, 7.0, 7, 7),
    ]


@pytest.mark.thorough
def test_ancestors_run_from_the_root_and_end_on_cycles(league: SqlDatabase) -> None:
    """Each row with its ancestors, outermost first; rows in a cycle have each other, once."""
    bosses = (Hop("member_member", up=True),)
    query = RowQuery("member", (RowColumn("id"), RowColumn("id", bosses)), columns("id"), ancestors="member_member")
    assert list(league.rows(query)) == [
        (2, 1), (3, 1), (3, 2), (4, 1), (4, 2), (4, 3), (5, 5), (5, 7), (6, 1), (6, 2), (7, 5), (7, 7),
    ]  # fmt: skip


def test_streams_run_beside_each_other(league: SqlDatabase) -> None:
    """Several streams of one snapshot can be read in turns."""
    query = RowQuery("member", columns("id"), columns("id"))
    with league.snapshot():
        assert [a == b for a, b in zip(league.rows(query), league.rows(query), strict=True)] == [True] * 7
        assert league.count("member") == 7


@pytest.mark.thorough
def test_pages_and_batches_lose_nothing(league: SqlDatabase, tmp_path: Path) -> None:
    """A table of several batches arrives whole, in order, once, also when its order has NULLs."""
    path = tmp_path / "many.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE many(id INTEGER PRIMARY KEY, grp INTEGER)")
    rows = [(n, None if n % 3 == 0 else n % 7) for n in range(2 * BATCH_ROWS + 17)]
    connection.executemany("INSERT INTO many VALUES(?, ?)", rows)
    connection.commit()
    connection.close()
    source = open_database(f"sqlite:///{path}")
    if league.address.dialect != "sqlite":
        url = league.address.url.render_as_string(hide_password=False)
        sink = open_sink(url)
        sink.begin(source.model)
        sink.write(source.model.entity("many"), rows)
        sink.finish()
        source = open_database(url, model=source.model)
    found = list(source.rows(RowQuery("many", columns("id", "grp"), columns("grp", "id"))))
    assert found == sorted(rows, key=lambda row: (row[1] is not None, row[1] or 0, row[0]))


def test_a_snapshot_does_not_see_later_writes(tmp_path: Path) -> None:
    """What is written while a snapshot is open is not in it (SQLite in WAL mode)."""
    path = tmp_path / "live.db"
    writer = sqlite3.connect(path, isolation_level=None)
    writer.executescript("PRAGMA journal_mode = WAL;" + SCHEMA)
    database = open_database(f"sqlite:///{path}")
    query = RowQuery("team", columns("id"), columns("id"))
    assert len(database.model.entities) == 2
    with database.snapshot():
        assert len(list(database.rows(query))) == 3
        writer.execute("INSERT INTO team VALUES(4, 'd')")
        assert len(list(database.rows(query))) == 3
    assert len(list(database.rows(query))) == 4
    writer.close()


def test_text_that_is_not_utf8_in_the_middle_of_a_stream(tmp_path: Path) -> None:
    """The stream goes on, nothing lost or doubled, and the odd text is told apart from bytes."""
    path = tmp_path / "odd.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT)")
    connection.executemany("INSERT INTO t VALUES(?, 'fine')", [(n,) for n in range(BATCH_ROWS + 100)])
    connection.execute("UPDATE t SET x = CAST(x'ff41' AS TEXT) WHERE id = ?", (BATCH_ROWS + 50,))
    connection.commit()
    connection.close()
    database = open_database(f"sqlite:///{path}")
    rows = list(database.rows(RowQuery("t", columns("id", "x"), columns("id"))))
    assert [row[0] for row in rows] == list(range(BATCH_ROWS + 100))
    assert type(rows[BATCH_ROWS + 50][1]).__name__ == "UndecodableText"
    assert len(list(itertools.compress(rows, (row[1] != "fine" for row in rows)))) == 1
