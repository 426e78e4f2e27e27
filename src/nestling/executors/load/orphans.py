"""Rows that the database joins to a parent with a differently spelled key (by collation): they become orphans."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nestling.common.errors import LoadError, Problem
from nestling.executors.load.body import Body, fill
from nestling.executors.load.document_code import AnyRow, Build, DocumentCode
from nestling.executors.load.identity import derived_id, id_source
from nestling.executors.load.level import RowLayout
from nestling.executors.load.merge import Merge, Stray, row_name
from nestling.ir.primitives import Embedding
from nestling.ir.storage.layout import Node


def inexact(merge: Merge, body: Body, embedding: Embedding, layout: RowLayout) -> Callable[[AnyRow], Stray]:
    """The function for rows that are joined to their parent but do not hold the parent's key exactly."""
    if embedding.orphans is None:
        return _refuse(merge, embedding, layout)
    name, build = embedding.orphans, _Once(merge, body, embedding.orphans)

    def store(row: AnyRow) -> Stray:
        merge.strays += 1
        return Stray(name, build()(row))

    return store


class _Once:
    """Compiles the orphan's document when the first one turns up."""

    def __init__(self, merge: Merge, body: Body, store: str) -> None:
        self._merge, self._body, self._store = merge, body, store
        self._build: Build | None = None

    def __call__(self) -> Build:
        if self._build is None:
            root = self._merge.design.store(self._store).roots[0]
            self._build = orphan_code(self._merge, self._body, self._store, root, _Occurrences()).compile()
        return self._build


def orphan_code(merge: Merge, body: Body, store: str, root: Node, number: Callable[[AnyRow], object]) -> DocumentCode:
    """The code from a row to its document in an orphans collection."""
    entity, code = merge.model.entity(root.entity), body.code(merge)
    if entity.key:
        code.put("_id", id_source(code, body.layout, entity, entity.key, None))
    else:
        code.put("_id", derived_id(code, body.layout, entity, store, number))
    fill(merge, code, body, root)
    return code


class _Occurrences:
    """Distinguishes equal rows without a key by the number of equal rows just before."""

    def __init__(self) -> None:
        self._last: AnyRow | None = None
        self._count = 0

    def __call__(self, row: AnyRow) -> object:
        self._count = self._count + 1 if row == self._last else 0
        self._last = row
        return [*row, self._count]


def _refuse(merge: Merge, embedding: Embedding, layout: RowLayout) -> Callable[[AnyRow], Any]:
    link = merge.model.relationship(embedding.relationship)
    child = merge.model.entity(link.child)

    def refuse(row: AnyRow) -> Any:
        what = f"its {', '.join(link.child_attributes)} does not equal any key of `{link.parent}` exactly"
        move = f"give such rows a collection: `orphans: …` in `{embedding.field}`; or fix the source"
        raise LoadError(Problem(what, where=row_name(child, layout, row), next_move=move))

    return refuse
