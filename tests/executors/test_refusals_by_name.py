"""What a server refuses is called as in the model, whatever the design stores it under."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from pymongo import AsyncMongoClient
from pymongo.database import Database

from nestling import AsyncStore, Store
from nestling.common.errors import ConstraintError, LoadError, NestlingError, WriteError
from nestling.common.server import Server
from nestling.ir.proposal import Proposal
from nestling.pipeline import design, inspect, load
from nestling.pipeline.designing import with_short_names

SCHEMA = """
CREATE TABLE product (id INTEGER PRIMARY KEY, label TEXT UNIQUE);
CREATE TABLE review (product_id INTEGER NOT NULL REFERENCES product (id), number INTEGER NOT NULL, stars INTEGER NOT NULL,
                     "group" TEXT NOT NULL, UNIQUE ("group"), PRIMARY KEY (product_id, number));
CREATE TABLE shelf (id INTEGER PRIMARY KEY, "group" TEXT NOT NULL);
INSERT INTO shelf VALUES (5, 'a');
INSERT INTO product VALUES (1, 'pen'), (2, 'ink');
INSERT INTO review VALUES (1, 1, 5, 'a'), (1, 2, 4, 'b');
"""


@pytest.fixture(params=["normalized", "embedded"])
def proposal(request: pytest.FixtureRequest, tmp_path: Path) -> Proposal:
    """A design that stores attributes under initials; `a.db` is its source."""
    connection = sqlite3.connect(tmp_path / "a.db")
    connection.executescript(SCHEMA)
    connection.close()
    return design(with_short_names(inspect(f"sqlite:///{tmp_path / 'a.db'}")), request.param)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("sql", "error", "said"),
    [
        ("UPDATE review SET stars = 'five' WHERE number = 1", WriteError, "`review.stars` is string, not "),
        ("UPDATE product SET label = 'ink' WHERE id = 1", ConstraintError, "the same `product.label` already"),
        ("INSERT INTO product VALUES (1, 'cap')", ConstraintError, "the same `product.id` already"),
    ],
)
def test_refusals_say_the_column(
    sql: str, error: type[NestlingError], said: str, proposal: Proposal, tmp_path: Path, database: Database[Any],
    mongod: Server,
) -> None:  # fmt: skip
    """By both of the driver's clients."""
    load(proposal, f"sqlite:///{tmp_path / 'a.db'}", database, check=False)
    with pytest.raises(error, match=said):
        Store(proposal, database).execute(sql)

    async def other() -> None:
        async with AsyncMongoClient[dict[str, Any]](mongod.uri) as client:
            await AsyncStore(proposal, client[database.name]).execute(sql)

    with pytest.raises(error, match=said):
        asyncio.run(other())


def test_no_column_has_two_values(proposal: Proposal, tmp_path: Path, database: Database[Any]) -> None:
    """A NULL that is refused is shown as what the column was to be, and not beside what it was, nor beside other columns."""
    load(proposal, f"sqlite:///{tmp_path / 'a.db'}", database, check=False)
    with pytest.raises(ConstraintError) as refused:
        Store(proposal, database).execute('UPDATE shelf SET "group" = NULLIF("group", :a)', a="a")
    assert refused.value.problems[0].known == "group = NULL"


def test_loading_says_the_column_too(proposal: Proposal, tmp_path: Path, database: Database[Any]) -> None:
    """A value that breaks the validator when it is loaded."""
    connection = sqlite3.connect(tmp_path / "a.db")
    connection.execute("UPDATE review SET stars = 'five' WHERE number = 1")
    connection.commit()
    connection.close()
    with pytest.raises(LoadError, match=r"`review\.stars` is string"):
        load(proposal, f"sqlite:///{tmp_path / 'a.db'}", database, check=False)
