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
    """Report an index whatever the case that has other options, or does not begin with a text.

    `roots` are the roots of its collection's documents.
    """
    if index.unique or index.partial or index.expire_after_seconds is not None:
        what = f"an index of `{index.collection}` with `any_case` is also unique, partial or expiring"
        next_move = (
            "move that to a separate index: texts that differ in case are equal to the server but not to the source"
        )
        yield Problem(what=what, path=where, next_move=next_move)
    first = index.keys[0][0]
    if not any(_is_text(model, root, first) for root in roots):
        what = f"an index with `any_case` starts with `{first}` of `{index.collection}`, not a text the source compares"
        next_move = "start it with a plain text of rows that have their own documents, or remove `any_case`"
        yield Problem(what=f"{what} exactly or by NOCASE", path=where, next_move=next_move)


def _is_text(model: Model, root: Node, path: str) -> bool:
    entity = model.entity(root.entity)
    found = (entity.attribute(field.attribute) for field in root.stored if field.path == path)
    return root.kind is NodeKind.ROOT and any(map(is_found_in_any_case, found))
