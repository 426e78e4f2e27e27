"""What an index may be on that removes documents: the server looks for dates there, and passes over everything else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nestling.common.errors import Problem
from nestling.ir.model import Model
from nestling.ir.primitives import Index
from nestling.ir.storage.layout import Node
from nestling.ir.types import TIMES, Type, TypeName

_MAYBE_TIMES = TIMES | {TypeName.ANY}


def expiry_mistakes(
    model: Model, index: Index, roots: Sequence[Node], where: tuple[str | int, ...]
) -> Iterator[Problem]:
    """Report a TTL index that never removes anything; `roots` are the roots of its collection's documents."""
    if index.expire_after_seconds is None:
        return
    for name, _ in index.keys:
        kinds = [kind for root in roots for kind in _stored(model, root, name)]
        if kinds and not any(kind.name in _MAYBE_TIMES for kind in kinds):
            what = f"an index of `{index.collection}` with `expire_after_seconds` is on `{name}`, which is {kinds[0]}"
            move = "use a date or timestamp field: the server does not expire documents by other fields"
            yield Problem(what=what, path=where, next_move=move)


def _stored(model: Model, root: Node, path: str) -> Iterator[Type]:
    for field in root.stored:
        if field.path == path:
            attribute = model.entity(root.entity).attribute(field.attribute)
            yield from (attribute.type, *attribute.also)
