"""Reads inside transactions, where the server does not allow `$unionWith`: one document per branch looks that branch up.

A union of A and B becomes two literal documents, the first of which looks up A and the second B; the results are unwound. This
is slower, and one branch's rows must fit into 100 MB, so it is meant for the few rows that a write reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from nestling.ir.programs.compiled import CompiledRead, Mql, Operation

_BRANCH, _FOUND, _JOINED = "branch", "found", "joined"
_Stages = tuple[str | None, list[Mql]]
"""A collection (None: the database itself) and the stages run on it."""


def without_unions(read: CompiledRead) -> CompiledRead:
    """The read without `$unionWith`, for use in a transaction."""
    if read.operation is not Operation.AGGREGATE or not _has_union(read.pipeline):
        return read
    collection, stages = _rewritten(read.collection, read.pipeline)
    return replace(read, collection=collection, pipeline=tuple(stages))


def _has_union(value: object) -> bool:
    if isinstance(value, dict):
        return "$unionWith" in value or any(map(_has_union, value.values()))
    return isinstance(value, list | tuple) and any(map(_has_union, value))


def _rewritten(collection: str | None, stages: Sequence[Mql]) -> _Stages:
    """Each union with all stages before it becomes the beginning of a new pipeline."""
    done: _Stages = (collection, [])
    branches: list[_Stages] = []
    for stage in stages:
        if "$unionWith" in stage:
            branches.append(_other(stage["$unionWith"]))
            continue
        if branches:
            done, branches = _united([done, *branches]), []
        done[1].extend(_inside(stage))
    return _united([done, *branches]) if branches else done


def _other(union: object) -> _Stages:
    if isinstance(union, str):
        return union, []
    said = cast(Mql, union)
    return _rewritten(cast("str | None", said.get("coll")), cast("list[Mql]", said.get("pipeline", [])))


def _inside(stage: Mql) -> list[Mql]:
    """The stage with the pipelines inside it rewritten."""
    lookup = stage.get("$lookup")
    if not isinstance(lookup, dict) or not _has_union(lookup.get("pipeline")):
        return [stage]
    stages = cast("list[Mql]", lookup["pipeline"])
    if "localField" in lookup:
        return _joined(cast(Mql, lookup), stages)
    source, made = _rewritten(cast("str | None", lookup.get("from")), stages)
    rest = {name: value for name, value in lookup.items() if name not in ("from", "pipeline")}
    return [{"$lookup": ({} if source is None else {"from": source}) | rest | {"pipeline": made}}]


def _joined(lookup: Mql, stages: Sequence[Mql]) -> list[Mql]:
    """Move the fields' join before the union; its result is passed on as a variable."""
    first = next((place for place, stage in enumerate(stages) if "$unionWith" in stage), len(stages))
    _, before = _rewritten(None, stages[:first])
    if first == len(stages):
        return [{"$lookup": lookup | {"pipeline": before}}]
    _, behind = _rewritten(_JOINED, [*stages[first:]])
    named = cast(Mql, lookup.get("let", {})) | {_JOINED: f"${lookup['as']}"}
    return [
        {"$lookup": lookup | {"pipeline": before}},
        {"$lookup": {"let": named, "pipeline": behind, "as": lookup["as"]}},
    ]


def _united(branches: Sequence[_Stages]) -> _Stages:
    numbers = [{_BRANCH: number} for number in range(len(branches))]
    is_known = branches[0] == (_JOINED, [])
    lookups = [_lookup(number, branch) for number, branch in enumerate(branches) if number or not is_known]
    arrays: list[object] = [f"${_FOUND}{number}" for number in range(len(branches))]
    if is_known:
        arrays[0] = {"$cond": [{"$eq": [f"${_BRANCH}", 0]}, f"$${_JOINED}", []]}
    return None, [
        {"$documents": numbers},
        *lookups,
        {"$project": {"_id": 0, _FOUND: {"$concatArrays": arrays}}},
        {"$unwind": f"${_FOUND}"},
        {"$replaceWith": f"${_FOUND}"},
    ]


def _lookup(number: int, branch: _Stages) -> Mql:
    source, stages = branch
    chosen: Mql = {"$match": {"$expr": {"$eq": ["$$branch", number]}}}
    if source is None:
        first, *rest = stages
        return {
            "$lookup": {"let": {"branch": f"${_BRANCH}"}, "pipeline": [first, chosen, *rest], "as": f"{_FOUND}{number}"}
        }
    made = {"from": source, "let": {"branch": f"${_BRANCH}"}, "pipeline": [chosen, *stages]}
    return {"$lookup": made | {"as": f"{_FOUND}{number}"}}
