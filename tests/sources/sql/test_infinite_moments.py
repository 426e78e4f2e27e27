"""PostgreSQL's infinite dates and moments on their way back: to columns that hold them, or to none."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import SourceError
from nestling.ir.proposal import Proposal
from nestling.ir.text import read_proposal, write_proposal

TABLE = """CREATE TABLE c (id int PRIMARY KEY, d date DEFAULT 'infinity', t timestamp, z timestamptz NOT NULL);
INSERT INTO c VALUES (1, '2024-01-01', '2024-01-01 10:00:00.5', 'infinity'),
 (2, 'infinity', '-infinity', '2024-01-01 10:00:00+02'), (3, NULL, 'infinity', '-infinity')"""
ALSO = """, also: ["enum('-infinity', 'infinity')"]"""
DAY = datetime(2024, 1, 1, tzinfo=UTC)
ROWS = "SELECT id, d::text, t::text, z::text FROM c ORDER BY id"


@pytest.fixture
def loaded(postgresql_urls: tuple[str, str], database: Database[dict[str, Any]]) -> Proposal:
    """Infinite values of each type, loaded from a PostgreSQL database."""
    with psycopg.connect(postgresql_urls[0]) as connection:
        connection.execute('DROP SCHEMA torture, "odd schema" CASCADE; SET search_path TO public')
        connection.execute(TABLE)
    proposal = pipeline.design(pipeline.inspect(postgresql_urls[0]), "normalized")
    pipeline.load(proposal, postgresql_urls[0], database)
    return proposal


@pytest.mark.thorough
def test_postgresql_has_them_again(
    loaded: Proposal, postgresql_urls: tuple[str, str], database: Database[dict[str, Any]]
) -> None:
    """Columns are dates and moments as before, with the same values and the same default."""
    report = pipeline.unload(loaded, postgresql_urls[1], database)
    assert not any(note.startswith("`c`: ") for note in report.notes)
    with psycopg.connect(postgresql_urls[0]) as source, psycopg.connect(postgresql_urls[1]) as copy:
        assert copy.execute(ROWS).fetchall() == source.execute(ROWS).fetchall()
        copy.execute("INSERT INTO c (id, z) VALUES (4, '2024-01-01 10:00:00Z')")
        assert copy.execute("SELECT d::text FROM c WHERE id = 4").fetchone() == ("infinity",)
    assert pipeline.inspect(postgresql_urls[1]).model.entity("c").attributes[1:] == tuple(
        loaded.design.model.entity("c").attributes[1:]
    )


def test_what_is_told_where_no_column_holds_both_works(
    loaded: Proposal, mariadb_urls: tuple[str, str], database: Database[dict[str, Any]]
) -> None:
    """MariaDB refuses them before anything is written; without such values, and with the design saying so, it takes the rows."""
    with pytest.raises(SourceError) as refused:
        pipeline.unload(loaded, mariadb_urls[1], database)
    assert "table c: `d` is date and also enum('-infinity', 'infinity'), and no column here can hold both" in str(
        refused.value
    )
    assert "if no such value is left, remove its type from the attribute's `also` in the design's model" in str(
        refused.value
    )
    text = write_proposal(loaded)
    assert text.count(ALSO) == 3
    mended = read_proposal(text.replace(ALSO, ""), "design.yaml")
    with pytest.raises(SourceError, match=r"(?s)is 'infinity': .*change that value"):
        pipeline.unload(mended, mariadb_urls[1], database)
    for name in ("d", "t", "z"):
        database.c.update_many({name: {"$type": "string"}}, {"$set": {name: DAY}})
    assert pipeline.unload(mended, mariadb_urls[1], database).entities == {"c": 3}
