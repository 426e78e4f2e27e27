"""Fields no index has together: of two arrays side by side in one document the server indexes one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from nestling.common.errors import Problem
from nestling.ir.model import Cardinality, Model
from nestling.ir.primitives import Form, Holder, Index
from nestling.ir.storage.layout import Node, NodeKind
from nestling.ir.storage.names import is_within, join, overlap
from nestling.ir.types import TypeName

_ARRAYS = (Form.ARRAY, Form.SCALARS)


def parallel_mistakes(
    model: Model, index: Index, roots: Sequence[Node], where: tuple[str | int, ...]
) -> Iterator[Problem]:
    """Report an index on two arrays, with which the server would refuse documents.

    `roots`: the roots of its collection's documents, each with its own arrays.
    """
    for root in roots:
        held = {array for array in _arrays(model, root, "") if any(is_within(key, array) for key, _ in index.keys)}
        for one, other in combinations(sorted(held), 2):
            if not overlap(one, other):
                at = next(key for key, _ in reversed(index.keys) if is_within(key, one) or is_within(key, other))
                what = f"`{at}` is in an index of `{index.collection}` on two arrays, `{one}` and `{other}`"
                yield Problem(
                    what=what,
                    path=(*where, "keys"),
                    next_move="index only one of them: MongoDB refuses documents with both",
                )
                return


def _arrays(model: Model, node: Node, prefix: str) -> Iterator[str]:
    """Where the documents hold arrays, whatever is in them; JSON may hold some or none."""
    at = join(prefix, node.field)
    if node.kind is NodeKind.EMBEDDED and node.form in _ARRAYS:
        yield at
    entity = model.entity(node.entity)
    yield from (join(at, f.path) for f in node.stored if entity.attribute(f.attribute).type.name is TypeName.ARRAY)
    yield from (join(at, pairs.field) for pairs in node.body.pairs)
    for reference in node.body.references:
        is_to_one = model.relationship(reference.relationship).cardinality is Cardinality.ONE_TO_ONE
        if reference.holder is Holder.PARENT and not is_to_one:
            yield join(at, reference.field)
    yield from (join(at, copy.name) for copy in node.body.copies if copy.form in _ARRAYS)
    for child in node.children:
        yield from _arrays(model, child, at)
