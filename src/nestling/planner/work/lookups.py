"""Lookups: for each outer row a query of another collection, by an index or a scan, and the steps of its own pipeline."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from nestling.ir.paths import work_of
from nestling.ir.paths.access_path import CollectionScan, FilterDocuments, ProjectDocuments, Step, Union, Unwind
from nestling.ir.paths.row_steps import (
    VARIABLE,
    Add,
    Constants,
    Correlate,
    GraphLookup,
    Keep,
    Shape,
    Slice,
    SortRows,
    Where,
    WhereElement,
    WherePair,
)
from nestling.ir.paths.used_paths import mentioned_paths
from nestling.ir.paths.work import NO_WORK, Work
from nestling.ir.storage.bounds import FRAMING_BYTES
from nestling.planner.known.childless import FEW_CHILDLESS
from nestling.planner.known.faster_lookups import is_read_once
from nestling.planner.known.tree_walks import LEVELS_NOT_MEASURED, levels, rows_on_the_way
from nestling.planner.known.values import PathStatistics
from nestling.planner.work.cold_reads import from_disk, read_once
from nestling.planner.work.conditions import equal_to
from nestling.planner.work.facts import Probe, WorkFacts
from nestling.planner.work.first_access import access_taken
from nestling.planner.work.stream import Leading, Stream, under

PARSED_AGAIN = 0.3
"""What a node of a lookup's own pipeline costs for each outer row, as a share of what it costs for a request: the server plans
the pipeline anew each time. Measured (6.0.5): 0.7 µs in stages that compute, 2.3 in what a `find` could do, of 2.5 for a request.
"""
LIGHT_STEPS = (
    Add,
    Constants,
    FilterDocuments,
    ProjectDocuments,
    Shape,
    Slice,
    SortRows,
    Unwind,
    Where,
    WhereElement,
    WherePair,
)
"""Steps whose stages are light to set up: they take rows out of arrays, ask, order or show them."""
_Rows = Callable[[Step, WorkFacts], Stream]
"""The rows of a step, its collection read."""


def with_found_rows(step: Correlate, outer: Stream, facts: WorkFacts, rows: _Rows) -> Stream:
    """Each outer row with those found for it."""
    given = ((f"{VARIABLE}{name}", outer.known.get(path, facts.outer.get(path))) for name, path in step.variables)
    facts = facts.beside({name: known for name, known in given if known is not None})
    if step.equal is not None:
        local, path = step.equal
        found = looked_up(
            outer,
            step.foreign,
            facts,
            rows,
            field=step.field,
            local=local,
            path=path,
            keep=step.keep,
            beside=step.beside,
        )
        return found.at_once() if step.beside else found
    if step.identity:
        outer = outer.then(work_of.project(outer.rows, len(step.identity)) + work_of.pass_on(outer.rows))
        return looked_up(outer, step.foreign, facts, rows, field=step.field, local=None, path="_id", keep=step.keep)
    inner = rows(step.foreign, facts.asking(None))
    if step.variables:
        return _from_the_same(step, outer, inner, facts, rows)
    again = replace(inner, fixed=NO_WORK, flow=work_of.pass_on(inner.rows))  # nothing of the outer row is asked:
    return _joined(outer, again, step.foreign, step.field, step.keep).then(inner.work)  # the first answer is kept


def _from_the_same(step: Correlate, outer: Stream, inner: Stream, facts: WorkFacts, rows: _Rows) -> Stream:
    """Each outer row with what comes of the steps that mention it.

    What the steps before these yield is kept after the first row, unless a limit leaves some of it unasked for.
    """
    same = _before_variables(step)
    kept = rows(same, facts.asking(None)) if same is not None else inner
    if same is None or inner.work.documents + inner.work.scanned < kept.work.documents + kept.work.scanned:
        return _joined(outer, inner, step.foreign, step.field, step.keep)
    further = Work._make(max(whole - before, 0.0) for whole, before in zip(inner.work, kept.work, strict=True))
    again = replace(inner, fixed=NO_WORK, flow=further + work_of.pass_on(kept.rows))
    return _joined(outer, again, step.foreign, step.field, step.keep).then(kept.work)


def _before_variables(step: Correlate) -> Step | None:
    """The steps of a lookup before the first that mentions the outer row; None where that is asked of the collection itself."""
    names, inside = {f"{VARIABLE}{name}" for name, _ in step.variables}, step.foreign
    while names & mentioned_paths(inside):
        source: Step | None = getattr(inside, "source", None)
        if source is None:
            return None
        inside = source
    begin = inside
    while isinstance(begin, Where | WhereElement | WherePair):
        begin = begin.source
    return None if isinstance(begin, CollectionScan) else inside


def looked_up(
    outer: Stream,
    foreign: Step,
    facts: WorkFacts,
    rows: _Rows,
    *,
    field: str,
    local: str | None,
    path: str,
    keep: Keep,
    beside: bool = False,
) -> Stream:
    """Each outer row with those `foreign` yields, the value at `path` of whose first collection is that at `local`.

    `beside`: by the server's faster engine, which reads a collection without an index once.
    """
    known = outer.known.get(local) if local is not None else None
    probe = Probe(path, known.distinct if known is not None else None)
    inner = rows(foreign, facts.asking(probe))
    there = 1 - known.missing if known is not None else 1.0
    if known is not None and known.left is not None and path in inner.known:
        inner = replace(inner, known={**inner.known, path: inner.known[path].at_most(known.left)})
    different = known.left if known is not None and known.left is not None else outer.rows
    again = min(different / outer.rows, 1.0) if outer.rows > 0 else 1.0
    inner = replace(
        inner, rows=inner.rows * there, fixed=read_once(inner.fixed, again), flow=read_once(inner.flow, again)
    )
    once, single = NO_WORK, Work(lookups_beside=1) if beside else None
    whole = rows(foreign, facts.asking(None)) if beside and inner.work.scanned else None
    if whole is not None and is_read_once(whole.rows, whole.bytes):
        once, single = whole.work + Work(hashed=whole.rows), Work(hashed=1)
        inner = replace(inner, fixed=NO_WORK, flow=NO_WORK)
    found = _joined(outer, inner, foreign, field, keep, lacking=_lacking(foreign, probe, facts), single=single)
    return replace(found, fixed=found.fixed + once)


def _lacking(foreign: Step, probe: Probe, facts: WorkFacts) -> float:
    """The least share of outer rows that find nothing, as far as is known: some have none where others have several, and all
    those have none whose value is not among the fewer values that are looked for.
    """
    while not isinstance(foreign, CollectionScan):
        source: Step | None = getattr(foreign, "source", None)
        if source is None:
            return 0.0
        foreign = source
    if facts.is_unique(foreign.collection, probe.path):
        return 0.0
    there = facts.documents(foreign.collection).known.get(probe.path)
    if there is None or there.distinct is None or not probe.distinct:
        return FEW_CHILDLESS
    return max(FEW_CHILDLESS, 1 - there.distinct / probe.distinct)


def scanned(collection: str, facts: WorkFacts) -> Stream:
    """A collection about to be read; inside a lookup it is asked for the lookup's own equality."""
    documents = facts.documents(collection)
    if facts.outer:
        documents = replace(documents, known={**documents.known, **facts.outer})
    whole = Stream(documents.count, documents.bytes, documents.known, documents.arrays)
    probe = facts.probe
    if probe is None:
        return replace(
            whole, leading=Leading(collection, documents, mentioned=facts.mentioned, collation=facts.collation)
        )
    unique = facts.is_unique(collection, probe.path)
    asked = equal_to(probe.path, documents, outer_distinct=probe.distinct, unique=unique)
    documents = documents.holding(probe.path, asked.share)
    whole = Stream(documents.count, documents.bytes, documents.known, documents.arrays)
    leading = Leading(collection, documents, (asked,), mentioned=facts.mentioned, collation=facts.collation)
    return replace(whole, rows=whole.rows * asked.share, leading=leading, asked={probe.path: asked.share})


