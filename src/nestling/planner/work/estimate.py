"""The work of a read plan, step by step: each step takes the rows of the one before and says what it does to them.

A limit stops what flows, but not what had to see all rows first (a sort, a group). A plan that comes to a `find` sets up no
pipeline and hands no rows from stage to stage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from nestling.ir.design import Design
from nestling.ir.paths import work_of
from nestling.ir.paths.access_path import (
    ClientFile,
    CollectionScan,
    DocumentComparison,
    FieldExists,
    FieldHasValue,
    FieldPath,
    FilterDocuments,
    GroupDocuments,
    Holds,
    Lookup,
    PathExpression,
    Predicate,
    ProjectDocuments,
    Step,
    Union,
    Unwind,
)
from nestling.ir.paths.row_steps import ROW_STEPS, Keep, Shape, Slice, SortRows, Where, WherePair
from nestling.ir.paths.used_paths import mentioned_paths
from nestling.ir.paths.work import Work
from nestling.ir.programs.compiled import ReadPlan
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.ir.statistics import Statistics
from nestling.ir.storage.bounds import ELEMENT_BYTES, FRAMING_BYTES
from nestling.planner.known.values import PathStatistics
from nestling.planner.work.clauses import share_within
from nestling.planner.work.cold_reads import HELD, ColdShares
from nestling.planner.work.facts import WorkFacts
from nestling.planner.work.first_access import access_taken
from nestling.planner.work.lookups import looked_up, scanned, set_up, steps_of
from nestling.planner.work.row_steps import row_step
from nestling.planner.work.skipped_archives import is_left_out
from nestling.planner.work.stream import Condition, Stream, Use


def estimate(
    plan: ReadPlan,
    design: Design,
    statistics: Statistics,
    values: Mapping[str, object] | None = None,
    *,
    cold: ColdShares = HELD,
) -> Work:
    """The work of one execution, result and all. `values`: sample values of parameters, by name; `cold`: the rows the cache does
    not hold.
    """
    given, mentioned = dict(values or {}), mentioned_paths(plan.step)
    facts = WorkFacts(design, statistics, given, mentioned=mentioned, cold=cold, collation=plan.collation)
    stream = read_collection(walk(plan.step, facts), facts)
    as_find = is_find(plan.step)
    work = stream.work + work_of.send(stream.rows, stream.bytes, fields=len(plan.columns))
    work += work_of.request(0 if as_find else set_up(plan.step))
    return work._replace(passed=0.0) if as_find else work


def narrowing_work(before: Step, after: Step, design: Design, statistics: Statistics) -> tuple[Work, float]:
    """The work of further steps, and the share of rows they leave."""
    facts = WorkFacts(design, statistics, mentioned=mentioned_paths(after))
    rows, left = _rows(before, facts), _rows(after, facts)
    added = Work._make(later - earlier for later, earlier in zip(left.work, rows.work, strict=True))
    return added, left.rows / rows.rows if rows.rows > 0 else 1.0


def expected_rows(step: Step, design: Design, statistics: Statistics) -> float:
    """The number of rows a step yields."""
    return _rows(step, WorkFacts(design, statistics)).rows


def is_find(step: Step) -> bool:
    """Whether the plan is a scan, then at most one each of condition, order, slice and shape: what a `find` says."""
    for kind in (Shape, Slice, SortRows, Where | WherePair):
        if isinstance(step, kind):
            step = step.source
    return isinstance(step, CollectionScan)


def walk(step: Step, facts: WorkFacts, *, wanted: float | None = None) -> Stream:
    """The rows a step yields; `wanted`: as many as a limit above lets through."""
    if isinstance(step, ROW_STEPS):
        return row_step(step, facts, walk, read_collection, wanted)
    match step:
        case CollectionScan(collection):
            return scanned(collection, facts)
        case Unwind(source=source, path=path, keep_empty=keep_empty):
            return _unwound(read_collection(walk(source, facts), facts), path, keep_empty=keep_empty)
        case FilterDocuments():
            return _filtered(step, walk(step.source, facts), facts)
        case ProjectDocuments(source, fields):
            stream = read_collection(walk(source, facts, wanted=wanted), facts)
            return _projected(stream, fields)
        case GroupDocuments(source, by):
            stream = read_collection(walk(source, facts), facts)
            rows = max(stream.rows / 2, min(stream.rows, 1.0))
            work = work_of.pass_on(stream.rows) + work_of.group(stream.rows, rows, stream.bytes)
            return replace(stream.blocked(work + work_of.project(stream.rows, len(by))), rows=rows)
        case Union(sources):
            asked = [source for source in sources[1:] if not is_left_out(source, facts.values)]
            others = [read_collection(walk(source, facts.asking(None)), facts) for source in asked]
            return _united([read_collection(walk(sources[0], facts), facts), *others], [sources[0], *asked])
        case Lookup(source, foreign, local, foreign_path, field):
            outer = read_collection(walk(source, facts), facts)
            at = local.path if isinstance(local, FieldPath) else None
            return looked_up(outer, foreign, facts, _rows, field=field, local=at, path=foreign_path, keep=Keep.ALL)
        case ClientFile(source):
            stream = read_collection(walk(source, facts), facts)
            return stream.then(stream.rows * (work_of.request() * 2 + work_of.fetch_by_index(2, stream.bytes)))
        case _:
            assert_never(step)


def _rows(step: Step, facts: WorkFacts) -> Stream:
    return read_collection(walk(step, facts), facts)


def read_collection(stream: Stream, facts: WorkFacts, needs: frozenset[str] | None = None) -> Stream:
    """The rows with their collection read as its conditions allow; `needs`: the only paths asked for."""
    if stream.leading is None:
        return stream
    access = access_taken(stream.leading, facts.design, needs=needs)
    return stream.read(access.rows, access.work + work_of.pass_on(access.rows))


def _filtered(step: FilterDocuments, stream: Stream, facts: WorkFacts) -> Stream:
    """Documents that are there; what is asked of a collection's own joins in with its other conditions."""
    said = _as_clause(step.predicate)
    kept = share_within((said,), stream.known) if said is not None else 1.0
    if stream.leading is not None:
        asked = Condition("", Use.NONE, kept, clause=said)
        return replace(stream, leading=replace(stream.leading, conditions=(*stream.leading.conditions, asked)))
    stream = read_collection(stream, facts)
    return stream.then(work_of.pass_on(stream.rows) + work_of.ask(stream.rows), rows=stream.rows * kept)


