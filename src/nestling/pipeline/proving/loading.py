"""Prepares the rivals: each gets a database of its own, loaded from the same rows. One that fails is disqualified."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from nestling.common.connection import address, typed_errors
from nestling.common.errors import ConnectionFailed, DiskFull, NestlingError
from nestling.executors.drive import check_room, disk_wait, driven, stored_space
from nestling.ir.model import Model
from nestling.ir.programs.command import CreateIndex
from nestling.ir.programs.compiled import NotCompiled
from nestling.ir.proof import ADVISED
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.rows import RowSource
from nestling.ir.storage.bounds import ELEMENT_BYTES, FRAMING_BYTES, UNKNOWN_BYTES
from nestling.ir.values import Policy
from nestling.ir.watching import Watch
from nestling.pipeline.proving.contender import TWIN, Contender
from nestling.pipeline.proving.statements import CompiledByName, Exact, predicted

if TYPE_CHECKING:
    from pymongo.database import Database

POLICY = Policy(long_decimals="text", microseconds="text")
"""A policy with which every value of a source can be stored."""
Rows = Callable[[Model], RowSource]
"""Opens the rows every rival is loaded from."""


def make_ready(
    each: Contender, made: tuple[CompiledByName, Exact], reading: Reading, rows: Rows, watch: Watch | None
) -> None:
    """Load one rival with its compiled statements. Only a lost server or a full disk raises an error."""
    names = {statement.name for statement in reading.workload.statements}
    ready = {name: one for name, one in made[0].items() if name in names}
    statements = {name: one for name, one in ready.items() if not isinstance(one, NotCompiled)}
    exact = {name: one for name, one in made[1].items() if name in names}
    if gaps := [made for made in ready.values() if isinstance(made, NotCompiled)]:
        why = f"it cannot answer `{gaps[0].name}`: {gaps[0].gap}"
        if each.name in (ADVISED, TWIN):
            each.out(why)
        else:
            each.left_out = why
        return
    try:
        began = perf_counter()
        load_rows(each.proposal, rows(each.proposal.design.model), each.database, each.name, watch)
        each.load_seconds = perf_counter() - began
        each.space = stored_space(each.database)
    except (ConnectionFailed, DiskFull):
        raise
    except NestlingError as error:
        each.out(f"it cannot be loaded: {error.problems[0].text()}")
        return
    each.driven = driven(each.name, each.database, statements, exact)


def predict(contenders: Sequence[Contender], reading: Reading) -> None:
    """Predict how long the statements take on each rival. The disk's wait is measured once, as all share the disk."""
    with typed_errors(address(contenders[0].database)):
        waited = disk_wait(contenders[0].database)
    for each in contenders:
        each.predicted = predicted(each.proposal, reading, waited)


def load_rows(
    proposal: Proposal, source: RowSource, database: Database[Any], name: str, watch: Watch | None = None
) -> None:
    """Create a design's collections in an empty database, fill them, and build the indexes without any expiry."""
    from nestling.emitters.commands import collection_commands, indexes_of, unseen_commands
    from nestling.executors.create import create
    from nestling.executors.load import load as fill
    from nestling.executors.load import written_collections

    made = proposal.design
    told = (lambda p: watch(f"loading {name} ({p.store})", p.rows, p.total_rows)) if watch is not None else None
    create(collection_commands(made, policy=POLICY), database, written_collections(made))
    indexes = tuple(_lasting(each.command()) for each in indexes_of(proposal))
    unseen = unseen_commands(made, policy=POLICY)
    fill(made, source, database, indexes=indexes, unseen=unseen, policy=POLICY, progress=told)


def _lasting(index: CreateIndex) -> CreateIndex:
    """Remove the expiry from an index: old rows would otherwise disappear while they are being read."""
    return replace(index, options={name: told for name, told in index.options.items() if name != "expireAfterSeconds"})


def check_disk(database: Database[Any], reading: Reading, counts: Mapping[str, int], rivals: int) -> None:
    """Raise `LoadError` when the rows of that many rivals will not go on the server's disk, by the statistics' widths."""
    total = 0.0
    for entity in reading.model.entities:
        known = reading.statistics.entity(entity.name)
        widths = [known.attribute(name).average_bytes for name in entity.attribute_names]
        row = ELEMENT_BYTES + sum(w.value if w else UNKNOWN_BYTES for w in widths)
        row += sum(len(name) + FRAMING_BYTES for name in entity.attribute_names)
        total += counts[entity.name] * row
    check_room(database, total * rivals, f"loading {rivals} designs of {sum(counts.values()):,} rows")
