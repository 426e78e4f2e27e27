"""`ON DELETE SET NULL (column)` and `SET DEFAULT (column)` of PostgreSQL 15 change the named columns alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import SourceError
from nestling.ir.model import OnDelete
from nestling.ir.text import read_proposal, write_proposal
from nestling.sources.ddl import read_ddl
from nestling.sources.sql.sqlite.catalog import on_delete
from tests.planner.reads.beside_postgresql import created

TABLES = """
CREATE TABLE usr (tenant int, id int, PRIMARY KEY (tenant, id));
CREATE TABLE ticket (tenant int, no int, assignee int, PRIMARY KEY (tenant, no),
  FOREIGN KEY (tenant, assignee) REFERENCES usr ON DELETE SET NULL (assignee));
CREATE TABLE visit (id int PRIMARY KEY, tenant int DEFAULT 7, "Guest" int DEFAULT 9,
  FOREIGN KEY (tenant, "Guest") REFERENCES usr ON DELETE SET DEFAULT ("Guest"));
INSERT INTO usr VALUES (1, 1), (1, 2), (1, 9), (2, 1);
INSERT INTO ticket VALUES (1, 1, 1), (1, 2, 2), (2, 1, 1), (2, 2, NULL);
INSERT INTO visit VALUES (1, 1, 1), (2, 1, 2), (3, 1, NULL);
"""
DELETES = ("DELETE FROM usr WHERE tenant = 1 AND id = 1", "DELETE FROM usr WHERE tenant = 1 AND id = 2")


@pytest.fixture
def address(postgresql: str) -> str:
    """The address of a database that holds the tables."""
    url = created(postgresql, TABLES)[1]
    with sa.create_engine(url, poolclass=sa.NullPool).connect() as connection:
        version = connection.exec_driver_sql("SHOW server_version_num").scalar()
    if int(version or 0) < 150_000:
        pytest.skip("PostgreSQL 15 is the first to have it")
    return url


@pytest.mark.parametrize("strategy", ["normalized", "embedded", "tree"])
def test_named_columns_change_alone(address: str, strategy: str, database: Database[Any]) -> None:
    """The rest of the foreign key stays, as part of a key and elsewhere, wherever the rows are."""
    proposal = read_proposal(write_proposal(pipeline.design(pipeline.inspect(address), strategy)), "design.yaml")
    pipeline.load(proposal, address, database)
    store = Store(proposal, database)
    with sa.create_engine(address, poolclass=sa.NullPool).begin() as connection:
        for each in DELETES:
            assert store.execute(each).affected == 1
            connection.exec_driver_sql(each)
    compared = pipeline.verify(proposal, address, database)
    assert compared.equal, compared.differences


def test_a_file_says_the_same(address: str) -> None:
    """DDL is read as the database that it makes."""
    text = TABLES.partition("INSERT")[0]
    for model in (read_ddl(text, "files", dialect="postgresql").model, pipeline.inspect(address).model):
        found = {link.child: (link.on_delete, link.on_delete_columns) for link in model.relationships}
        assert found == {
            "ticket": (OnDelete.SET_NULL, ("assignee",)),
            "visit": (OnDelete.SET_DEFAULT, ("Guest",)),
        }


def test_unload_declares_it_again(address: str, postgresql: str, database: Database[Any], tmp_path: Path) -> None:
    """A PostgreSQL has the same columns; other databases refuse to delete the parent, which a note says."""
    proposal = pipeline.design(pipeline.inspect(address), "normalized")
    pipeline.load(proposal, address, database)
    target = created(postgresql, "")[1]
    told = pipeline.unload(proposal, target, database).notes
    assert not any("ON DELETE" in each for each in told)
    again = {link.name: link for link in pipeline.inspect(target).model.relationships}
    assert again == {link.name: link for link in proposal.design.model.relationships}
    told = pipeline.unload(proposal, f"sqlite:///{tmp_path / 'other.db'}", database).notes
    assert any("PostgreSQL alone can have ON DELETE change some columns" in each for each in told)


def test_unknown_actions_are_errors() -> None:
    """No word is taken for RESTRICT."""
    assert on_delete("SET NULL (a)") is OnDelete.SET_NULL
    assert on_delete("no action") is on_delete(None) is OnDelete.RESTRICT
    with pytest.raises(SourceError, match="the action `PERISH` of a foreign key is not known"):
        on_delete("PERISH")
