"""Compiles a planned read for the server: a `find` if possible, or else an aggregation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import dropwhile
from typing import cast

from nestling.emitters.mql.pipeline import pipeline
from nestling.ir.paths.access_path import describe_step
from nestling.ir.programs.compiled import CompiledRead, Mql, Operation, ReadPlan, parameters_in

_FIND_ORDER = ("$match", "$sort", "$skip", "$limit", "$project")


def compiled_read(plan: ReadPlan, *, name: str = "", sql: str = "", find: bool = True) -> CompiledRead:
    """The read, its parameters left open; raises a gap error for an expression MongoDB has no exact form for."""
    collection, stages = pipeline(plan.step)
    read = CompiledRead(
        name,
        sql,
        plan.columns,
        tuple(dict.fromkeys(parameters_in(stages))),
        collection,
        pipeline=stages,
        path=plan.step,
        access_path=describe_step(plan.step),
        collation=plan.collation,
    )
    if not find or collection is None:
        return read
    merged = _merged(stages)
    return _as_find(replace(read, pipeline=merged)) if _is_find(merged) else read


def _merged(stages: Sequence[Mql]) -> tuple[Mql, ...]:
    """The stages with one condition on the documents where they begin with several, as the server itself takes them."""
    rest = tuple(dropwhile(lambda stage: "$match" in stage, stages))
    asked = [cast(Mql, stage["$match"]) for stage in stages[: len(stages) - len(rest)]]
    if len(asked) < 2:
        return tuple(stages)
    names = [name for each in asked for name in each]
    one = {"$and": asked} if len(set(names)) < len(names) else {name: each[name] for each in asked for name in each}
    return {"$match": one}, *rest


def _is_find(stages: Sequence[Mql]) -> bool:
    kinds = [next(iter(stage)) for stage in stages]
    places = [_FIND_ORDER.index(kind) for kind in kinds if kind in _FIND_ORDER]
    return len(places) == len(kinds) and places == sorted(set(places)) and {"$match": {"$expr": False}} not in stages


def _as_find(read: CompiledRead) -> CompiledRead:
    parts = {next(iter(stage)): next(iter(stage.values())) for stage in read.pipeline}
    sort = cast("dict[str, int]", parts.get("$sort", {}))
    return replace(
        read,
        operation=Operation.FIND,
        filter=cast(Mql, parts.get("$match", {})),
        projection=cast("Mql | None", parts.get("$project")),
        sort=tuple(sort.items()),
        skip=parts.get("$skip"),
        limit=parts.get("$limit"),
        pipeline=(),
    )
