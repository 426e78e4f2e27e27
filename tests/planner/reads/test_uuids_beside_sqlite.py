"""UUIDs of a SQLite file, which has them as texts: statements find by text what SQLite finds, by a Store and by a module."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from bson import Binary
from pymongo.database import Database

from nestling import Store
from nestling.common.errors import NestlingError, WorkloadError
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.proposal import Proposal
from nestling.ir.types import TypeName
from nestling.pipeline import convert, design, inspect, load, queries_module, verify

IDS = [UUID(int=(n * 0x9E3779B97F4A7C15F39CC0605CEDC835) % 2**128) for n in range(1, 13)]
THIRD = str(IDS[2])
READS = (
    "SELECT n FROM a WHERE id = :id",
    "SELECT n FROM a WHERE :id = id",
    "SELECT n FROM a WHERE id <> :id",
    "SELECT n FROM a WHERE id IS :id",
    "SELECT n FROM a WHERE NOT (id = :id OR n > 9)",
    "SELECT n FROM a WHERE id IN (:id, 'no uuid')",
    "SELECT CASE WHEN id = :id THEN 'it' ELSE 'other' END AS which FROM a",
    "SELECT a.n, b.k FROM a JOIN b ON b.a_id = a.id WHERE b.a_id = :id",
    "SELECT n FROM a WHERE n IN (SELECT k FROM b WHERE a_id = :id)",
)
OF_TEXTS = (
    "SELECT n FROM a WHERE note = :id",
    "SELECT n FROM a WHERE note LIKE :id",
    "SELECT n FROM a WHERE n = :id",
    "SELECT n FROM a WHERE upper(note) = upper(:id)",
    "SELECT n FROM a WHERE id = :id AND note IN (:id, 'none')",
)
"""What a UUID cannot be given for: SQLite's drivers take none, and the texts may be written otherwise."""
CONSTANTS = (
    f"SELECT n FROM a WHERE id = '{THIRD}'",
    f"SELECT n FROM a WHERE id <> '{THIRD}'",
    f"SELECT n FROM a WHERE id >= '{THIRD}'",
    f"SELECT n FROM a WHERE id = '{THIRD.upper()}'",
    f"SELECT n FROM a WHERE id <> '{THIRD.upper()}'",
    f"SELECT n FROM a WHERE id IN ('{THIRD}', '{IDS[4]}', 'x')",
    f"SELECT n FROM a WHERE id NOT IN ('{THIRD}', 'x')",
    "SELECT n FROM a ORDER BY id LIMIT 4",
)
WRITES = (
    "UPDATE a SET n = n + 100 WHERE id = :id",
    "UPDATE b SET a_id = :id WHERE k = 7",
    "DELETE FROM b WHERE a_id = :id AND k < 5",
)


class Both:
    """A SQLite file, and what it was loaded into."""

    def __init__(self, copy: Path, database: Database[Any]) -> None:
        self.copy, self.database = copy, database
        self.source = f"sqlite:///{copy}"
        self.made: Proposal = design(inspect(self.source))
        load(self.made, self.source, database)
        self.store = Store(self.made, database)

    def theirs(self, sql: str, **values: object) -> Counter[str]:
        """What SQLite answers; it takes no UUIDs but as texts."""
        with closing(sqlite3.connect(self.copy)) as connection, connection:
            return Counter(map(repr, connection.execute(sql, _texts(values))))

    def mine(self, sql: str, **values: object) -> Counter[str]:
        """What the documents answer."""
        return Counter(repr(tuple(row.values())) for row in self.store.execute(sql, **values))


def _texts(values: dict[str, object]) -> dict[str, object]:
    return {name: str(value) if isinstance(value, UUID) else value for name, value in values.items()}


@pytest.fixture
def both(tmp_path: Path, database: Database[Any]) -> Both:
    """Rows with UUIDs as keys, foreign keys, and in a column of texts."""
    copy = tmp_path / "a.db"
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("CREATE TABLE a (id uuid PRIMARY KEY, n int, note text)")
        connection.execute("CREATE TABLE b (k integer PRIMARY KEY, a_id uuid REFERENCES a (id))")
        notes = [str(each) if n % 2 == 0 else "none" for n, each in enumerate(IDS)]
        connection.executemany("INSERT INTO a VALUES (?, ?, ?)", zip(map(str, IDS), range(12), notes, strict=True))
        connection.executemany("INSERT INTO b VALUES (?, ?)", ((k, str(IDS[k % 5])) for k in range(20)))
    return Both(copy, database)


@pytest.mark.thorough
@pytest.mark.parametrize("value", [THIRD, IDS[2], THIRD.upper(), "no uuid", "17", 17, IDS[2].bytes, None])
def test_reads_find_what_sqlite_finds(both: Both, value: object) -> None:
    """With texts, UUIDs, bytes and numbers for the parameter: SQLite's blobs and other spellings are not the text."""
    for sql in (*READS, *OF_TEXTS):
        if (isinstance(value, bytes) and ("upper" in sql or "LIKE" in sql)) or (
            isinstance(value, UUID) and sql in OF_TEXTS
        ):
            continue
        assert both.mine(sql, id=value) == both.theirs(sql, id=value), sql


