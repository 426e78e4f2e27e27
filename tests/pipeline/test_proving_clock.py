"""Proving statements that take the server's time and make new UUIDs: every design is given the same ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling.common.server import Server
from nestling.pipeline import inspect
from nestling.pipeline.proving import Effort, measured_server, prove_source
from tests.planner.reads.beside_postgresql import created

TABLES = """
CREATE TABLE u (id int PRIMARY KEY, name text NOT NULL, last_login timestamptz);
CREATE TABLE ev (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), u_id int NOT NULL REFERENCES u, k int, at timestamptz DEFAULT now(),
  day date DEFAULT CURRENT_DATE
);
INSERT INTO u SELECT n, 'user ' || n, now() - n * interval '1 hour' FROM generate_series(1, 200) n;
INSERT INTO ev (u_id, k) SELECT 1 + mod(n, 200), mod(n, 50) FROM generate_series(1, 400) n;
"""
WORKLOAD = """
-- name: login, rate: 20/s
UPDATE u SET last_login = now() WHERE id = :id;
-- name: event, rate: 20/s
INSERT INTO ev (u_id, k) VALUES (:u, :k);
-- name: events, rate: 20/s
SELECT id, at, day FROM ev WHERE k = :k;
-- name: lately, rate: 5/s
SELECT count(*) FROM u WHERE last_login > now() - interval '1 second';
-- name: user, rate: 20/s
SELECT u.name, u.last_login, e.id, e.at FROM u LEFT JOIN ev e ON e.u_id = u.id WHERE u.id = :id;
"""


@pytest.mark.thorough
@pytest.mark.parametrize("clients", [1, 4])
def test_the_same_clock_and_the_same_uuids_on_all_designs(
    postgresql: str, mongod: Server, tmp_path: Path, clients: int
) -> None:
    """What a statement, or a column's default, takes from the server's clock or makes anew is equal on all designs."""
    _, url, engine = created(postgresql, TABLES)
    engine.dispose()
    (tmp_path / "workload.sql").write_text(WORKLOAD, encoding="utf-8")
    reading = inspect(url, workload=tmp_path / "workload.sql")
    effort = Effort(seconds=0.6, rounds=4, checks=3, open_seconds=0.2, clients=clients)
    with measured_server(mongod.uri) as on:
        proof = prove_source(reading, url, on, variants=False, effort=effort)
    assert proof.equal, [each.disqualified for each in proof.designs]
    assert len(proof.designs) > 1
    assert [one.name for one in proof.designs[0].statements] == ["login", "event", "events", "lately", "user"]