def _as_clause(predicate: Predicate) -> Clause | None:
    """What it says that an index of some documents may ask for."""
    match predicate:
        case FieldExists(path) | FieldHasValue(path):
            return Clause(path, ClauseOperator.PRESENT)
        case Holds(path, value):
            return Clause(path, ClauseOperator.EQUAL, value)
        case DocumentComparison():
            return None


def _unwound(stream: Stream, path: str, *, keep_empty: bool) -> Stream:
    elements = stream.arrays.get(path, 1.0)
    rows = stream.rows * (max(elements, 1.0) if keep_empty else elements)
    start = f"{path}."
    inside = {at: known for at, known in stream.known.items() if at == path or at.startswith(start)}
    one = {at: replace(known, each=known.each / elements if elements else 1.0) for at, known in inside.items()}
    size = sum(known.each * (known.bytes + FRAMING_BYTES + 8) for known in inside.values())
    left = stream.bytes - size * (1 - 1 / elements) if elements > 1 else stream.bytes
    depth = path.count(".") + 1  # what is above an element is copied with it
    arrays = {at: count for at, count in stream.arrays.items() if at != path}
    unwound = replace(stream, bytes=max(left, ELEMENT_BYTES), known={**stream.known, **one}, arrays=arrays)
    return unwound.then(work_of.pass_on(stream.rows) + work_of.unwind(rows * depth), rows=rows)


def _projected(stream: Stream, fields: tuple[tuple[str, PathExpression], ...]) -> Stream:
    known = {
        name: stream.known.get(value.path, PathStatistics()) if isinstance(value, FieldPath) else PathStatistics()
        for name, value in fields
    }
    size = ELEMENT_BYTES + sum(each.bytes + len(name) + FRAMING_BYTES for name, each in known.items())
    work = work_of.pass_on(stream.rows) + work_of.project(stream.rows, len(fields))
    return replace(stream.then(work), bytes=size, known=known, arrays={})


def _united(streams: Sequence[Stream], sources: Sequence[Step]) -> Stream:
    rows = sum(stream.rows for stream in streams)
    first = streams[0]
    work = Work()
    for stream, source in zip(streams[1:], sources[1:], strict=True):
        work += stream.work + Work(lookups=1, lookup_stages=steps_of(source)) + work_of.pass_on(stream.rows)
    size = sum(stream.bytes * stream.rows for stream in streams) / rows if rows else first.bytes
    return replace(first, rows=rows, bytes=size, flow=first.flow + work)