def with_all_reached(step: GraphLookup, outer: Stream, facts: WorkFacts) -> Stream:
    """Each outer row with all reached from it: a query for each level, which looks for each row of the level before."""
    documents = facts.documents(step.collection)
    is_unique = facts.is_unique(step.collection, step.to)
    asked = equal_to(step.to, documents, outer_distinct=None, unique=is_unique)
    access = access_taken(Leading(step.collection, documents, (asked,)), facts.design)
    found = _met(step.collection, facts)
    queries = levels(found, down=not is_unique)
    if access.work.scanned:
        each = queries * (access.work + Work(lookups=1))
    else:
        fetched = work_of.fetch_by_index(found, documents.bytes, seeks=found)
        each = Work(lookups=queries) + fetched + from_disk(fetched, documents.cold)
    each += work_of.pass_on(found) + work_of.unwind(found)
    known = {**outer.known, **under(step.field, documents.known)}
    return replace(
        outer.then(outer.rows * each + work_of.pass_on(outer.rows), rows=outer.rows * found),
        known=known,
        bytes=outer.bytes + documents.bytes,
    )


def _met(collection: str, facts: WorkFacts) -> float:
    """The rows a walk along the tree in a collection meets."""
    entities = {root.entity for store in facts.design.stores if store.name == collection for root in store.roots}
    trees = [link for link in facts.design.model.relationships if link.is_self and link.child in entities]
    return rows_on_the_way(trees[0].name, facts.statistics) if trees else LEVELS_NOT_MEASURED


