"""Parameters a write takes into account: what is not a number is refused by the parameter's name, before the server is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import WorkloadError
from nestling.executors.write import run_write
from nestling.ir.programs.program import CompiledWrite

TABLE = "CREATE TABLE medicine (id INTEGER PRIMARY KEY, label TEXT NOT NULL, stock INTEGER NOT NULL);"
UPSERT = "INSERT INTO medicine (id, label, stock) VALUES (:id, 'a', :stock) ON CONFLICT (id) DO UPDATE SET stock = "
STATEMENTS = {
    "sum": (f"{UPSERT} stock + excluded.stock", 5),
    "product": (f"{UPSERT} stock * excluded.stock", 6),
    "other sign": (f"{UPSERT} -excluded.stock", -2),
    "absolute": (f"{UPSERT} abs(excluded.stock)", 2),
    "in place": ("UPDATE medicine SET stock = stock + :stock WHERE id = :id", 5),
    "in place, less": ("UPDATE medicine SET stock = stock - :stock WHERE id = :id", 1),
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_what_is_no_number_is_refused_by_name(name: str, database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """A text that is a number is one, as in SQLite; any other is an error that names the parameter, and changes nothing."""
    (tmp_path / "schema.sql").write_text(TABLE, encoding="utf-8")
    proposal = pipeline.design(pipeline.inspect(str(tmp_path / "schema.sql")))
    sql, after = STATEMENTS[name]
    write = pipeline.convert(proposal, sql, name=name, dialect="sqlite")
    assert isinstance(write, CompiledWrite)
    database["medicine"].insert_one({"_id": 7, "label": "a", "stock": 3})
    for wrong in ("many", b"2"):
        with pytest.raises(WorkloadError, match=r"parameter `stock`: .* is not a number"):
            run_write(database, write, {"id": 7, "stock": wrong})
    run_write(database, write, {"id": 7, "stock": "2"})
    assert database["medicine"].find_one() == {"_id": 7, "label": "a", "stock": after}
