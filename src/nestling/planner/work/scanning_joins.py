"""Joins for each of whose rows the server reads a whole collection, as no index finds what belongs to it."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.design import Design
from nestling.ir.paths.access_path import CollectionScan, FilterDocuments, Lookup, Step, Union
from nestling.ir.paths.row_steps import Correlate, GraphLookup, Where, WhereElement, WherePair
from nestling.ir.programs.compiled import ReadPlan
from nestling.ir.quantity_words import count
from nestling.ir.situation.scanned import FEW_ROWS, HALF
from nestling.ir.statistics import Statistics
from nestling.planner.known.faster_lookups import is_read_once
from nestling.planner.work.estimate import walk
from nestling.planner.work.facts import Probe, WorkFacts
from nestling.planner.work.first_access import access_taken

_ID = "_id"
_CONDITIONS = (FilterDocuments, Where, WhereElement, WherePair)


def notes_on_joins(plan: ReadPlan, design: Design, statistics: Statistics) -> tuple[str, ...]:
    """A note for each such join with a collection of more than a few documents, according to the statistics."""
    facts = WorkFacts(design, statistics, collation=plan.collation)
    return tuple(dict.fromkeys(_notes(plan.step, facts)))


def _notes(step: Step, facts: WorkFacts) -> Iterator[str]:
    for foreign, path, beside in _joined(step):
        leading = walk(_asked_first(foreign), facts.asking(Probe(path, None))).leading
        if leading is None:
            continue
        access = access_taken(leading, facts.design)
        documents = access.work.scanned + (access.work.documents if path == _ID else 0.0)
        if beside and is_read_once(documents, leading.documents.bytes):
            continue
        if documents > FEW_ROWS and access.rows < documents * HALF:
            yield (
                f"for each row it joins, the server reads {'' if path == _ID else 'all of '}`{leading.collection}` (about "
                f"{count(documents)} documents), {_remedy(path)}"
            )


def _remedy(path: str) -> str:
    if path == _ID:
        return (
            "as it compares texts regardless of case and accents, which the index on an `_id` of several parts does not: compare "
            "the texts exactly (`COLLATE utf8mb4_bin`)"
        )
    return f"as no index finds them by `{path}`: add the statement to the workload of `nestling design`, which then considers one"


def _joined(step: Step) -> Iterator[tuple[Step, str, bool]]:
    """What each lookup runs, the path by which it asks of the collection it scans first, and whether in the faster engine."""
    match step:
        case Lookup(foreign=foreign, foreign_path=path):
            yield foreign, path, False
        case Correlate(foreign=foreign, equal=(_, path), beside=beside):
            yield foreign, path, beside
        case Correlate(foreign=foreign, identity=parts) if parts:
            yield foreign, _ID, False
        case GraphLookup(collection=collection, to=path):
            yield CollectionScan(collection), path, False
        case _:
            pass
    sources = (
        step.sources if isinstance(step, Union) else (getattr(step, "source", None), getattr(step, "foreign", None))
    )
    for each in sources:
        if each is not None:
            yield from _joined(each)


def _asked_first(step: Step) -> Step:
    """The scan a lookup's steps begin with, and the conditions right after it."""
    begin, rest = step, step
    while not isinstance(rest, CollectionScan | Union) and (source := getattr(rest, "source", None)) is not None:
        begin = begin if isinstance(rest, _CONDITIONS) else source
        rest = source
    return begin
