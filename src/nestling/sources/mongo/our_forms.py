"""Collections of our own forms (docs/document-forms.md): buckets, overflow pages, rows without a parent.

A collection is taken for one only when nothing in it is left over: what would not be read back is an entity of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from nestling.ir.facts.nodes import ORPHANS_SUFFIX, PAGE, NodeColumn, NodeFacts, NodeForm, is_paged, paged_by
from nestling.ir.facts.structure import FieldPlace, Steps
from nestling.sources.mongo.entity_names import column_name
from nestling.sources.mongo.seen import NodeRole, ObservedNode

COUNT, START = "count", "bucket_start"
BUCKET_FIELDS = frozenset({PAGE, COUNT, START, "bucket_end"})
"""What a bucket's document tells besides what its events have in common."""
_ARRAYS = (NodeForm.ARRAY, NodeForm.VALUES)


def is_bucket(node: NodeFacts, inner: Iterable[NodeFacts]) -> bool:
    """Whether documents are numbered pages of events that they count; `inner`: the nodes right in them."""
    is_one = sum(each.form in _ARRAYS for each in inner) == 1
    return is_one and is_paged(node) and COUNT in _beside_id(node) and START not in _beside_id(node)


def _beside_id(node: NodeFacts) -> frozenset[str]:
    return frozenset(column.steps[-1] for column in node.columns if column.steps[0] != "_id")


def set_aside(found: Mapping[FieldPlace, ObservedNode]) -> None:
    """Buckets, overflow pages and orphans: documents of our own forms (docs/document-forms.md)."""
    for seen in [each for each in found.values() if each.above is None]:
        inner = [each for each in found.values() if each.above is seen]
        arrays = [each for each in inner if each.node.form in _ARRAYS]
        if is_paged(seen.node) and len(arrays) == 1:
            if is_bucket(seen.node, [each.node for each in inner]):
                seen.role = NodeRole.BUCKET
            elif COUNT not in _beside_id(seen.node) and (owner := _array_called(arrays[0], found)) is not None:
                _take(seen, NodeRole.PAGES, owner, _columns(seen, paged_by(seen.node)), found)
        elif (owner := _array_of_orphans(seen, found)) is not None:
            _take(seen, NodeRole.ORPHANS, owner, _more_than(owner, seen), found)


def _take(
    seen: ObservedNode,
    role: NodeRole,
    owner: ObservedNode,
    more: list[NodeColumn],
    found: Mapping[FieldPlace, ObservedNode],
) -> None:
    """Mark the documents as the rest of an array's rows, if they have the key of the rows above and no other added columns."""
    foreign = _foreign_key(owner, more)
    is_told = foreign is not None and _names(owner.foreign or foreign) == _names(foreign)
    if not is_told and _has_documents(seen):
        return
    seen.role, seen.of = role, owner
    owner.foreign = owner.foreign or foreign or {}
    _inside(seen, found)


def _names(foreign: Mapping[Steps, NodeColumn]) -> dict[Steps, str]:
    return {steps: column.steps[-1] for steps, column in foreign.items()}


def _foreign_key(owner: ObservedNode, columns: Sequence[NodeColumn]) -> dict[Steps, NodeColumn] | None:
    """Which of the columns holds each part of the key of the rows above; None when a column or a part is left over.

    Parts of that key which are in the rows' own key are called as there.
    """
    key = owner.above.key if owner.above is not None else ()
    left = {column.steps[-1]: column for column in columns}
    named = {steps: left.pop(steps[-1]) for steps in key if steps[-1] in left}
    for steps in key:
        alike = [name for name in left if name.casefold().endswith(steps[-1].strip("_").casefold())]
        if steps not in named and len(alike) == 1:
            named[steps] = left.pop(alike[0])
    unnamed = [steps for steps in key if steps not in named]
    if len(unnamed) == len(left) == 1:
        named[unnamed.pop()] = left.popitem()[1]
    return None if left or set(unnamed) - set(owner.key) else named


def _more_than(owner: ObservedNode, seen: ObservedNode) -> list[NodeColumn]:
    """The columns that rows outside have besides those of the rows inside; what is in `_id` is the key."""
    start = len(owner.node.steps)
    mine = {c.steps[start:] or (column_name(owner, c.steps),) for c in owner.node.columns}
    own = ((column, column.steps[1:] if column.steps[0] == "_id" else column.steps) for column in seen.node.columns)
    return [column for column, steps in own if steps and steps not in mine and not _is_empty_array_of(owner, column)]


def _is_empty_array_of(owner: ObservedNode, column: NodeColumn) -> bool:
    """Whether it is an array that rows inside have too, and rows outside have nothing in."""
    lengths = column.path.lengths
    is_there = owner.collection.path(*owner.node.steps, *column.steps) is not None
    return is_there and lengths is not None and not lengths.max and column.path.count("array") == column.path.present


def _columns(seen: ObservedNode, every: Sequence[Steps]) -> list[NodeColumn]:
    return [column for column in seen.node.columns if column.steps in every]


def _has_documents(seen: ObservedNode) -> bool:
    return any(column.path.documents for column in seen.node.columns)


def _inside(seen: ObservedNode, found: Mapping[FieldPlace, ObservedNode]) -> None:
    for each in found.values():
        if each.collection is seen.collection and each is not seen:
            each.role = NodeRole.INSIDE


def _array_called(pages: ObservedNode, found: Mapping[FieldPlace, ObservedNode]) -> ObservedNode | None:
    """The array elsewhere of the same name and the same columns, which these are the rest of."""
    mine = {column.steps[-1] for column in pages.node.columns}
    for each in found.values():
        same_name = each.node.form is pages.node.form and each.node.steps[-2:] == pages.node.steps[-2:]
        theirs = {column.steps[-1] for column in each.node.columns}
        if each.collection is not pages.collection and same_name and (mine <= theirs or not _has_documents(pages)):
            return each
    return None


def _array_of_orphans(seen: ObservedNode, found: Mapping[FieldPlace, ObservedNode]) -> ObservedNode | None:
    """The embedded rows whose name and columns a collection of orphans has."""
    if not seen.collection.name.endswith(ORPHANS_SUFFIX):
        return None
    name = seen.collection.name.removesuffix(ORPHANS_SUFFIX)
    mine = {column.steps[-1] for column in seen.node.columns}
    is_empty = not _has_documents(seen)
    candidates = [
        each
        for each in found.values()
        if each.above is not None
        and not each.kind
        and each.collection is not seen.collection
        and each.node.columns
        and (_own_names(each) <= mine or is_empty)
    ]
    named = [each for each in candidates if _field(each.node) == name]
    alike = [each for each in candidates if len(_own_names(each)) > 1]
    return next(iter(named or alike), None)


def _own_names(seen: ObservedNode) -> frozenset[str]:
    """The names of its columns that are no part of its key."""
    return frozenset(column.steps[-1] for column in seen.node.columns if column.steps not in seen.key)


def _field(node: NodeFacts) -> str:
    steps = node.steps[:-1] if node.form in (NodeForm.ARRAY, NodeForm.VALUES) else node.steps
    return steps[-1]
