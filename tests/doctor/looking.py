"""Looking at a test's database."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from pymongo import MongoClient
from pymongo.database import Database

from nestling.executors.facts import Amount, Budget, gather
from nestling.ir.facts import Facts
from nestling.ir.finding import Finding
from nestling.pipeline import diagnose

Db = Database[dict[str, Any]]


def look(database: Db, *, documents: int = 10_000, whole: bool = False) -> Facts:
    """The facts of a database."""
    return gather(database.client, [database.name], Budget(60.0, Amount(documents), whole, rest=0))


def looked_before(database: Db) -> Facts:
    """The facts of a database as if they were a day old."""
    facts = look(database)
    return replace(facts, taken=(datetime.fromisoformat(facts.taken) - timedelta(days=1)).isoformat())


def watched(database: Db, ask: Callable[[Db], object], times: int = 25) -> None:
    """Ask so many times as an application that the profiler watches; nestling leaves itself out."""
    host, port = database.client.address or ("", 0)
    client: MongoClient[dict[str, Any]] = MongoClient(host, port, directConnection=True, appname="shop")
    with client:
        application = client[database.name]
        application.command("profile", 2)
        for _ in range(times):
            ask(application)
        application.command("profile", 0)


def found(facts: Facts, earlier: Facts | None = None, thresholds: Mapping[str, float] | None = None) -> list[Finding]:
    """What the doctor finds in them; an index a test has just created has no use yet, so that needs a threshold."""
    return list(diagnose(facts, earlier=earlier, thresholds=thresholds))


def places(findings: list[Finding]) -> set[tuple[str, str, str]]:
    """Rule, collection (empty: the database) and path of findings."""
    return {(each.rule, each.namespace.partition(".")[2], each.path) for each in findings}
