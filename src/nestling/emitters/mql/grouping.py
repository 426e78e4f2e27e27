"""Grouping as stages: NULL and missing keys are equal, and without keys there is one group even of no rows."""

from __future__ import annotations

from nestling.emitters.mql import sql
from nestling.emitters.mql.accumulators import shared
from nestling.emitters.mql.sql.environment import Environment
from nestling.ir.paths.row_steps import FirstRows, GroupRows
from nestling.ir.programs.compiled import Mql
from nestling.ir.statements.expression import Expression
from nestling.ir.statements.operands import nullable
from nestling.ir.types import TypeName


def group_stages(step: GroupRows, environment: Environment) -> tuple[Mql, ...]:
    """The `$group`, the finishing of its accumulators, and without keys the group of no rows."""
    keys: object = None
    if step.keys:
        keys = {name: _key(key, environment) for name, key in step.keys}
    accumulators: Mql = {}
    finish: Mql = {}
    nothing: Mql = {}
    for name, aggregate in step.aggregates:
        made = sql.accumulator_mql(aggregate, name, environment)
        accumulators |= made.accumulators
        finish |= made.finish
        nothing |= made.nothing
    accumulators, finish = shared(accumulators, finish)
    stages: list[Mql] = [{"$group": {"_id": keys, **accumulators}}]
    if finish:
        stages.append({"$set": finish})
    if not step.keys:
        empty: Mql = {"$unionWith": {"pipeline": [{"$documents": [nothing]}]}}
        stages += [empty, {"$limit": 1}]
    return tuple(stages)


def first_stages(step: FirstRows, environment: Environment) -> tuple[Mql, ...]:
    """`$group` with the first document of each. Where an index has the keys, then the order, the server reads these alone."""
    keys: Mql = {f"key{place}": _key(key, environment) for place, key in enumerate(step.keys)}
    first: tuple[Mql, ...] = ({"$group": {"_id": keys, "first": {"$first": "$$ROOT"}}}, {"$replaceWith": "$first"})
    if not step.fields:
        return first
    has_id = any(path.split(".")[0] == "_id" for path in step.fields)
    return {"$project": {**({} if has_id else {"_id": 0}), **dict.fromkeys(step.fields, 1)}}, *first


def _key(key: Expression, environment: Environment) -> object:
    """NULL and missing are one; but in JSON, where a null is JSON's own and NULL is missing alone."""
    if key.type.name is TypeName.JSON:
        return sql.kept_mql(key, environment)
    value = sql.value_mql(key, environment)
    return {"$ifNull": [value, None]} if nullable(key) else value
