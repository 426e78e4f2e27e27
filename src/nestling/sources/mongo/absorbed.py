"""Sub-documents and arrays that only repeat, or list, rows which live elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from nestling.ir.facts.nodes import NodeForm
from nestling.ir.facts.structure import FieldPlace, Link, RepeatedColumn
from nestling.sources.mongo.seen import NodeRole, ObservedNode

ALL_EQUAL = 0.98
"""Rows that must be equal to be compared in all documents, where a copy is equal in each."""
_Links = Mapping[FieldPlace, Sequence[Link]]
Repeats = Mapping[FieldPlace, Sequence[RepeatedColumn]]


def absorb_copies(
    found: Mapping[FieldPlace, ObservedNode], links: _Links, repeats: Repeats, own: AbstractSet[FieldPlace]
) -> None:
    """Mark sub-documents and arrays that only repeat rows stored elsewhere, and arrays of ids of rows that refer back.

    `own`: places that were compared with these, and hold something else.
    """
    for seen in [each for each in found.values() if each.above is not None and each.role is NodeRole.ENTITY]:
        place = seen.place
        inner = [each for each in found.values() if each.above is seen]
        equal = [each for each in repeats.get(place, ()) if each.equal >= ALL_EQUAL * each.checked]
        if inner or not seen.node.columns or place in own:
            continue
        if seen.node.form is NodeForm.OBJECT:
            _as_copied_object(seen, equal, own)
        elif (link := _sole_link(links.get(place, ()))) is not None:
            _as_copied_rows(seen, link, equal, found, links)


def _as_copied_object(
    seen: ObservedNode, repeats: Sequence[RepeatedColumn], not_copied: AbstractSet[FieldPlace]
) -> None:
    """A sub-document all of whose columns repeat one row a link of the document above leads to; where it holds the link itself,
    some of them may hold something else.
    """
    own = {column.steps for column in seen.node.columns}
    is_mixed = not not_copied.isdisjoint((seen.collection.name, steps) for steps in own)
    for along in dict.fromkeys(each.link for each in repeats):
        covered = {each.column for each in repeats if each.link == along}
        holds_link = set(along) <= own
        if own <= covered | set(along) and (holds_link or not is_mixed):
            seen.role = NodeRole.MERGED if holds_link else NodeRole.COPY
            seen.repeats = tuple(each for each in repeats if each.link == along)
            return


def _sole_link(links: Iterable[Link]) -> Link | None:
    """The link of an array's elements by which each row elsewhere is in one array at most."""
    found = [link for link in links if link.sole and link.total and len(link.columns) == 1]
    return found[0] if found else None


def _as_copied_rows(
    seen: ObservedNode,
    link: Link,
    repeats: Sequence[RepeatedColumn],
    found: Mapping[FieldPlace, ObservedNode],
    links: _Links,
) -> None:
    """An array of rows that live elsewhere: copied where they refer back to this document, listed where only it tells them."""
    target = found.get((link.target, link.target_node))
    above = seen.above
    assert above is not None
    if target is None or target.key != link.target_columns or target.role is not NodeRole.ENTITY:
        return
    own = {column.steps for column in seen.node.columns} - {link.columns[0]}
    if own - {each.column for each in repeats if each.link == link.columns}:
        return
    back = [
        each
        for each in links.get(target.place, ())
        if (each.target, each.target_node) == above.place and each.target_columns == above.key
    ]
    if seen.node.form is NodeForm.VALUES and above.above is None and target.above is None:
        seen.role, seen.link, seen.back = NodeRole.LISTED, link, next(iter(back), None)
    elif back:
        seen.role, seen.link = NodeRole.COPY, back[0]
        seen.repeats = tuple(each for each in repeats if each.link == link.columns)
