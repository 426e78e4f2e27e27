"""Capturing what applications ask of a live MongoDB, as the statements of a workload.

Writes nothing to the database.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nestling.ir.watching import Watch
from nestling.pipeline.arguments import checks_arguments
from nestling.pipeline.read_only import looked_at, nothing_there

if TYPE_CHECKING:
    from nestling.ir.capture import Capture
    from nestling.ir.design import Design
    from nestling.ir.facts import Facts
    from nestling.ir.reading import Reading
    from nestling.ir.statistics import Statistics
    from nestling.sources.capture.sql.workload import CapturedWorkload


@checks_arguments
def capture(addresses: Sequence[Path | str], *, watch: Watch | None = None) -> Capture:
    """The statements noted by servers (`mongodb://…`: profiler, latest log, `$queryStats`), in logs and in recordings, merged.

    Raises ConnectionFailed, PermissionDenied, SourceError or InputError.
    """
    from nestling.ir.capture import merged
    from nestling.sources.capture import read_capture_file

    found: list[Capture] = []
    for place, address in enumerate(addresses):
        if watch is not None:
            watch("reading what was captured", place, len(addresses))
        if str(address).startswith(("mongodb://", "mongodb+srv://")):
            found += recorded_captures(str(address))
        else:
            found.append(read_capture_file(Path(address)))
    return merged(found)


def recorded_captures(uri: str) -> tuple[Capture, ...]:
    """Return what a server has recorded about the statements it answered, one capture per place where it records them.

    Raises `SourceError` where there are no collections.
    """
    from nestling.executors.facts.captures import captures
    from nestling.ir.facts import NO_RIGHT

    with looked_at(uri) as (client, databases):
        found = captures(client, databases)
        is_told = any(each.seen for each in found) or any(
            skip.why == NO_RIGHT for each in found for skip in each.skipped
        )
        if not is_told and not any(
            client[name].list_collection_names(authorizedCollections=True) for name in databases
        ):
            raise nothing_there(databases)
        return found


@checks_arguments
def captured_workload(found: Capture, design: Design, statistics: Statistics | None = None) -> CapturedWorkload:
    """Captured statements as SQL over the model of the design the documents follow; `statistics`: of these."""
    from nestling.ir.statistics import Statistics
    from nestling.sources.capture.sql.workload import workload_of

    return workload_of(found, design, statistics or Statistics())


_CAPTURED = "captured statements"


@checks_arguments
def with_captured(reading: Reading, found: Capture, design: Design) -> Reading:
    """Replace a reading's workload with captured statements. What SQL cannot express becomes the first of its gaps."""
    from nestling.common.errors import WorkloadError
    from nestling.ir.reading import Gap, GapKind
    from nestling.sources.statements import parse_workload

    said = captured_workload(found, design, reading.statistics)
    not_expressed = tuple(each.name for each in said.not_expressed)
    if not said.statements:
        nothing = replace(reading.workload, left_out=(*reading.workload.left_out, *not_expressed))
        return replace(reading, workload=nothing, gaps=(*said.gaps, *reading.gaps))
    try:
        workload, gaps = parse_workload(said.text(), reading.model, reading.dialect)
    except WorkloadError as error:  # not one of them can be read
        lacking = tuple(Gap(GapKind.NOTIMPL, problem.what, problem.where) for problem in error.problems)
        nothing = replace(reading.workload, left_out=(*not_expressed, *(each.name for each in said.statements)))
        return replace(reading, workload=nothing, gaps=(*said.gaps, *lacking, *reading.gaps))
    workload = replace(workload, left_out=(*workload.left_out, *not_expressed))
    placed = tuple(replace(each, where=_CAPTURED) for each in gaps)  # nobody has the text whose lines they name
    return replace(reading, workload=workload, gaps=(*said.gaps, *placed, *reading.gaps))


@checks_arguments
def facts_with(facts: Facts, found: Capture) -> Facts:
    """Add captured statements to the facts. If both have a statement, the one seen more often counts.

    What a client counted more often than the server has the server's work each time.
    """
    from nestling.ir.capture.patterns import statements_of

    known = {each.pattern: each for each in facts.statements}
    for each in statements_of(found, facts.databases):
        own = known.get(each.pattern)
        if own is None:
            known[each.pattern] = each
        elif own.count < each.count:
            counted = each.with_work(own) if each.by_client and not own.by_client else each
            known[each.pattern] = replace(counted, matched=own.matched)
    return replace(facts, statements=tuple(known.values()), skipped=(*facts.skipped, *found.skipped))
