"""Bytes beside texts: a constant or parameter that is a text is the bytes it has in UTF-8, as in MariaDB and PostgreSQL."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import NullPool, create_engine, text
from sqlalchemy.exc import DataError

from nestling import Store, pipeline
from nestling.common.errors import WorkloadError
from nestling.emitters.python_code import module
from nestling.executors.run import run_read
from nestling.ir.programs.compiled import CompiledRead
from tests.beside_mariadb import Both, both_of
from tests.planner.reads.beside_postgresql import Beside, beside_of

_SCRIPT = """
CREATE TABLE file (id int PRIMARY KEY, content blob, name varchar(9));
INSERT INTO file VALUES (1, 'abc', 'abc'), (2, 'ABC', 'x'), (3, '', ''), (4, NULL, NULL),
    (5, X'ff00', 'é'), (6, 'é', 'é'), (7, '\\\\x616263', 'x');
CREATE TABLE kept (id int PRIMARY KEY, content blob);
INSERT INTO kept VALUES (1, 'x')
"""

both = both_of(_SCRIPT, "normalized", scope="module")


@pytest.mark.parametrize(
    "condition", ["= 'abc'", "<> ''", "IN ('abc', '')", "NOT IN ('abc', 'é')", "= 'é'", "<=> 'ABC'", "IN ('x')", "= ''"]
)
def test_constants(condition: str, both: Both) -> None:
    """Letters count with their case."""
    mine, theirs = both.answers(f"SELECT id FROM file WHERE content {condition} ORDER BY id")
    assert mine == theirs


@pytest.mark.parametrize("value", ["abc", b"abc", "é", "", b"\xff\x00", None, "no", "\\x616263", "a\\b"])
@pytest.mark.parametrize("condition", ["= :v", "<> :v", "IN (:v, 'ABC')"])
def test_bytes_given_as_parameters(condition: str, value: object, both: Both) -> None:
    """A text that is given is its bytes, and bytes are themselves."""
    sql = f"SELECT id FROM file WHERE content {condition} ORDER BY id"
    both.cursor.execute(sql.replace(":v", "%s"), (value,))
    assert [*run_read(both.database, both.convert(sql), {"v": value})] == [*both.cursor.fetchall()]


def test_a_module_makes_bytes_itself(both: Both) -> None:
    """What is written in Python has the conversion with it."""
    read = replace(both.convert("SELECT id FROM file WHERE content = :v"), name="found")
    names: dict[str, Any] = {}
    exec(module([read]), names)
    assert [row["id"] for row in names["found"](both.database, v="é")] == [6]


@pytest.mark.parametrize("said", ["abc", "\\x616263", "\\x61 6263", "a\\142c"])
def test_escapes_of_bytea_in_postgresql(said: str, both: Both) -> None:
    """Where a text in hexadecimal digits says its bytes, and one may hold escapes."""
    read = pipeline.convert(both.proposal, "SELECT id FROM file WHERE content = :v", dialect="postgresql")
    assert isinstance(read, CompiledRead), read
    assert [*run_read(both.database, read, {"v": said})] == [(1,)]


@pytest.mark.parametrize("said", ["abc", "\\x616263"])
def test_constants_of_postgresql(said: str, both: Both) -> None:
    """The same of what is written."""
    read = pipeline.convert(both.proposal, f"SELECT id FROM file WHERE content = '{said}'", dialect="postgresql")
    assert isinstance(read, CompiledRead), read
    assert [*run_read(both.database, read)] == [(1,)]


@pytest.mark.parametrize("said", ["abc", "\\x616263", "a\\142c", "\\\\", "\\9", "a\\", "\\x6"])
def test_stored_by_postgresql(said: str, both: Both, postgresql: str) -> None:
    """A text that is given is stored as PostgreSQL reads it, or refused by both."""
    store = Store(both.proposal, both.database, dialect="postgresql")
    expected: object = WorkloadError
    with create_engine(postgresql, poolclass=NullPool).connect() as connection, suppress(DataError):
        expected = connection.execute(text("SELECT CAST(:v AS bytea)"), {"v": said}).scalar_one()
    if expected is WorkloadError:
        with pytest.raises(WorkloadError, match="`v`"):
            store.execute("UPDATE kept SET content = :v", v=said)
        return
    store.execute("UPDATE kept SET content = :v", v=said)
    assert [row["content"] for row in store.execute("SELECT content FROM kept")] == [expected]


def test_texts_of_columns_are_a_gap(both: Both) -> None:
    """No server of MongoDB's makes bytes of a text."""
    assert "a comparison of bytes with a text" in both.gap("SELECT id FROM file WHERE content = name")


@pytest.mark.parametrize("chosen", ["octet_length(content)", "length(content)"])
def test_lengths(chosen: str, both: Both) -> None:
    """Bytes are counted, of bytes that are no text as well."""
    mine, theirs = both.answers(f"SELECT id, {chosen} AS n FROM file ORDER BY id")
    assert mine == theirs


stored = beside_of(
    "CREATE TABLE f (id int PRIMARY KEY, data bytea); INSERT INTO f VALUES (1, '\\x00ff'), (2, ''), (3, NULL), (4, 'é')",
    scope="module",
)
"""Bytes in PostgreSQL and in MongoDB."""


@pytest.mark.parametrize(
    "sql", ["SELECT id, octet_length(data) FROM f ORDER BY id", "SELECT id FROM f WHERE octet_length(data) = 2"]
)
def test_lengths_of_bytea(sql: str, stored: Beside) -> None:
    """`octet_length` is what `length` is."""
    assert sorted(stored.ours(sql)) == sorted(stored.theirs(sql))
