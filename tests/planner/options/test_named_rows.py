"""Writes of rows that a subquery names, as a job queue's claim, are priced by these rows, so that its index is chosen."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from nestling import pipeline
from nestling.ir.reading import Reading
from tests.two_prices import two_prices

TABLES = """
CREATE TABLE job (id INTEGER PRIMARY KEY NOT NULL, state TEXT NOT NULL, run_at TIMESTAMP NOT NULL, owner INTEGER, note TEXT);
CREATE TABLE pick (id INTEGER PRIMARY KEY NOT NULL, job_number INTEGER NOT NULL, kind INTEGER NOT NULL);
"""
JOBS = 20_000
CLAIM = """UPDATE job SET state = 'running' WHERE id = (SELECT id FROM job WHERE state = 'queued' AND run_at <= :now
    ORDER BY run_at, id LIMIT 1)"""
NAMED = {
    "claim": CLAIM,
    "claim_told": f"{CLAIM} RETURNING id, note",
    "claim_many": "UPDATE job SET state = 'running' WHERE id IN (SELECT id FROM job WHERE state = 'queued' LIMIT 5)",
    "every": "UPDATE job SET note = 'x' WHERE id IN (SELECT id FROM job WHERE state = 'queued')",
    "from_query": """UPDATE job SET note = 'y' FROM (SELECT id AS named FROM job WHERE state = 'queued' ORDER BY run_at LIMIT 5) q
        WHERE job.id = q.named""",
    "picked": "UPDATE job SET note = 'z' WHERE id IN (SELECT job_number FROM pick WHERE kind = 7)",
    "gone": "DELETE FROM job WHERE id IN (SELECT id FROM job WHERE state = 'queued' ORDER BY run_at LIMIT 10)",
}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Many jobs, of which one in a hundred waits."""
    path = tmp_path_factory.mktemp("jobs") / "jobs.db"
    rows = [
        (n, "done" if n % 100 else "queued", f"2026-01-{1 + n % 28:02} {n % 24:02}:00:00", n % 50, "x" * 80)
        for n in range(JOBS)
    ]
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(TABLES)
        connection.executemany("INSERT INTO job VALUES (?, ?, ?, ?, ?)", rows)
        connection.executemany("INSERT INTO pick VALUES (?, ?, ?)", [(n, n * 3, n % 250) for n in range(1000)])
        connection.commit()
    return path


def read(path: Path, sql: str) -> Reading:
    """The jobs, and one statement of them."""
    workload = path.with_name("workload.sql")
    workload.write_text(f'-- name: asked, rate: 20/s\n-- params: {{"now": "2026-01-05 00:00:00"}}\n{sql};\n')
    return pipeline.inspect(f"sqlite:///{path}", workload=workload)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", NAMED)
def test_both_prices_are_of_these_rows(database: Path, name: str) -> None:
    """As many as the subquery names, each found by its key, with what is chosen and without any index."""
    reading = read(database, NAMED[name])
    for strategy in ("optimal", "normalized"):
        (found,) = two_prices(reading, pipeline.design(reading, strategy)).values()
        assert found.factor < 2, (strategy, found)


@pytest.mark.parametrize("name", ["claim", "claim_told", "claim_many", "from_query", "gone", "every"])
def test_the_subquery_has_its_index(database: Path, name: str) -> None:
    """As it has where it is asked alone; without one all jobs are looked through."""
    indexes = pipeline.design(read(database, NAMED[name]), "optimal").design.indexes
    assert [each.collection for each in indexes] == ["job"]
    assert "state" in f"{indexes[0].keys} {indexes[0].partial}"


OTHERS = [
    "UPDATE job SET note = 'x' WHERE id NOT IN (SELECT job_number FROM pick WHERE kind = 7)",
    "UPDATE job SET note = 'x' WHERE EXISTS (SELECT 1 FROM pick WHERE kind = 7)",
]


@pytest.mark.parametrize("sql", OTHERS)
def test_other_subqueries_name_none(database: Path, sql: str) -> None:
    """They leave rows out, or let all pass."""
    reading = read(database, sql)
    (found,) = two_prices(reading, pipeline.design(reading, "normalized")).values()
    assert found.factor < 4, found
