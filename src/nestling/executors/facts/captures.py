"""The server's own records of the statements it answered: the profiler, its latest log, `$queryStats`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from pymongo import MongoClient
from pymongo.database import Database
from pymongo.errors import OperationFailure

from nestling.common.server_codes import NO_SUCH_STAGE
from nestling.executors.facts.permitted import Asking, FoundDocument
from nestling.executors.facts.profile import captured
from nestling.ir.capture import Capture
from nestling.ir.capture.entries import OWN_APPLICATION
from nestling.ir.capture.log_lines import counted as counted_lines
from nestling.ir.capture.query_shapes import counted as counted_shapes

ASKED_SECONDS = 60.0
"""How long a server is asked altogether."""
ALL_LEVEL = 2
SWITCH_ON = '`db.getSiblingDB("{}").setProfilingLevel(2)`'
"""What to tell a server's shell, so that its profiler notes every statement of a database."""
ALL_BUT_OURS = '`db.getSiblingDB("{}").setProfilingLevel(1, {{filter: {{appName: {{$ne: "nestling"}}}}}})`'
"""The command that makes the profiler record every statement but nestling's, from 4.4.2 on.

At level 2 a look at the data alone fills the megabyte that the profiler keeps.
"""
OURS_LEFT_OUT = {"appName": {"$not": {"$eq": OWN_APPLICATION}}}
"""How a server says that filter."""


def captures(client: MongoClient[FoundDocument], databases: Sequence[str]) -> tuple[Capture, ...]:
    """A capture for each place with recorded statements of these databases; refusals are listed as skipped."""
    asking = Asking(time.monotonic() + ASKED_SECONDS)
    found = [
        *_profiled(client, databases, asking),
        _logged(client, databases, asking),
        _statistics(client, databases, asking),
    ]
    noted = tuple(asking.skipped)
    last = found[-1]
    return (*found[:-1], replace(last, skipped=(*last.skipped, *noted)))


def _profiled(client: MongoClient[FoundDocument], databases: Sequence[str], asking: Asking) -> Iterator[Capture]:
    for name in databases:
        status = _told(client[name], asking, f"the profiler of {name}", "profile", -1)
        level = status.get("was")
        chosen_by = status.get("filter")
        slow = 0 if chosen_by else status.get("slowms", 0)  # where there is a filter, the server goes by it alone
        faster = f"statements of {name} faster than {slow} ms" if slow else f"statements of {name}"
        all_of_them = f"{SWITCH_ON.format(name)} makes it record all"
        found = captured(client[name], asking)
        if level == 1 and slow:
            asking.skip(faster, f"its profiler records only slower ones (level 1); {all_of_them}")
        if level == 1 and chosen_by and chosen_by != OURS_LEFT_OUT:
            own = "its profiler records only what its filter lets through (level 1)"
            asking.skip(f"other statements of {name}", f"{own}; {all_of_them}")
        if level == 0 and not found.seen:
            asking.skip(faster, f"its profiler is off; {all_of_them}: capture again after a while")
        if level == ALL_LEVEL and asking.ask(
            f"the profiler of {name}", partial(_is_ours, client[name]), otherwise=False
        ):
            asking.skip(
                f"earlier statements of {name}",
                f"most of what its profiler still holds are nestling's own statements; {ALL_BUT_OURS.format(name)} (4.4.2 "
                "and later) leaves them out: capture again after a while",
            )
        yield replace(found, slow_only=bool(level == 1 and slow))


def _is_ours(database: Database[FoundDocument]) -> bool:
    """Whether most statements in the profiler are nestling's own, so that others have been displaced."""
    kept = database["system.profile"]
    return 2 * kept.count_documents({"appName": OWN_APPLICATION}) > kept.count_documents({})


def _logged(client: MongoClient[FoundDocument], databases: Sequence[str], asking: Asking) -> Capture:
    lines = _told(client.admin, asking, "the server's log", "getLog", "global").get("log", ())
    return replace(counted_lines(lines, databases), slow_only=True)


def _told(
    database: Database[FoundDocument], asking: Asking, what: str, command: str, argument: object
) -> FoundDocument:
    return asking.ask(what, lambda: dict(database.command(command, argument)), {})


def _statistics(client: MongoClient[FoundDocument], databases: Sequence[str], asking: Asking) -> Capture:
    limit, named = asking.milliseconds(), set(databases)

    def answers() -> list[FoundDocument]:
        try:
            return list(client.admin.aggregate([{"$queryStats": {}}], maxTimeMS=limit))
        except OperationFailure as error:
            if error.code in NO_SUCH_STAGE:
                return []
            raise

    found = asking.ask("$queryStats", answers, list[FoundDocument]())
    return counted_shapes(each for each in found if _database(each) in named)


def _database(statistics: FoundDocument) -> str:
    return str(statistics.get("key", {}).get("queryShape", {}).get("cmdNs", {}).get("db", ""))
