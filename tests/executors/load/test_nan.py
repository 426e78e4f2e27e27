"""NaN that came to a column after its design was made: statements take it for no number, so a load says so."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from pymongo.database import Database

from nestling import pipeline
from tests.planner.reads.beside_postgresql import created

TABLES = """
CREATE TABLE gauge (id integer PRIMARY KEY, level numeric(8, 2), share double precision, part real, old double precision);
INSERT INTO gauge VALUES (1, 1.50, 0.5, 0.25, 'NaN'), (2, 2.50, 1.5, 1.25, 2);
"""


def test_it_is_told(postgresql: str, database: Database[Any]) -> None:
    """By column, with what to do; a column that had one when it was read holds it as its type says."""
    _, url, _ = created(postgresql, TABLES)
    proposal = pipeline.design(pipeline.inspect(url), "normalized")
    with sa.create_engine(url, poolclass=sa.NullPool).begin() as connection:
        connection.exec_driver_sql("UPDATE gauge SET level = 'NaN', share = 'NaN', part = 'NaN' WHERE id = 2")
    loaded = pipeline.load(proposal, url, database)
    (note,) = loaded.report.notes
    assert "gauge.level (1), gauge.part (1), gauge.share (1); design again" in note
    assert loaded.verified is not None
    assert loaded.verified.equal
