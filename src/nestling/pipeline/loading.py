"""Loading rows into a MongoDB, verifying them, and unloading them again."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from nestling.ir.proposal import Proposal
from nestling.ir.storage.names import SYSTEM_DATABASES
from nestling.ir.values import Policy
from nestling.ir.watching import Watch
from nestling.pipeline.arguments import checks_arguments

if TYPE_CHECKING:
    from pathlib import Path

    from pymongo.database import Database

    from nestling.common.server import Server
    from nestling.executors.load import LoadReport
    from nestling.executors.progress import RowProgress
    from nestling.executors.unload import UnloadReport
    from nestling.executors.verify import VerifyReport
    from nestling.ir.design import Design
    from nestling.ir.programs.command import Aggregation
    from nestling.ir.rows import RowSource


class LoadMode(StrEnum):
    """What to do with collections that already hold data."""

    REFUSE = "refuse"
    REPLACE = "replace"  # drop the design's own collections first
    RESUME = "resume"  # go on after the last checkpoint of an interrupted load


@dataclass(frozen=True, slots=True)
class Loaded:
    """A load and, unless it was left out, its verification.

    `left_out`: tables and columns of the source that the design does not hold, which were not loaded.
    """

    report: LoadReport
    verified: VerifyReport | None
    left_out: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        from nestling.ir.words.notebook import block, list_of, paragraph, table

        report, verified = self.report, self.verified
        rows = ((name, f"{there:,}", f"{loaded:,}") for name, (there, loaded) in report.entities.items())
        documents = ((name, f"{number:,}") for name, number in report.documents.items())
        return block(
            table("Loaded", ("entity", "rows", "loaded"), rows),
            table("Documents", ("collection", "documents"), documents),
            list_of("Left out", self.left_out),
            list_of("Notes", report.notes),
            paragraph(f"Loaded in {report.seconds:.1f} s."),
            verified._repr_html_() if verified is not None else paragraph(f"{NOT_COMPARED}."),
        )


@checks_arguments
@contextmanager
def opened(uri: str | None, name: str) -> Iterator[tuple[Server, Database[Any]]]:
    """The MongoDB to work on and the database in it: the URI's, else one called `name`. Starts an embedded one if need be."""
    from nestling.common.connection import connect, database_name, typed_errors
    from nestling.common.server import open_server

    with open_server(uri) as server, connect(server.uri) as client, typed_errors(server.uri):
        yield server, client[database_name(server.uri, _possible(name))]


def _possible(name: str) -> str:
    """`name` as MongoDB lets databases be called, and never one that is the server's own."""
    from nestling.common.connection import LONGEST_DATABASE_NAME

    possible = "".join("_" if character in '/\\. "$*<>:|?\0' else character for character in name) or "nestling"
    if possible.lower() in SYSTEM_DATABASES:
        return f"{possible}_data"
    return possible.encode()[:LONGEST_DATABASE_NAME].decode(errors="ignore")  # the server counts bytes


NOT_COMPARED = "all rows are loaded, but not all were compared with the source: `nestling verify` does that"


@checks_arguments
def home_queries(of: Design) -> Mapping[str, Aggregation]:
    """The query of every entity's home view: how its rows are read back from wherever they live."""
    from nestling.emitters.mql import aggregation
    from nestling.planner.homes.views import home_views

    return {entity: aggregation(path) for entity, path in home_views(of).items()}


@checks_arguments
def reach_rows(proposal: Proposal, address: Path | str | None) -> None:
    """Raise a typed error if `address` is not a source that fits the design, before a server is started for it."""
    from nestling.sources.front import rows_to_load

    rows_to_load(address, proposal.design.model)


