"""Which reads scan a collection although SQLite would search the table by a key or an index.

The server is asked to explain what it did (`executionStats`), SQLite what it would do. A read is an *exception* when it scans a
collection that holds the home of a table SQLite searches and does not scan. Indexes SQLite makes for one statement do not count.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import sqlglot
from pymongo.errors import PyMongoError
from sqlglot import exp

from benchmarks.answers import SqliteReference, Statement
from nestling.emitters.mql.read import compiled_read
from nestling.ir.programs.compiled import CompiledRead, Operation, bind
from nestling.ir.proposal import Proposal
from nestling.pipeline.converting import default_price
from nestling.planner.reads import plan_read
from nestling.planner.sql import translate

_LINE = re.compile(r"(SCAN|SEARCH) (\S+)(.*)")


@dataclass
class IndexUse:
    """Reads by design: how many scan nothing, scan as SQLite does, scan although SQLite does not."""

    counts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    exceptions: list[tuple[str, ...]] = field(default_factory=list)

    def add(
        self, label: str, name: str, statement: Statement, proposal: Proposal, database: Any, reference: SqliteReference
    ) -> None:
        """Explain one read on both sides."""
        values = statement.samples if isinstance(statement.samples, dict) else {}
        design = proposal.design
        query = translate(statement.sql, design.model, "sqlite")
        plan = plan_read(query, design, statistics=proposal.statistics, price=default_price)  # type: ignore[arg-type]
        read = compiled_read(plan, name=statement.name, sql=statement.sql)
        try:
            scanned = sorted(
                set(scans(database, bind(read, {k: v for k, v in values.items() if k in read.parameters})))
            )
        except PyMongoError as error:
            self.counts[name]["not explained"] += 1
            self.exceptions.append((label, name, statement.name, "", str(error)[:80]))
            return
        searched, swept = sqlite_plan(statement.sql, values, reference)
        homes = {name.casefold(): {place.store.name for place in places} for name, places in design.places.items()}
        needless = [
            collection
            for collection in scanned
            if any(collection in homes.get(table, ()) for table in searched)
            and not any(collection in homes.get(table, ()) for table in swept)
        ]
        kind = "no scan" if not scanned else "scans SQLite makes, too" if not needless else "exception"
        self.counts[name][kind] += 1
        if needless:
            why = f"SQLite searches {', '.join(sorted(searched))}" + (
                f", scans {', '.join(sorted(swept))}" * bool(swept)
            )
            self.exceptions.append((label, name, statement.name, ", ".join(needless), why))

    def show(self) -> None:
        """Print Markdown."""
        kinds = ("no scan", "scans SQLite makes, too", "exception", "not explained")
        print("\n| design | " + " | ".join(kinds) + " |\n|---|" + "---|" * len(kinds))
        for name, found in self.counts.items():
            print(f"| {name} | " + " | ".join(str(found[kind]) for kind in kinds) + " |")
        if self.exceptions:
            print("\n| database | design | statement | scanned | instead |\n|---|---|---|---|---|")
            for row in self.exceptions:
                print("| " + " | ".join(row) + " |")


def scans(database: Any, read: CompiledRead) -> Iterator[str]:
    """The collections a bound read scans, as the server explains it."""
    if read.operation is Operation.FIND:
        command: dict[str, Any] = {"find": read.collection, "filter": read.filter or {}}
        command |= {"sort": dict(read.sort)} if read.sort else {}
        command |= {"limit": read.limit} if read.limit else {}
    else:
        command = {"aggregate": read.collection or 1, "pipeline": list(read.pipeline), "cursor": {}}
    unions: list[Any] = [stage["$unionWith"] for stage in read.pipeline if "$unionWith" in stage]
    if any(_kills_server(each.get("pipeline", ())) for each in unions):
        raise PyMongoError("mongod 6.0.5 dies when it explains a $unionWith with two $match in a row")
    explained = database.command("explain", command, verbosity="executionStats")
    yield from _scanned(explained, str(read.collection))


def _kills_server(stages: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the server follows a null pointer as it takes these stages apart for an explanation; it runs them well."""
    return any("$match" in one and "$match" in other for one, other in pairwise(stages))


def _scanned(node: Any, collection: str) -> Iterator[str]:
    """Of one collection, and inside its lookups."""
    if isinstance(node, list):
        for each in node:
            yield from _scanned(each, collection)
    if not isinstance(node, dict):
        return
    if node.get("stage") == "COLLSCAN":
        yield collection
    if node.get("stage") == "EQ_LOOKUP" and node.get("strategy") in ("HashJoin", "NestedLoopJoin"):
        yield str(node["foreignCollection"]).split(".", 1)[1]
    if "$lookup" in node and int(node.get("collectionScans", 0)):
        yield str(node["$lookup"]["from"])
    if "$unionWith" in node:
        inner = node["$unionWith"]
        yield from _scanned(inner.get("pipeline"), str(inner.get("coll")))
        return
    for name, value in node.items():
        if name in (
            "winningPlan",
            "queryPlan",
            "inputStage",
            "inputStages",
            "queryPlanner",
            "stages",
            "$cursor",
            "shards",
        ):
            yield from _scanned(value, collection)


def sqlite_plan(sql: str, values: dict[str, Any], reference: SqliteReference) -> tuple[set[str], set[str]]:
    """The tables SQLite searches by a key or an index, and those it scans."""
    tables = sqlglot.parse_one(sql, dialect="sqlite").find_all(exp.Table)
    aliases = {(table.alias or table.name).casefold(): table.name.casefold() for table in tables}
    searched: set[str] = set()
    swept: set[str] = set()
    for *_, line in reference.connection.execute(f"EXPLAIN QUERY PLAN {sql}", values):
        found = _LINE.match(line)
        table = aliases.get(found[2].casefold()) if found else None
        if found and table:
            kept = found[1] == "SEARCH" and "AUTOMATIC" not in found[3]
            (searched if kept else swept).add(table)
    return searched, swept
