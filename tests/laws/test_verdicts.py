"""The law about statements tells a wrong answer from one of several that SQL leaves open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.reading import Reading
from nestling.sources.ddl import read_ddl
from nestling.strategies import design
from tests.generators.statements import Statement
from tests.generators.worlds import World
from tests.laws.statement_law import loaded

JOINED = "WITH w AS (SELECT group_concat(name) AS names FROM thing)"


@pytest.mark.parametrize(
    ("sql", "hangs"),
    [
        (f"{JOINED} SELECT t.id FROM w JOIN thing t ON w.names >= t.name", True),
        (f"{JOINED} SELECT length(names) FROM w", False),
    ],
)
def test_whathangs_on_the_order_of_rows(sql: str, hangs: bool, database: Database[Any], tmp_path: Path) -> None:
    """Texts that were joined in no order, and compared: SQLite itself answers otherwise where its rows lie otherwise."""
    model = read_ddl("CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT NOT NULL);", "m", dialect="sqlite").model
    world = World(model, {"thing": [(1, "c"), (2, "a"), (3, "c"), (4, "b")]}, frozenset())
    made = design(Reading(model), "normalized").design
    statement = Statement(sql)
    with loaded(world, made, database, tmp_path) as pair:
        rows = pair.connection.execute(sql).fetchall()
        assert pair.hangs_on_the_order_of_rows(statement, rows) is hangs
