"""The spine: one function per stage, in the order data flows. Commands, notebooks and tests call these and nothing deeper.

::

    inspect ──► design ──► load (create, fill, index, verify) ──► verify ──► unload
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nestling.ir.proposal import Proposal
from nestling.ir.reading import Gap, Reading
from nestling.ir.values import Policy
from nestling.ir.workload import Workload

if TYPE_CHECKING:
    from pymongo.database import Database

    from nestling.common.server import Server
    from nestling.executors.load import LoadReport
    from nestling.executors.progress import RowProgress
    from nestling.executors.unload import UnloadReport
    from nestling.executors.verify import VerifyReport
    from nestling.ir.command import Aggregation
    from nestling.ir.compiled import CompiledRead
    from nestling.ir.design import Design
    from nestling.strategies import Thresholds

Watch = Callable[[str, int, int | None], None]
"""Hears how far long work is: what is being worked on, rows done, rows in all (None: not known)."""


class Mode(StrEnum):
    """What to do about collections that already hold data."""

    REFUSE = "refuse"
    REPLACE = "replace"  # drop the design's own collections first
    RESUME = "resume"  # go on after the last checkpoint of an interrupted load


@dataclass(frozen=True, slots=True)
class Loaded:
    """A load and, unless it was left out, its verification."""

    report: LoadReport
    verified: VerifyReport | None


def inspect(address: str, *, workload: Path | None = None, dialect: str = "", watch: Watch | None = None) -> Reading:
    """Read a source: its model, statistics and workload. Writes nothing."""
    from nestling.sources.front import read_source, with_workload

    say = (lambda name: watch(f"reading {name}", 0, None)) if watch is not None else None
    reading = read_source(address, dialect=dialect, progress=say)
    return with_workload(reading, workload) if workload is not None else reading


def design(reading: Reading, strategy: str, thresholds: Thresholds | None = None) -> Proposal:
    """Decide where everything lives."""
    from nestling.strategies import design as decide

    return decide(reading, strategy, thresholds)


def read_proposal(path: Path) -> Proposal:
    """The proposal in a design file; raises `InputError` with every mistake in it."""
    from nestling.common.errors import InputError, Problem
    from nestling.ir.text import read_file

    found = read_file(path)
    if isinstance(found, Reading):
        next_move = f"make a design of it: nestling design {path} -o design.yaml"
        raise InputError(Problem(what="holds a model, not a design", where=str(path), next_move=next_move))
    return found


@contextmanager
def opened(uri: str | None, name: str) -> Iterator[tuple[Server, Database[Any]]]:
    """The MongoDB to work on and the database in it: the URI's, else one called `name`. Starts an embedded one if need be."""
    from nestling.common.connection import connect, database_name, typed_errors
    from nestling.common.server import open_server

    with open_server(uri) as server, connect(server.uri) as client, typed_errors(server.uri):
        yield server, client[database_name(server.uri, _possible(name))]


def _possible(name: str) -> str:
    """`name` as MongoDB lets databases be called, and never one that is the server's own."""
    possible = "".join("_" if character in '/\\. "$*<>:|?\0' else character for character in name) or "nestling"
    if possible.lower() in ("admin", "config", "local"):
        return f"{possible}_data"
    return possible.encode()[:63].decode(errors="ignore")  # the server counts bytes


def home_queries(of: Design) -> Mapping[str, Aggregation]:
    """The query of every entity's home view: how its rows are read back from wherever they live."""
    from nestling.emitters.mql import aggregation
    from nestling.planner.home import home_views

    return {entity: aggregation(path) for entity, path in home_views(of).items()}


def reach_rows(proposal: Proposal, address: str) -> None:
    """Raise a typed error when `address` has no rows to read, before a server is started for them."""
    from nestling.sources.front import open_rows

    open_rows(address, proposal.design.model)


