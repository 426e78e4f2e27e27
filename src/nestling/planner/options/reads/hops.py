"""How a join goes on: inside the document, from a copy or a computed value, or by a lookup."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import prod

from nestling.ir.candidate import Indexed
from nestling.ir.design_problem import Mode
from nestling.ir.model import Relationship
from nestling.ir.paths import work_of
from nestling.ir.paths.work import Work
from nestling.ir.storage.collations import goes_by_collation, linked_by_expression
from nestling.ir.workload import Statement
from nestling.planner.known.faster_lookups import FEW_FOUND, LEAST_FASTER_ROWS, FoundRows
from nestling.planner.options.modes import Modes
from nestling.planner.options.reads.element_conditions import unwinding, work_of_tests
from nestling.planner.options.reads.lookups_together import HOP, LookupsTogether, structures_of_visited_rows
from nestling.planner.options.reads.reach import DocumentAccess, ways_to_one
from nestling.planner.options.reads.starts import Starts
from nestling.planner.options.reads.trees import walks
from nestling.planner.options.sizes.matching import compared_equal, serves
from nestling.planner.options.statements.ranges_beside import RangeBeside
from nestling.planner.options.statements.visits import Visit
from nestling.planner.options.structures.archives import looked_up_in_both
from nestling.planner.options.structures.buckets import in_windows, windows_met
from nestling.planner.options.structures.overflow import pages_too
from nestling.planner.options.structures.places import Home
from nestling.planner.work.first_access import asked_in_turn
from nestling.planner.work.stream import Condition

UNWOUND = Work(stages=work_of.light(2))
"""A stage that unwinds, and one that asks or shows what came of it."""
Lookups = tuple[Mode, ...]
"""The ways of one `$lookup`."""


@dataclass(frozen=True, slots=True)
class JoinHop:
    """A visit and where it comes from. `leaf`: nothing is joined to it; `counted`: aggregates its parents keep may answer it.

    `tails`: the structures that could answer where it comes from, whose rows are then not at home. `alone`: the subquery it comes
    from, if it does, asks of no other entity.
    """

    before: Visit
    visit: Visit
    link: Relationship
    leaf: bool
    counted: bool
    tails: tuple[str, ...]
    alone: bool

    @property
    def is_asked(self) -> bool:
        """Whether it leads to what a subquery is about, and no further: elements are asked where they are."""
        return self.leaf and self.visit.inside and not self.before.inside

    @property
    def leaves_subquery(self) -> bool:
        """Whether it leads from what a subquery finds, each once, to the rows that are asked for."""
        return self.before.inside and not self.visit.inside


@dataclass(frozen=True, slots=True)
class Hops:
    """The ways along a relationship."""

    modes: Modes
    starts: Starts
    _lookups: dict[tuple[str, str, bool, tuple[Condition, ...], tuple[RangeBeside, ...], bool], Lookups] = field(
        default_factory=dict, repr=False, compare=False
    )

    def hop(self, hop: JoinHop) -> Iterator[Mode]:
        """The ways to go on along the hop's relationship."""
        if hop.visit.access.walk is not None:
            yield from walks(self.modes, hop.before, hop.visit, hop.link)
        elif linked_by_expression(self.modes.situation.model, hop.link):
            for home in self.modes.places.homes[hop.visit.entity]:
                yield from self._looked_up(home, hop)
        elif hop.leaves_subquery:
            yield from self._around(hop) if hop.alone else ()
            for home in self.modes.places.homes[hop.visit.entity]:
                yield from self._looked_up(home, hop)
        elif hop.visit.down:
            yield from self._downwards(hop)
        else:
            yield from self._upwards(hop)

    def _downwards(self, hop: JoinHop) -> Iterator[Mode]:
        visit, link, outer = hop.visit, hop.link, hop.visit.outer
        modes = self.modes
        unwound = UNWOUND + work_of.unwind(visit.reached) + work_of.pass_on(outer)
        asked = asked_in_turn(visit.reached, visit.conditions)
        if visit.conditions:
            unwound += work_of.pass_on(visit.reached) + asked
        if hop.is_asked:
            unwound = UNWOUND + work_of.ask(visit.reached) + work_of.pass_on(outer) + asked
        for home in modes.places.homes[visit.entity]:
            if home.links[:1] == (link,) and home.overflow is None:
                taken = modes.documents.array_read(home, outer if home.links == (link,) else 0.0)
                yield modes.mode(home.id, (home.id,), unwound, taken, without=hop.tails)
            elif home.links == (link,):
                both = work_of.lookup(outer, 1.0, modes.documents.base(home)) + pages_too(modes.sizes, home, outer)
                also = modes.documents.further(home, read=outer)
                yield modes.mode(f"{home.id}, both places", (home.id,), both + unwound, also, without=hop.tails)
            else:
                yield from self._looked_up(home, hop)
        for name in self.listing(visit):
            yield modes.mode(name, (name,), unwound, without=hop.tails)

    def listing(self, visit: Visit) -> tuple[str, ...]:
        """The lists of ids in its parents that answer everything asked of a visit's rows."""
        if not visit.down or visit.link is None or set(visit.access.attributes) - self._foreign_keys(visit.entity):
            return ()
        return tuple(name for name, _ in self.modes.places.mirrors[visit.link.name])

    def from_aggregates(self, statement: Statement, hop: JoinHop) -> Iterator[Mode]:
        """The ways to answer everything asked of the children from the aggregates that their parent keeps."""
        counted = hop.counted and hop.visit.down and not hop.leaves_subquery
        for kept in self.starts.aggregates(statement, hop.visit.access, hop.link) if counted else ():
            done = work_of.project(hop.visit.outer, len(kept))
            yield self.modes.mode(", ".join(kept), kept, done, without=hop.tails)

    def from_copies_of_all(self, hop: JoinHop) -> Iterator[Mode]:
        """The children from copies of all of them in their parent's document."""
        visit, link = hop.visit, hop.link
        if not visit.down or visit.access.filters or visit.access.aggregates or hop.leaves_subquery:
            return
        if linked_by_expression(self.modes.situation.model, link):
            return
        needed = set(visit.access.attributes) - set(link.child_attributes)
        for name, few in self.modes.places.first_children[link.name]:
            if few.limit is None and needed <= set(few.attributes):
                yield self.modes.mode(
                    name,
                    (name,),
                    UNWOUND + work_of.unwind(visit.reached) + work_of.pass_on(visit.outer),
                    without=hop.tails,
                )

    def _around(self, hop: JoinHop) -> Iterator[Mode]:
        """The parent whose document the rows lie in.

        Where rows may lack a parent and the foreign key goes by a collation, orphans may have one all the same: it is looked up.
        """
        situation = self.modes.situation
        if not situation.is_total(hop.link) and goes_by_collation(situation.model, hop.link):
            return
        for home in self.modes.places.homes[hop.before.entity]:
            if home.links[:1] == (hop.link,) and home.overflow is None and not hop.visit.down:
                at_hand = work_of.project(hop.visit.reached, 1)
                yield self.modes.mode(home.id, (home.id,), at_hand, without=hop.tails)

    def _upwards(self, hop: JoinHop) -> Iterator[Mode]:
        visit, link, modes = hop.visit, hop.link, self.modes
        at_hand = work_of.project(visit.reached, 1)
        yield from self._around(hop)
        if hop.leaf and not visit.access.aggregates:
            for name, absorbed in modes.places.absorbed[visit.entity]:
                if absorbed.relationship == link.name:
                    yield modes.mode(name, (name,), at_hand, without=hop.tails)
            yield from self.from_copies(hop)
        for home in modes.places.homes[visit.entity]:
            yield from self._looked_up(home, hop)

    def from_copies(self, hop: JoinHop) -> Iterator[Mode]:
        """The ways to answer everything asked of the parent from copies in the child."""
        visit, link = hop.visit, hop.link
        asked = {*visit.access.attributes, *(f.attribute for f in visit.access.filters)} - set(link.parent_attributes)
        copies = {copy.attribute: name for name, copy in self.modes.places.copied[hop.before.entity][link.name]}
        if asked <= copies.keys() and (asked or self.modes.situation.model.is_total(link)):
            needs = tuple(copies[name] for name in sorted(asked))
            text = ", ".join(needs) or f"the {link.parent}'s id is at hand"
            done = work_of.project(visit.reached, len(needs))
            yield self.modes.mode(text, needs, done, without=hop.tails if needs else ())

    def _looked_up(self, home: Home, hop: JoinHop) -> Iterator[Mode]:
        """A `$lookup` into another collection for each of the outer rows: what was looked up before is in the cache by then."""
        outer, ahead = hop.visit.outer, hop.visit.ahead
        once = self.modes.price(HOP + work_of.fetch_by_index(ahead, 0.0, seeks=0) + work_of.pass_on(ahead))
        first = min(self._different(hop), outer)
        cached = replace(self, modes=self.modes.warm) if first < outer else self
        found, needs = self._together(home, hop), structures_of_visited_rows(self.modes, hop.before)
        together = LookupsTogether(self.modes, home, outer, needs) if needs is not None else None
        is_beside = self._is_beside(home, hop) or (found is not None and found.by_index and found.pays)
        for one, again in zip(self._each(home, hop), cached._each(home, hop), strict=True):
            cost = one.cost * first + again.cost * (outer - first)
            both = zip(one.loads, again.loads, strict=True)
            loads = tuple((name, cold * first + warm * (outer - first)) for (name, cold), (_, warm) in both)
            also = tuple((name, cost * outer) for name, cost in one.also)
            made = Mode(one.text, one.needs, once + cost, also=also, loads=loads)
            if is_beside and together is not None:
                yield together.faster(made, hop.visit.conditions)
            if not is_beside or needs != ():
                yield made
        if found is not None and together is not None:
            places = self.modes.places
            indexes = (name for name, each in places.indexes[home.entity] if places.leads_along(each, hop.link))
            others = len(hop.link.child_attributes) - 1
            yield from together.read_once(found, hop.visit.conditions, ahead, indexes, others)

    def _each(self, home: Home, hop: JoinHop) -> Iterator[Mode]:
        """One `$lookup`; its work is counted once."""
        visit = hop.visit
        key = home.id, hop.link.name, visit.down, visit.conditions, visit.ranges, bool(self.modes.cold.shares)
        if key not in self._lookups:
            found = self._down(home, hop) if hop.visit.down else self._up(home, hop)
            self._lookups[key] = tuple(looked_up_in_both(self.modes, home, each) for each in found)
        yield from self._lookups[key]
        yield from self._among_few(home, hop)

    def _different(self, hop: JoinHop) -> float:
        """How many of the lookups are of values that none before them is of."""
        link, outer = hop.link, hop.visit.outer
        if hop.visit.down:
            return outer
        if set(link.child_attributes) <= compared_equal(hop.before.access):
            return 1.0
        parents = self.modes.sizes.rows(link.parent)
        return float(parents * (1 - (1 - 1 / parents) ** outer))

    def _is_beside(self, home: Home, hop: JoinHop) -> bool:
        """Whether parents of many rows that a statement begins with are looked up by `_id`, and nothing is asked of them."""
        key = self.modes.situation.model.entity(home.entity).key
        if linked_by_expression(self.modes.situation.model, hop.link):
            return False
        by_key = home.own and len(key) == 1 and hop.link.parent_attributes == key
        starts = hop.before.before is None and hop.visit.outer >= LEAST_FASTER_ROWS
        plain = not hop.visit.down and not hop.visit.conditions and not hop.leaves_subquery
        return by_key and starts and plain

    def _together(self, home: Home, hop: JoinHop) -> FoundRows | None:
        """What lookups for each of many rows find that a statement begins with: of children by an index, and by several
        attributes by that which finds fewest.
        """
        visit, link, modes = hop.visit, hop.link, self.modes
        if not home.own or visit.ranges or hop.before.inside or (visit.inside and not hop.leaf):
            return None
        if linked_by_expression(modes.situation.model, link):
            return None
        if (
            hop.before.before is not None or not LEAST_FASTER_ROWS <= visit.outer <= hop.before.rows
        ):  # no other children before
            return None
        names = link.child_attributes if visit.down else link.parent_attributes
        documents, size = modes.documents.count(home), modes.documents.base(home)
        if len(names) > 1:
            mean = documents / max(modes.sizes.distinct(visit.entity, name) for name in names)
            return FoundRows(mean, mean, size, documents, by_index=False) if mean <= FEW_FOUND else None
        if not visit.down:
            return None
        mean, most = min(modes.sizes.children(link), documents), modes.situation.elements(link)
        return FoundRows(mean, most, size, documents, by_index=True)

    def _among_few(self, home: Home, hop: JoinHop) -> Iterator[Mode]:
        """One `$lookup` of children by an index over those alone that the visit's constants ask for."""
        for name, index in self.modes.places.partial[home.entity] if home.own and hop.visit.down else ():
            if serves(hop.visit.access, index) and self.modes.places.leads_along(index, hop.link):
                share = self.modes.sizes.share_of(home.entity, index.rows)
                few = min(self.modes.sizes.children(hop.link), self.modes.documents.count(home)) * share
                found = self._lookup(home, DocumentAccess(f"by {name}", (home.id, name)), few, hop.visit.conditions)
                yield looked_up_in_both(self.modes, home, found)

    def _up(self, home: Home, hop: JoinHop) -> Iterator[Mode]:
        """One `$lookup` of a parent by its key."""
        ways = ways_to_one(self.modes.places, home, hop.link.parent_attributes)
        if linked_by_expression(self.modes.situation.model, hop.link):
            ways = iter((DocumentAccess("searched", (home.id,), reads_all=True),))
        for way in ways:
            yield self._lookup(home, way, 1.0, hop.visit.conditions)

    def _down(self, home: Home, hop: JoinHop) -> Iterator[Mode]:
        """One `$lookup` of children: by the key, by an index on the foreign key, or by reading it all."""
        link, conditions = hop.link, hop.visit.conditions
        each = self.modes.sizes.children(link)
        spread = min(each, self.modes.documents.count(home))
        entity = self.modes.situation.model.entity(home.entity)
        by_expression = linked_by_expression(self.modes.situation.model, link)
        if home.own and set(entity.key) == set(link.child_attributes) and not by_expression:
            yield self._lookup(home, DocumentAccess("by key", (home.id,)), spread, conditions)
            return
        places = self.modes.places
        for name, index in [each for each in places.indexes[home.entity] if places.leads_along(each[1], link)]:
            found = self._ranged(home, index, hop)
            few = spread * prod(each.share for each in found)
            rest = tuple(each for each in conditions if each not in found)
            yield self._lookup(home, DocumentAccess(f"by {name}", (home.id, name)), few, rest)
        if home.bucket is not None and home.bucket.by == link.child_attributes and not by_expression:
            met = windows_met(self.modes.situation, self.modes.sizes, home.bucket, hop.visit.access)
            buckets = max(met * each / self.modes.documents.filled(home), 1.0)
            left = in_windows(conditions, home.bucket, met)
            yield self._lookup(home, DocumentAccess("by series", (home.id,)), buckets, left)
        yield self._lookup(home, DocumentAccess("searched", (home.id,), reads_all=True), spread, conditions)

    def _ranged(self, home: Home, index: Indexed, hop: JoinHop) -> tuple[Condition, ...]:
        """The range an index finds besides, right behind the foreign key: of rows whose documents are their own alone."""
        behind = [name for name, _ in index.keys[len(hop.link.child_attributes) :][:1]]
        return tuple(each.condition for each in hop.visit.ranges if home.own and [each.attribute] == behind)

    def _lookup(self, home: Home, way: DocumentAccess, documents: float, conditions: tuple[Condition, ...]) -> Mode:
        size, total = self.modes.documents.base(home), self.modes.documents.count(home)
        stages = unwinding(self.modes, home) + bool(conditions)
        if way.reads_all:
            heavier = self.modes.documents.further(home, read=total)
            found = work_of.lookup_by_scan(1.0, total, size, stages=stages)
            return self.modes.mode(f"{home.id}, searched", way.needs, found, heavier)
        also = self.modes.documents.further(home, read=documents)
        found = work_of.lookup(1.0, documents, size, stages=stages) + work_of_tests(
            self.modes, conditions, home, documents
        )
        found += work_of.unwind(documents) + work_of.pass_on(1.0 + documents)
        return self.modes.mode(f"{home.id}, looked up {way.text}", way.needs, found, also)

    def _foreign_keys(self, entity: str) -> set[str]:
        return {name for link in self.modes.situation.parents[entity] for name in link.child_attributes}
