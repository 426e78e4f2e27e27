"""An access path as one aggregation: the pipeline the server runs, and the files the client fetches after it."""

from __future__ import annotations

from typing import assert_never

from nestling.emitters.mql.expression import expression_mql, predicate_mql
from nestling.emitters.mql.row_steps import Pipeline, row_step_stages
from nestling.ir.paths.access_path import (
    AccessPath,
    ClientFile,
    CollectionScan,
    FieldPath,
    FilterDocuments,
    GroupDocuments,
    Lookup,
    ProjectDocuments,
    Step,
    Union,
    Unwind,
)
from nestling.ir.paths.row_steps import ROW_STEPS, Correlate
from nestling.ir.programs.command import Aggregation, FileField
from nestling.ir.programs.compiled import Mql


def aggregation(path: AccessPath) -> Aggregation:
    """Render an access path; client steps must be the last ones (`ValueError`: a planner that breaks this is wrong)."""
    step, files = path.step, list[FileField]()
    while isinstance(step, ClientFile):
        files.append(FileField(step.field, step.bucket, step.is_text))
        step = step.source
    collection, stages = pipeline(step)
    assert collection is not None, "a home is in a collection"
    return Aggregation(collection, stages, path.columns, tuple(reversed(files)))


def pipeline(step: Step) -> Pipeline:
    """The collection and stages of a step; no collection when the statement itself makes the first documents."""
    if isinstance(step, ROW_STEPS):
        return row_step_stages(step, pipeline)
    match step:
        case CollectionScan(collection):
            return collection, ()
        case Unwind():
            return _then(step.source, *_apart_from_lookup(step), {"$unwind": _unwinding(step)})
        case FilterDocuments(source, predicate):
            return _then(source, {"$match": predicate_mql(predicate)})
        case ProjectDocuments(source, fields):
            return _then(source, {"$replaceWith": {name: expression_mql(value) for name, value in fields}})
        case GroupDocuments(source, by):
            return _then(source, {"$group": {"_id": {name: f"${name}" for name in by}}}, {"$replaceWith": "$_id"})
        case Union(sources):
            return _union(sources)
        case Lookup():
            return _lookup(step)
        case ClientFile():
            raise ValueError("the server cannot go on after a step of the client")
        case _:
            assert_never(step)


def _apart_from_lookup(step: Unwind) -> tuple[Mql, ...]:
    """The array set to itself: the server makes an `$unwind` right behind its lookup a part of that, which is slower."""
    is_beside = isinstance(step.source, Correlate) and step.source.beside
    return ({"$set": {step.path: f"${step.path}"}},) if is_beside else ()


def _unwinding(step: Unwind) -> object:
    options: Mql = {"preserveNullAndEmptyArrays": True} if step.keep_empty else {}
    options |= {"includeArrayIndex": step.place} if step.place else {}
    return {"path": f"${step.path}", **options} if options else f"${step.path}"


def _then(source: Step, *stages: Mql) -> Pipeline:
    collection, before = pipeline(source)
    return collection, (*before, *stages)


def _union(sources: tuple[Step, ...]) -> Pipeline:
    (collection, stages), *others = (pipeline(source) for source in sources)
    unions: tuple[Mql, ...] = tuple(
        {"$unionWith": {**({} if name is None else {"coll": name}), "pipeline": list(inner)}} for name, inner in others
    )
    return collection, (*stages, *unions)


def _lookup(step: Lookup) -> Pipeline:
    """`localField` must be a path: another expression is put where the result will be first."""
    collection, inner = pipeline(step.foreign)
    is_path = isinstance(step.local, FieldPath)
    local = step.local.path if isinstance(step.local, FieldPath) else step.field
    lookup: Mql = {"from": collection, "localField": local, "foreignField": step.foreign_path}
    if inner:  # without a pipeline of its own the server may choose a faster join
        lookup["pipeline"] = list(inner)
    lookup["as"] = step.field
    computed: tuple[Mql, ...] = () if is_path else ({"$set": {step.field: expression_mql(step.local)}},)
    unwind: Mql = {"$unwind": {"path": f"${step.field}", "preserveNullAndEmptyArrays": True}}
    return _then(step.source, *computed, {"$lookup": lookup}, unwind)
