"""What an index may be that finds texts whatever their case: it begins with such a text, and refuses and removes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nestling.common.errors import Problem
from nestling.ir.indexes.case_lookups import is_found_in_any_case
from nestling.ir.model import Model
from nestling.ir.primitives import Index
from nestling.ir.storage.layout import Node, NodeKind


def any_case_mistakes(
    model: Model, index: Index, roots: Sequence[Node], where: tuple[str | int, ...]
) -> Iterator[Problem]:
    """What it is besides, and what it begins with instead; `roots` are those of its collection's documents."""
    if index.unique or index.partial or index.expire_after_seconds is not None:
        what = f"an index of `{index.collection}` with `any_case` is unique, partial or removes documents as well"
        next_move = (
            "say that of an index of its own: what is the same whatever the case to the server is not to the source"
        )
        yield Problem(what=what, path=where, next_move=next_move)
    first = index.keys[0][0]
    if not any(_is_text(model, root, first) for root in roots):
        what = f"an index with `any_case` begins with `{first}` of `{index.collection}`, which is no text the source compares"
        next_move = "begin it with a plain text of rows that are documents of their own, or leave `any_case` out"
        yield Problem(what=f"{what} to the letter or by NOCASE", path=where, next_move=next_move)


def _is_text(model: Model, root: Node, path: str) -> bool:
    entity = model.entity(root.entity)
    found = (entity.attribute(field.attribute) for field in root.stored if field.path == path)
    return root.kind is NodeKind.ROOT and any(map(is_found_in_any_case, found))