@checks_arguments
def load(
    proposal: Proposal,
    address: Path | str | None,
    database: Database[Any],
    *,
    mode: LoadMode = LoadMode.REFUSE,
    policy: Policy | None = None,
    check: bool = True,
    watch: Watch | None = None,
) -> Loaded:
    """Create the collections, fill them from the source, build the indexes, and verify that nothing was lost.

    A model file, a DDL file or None has no rows: the collections stay empty, and there is nothing to verify.
    """
    from nestling.common.stopping import telling_what_stays
    from nestling.emitters.commands import collection_commands, index_commands, unseen_commands
    from nestling.executors.create import create
    from nestling.executors.load import load as fill
    from nestling.executors.load import written_collections
    from nestling.sources.front import has_rows, left_out, rows_to_load

    _refuse_system(database.name)
    made, chosen = proposal.design, policy or Policy()
    source = rows_to_load(address, made.model)
    replace, resume = mode is LoadMode.REPLACE, mode is LoadMode.RESUME
    commands = collection_commands(made, policy=chosen)
    create(commands, database, written_collections(made), replace=replace, resume=resume)
    told = (lambda p: watch(f"loading rows ({p.store})", p.rows, p.total_rows)) if watch is not None else None
    report = fill(
        made,
        source,
        database,
        indexes=index_commands(made),
        unseen=unseen_commands(made, policy=chosen),
        resume=resume,
        policy=chosen,
        progress=told,
    )
    beside = left_out(source)
    if not check or address is None or not has_rows(address):
        return Loaded(report, None, beside)
    with telling_what_stays(lambda: NOT_COMPARED):
        return Loaded(report, _verified(proposal, source, database, chosen, watch), beside)


def _refuse_system(name: str) -> None:
    """Raise `LoadError` for a database of the server's own, which users are often in, and data is not."""
    from nestling.common.errors import LoadError, Problem

    if name in SYSTEM_DATABASES:
        move = "choose another; if users are stored there, give it as authSource: `mongodb://user@host/shop?authSource=admin`"
        raise LoadError(Problem(f"`{name}` is one of the server's own databases", next_move=move))


@checks_arguments
def verify(
    proposal: Proposal,
    address: Path | str,
    database: Database[Any],
    *,
    policy: Policy | None = None,
    watch: Watch | None = None,
) -> VerifyReport:
    """Compare every row of the source with the row that is read back from its home. Writes nothing.

    Raises `VerifyError` if the documents have another design.
    """
    from nestling.sources.front import open_rows

    return _verified(proposal, open_rows(address, proposal.design.model), database, policy, watch)


def _verified(
    proposal: Proposal, source: RowSource, database: Database[Any], policy: Policy | None, watch: Watch | None
) -> VerifyReport:
    from nestling.executors.verify import verify as compare
    from nestling.pipeline.checking import require_design
    from nestling.sources.front import left_out

    def told(progress: RowProgress) -> None:
        total = progress.total_rows // 2 if progress.total_rows is not None else None  # each row is read on both sides
        if watch is not None:
            watch(f"verifying rows ({progress.entity})", progress.rows // 2, total)

    homes = home_queries(proposal.design)
    require_design(proposal, database)
    found = compare(proposal.design.model, homes, source, database, policy=policy, report=told)
    return dataclasses.replace(found, left_out=left_out(source))


@checks_arguments
def unload(
    proposal: Proposal, address: Path | str, database: Database[Any], *, watch: Watch | None = None
) -> UnloadReport:
    """Rebuild the rows from their homes and write them to the SQL database at `address`.

    The report's notes name documents that belong to no row, such as a part that was split off a deleted one. Raises
    `VerifyError` if the documents have another design, because some rows would not be found.
    """
    from nestling.executors.unload import unload as rebuild
    from nestling.pipeline.checking import require_design, unread
    from nestling.sources.checks import not_made
    from nestling.sources.front import open_target

    told = (lambda p: watch(f"unloading rows ({p.entity})", p.rows, p.total_rows)) if watch is not None else None
    homes = home_queries(proposal.design)
    require_design(proposal, database)
    made = rebuild(proposal.design.model, homes, database, open_target(address), report=told)
    return dataclasses.replace(made, notes=(*made.notes, *not_made(proposal.notes), *unread(proposal, database)))
