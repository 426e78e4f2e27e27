"""Tables of PostgreSQL that were restored just now: the planner knows nothing of them, and joins them row by row."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from nestling.ir.model import Relationship
from nestling.sources.sql import open_database
from nestling.sources.sql.measure import Connected
from nestling.sources.sql.measure_links import LinkMeasures, measure_link
from nestling.sources.sql.row_sql import Tables
from tests.planner.reads.beside_postgresql import created

RESTORED = """
CREATE TABLE "Item" (id int PRIMARY KEY, above int REFERENCES "Item") WITH (autovacuum_enabled = off);
CREATE INDEX ON "Item" (above);
INSERT INTO "Item" SELECT i, i / 2 FROM generate_series(0, 999) i;
"""


@pytest.mark.parametrize("analyzed", [False, True])
def test_the_planner_is_kept_from_nested_loops(
    postgresql: str, monkeypatch: pytest.MonkeyPatch, analyzed: bool
) -> None:
    """A tree of 13,000 rows took a minute and a half to measure; where PostgreSQL knows its tables, it decides."""
    address = created(postgresql, RESTORED + ("ANALYZE" if analyzed else ""))[1]
    seen: list[str] = []

    def watched(
        tables: Tables, link: Relationship, database: Connected, *, parents: int, children: int
    ) -> LinkMeasures:
        found = measure_link(tables, link, database, parents=parents, children=children)
        seen.extend(value for (value,) in database.all(sa.text("SHOW enable_nestloop")))
        return found

    monkeypatch.setattr("nestling.sources.sql.inspection.measure_link", watched)
    (link,) = open_database(address).reading().model.relationships
    assert seen == ["on" if analyzed else "off"]
    assert link.is_self
