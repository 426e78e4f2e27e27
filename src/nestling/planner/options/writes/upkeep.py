"""What copies, computed values and ids kept twice cost the writes that must keep them right (B6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nestling.ir.candidate import Aggregate, FirstChildren, Lineage, Mirror
from nestling.ir.design_problem import Charge, StatementStep
from nestling.ir.freshness import Freshness, Level
from nestling.ir.model import Relationship
from nestling.ir.paths import work_of
from nestling.ir.paths.work import NO_WORK, Work
from nestling.ir.workload import Access, Statement, StatementKind
from nestling.planner.options.modes import Modes
from nestling.planner.options.reads.trees import lineage_steps
from nestling.planner.options.structures.archives import CHANGED_THERE
from nestling.planner.options.structures.triggered import change_by
from nestling.planner.options.writes.copy_costs import Copies
from nestling.planner.options.writes.sync_event import left
from nestling.planner.upkeep.counts_and_sums import is_added_to
from nestling.planner.upkeep.newest import is_in_place

REFRESH_STAGES = 1 + work_of.light(1)
"""Stages of the pipeline that builds an array of children again, including its lookup."""
CHILDREN_STAGES = 2.0
"""Stages of that lookup's own: the children in order, and what is kept of each."""


@dataclass(frozen=True, slots=True)
class UpkeepCost:
    """What keeping derived structures right costs a write, and those of them that it keeps right at once."""

    costs: tuple[StatementStep | Charge, ...]
    at_once: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UpkeepCosts:
    """What derived structures cost writes."""

    modes: Modes
    copies: Copies

    def of(self, statement: Statement, access: Access, rows: float) -> UpkeepCost:
        """What each derived structure costs the statement when it is chosen."""
        found = list(self._triggered(access))
        charges = [
            Charge(statement.name, f"keeps {name} right", (name,), self.modes.price_of(each, holder) * rows)
            for name, each, _, holder in found
        ]
        there = self.modes.price(CHANGED_THERE) * rows
        charges += [
            Charge(statement.name, f"keeps {name} right in {archive}", (name, archive), there)
            for name, _, _, holder in found
            for archive, _ in self.modes.places.archives[holder]
        ]
        steps = (*self.copies.steps(statement, access, rows), *lineage_steps(self.modes, statement, access, rows))
        lineages = self.modes.places.triggered.all(access, Lineage)
        at_once = [name for name, _, freshness, _ in found if freshness is None or not freshness.is_left]
        at_once += [name for name, each in lineages.items() if not each.freshness.is_left]
        return UpkeepCost((*charges, *steps), (*at_once, *self.copies.at_once(access)))

    def _triggered(self, access: Access) -> Iterator[tuple[str, Work, Freshness | None, str]]:
        """(structure, work for each row written, its freshness: None for what is no copy, whose documents hold it)."""
        triggered, link_of = self.modes.places.triggered.of_children, self.modes.situation.model.relationship
        for name, few in triggered(access, FirstChildren).items():
            link = link_of(few.relationship)
            work = self._parents_changed(access, link) * self._first_children(access, link, few)
            yield name, work, few.freshness, link.parent
        for name, aggregate in triggered(access, Aggregate).items():
            link = link_of(aggregate.relationship)
            work = self._parents_changed(access, link) * self._aggregate(access, link, aggregate)
            yield name, work, aggregate.freshness, link.parent
        for name, mirror in triggered(access, Mirror).items():
            link = link_of(mirror.side)
            yield name, self._parents_changed(access, link) * self._parent(link), None, link.parent

    def _parents_changed(self, access: Access, link: Relationship) -> float:
        """A row that moves has left one parent and has come to another."""
        return (
            2.0 if access.kind is StatementKind.UPDATE and set(access.attributes) & set(link.child_attributes) else 1.0
        )

    def _first_children(self, access: Access, link: Relationship, few: FirstChildren) -> Work:
        """The parent's array changed by one operator, or made of its children anew."""
        model, sizes = self.modes.situation.model, self.modes.sizes
        kept = few.kept(sizes.children(link))
        if few.freshness.is_left or is_in_place(model, few.copy(model, "copy"), change_by(access)):
            placed = work_of.top(kept + 1, kept) if few.limit is not None else NO_WORK
            return self._parent(link) + placed + left(few.freshness)
        held = sizes.bytes_of(link.child, few.attributes)
        found = work_of.lookup(1, kept, sizes.row_bytes(link.child), stages=CHILDREN_STAGES)
        read = work_of.fetch_by_index(1, sizes.row_bytes(link.parent)) + found + work_of.send(1, kept * held)
        return work_of.request(REFRESH_STAGES) + read + self._parent(link)

    def _aggregate(self, access: Access, link: Relationship, aggregate: Aggregate) -> Work:
        return self._counted_anew(access, link, aggregate) + self._changed(link, aggregate) + left(aggregate.freshness)

    def _counted_anew(self, access: Access, link: Relationship, aggregate: Aggregate) -> Work:
        """All children of a parent read again: once a period where that is planned, and not where the change is added."""
        level = aggregate.freshness.level
        if level is Level.SCHEDULED or (level is not Level.ASYNC and self._is_added_to(access, aggregate)):
            return NO_WORK
        children = self.modes.sizes.children(link)
        found = work_of.fetch_by_index(children, self.modes.sizes.row_bytes(link.child))
        return work_of.request(2) + found + work_of.group(children, 1)

    def _changed(self, link: Relationship, aggregate: Aggregate) -> Work:
        """The parent changed: what goes in steps once in so many times, of which the sync lets the others be."""
        share = 1 / aggregate.step
        if aggregate.freshness.is_left:
            return share * self._parent(link)
        return self._parent(link, share)

    def _is_added_to(self, access: Access, aggregate: Aggregate) -> bool:
        model = self.modes.situation.model
        return is_added_to(model, aggregate.computed(model, "computed"), change_by(access))

    def _parent(self, link: Relationship, share: float = 1.0) -> Work:
        """Finding one parent's document by key, and changing it in a share of the cases."""
        size, fields = self.modes.sizes.row_bytes(link.parent), self.modes.sizes.fields(link.parent)
        return work_of.request() + work_of.fetch_by_index(1, size) + work_of.update(share, size, fields=fields)
