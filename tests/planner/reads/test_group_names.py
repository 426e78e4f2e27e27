"""What is counted beside an aggregate is no other result of the group."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pymongo.database import Database

from nestling import pipeline
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.reading import Reading
from nestling.ir.types import INTEGER, TEXT
from tests.planner.reads.beside_sqlite import Rows, loaded


def test_a_column_may_be_called_like_a_number(database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """The sum of what may be NULL counts its values."""
    columns = (Attribute("id", INTEGER, nullable=False), Attribute("sum_n", TEXT), Attribute("total", INTEGER))
    reading = Reading(Model("sums", (Entity("sums", columns, ("id",)),)), dialect="sqlite")
    rows: Rows = {"sums": [(1, "a", 5), (2, "b", None)]}
    sums = loaded(pipeline.design(reading, "normalized"), rows, database, tmp_path)
    sums.assert_equal("SELECT id, SUM(total), sum_n FROM sums GROUP BY id")
    sums.assert_equal("SELECT id, sum_n FROM sums GROUP BY id HAVING SUM(total) IS NULL")
