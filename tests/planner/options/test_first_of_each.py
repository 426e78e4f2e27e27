"""DISTINCT ON and `row_number() … = 1`: the index that is chosen for them gives their order, and is read by what is emitted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from tests.planner.reads.beside_postgresql import created
from tests.two_prices import two_prices

TABLES = """
CREATE TABLE site (id integer PRIMARY KEY, label text NOT NULL);
CREATE TABLE parcel (id integer PRIMARY KEY, site_id integer NOT NULL REFERENCES site, weight numeric(8,3) NOT NULL,
  status text NOT NULL, due date);
INSERT INTO site SELECT n, 'S' || n FROM generate_series(1, 40) n;
INSERT INTO parcel SELECT n, 1 + n %% 40, (n * 7919 %% 10007) / 8.0, (ARRAY['new', 'lost', 'done'])[1 + n %% 3],
  CASE WHEN n %% 7 > 0 THEN date '2024-01-01' + n %% 30 END FROM generate_series(1, 4000) n;
ANALYZE;
"""
STATEMENTS = {
    "heaviest": "SELECT DISTINCT ON (site_id) site_id, id, weight FROM parcel ORDER BY site_id, weight DESC, id",
    "by_due": "SELECT DISTINCT ON (due) due, id, weight FROM parcel ORDER BY due NULLS FIRST, weight DESC, id",
    "numbered": "SELECT x.status, x.id FROM (SELECT status, id, row_number() OVER (PARTITION BY status ORDER BY weight, id)"
    " AS place FROM parcel) x WHERE x.place = 1 ORDER BY x.status",
    "many": "SELECT DISTINCT ON (weight) weight, id, status FROM parcel ORDER BY weight, status DESC, id",
    "nulls_last": "SELECT DISTINCT ON (due) due, id FROM parcel ORDER BY due, weight, id",
    "two_keys": "SELECT DISTINCT ON (status, site_id) status, site_id, id FROM parcel ORDER BY site_id, status DESC, id",
    "two_of_each": "SELECT x.site_id, x.id FROM (SELECT site_id, id, row_number() OVER"
    " (PARTITION BY site_id ORDER BY weight, id) AS place FROM parcel) x WHERE x.place <= 2 ORDER BY x.site_id, x.id LIMIT 5",
    "shown": "SELECT x.id, x.place FROM (SELECT id, row_number() OVER (PARTITION BY site_id ORDER BY weight, id) AS place"
    " FROM parcel) x WHERE x.place = 1 ORDER BY x.id",
}


@dataclass(frozen=True)
class Depot:
    """A PostgreSQL database, what is read of it, and the design chosen for some statements."""

    url: str
    workload: Path
    reading: Reading
    chosen: Proposal

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        """What PostgreSQL answers."""
        with sa.create_engine(self.url, poolclass=sa.NullPool).connect() as connection:
            return [tuple(map(str, row)) for row in connection.exec_driver_sql(sql)]


@pytest.fixture(scope="module")
def depot(postgresql: str, tmp_path_factory: pytest.TempPathFactory) -> Depot:
    """Many parcels of few sites, some without a day they are due."""
    _, url, _ = created(postgresql, TABLES)
    workload = tmp_path_factory.mktemp("depot") / "depot.sql"
    workload.write_text("\n".join(f"-- name: {name}, rate: 20/s\n{sql};" for name, sql in STATEMENTS.items()))
    reading = pipeline.inspect(url, workload=workload)
    return Depot(url, workload, reading, pipeline.design(reading, "optimal"))


@pytest.mark.thorough
def test_an_index_that_has_their_order_is_read(depot: Depot, database: Database[dict[str, Any]]) -> None:
    """The first of each are PostgreSQL's, and every index that serves a statement is read when this one runs."""
    pipeline.load(depot.chosen, depot.url, database, check=False)
    store = Store(depot.chosen, database, workload=depot.workload)
    for name, sql in STATEMENTS.items():
        before = _reads(database)
        assert [tuple(map(str, row.values())) for row in store.run(name)] == depot.rows(sql), name
        used = {index for index, count in _reads(database).items() if count > before.get(index, 0)}
        meant = {_name(each.keys) for each in depot.chosen.design.indexes if name in each.serves}
        assert meant <= used, name
    served = {name for each in depot.chosen.design.indexes for name in each.serves}
    assert "heaviest" in served
    assert "nulls_last" not in served


def test_the_search_prices_it_as_the_compiled_query(depot: Depot) -> None:
    """No statement costs twice what its query does, with the indexes or without any."""
    for strategy in ("optimal", "normalized"):
        prices = two_prices(depot.reading, pipeline.design(depot.reading, strategy))
        assert prices.keys() == STATEMENTS.keys()
        assert not {name: each for name, each in prices.items() if each.factor > 2 and name != "two_of_each"}


def _reads(database: Database[dict[str, Any]]) -> dict[str, int]:
    return {each["name"]: each["accesses"]["ops"] for each in database["parcel"].aggregate([{"$indexStats": {}}])}


def _name(keys: tuple[tuple[str, int], ...]) -> str:
    return "_".join(f"{path}_{direction}" for path, direction in keys)
