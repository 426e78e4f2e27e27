"""No index is proposed for a statement that compares or sorts what is stored in another order than its values have."""

from __future__ import annotations

from pathlib import Path

from nestling import pipeline
from nestling.ir.programs.compiled import NotCompiled
from tests.planner.reads.beside_postgresql import created

TABLES = """
CREATE TABLE site (id integer PRIMARY KEY, slot interval, host inet, weight integer NOT NULL);
INSERT INTO site SELECT n, n * interval '7 minutes', '10.0.0.1'::inet + n, n FROM generate_series(1, 4000) n;
ANALYZE;
"""
STATEMENTS = {
    "long": "SELECT id FROM site WHERE slot > interval '400 hours'",
    "same": "SELECT id FROM site WHERE slot = interval '7 minutes'",
    "sorted": "SELECT id FROM site ORDER BY slot LIMIT 5",
    "behind": "SELECT id FROM site WHERE host > '10.0.15.0'",
    "heavy": "SELECT id FROM site WHERE weight > 3990",
}


def test_only_what_is_stored_in_order_has_an_index(postgresql: str, tmp_path: Path) -> None:
    """The index of a number is proposed; none of an interval or an address, of which the comparison is a gap."""
    workload = tmp_path / "site.sql"
    workload.write_text("\n".join(f"-- name: {name}, rate: 50/s\n{sql};" for name, sql in STATEMENTS.items()))
    made = pipeline.design(pipeline.inspect(created(postgresql, TABLES)[1], workload=workload), "optimal")
    assert {path for each in made.design.indexes for path, _ in each.keys} == {"weight", "_id"}
    gaps = {name for name, sql in STATEMENTS.items() if isinstance(pipeline.convert(made, sql), NotCompiled)}
    assert gaps == {"long", "same", "sorted", "behind"}