def test_constants_find_what_sqlite_finds(both: Both) -> None:
    """In comparisons, lists, ranges and orders."""
    for sql in CONSTANTS:
        assert both.mine(sql) == both.theirs(sql), sql


@pytest.mark.thorough
def test_lists_find_what_sqlite_finds(both: Both) -> None:
    """A list of UUIDs and texts is a parameter."""
    found = both.mine("SELECT n FROM a WHERE id IN :ids", ids=[IDS[1], THIRD, THIRD.upper(), 5])
    assert found == both.theirs("SELECT n FROM a WHERE id IN (:x, :y)", x=IDS[1], y=THIRD)


def test_writes_leave_what_sqlite_has(both: Both) -> None:
    """By key, of foreign keys, and of new rows: afterwards every row is the same."""
    for sql in WRITES:
        both.store.execute(sql, id=IDS[2])
        both.theirs(sql, id=IDS[2])
    new = "INSERT INTO a (id, n, note) VALUES (:id, 50, :note)"
    both.store.execute(new, id=UUID(int=5), note=UUID(int=5).hex)
    both.theirs(new, id=UUID(int=5), note=UUID(int=5).hex)
    report = verify(both.made, both.source, both.database)
    assert report.equal, report.differences


@pytest.mark.parametrize("value", [IDS[2], Binary.from_uuid(IDS[2])])
def test_a_uuid_is_refused_where_the_column_is_none(both: Both, value: object) -> None:
    """As SQLite's own driver refuses it, whose texts may have hyphens or none; by reads, writes and lists."""
    writes = (
        "INSERT INTO a (id, n, note) VALUES ('x', 1, :id)",
        "UPDATE a SET n = :id",
        "UPDATE a SET note = note || :id",
    )
    for sql in (*OF_TEXTS, *writes, "SELECT :id AS it FROM a", "DELETE FROM a WHERE note = :id"):
        with pytest.raises(WorkloadError, match=r"`\.hex` or its `str"):
            both.store.execute(sql, id=value)
    with pytest.raises(WorkloadError, match=r"SQLite has no UUIDs; give its `\.hex`"):
        both.store.execute("SELECT n FROM a WHERE note IN :ids", ids=["none", value])
    with closing(sqlite3.connect(both.copy)) as connection, pytest.raises(sqlite3.Error):
        connection.execute(OF_TEXTS[0], {"id": IDS[2]})


def test_the_key_is_found_by_its_index(both: Both) -> None:
    """The condition is on the field itself."""
    found = convert(both.made, f"SELECT n FROM a WHERE id = '{THIRD}'")
    assert isinstance(found, CompiledRead)
    assert repr(Binary.from_uuid(IDS[2])) in repr(found.filter)
    assert "$expr" not in repr(found.filter)
    assert "$expr" not in repr(convert(both.made, READS[0]))


@pytest.mark.thorough
def test_a_written_module_finds_the_same(both: Both, tmp_path: Path) -> None:
    """Parameters are converted there too."""
    workload = tmp_path / "workload.sql"
    named = {f"read_{n}": sql for n, sql in enumerate(READS)}
    workload.write_text("".join(f"-- name: {n}, rate: 1/s\n{sql};\n" for n, sql in named.items()), encoding="utf-8")
    space: dict[str, Any] = {}
    exec(queries_module(both.made, workload, "sqlite")[0], space)
    for name, sql in named.items():
        for value in (THIRD, IDS[2], Binary.from_uuid(IDS[2]), THIRD.upper(), "no uuid"):
            rows = space[name](both.database, id=value)
            wanted = str(value.as_uuid()) if isinstance(value, Binary) else value
            assert Counter(repr(tuple(row.values())) for row in rows) == both.theirs(sql, id=wanted), (sql, value)


@pytest.mark.thorough
def test_what_needs_the_text_itself_is_a_gap(both: Both) -> None:
    """The server makes no text of a UUID."""
    with pytest.raises(NestlingError, match="the text of a uuid"):
        both.store.execute("SELECT n FROM a WHERE id LIKE 'a%'")


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([str(IDS[0]).upper()], TypeName.TEXT),
        ([IDS[0].bytes], TypeName.BYTES),
        ([str(IDS[0])], TypeName.UUID),
    ],
)
def test_the_type_is_that_of_the_values(tmp_path: Path, values: list[object], kind: TypeName) -> None:
    """Texts in canonical form are UUIDs, others texts, blobs bytes."""
    copy = tmp_path / "kinds.db"
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("CREATE TABLE t (id uuid)")
        connection.executemany("INSERT INTO t VALUES (?)", ((value,) for value in values))
    assert inspect(f"sqlite:///{copy}").model.entity("t").attribute("id").type.name is kind
