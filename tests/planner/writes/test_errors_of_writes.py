"""What fails in a write is a write's error, in whichever of its reads and commands it fails: with RETURNING, too."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import sqlalchemy as sa
from pymongo import AsyncMongoClient

from nestling import AsyncStore, Store
from nestling.common.errors import DataError, ReadError
from tests.planner.reads.beside_postgresql import Beside, beside_of

TABLES = """
CREATE TABLE person (id integer PRIMARY KEY, name varchar(5), note text, balance numeric(10,2), total bigint, x float8);
CREATE TABLE bill (id integer PRIMARY KEY, person integer REFERENCES person, amount numeric(6,2), code varchar(4));
INSERT INTO person VALUES (1, 'Ada', 'a long note', 99999999.00, 9223372036854775807, 1e308), (2, 'Bob', 'b', -1, 1, -1);
INSERT INTO bill VALUES (1, 1, 9999.00, 'ab'), (2, 2, 1.00, 'cd');
"""
FAILING = (
    "UPDATE person SET balance = balance + 99999999 WHERE id = 1",
    "UPDATE person SET balance = balance * 1000 WHERE name = 'Ada'",
    "UPDATE person SET name = note WHERE id = 1",
    "UPDATE person SET name = name || 'abc' WHERE id = 1",
    "UPDATE person SET total = total + 1 WHERE id = 1",
    "UPDATE person SET total = total * 2 WHERE id = 1",
    "UPDATE person SET total = balance::numeric * 1000000000000000000 WHERE id = 1",
    "UPDATE person SET total = note::bigint WHERE id = 1",
    "UPDATE person SET x = sqrt(x) WHERE id = 2",
    "UPDATE person SET balance = balance / (total - 1) WHERE id = 2",
    "INSERT INTO person (id, name) SELECT id + 10, note FROM person WHERE id = 1",
    "INSERT INTO person (id, balance) SELECT id + 10, balance * 1000 FROM person WHERE id = 1",
    "INSERT INTO person (id, total) SELECT id + 10, total + 1 FROM person WHERE id = 1",
    "INSERT INTO person (id, total) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET balance = person.balance * 1000",
    "UPDATE bill SET amount = amount * 10 WHERE id = 1",
    "UPDATE bill SET code = code || 'xyz' WHERE person = 1",
    "UPDATE bill SET amount = p.balance FROM person p WHERE p.id = bill.person AND p.id = 1",
    "DELETE FROM person WHERE sqrt(x) > 1",
    "UPDATE person SET note = 'x' WHERE balance / (total - 1) > 1",
)
RETURNING = tuple(f"{sql} RETURNING *" for sql in FAILING if " FROM person p " not in sql)


people = beside_of(TABLES, "normalized", "embedded", scope="module")
"""People and their bills."""


@pytest.mark.in_turn("people")
@pytest.mark.parametrize("sql", [*FAILING, *RETURNING])
def test_a_write_that_fails_says_so(people: Beside, sql: str) -> None:
    """PostgreSQL refuses it as well. The next move is a write's, and nothing of it stays."""
    with pytest.raises(sa.exc.DBAPIError):
        people.theirs(sql)
    database = people.database
    before = {name: list(database[name].find()) for name in database.list_collection_names()}
    with pytest.raises(DataError) as caught:
        Store(people.proposal, database, dialect="postgresql").execute(sql)
    assert "select the plain column" not in str(caught.value)
    assert {name: list(database[name].find()) for name in before} == before


def test_it_does_on_asyncio(people: Beside) -> None:
    """The same error of the same statement."""
    proposal, database = people.proposal, people.database
    host, port = database.client.address or ("", 0)

    async def written() -> None:
        async with AsyncMongoClient[dict[str, Any]](host, port, directConnection=True) as client:
            await AsyncStore(proposal, client[database.name], dialect="postgresql").execute(RETURNING[0])

    with pytest.raises(DataError, match="cannot be stored as"):
        asyncio.run(written())


def test_a_read_stays_a_read(people: Beside) -> None:
    """Its error is not a write's."""
    with pytest.raises(ReadError):
        people.ours("SELECT note::bigint + total FROM person WHERE id = 1")
