"""Conditions and rows said again: of another scan of the same entity, with names of their own for all that lies inside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from nestling.ir.algebra import Relation, Scan
from nestling.ir.expression import Expression
from nestling.planner.reads.traverse import everything, expressions, subqueries
from nestling.planner.writes.work import Work

Node = TypeVar("Node")
_NAMES = ("alias", "recursion")


def said_of(work: Work, expression: Expression, scan: Scan, other: Scan) -> Expression:
    """The same said of `other`, a scan of the same entity."""
    names = {name: work.name(name) for name in dict.fromkeys(_made_inside(expression))}
    return _renamed(expression, names | {scan.alias: other.alias})


def rows_of(work: Work, relation: Relation) -> Relation:
    """The same rows once more, for another place in the same read."""
    names = {name: work.name(f"{name} again") for name in dict.fromkeys(_made_by(relation))}
    return _renamed(relation, names)


def _made_inside(expression: Expression) -> Iterator[str]:
    for inner in subqueries(expression):
        yield from _made_by(inner.relation)


def _made_by(whole: Relation) -> Iterator[str]:
    for relation in everything(whole):
        if (alias := getattr(relation, "alias", None)) is not None:
            yield alias
        for each in expressions(relation):
            yield from _made_inside(each)


def _renamed(node: Node, names: dict[str, str]) -> Node:
    if isinstance(node, tuple):
        return cast(Node, tuple(_renamed(item, names) for item in node))
    if not is_dataclass(node):
        return node
    changed: dict[str, Any] = {}
    for item in fields(node):
        if item.init:
            value = getattr(node, item.name)
            is_name = item.name in _NAMES and isinstance(value, str)
            changed[item.name] = names.get(value, value) if is_name else _renamed(value, names)
    return cast(Node, replace(cast(Any, node), **changed))
