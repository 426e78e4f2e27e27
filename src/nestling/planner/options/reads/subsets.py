"""The first few children of one parent, from its document: a subset that answers a start, and all that is joined to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nestling.ir.candidate import FirstChildren
from nestling.ir.design_problem import Mode
from nestling.ir.paths import work_of
from nestling.ir.workload import Statement
from nestling.planner.options.modes import Modes
from nestling.planner.options.sizes.matching import compared_equal
from nestling.planner.options.statements.visits import Visit
from nestling.planner.options.structures.archives import looked_for_in_both
from nestling.planner.reads.rewrites.foreign_key_as_parent import tells_parent


def first_few(modes: Modes, statement: Statement, visit: Visit) -> Iterator[Mode]:
    """The rows of a start from the subsets that hold them."""
    for name, few in _answering(modes, statement, visit):
        link = modes.situation.model.relationship(few.relationship)
        # where all children are in the parent's document, its queries read these
        inside = tuple(each.id for each in modes.places.homes[link.child] if each.links[:1] == (link,))
        for home in modes.places.homes[link.parent]:
            if home.bucket is None:
                fetched, also = modes.documents.reads(home, 1.0)
                kept = few.kept(modes.sizes.children(link))
                mode = modes.mode(f"{name}, {home.id}", (name, home.id), fetched + work_of.unwind(kept), also)
                mode = replace(mode, without=(*mode.without, *inside))
                yield looked_for_in_both(modes, statement, home, kept, mode)


def tails(modes: Modes, statement: Statement, found: tuple[Visit, ...], visit: Visit) -> tuple[str, ...]:
    """The subsets that could answer the start a visit comes from: then its rows are not at home."""
    origin = found[visit.before] if visit.before is not None else None
    return tuple(name for name, _ in _answering(modes, statement, origin)) if origin is not None else ()


def _answering(modes: Modes, statement: Statement, origin: Visit) -> Iterator[tuple[str, FirstChildren]]:
    asked = modes.sizes.facts_of(statement).first.get(origin.entity) if origin.before is None else None
    if asked is None:
        return
    access, exact, model = origin.access, compared_equal(origin.access), modes.situation.model
    for link in modes.situation.parents[origin.entity]:
        if not tells_parent(link, model) or set(link.child_attributes) != exact:
            continue
        for name, few in modes.places.first_children[link.name]:
            if few.limit is None:
                continue
            order = tuple((each.attribute, each.descending) for each in few.order)
            covered = set(access.attributes) <= {*few.attributes, *link.child_attributes}
            if order == asked.order and few.limit >= asked.count and covered:
                yield name, few
