"""Gathers facts about live databases: read-only, bounded in time and memory, and without keeping values.

Sampling finds the paths, the server measures them. Everything refused is recorded in `Facts.skipped`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pymongo import MongoClient
from pymongo.database import Database

from nestling.common.errors import PermissionDenied, Problem
from nestling.executors.facts import catalogue
from nestling.executors.facts.copied_values import WHOLE_UP_TO_BYTES
from nestling.executors.facts.dangling import with_dangling
from nestling.executors.facts.linked_references import with_links
from nestling.executors.facts.matching import AskedCondition, asked_conditions, with_matches
from nestling.executors.facts.permitted import Asking, FoundDocument
from nestling.executors.facts.profile import noted_entries, of_entries
from nestling.executors.facts.references import references
from nestling.executors.facts.refusals import with_refusals
from nestling.executors.facts.repeated_fields import copies, two_ways
from nestling.executors.facts.sampling import Amount, with_documents
from nestling.executors.facts.server_side import with_measures
from nestling.executors.facts.several_targets import with_others
from nestling.executors.facts.structure import structure, value_links
from nestling.executors.pacing import RestingPace, is_in_use
from nestling.ir.capture import Capture, CommandShape
from nestling.ir.capture.patterns import statements_of
from nestling.ir.facts import (
    NO_RIGHT,
    USE_UNSEEN,
    CollectionFacts,
    Copied,
    Facts,
    ReferenceFacts,
    StatementFacts,
    TwoWay,
)
from nestling.ir.facts.gridfs import with_gridfs
from nestling.ir.facts.structure import StructureFacts, merged

__all__ = ["READING", "Amount", "Budget", "gather", "resting_pace"]

READING: dict[str, Any] = {
    "readPreference": "secondaryPreferred",
    "unicode_decode_error_handler": "replace",
    "datetime_conversion": "DATETIME_AUTO",
    "retryWrites": False,
}
"""Options of a client that only reads: not from the primary, and tolerant of invalid texts and dates."""

BUDGET_SECONDS = 60.0
LEAST_SECONDS = 2.0
"""What every collection gets, however many there are."""
RESTS = 4.0
LINKS_SHARE = 0.3
"""The share of the time kept for what lies between collections."""
ROWS_SHARE = 0.4
"""The share of what is left of it for the links that values tell."""

MATCHES_SHARE = 0.1
"""The share of it for how many documents the conditions of counts and groups let through."""
NAMES_SHARE = 0.5
"""The share of the time for links that names suggest; copies and dangling references are searched in the rest."""

_Report = Callable[[str, int, int], None]
"""Hears what is being looked at, how many collections are done, and of how many."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of gathering: total seconds, documents and bytes read per collection; `whole`: measure all documents.

    `structure`: also find how the rows of each database are related, which reads small collections once more. `rest`: while
    others use the server, pause for this multiple of each query's time, or after half of the time for the same time at most.
    """

    seconds: float = BUDGET_SECONDS
    amount: Amount = Amount()
    whole: bool = False
    structure: bool = False
    rest: float = RESTS


def gather(
    client: MongoClient[FoundDocument], databases: Sequence[str], budget: Budget, report: _Report | None = None
) -> Facts:
    """Everything that can be found out about these databases within the budget.

    Raises PermissionDenied when not even their collections may be listed; the driver's errors are connections lost.
    """
    asking = Asking(time.monotonic() + budget.seconds)
    server = catalogue.server(client, asking)
    in_use = _begin_to_rest(client, asking, budget.rest, budget.seconds)
    if in_use is None and not asking.late:
        asking.skip("whether others use the server", USE_UNSEEN)
    listed = {name: tuple(catalogue.namespaces(client[name], asking)) for name in databases}
    asked = {name: _asked(client[name], listed[name], asking) for name in databases}
    total = sum(map(len, listed.values()))
    if not total and any(each.why == NO_RIGHT and each.what.startswith(catalogue.LISTING) for each in asking.skipped):
        raise _nothing_seen(client, databases)
    work = asking.within(budget.seconds * (1 - LINKS_SHARE))
    found: list[CollectionFacts] = []
    for name in databases:
        for collection in listed[name]:
            if report is not None and collection.holds_documents:
                report(collection.namespace, len(found), total)
            share = max(work.seconds_left() / (total - len(found)), min(LEAST_SECONDS, work.seconds_left()))
            passing = work if budget.structure else None
            found.append(_collection(client, collection, work.within(share), budget, passing))
    found = with_gridfs(found)
    statements = [_statements(client[name], asked[name], found, asking) for name in databases]
    tell = (lambda what: report(what, total, total)) if report is not None else _untold
    links = [_links(client, name, found, asking, budget, tell) for name in databases]
    return Facts(
        taken=datetime.now(UTC).isoformat(timespec="seconds"),
        server=server,
        databases=tuple(databases),
        collections=tuple(found),
        references=tuple(each for link in links for each in link.references),
        two_ways=tuple(each for link in links for each in link.two_ways),
        copies=tuple(each for link in links for each in link.copies),
        statements=tuple(each for some in statements for each in some),
        counters=tuple(each for link in links for each in link.structure.counted if each.by_values),
        structure=merged([link.structure for link in links]) if budget.structure else StructureFacts(),
        skipped=tuple(asking.skipped),
    )


def resting_pace(client: MongoClient[FoundDocument], rest: float, seconds: float) -> RestingPace:
    """The pace of further looks that take so many seconds: as `gather` rests."""
    asking = Asking(time.monotonic() + seconds)
    _begin_to_rest(client, asking, rest, seconds)
    return asking.pace


def _begin_to_rest(client: MongoClient[FoundDocument], asking: Asking, rest: float, seconds: float) -> bool | None:
    """Rest from now on if others use the server, or nobody can tell; returns whether they do."""
    in_use = is_in_use(lambda: catalogue.counters(client, asking)) if rest else False
    if in_use is not False:
        asking.pace.rest, asking.pace.until = rest, time.monotonic() + seconds / 2
    return in_use


def _untold(_: str) -> None:
    """Ignore a progress report."""


def _nothing_seen(client: MongoClient[FoundDocument], databases: Sequence[str]) -> PermissionDenied:
    """The error where not even collections may be listed: the user lacks the rights, or no user was named."""
    where = ", ".join(databases)
    if not client.admin.command("connectionStatus")["authInfo"]["authenticatedUsers"]:
        move = "give one with the role `read`, and the password, before the host, with a colon between them and an @ behind"
        return PermissionDenied(
            Problem("the server requires a user, and the URI names none", where=where, next_move=move)
        )
    move = "give the user the role `read` on the database"
    what = "the user may not list its collections, so nothing can be examined"
    return PermissionDenied(Problem(what, where=where, next_move=move))


def _collection(
    client: MongoClient[FoundDocument],
    collection: CollectionFacts,
    asking: Asking,
    budget: Budget,
    passing: Asking | None,
) -> CollectionFacts:
    """A namespace with all that is asked of its kind: views and system collections are named and left alone.

    `passing`: asks for the pass over all documents, where it may take more than the collection's share of the time.
    """
    if not collection.holds_documents:
        return collection
    database = client[collection.database]
    found = catalogue.with_storage(collection, database, asking)
    found = with_documents(found, database, asking, budget.amount)
    is_small = found.storage is not None and found.storage.data_bytes <= WHOLE_UP_TO_BYTES
    is_measured = budget.whole or (is_small and (budget.structure or not asking.pace.rest))
    if found.sample is not None and not found.sample.exact and is_measured:
        found = with_measures(found, database, passing or asking)
    return with_refusals(found, database, asking)


_Asked = tuple[Capture, Mapping[CommandShape, AskedCondition]]


def _asked(database: Database[FoundDocument], collections: Sequence[CollectionFacts], asking: Asking) -> _Asked:
    """What the server was seen to be asked: read first, as that takes little time and many rules need it."""
    profiled = any(each.name == "system.profile" for each in collections)
    entries = noted_entries(database, asking) if profiled else []
    return of_entries(entries), asked_conditions(entry for _, entry in entries)


def _statements(
    database: Database[FoundDocument], asked: _Asked, collections: Sequence[CollectionFacts], asking: Asking
) -> tuple[StatementFacts, ...]:
    """The statements seen, with how many documents those that gather are about."""
    part = asking.within(asking.seconds_left() * MATCHES_SHARE)
    return statements_of(with_matches(*asked, database, collections, part), {database.name})


@dataclass(frozen=True, slots=True)
class _Links:
    references: tuple[ReferenceFacts, ...]
    two_ways: tuple[TwoWay, ...]
    copies: tuple[Copied, ...]
    structure: StructureFacts


def _links(
    client: MongoClient[FoundDocument],
    name: str,
    found: Sequence[CollectionFacts],
    asking: Asking,
    budget: Budget,
    tell: Callable[[str], None],
) -> _Links:
    """The relations between the collections of a database; `tell` receives progress."""
    database, collections = client[name], [each for each in found if each.database == name]
    with_paths = [each for each in collections if each.paths]
    tell("references by names")
    named = tuple(references(database, with_paths, asking.within(asking.seconds_left() * NAMES_SHARE)))
    known = _structure(database, [each for each in with_paths if each.holds_documents], asking, budget, tell)
    tell("copies along references")
    together = with_links(database, named, known.links, with_paths, asking)
    every = _followed(database, together, with_paths, asking)
    return _Links(
        every,
        tuple(two_ways(database, every, asking)),
        tuple(copies(database, with_paths, every, known.repeats, asking)),
        known,
    )


def _structure(
    database: Database[FoundDocument],
    collections: Sequence[CollectionFacts],
    asking: Asking,
    budget: Budget,
    tell: Callable[[str], None],
) -> StructureFacts:
    """How the rows of a database are related.

    Finds only links and copies, in a part of the time, unless more was requested.
    """
    if budget.structure:
        return structure(database, collections, asking, tell)
    part = asking.within(asking.seconds_left() * ROWS_SHARE)
    return value_links(database, collections, part, tell)


def _followed(
    database: Database[FoundDocument],
    found: Sequence[ReferenceFacts],
    collections: Sequence[CollectionFacts],
    asking: Asking,
) -> tuple[ReferenceFacts, ...]:
    """The references, with dangling ones counted, and with the other collections that some lead to."""
    by_name = {each.name: each for each in collections}
    counted = (
        with_dangling(database, each, by_name[each.collection], by_name[each.target], asking)
        if each.target in by_name
        else each
        for each in found
    )
    return tuple(
        with_others(database, each, by_name[each.collection], collections, asking) if each.target in by_name else each
        for each in counted
    )