def load(
    proposal: Proposal,
    address: str,
    database: Database[Any],
    *,
    mode: Mode = Mode.REFUSE,
    policy: Policy | None = None,
    check: bool = True,
    watch: Watch | None = None,
) -> Loaded:
    """Create the collections, fill them from the source, build the indexes, and verify that nothing was lost."""
    from nestling.emitters.commands import collection_commands, index_commands
    from nestling.executors.create import create
    from nestling.executors.load import load as fill
    from nestling.executors.load import written_collections
    from nestling.sources.front import open_rows

    made, chosen = proposal.design, policy or Policy()
    source = open_rows(address, made.model)
    replace, resume = mode is Mode.REPLACE, mode is Mode.RESUME
    commands = collection_commands(made, policy=chosen)
    create(commands, database, written_collections(made), replace=replace, resume=resume)
    told = (lambda p: watch(f"loading {p.store}", p.rows, p.total_rows)) if watch is not None else None
    report = fill(made, source, database, indexes=index_commands(made), resume=resume, policy=chosen, progress=told)
    return Loaded(report, verify(proposal, address, database, policy=chosen, watch=watch) if check else None)


def verify(
    proposal: Proposal,
    address: str,
    database: Database[Any],
    *,
    policy: Policy | None = None,
    watch: Watch | None = None,
) -> VerifyReport:
    """Compare every row of the source with what reading its home back yields. Writes nothing."""
    from nestling.executors.verify import verify as compare
    from nestling.sources.front import open_rows

    model = proposal.design.model
    source = open_rows(address, model)

    def told(progress: RowProgress) -> None:
        total = progress.total_rows // 2 if progress.total_rows is not None else None  # each row is read on both sides
        if watch is not None:
            watch(f"verifying {progress.entity}", progress.rows // 2, total)

    return compare(model, home_queries(proposal.design), source, database, policy=policy, report=told)


def unload(proposal: Proposal, database: Database[Any], address: str, *, watch: Watch | None = None) -> UnloadReport:
    """Rebuild the conceptual data from the homes and write it to a SQL database."""
    from nestling.executors.unload import unload as rebuild
    from nestling.sources.front import open_target

    told = (lambda p: watch(f"unloading {p.entity}", p.rows, p.total_rows)) if watch is not None else None
    homes = home_queries(proposal.design)
    return rebuild(proposal.design.model, homes, database, open_target(address), report=told)


def convert(
    proposal: Proposal, sql: str, *, name: str = "", dialect: str = "", values: Mapping[str, object] | None = None
) -> CompiledRead:
    """Compile one SELECT for a design, with `values` in place of its parameters when they are given.

    What cannot be compiled comes back with its `gap` set; unknown names and mistakes in the SQL raise `WorkloadError`.
    """
    from nestling.common.errors import GapError
    from nestling.emitters.mql.read import compiled_read
    from nestling.ir.algebra import Query
    from nestling.ir.compiled import CompiledRead, bind
    from nestling.ir.reading import GapKind
    from nestling.planner.reads import plan_read
    from nestling.planner.sql import translate

    try:
        query = translate(sql, proposal.design.model, dialect)
        if not isinstance(query, Query):
            gap = Gap(GapKind.NOTIMPL, f"{type(query).__name__.upper()}: only reads are compiled so far")
            return CompiledRead(name, sql, gap=gap)
        read = compiled_read(plan_read(query, proposal.design), name=name, sql=sql)
        return bind(read, values) if values is not None else read
    except GapError as error:
        found = getattr(error, "gap", None) or Gap(GapKind.NOTIMPL, error.problems[0].what, error.problems[0].where)
        return CompiledRead(name, sql, gap=found)


def statements_of(proposal: Proposal, path: Path, dialect: str) -> tuple[Workload, tuple[Gap, ...]]:
    """The statements of a workload file over a design's model, and what of it could not be understood."""
    from nestling.sources.front import with_workload

    read = with_workload(Reading(proposal.design.model, dialect=dialect), path)
    return read.workload, read.gaps
