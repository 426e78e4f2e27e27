"""How the server finds documents while something is done, as its profiler tells it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pymongo.database import Database


def found_by(database: Database[Any], collection: str, work: Callable[[], object]) -> tuple[str, int]:
    """The plan of the first operation on the collection, such as `IXSCAN`, and the most documents one of them looks at."""
    database["system.profile"].drop()
    database.command("profile", 2)
    work()
    database.command("profile", 0)
    seen = [*database["system.profile"].find({"ns": f"{database.name}.{collection}"}).sort("ts", 1)]
    plan = str(seen[0]["planSummary"]).split(" ")[0]
    return plan, max(each.get("docsExamined", 0) for each in seen)