def steps_of(step: Step) -> float:
    """The stages of a step's own pipeline, those of its lookups not counted."""
    return float(len(list(_stages(step))))


def set_up(step: Step) -> float:
    """The number of stages set up for a request; a light one counts as a fraction."""
    return sum(work_of.light(1) if isinstance(each, LIGHT_STEPS) else 1.0 for each in _stages(step))


def _stages(step: Step) -> Iterator[Step]:
    while not isinstance(step, CollectionScan | Union):
        yield step
        source: Step | None = getattr(step, "source", None)
        if source is None:
            return
        step = source


def _joined(
    outer: Stream,
    inner: Stream,
    foreign: Step,
    field: str,
    keep: Keep,
    lacking: float = 0.0,
    single: Work | None = None,
) -> Stream:
    """Outer rows times inner rows; the lookup and what it runs once for each outer row.

    `lacking`: so many find none at least. `single`: what it is to ask once, without what is read, where not as usual.
    """
    found = min(inner.rows, 1 - lacking) if isinstance(foreign, Slice) else inner.rows
    together = keep is Keep.TOGETHER
    rows = {Keep.MATCHED: found, Keep.ALL: max(found, 1.0), Keep.TOGETHER: 1.0}[keep]
    single = Work(lookups=1, lookup_stages=steps_of(foreign)) if single is None else single
    again = inner.work._replace(nodes=PARSED_AGAIN * inner.work.nodes)
    each = again + single + work_of.unwind(0.0 if together else found)
    unmatched = max(1 - min(1.0, found), lacking) if keep is Keep.ALL else 0.0
    inside = {path: _less(known, unmatched) for path, known in under(field, inner.known).items()}
    if together:
        inside = {path: replace(known, each=known.each * found) for path, known in inside.items()}
    arrays = {f"{field}.{path}": count for path, count in inner.arrays.items()} | ({field: found} if together else {})
    return replace(
        outer.looked_up()
        .parsing(inner.work.nodes)
        .then(outer.rows * each + work_of.pass_on(outer.rows), rows=outer.rows * rows),
        bytes=outer.bytes + inner.bytes * (found if together else 1.0) + len(field) + FRAMING_BYTES,
        known={**_of_rows(outer), **inside, field: PathStatistics(missing=unmatched)},
        arrays={**outer.arrays, **arrays},
    )


def _of_rows(outer: Stream) -> dict[str, PathStatistics]:
    """What is known of outer rows before they are repeated: there are no more different values than rows hold."""
    return {path: known.at_most(max(outer.rows * max(known.each, 1.0), 1.0)) for path, known in outer.known.items()}


def _less(known: PathStatistics, unmatched: float) -> PathStatistics:
    return replace(known, missing=1 - (1 - known.missing) * (1 - unmatched)) if unmatched else known
