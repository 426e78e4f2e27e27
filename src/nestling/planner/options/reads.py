"""The ways to answer each step of a read: where its rows are found first, and how each join goes on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nestling.ir import accesses as work
from nestling.ir.candidate import Indexed
from nestling.ir.model import Relationship
from nestling.ir.options import Charge, Mode, Step
from nestling.ir.situation import Situation
from nestling.ir.work import NO_WORK, Work
from nestling.ir.workload import Access, Statement
from nestling.planner.options.buckets import found_buckets, grouped_work
from nestling.planner.options.cold import read_too
from nestling.planner.options.documents import Documents, Extra
from nestling.planner.options.matching import compared_equal, covers, is_at_hand, matched_rows
from nestling.planner.options.overflow import pages_too
from nestling.planner.options.places import Home, Places
from nestling.planner.options.prices import Price
from nestling.planner.options.sizes import Sizes
from nestling.planner.options.visits import Visit, visits

PricedMode = Mode
NOTHING = Extra()


class Reads:
    """Steps of reads over one set of candidates."""

    def __init__(self, situation: Situation, places: Places, sizes: Sizes, documents: Documents, price: Price) -> None:
        self.situation, self.places, self.sizes, self.documents = situation, places, sizes, documents
        self.price = price
        self._matches: dict[tuple[str, Access, bool], tuple[float, bool] | None] = {}
        self._lookups: dict[tuple[str, float, str, str | None], tuple[PricedMode, ...]] = {}

    def mode(
        self, text: str, needs: tuple[str, ...], cost: Work, extra: Extra = NOTHING, without: tuple[str, ...] = ()
    ) -> PricedMode:
        """A mode with its prices."""
        loads = ((extra.load, self.price(extra.per_byte)),) if extra.load else ()
        return Mode(text, needs, self.price(cost), without=without, loads=loads)

    def steps(self, statement: Statement) -> Iterator[Step | Charge]:
        """A step for each access, and what the statement costs whatever the design."""
        found = visits(statement, self.situation.model, self.sizes)
        for position, visit in enumerate(found):
            leaf = all(other.before != position for other in found)
            tails = self._tails(statement, found, visit)
            if visit.before is None or visit.link is None:
                modes = [*self.starts(statement, visit.access, leaf=leaf), *self._first_few(statement, found, visit)]
            else:
                modes = list(self._hop(found[visit.before], visit, leaf=leaf, tails=tails))
                if leaf and statement.is_flat:
                    modes += self._from_copies_of_all(visit, visit.link, tails)
            whole = tuple(self._with_parts(mode, statement, visit) for mode in modes)
            yield Step(statement.name, f"{position}: {visit.entity}", whole)
        yield Charge(statement.name, "the request and its result", (), self.price(self._always(statement, found)))

    def _with_parts(self, mode: PricedMode, statement: Statement, visit: Visit) -> PricedMode:
        """The mode with what it costs more where attributes it reads at home are kept apart."""
        parts = self.places.cold[visit.entity]
        if not parts or not any(home.own and home.id in mode.needs for home in self.places.homes[visit.entity]):
            return mode
        rows = min(visit.rows, float(statement.limit)) if statement.limit is not None else visit.rows
        found = [(name, read_too(self.sizes, cold, visit.access, rows)) for name, cold in parts]
        also = tuple((name, self.price(more)) for name, more in found if more is not None)
        return replace(mode, also=(*mode.also, *also)) if also else mode

    def _always(self, statement: Statement, found: tuple[Visit, ...]) -> Work:
        if not found:
            return work.request()
        rows = found[-1].rows if all(not v.access.aggregates for v in found) else found[0].rows
        result = min(rows, float(statement.limit)) if statement.limit is not None else rows
        width = sum(self.sizes.bytes_of(v.entity, v.access.attributes) for v in found)
        sorting = any(v.access.sort for v in found[1:])
        ordered = work.sort(rows, width) if sorting else NO_WORK
        stages = 0 if len(found) == 1 else len(found) + 1
        return work.request(stages) + work.send(result, width) + work.project(result, 4) + ordered

    # --- where a read starts -----------------------------------------------------------------------------------------

    def starts(self, statement: Statement, access: Access, *, leaf: bool) -> Iterator[PricedMode]:
        """Finding the rows of the first access, wherever they live."""
        for home in self.places.homes[access.entity]:
            yield from self.finds(statement, access, home)
        if leaf:
            yield from self._aggregated_start(access)

    def finds(self, statement: Statement, access: Access, home: Home) -> Iterator[PricedMode]:
        """Finding them in one home: by key, by the key of the document they are in, by an index, or by reading everything."""
        if is_at_hand(self.situation, home, compared_equal(access)):
            yield self._mode(f"{home.id}, by key", home, 1.0, statement, access, ordered=False)
            return
        if home.bucket is not None:
            after = self._after(statement, access, ordered=False)
            for text, found in found_buckets(self.situation, self.sizes, home.bucket, access):
                yield self.mode(f"{home.id}, {text}", (home.id,), found + after)
            if home.bucket.answers(access):
                summed = grouped_work(self.situation, self.sizes, home.bucket, access)
                yield self.mode(f"{home.id}, summed up", (home.id,), summed)
        alone = not any(each.aggregates or (each.sort and each is not access) for each in statement.accesses)
        for name, index in self.places.indexes[access.entity] if home.bucket is None else ():
            if (matched := self._match(name, access, index, alone=alone)) is not None:
                rows, ordered = matched
                few = statement.limit if ordered and home.own and statement.limit is not None else None
                reached = min(rows, float(few)) if few is not None else rows
                documents = min(reached, self.documents.count(home))
                if home.own and covers(statement, access, index):
                    entry = self.sizes.bytes_of(access.entity, [key for key, _ in index.keys])
                    alone_work = work.covered(reached) + Work(read_bytes=reached * entry)
                    alone_work += self._after(statement, access, ordered=ordered)
                    yield self.mode(f"{home.id}, by {name} alone", (home.id, name), alone_work)
                    continue
                yield self._mode(
                    f"{home.id}, by {name}", home, documents, statement, access, ordered=ordered, needs=(name,)
                )
        scanned, also = self.documents.scans(home)
        elements = self.documents.count(home) * self.documents.per_document(home)
        unwound = work.unwind(elements) if not home.own else NO_WORK
        total = scanned + work.ask(elements) + unwound + self._after(statement, access, ordered=False)
        if home.overflow is not None:
            total += pages_too(self.sizes, home, 1)
        yield self.mode(f"{home.id}, all of it", (home.id,), total, also)

    def _mode(
        self,
        text: str,
        home: Home,
        documents: float,
        statement: Statement,
        access: Access,
        *,
        ordered: bool,
        needs: tuple[str, ...] = (),
    ) -> PricedMode:
        fetched, also = self.documents.reads(home, documents)
        unwound = work.unwind(documents * self.documents.per_document(home)) if not home.own else NO_WORK
        total = fetched + unwound + self._after(statement, access, ordered=ordered and home.own)
        if home.overflow is not None:
            total += pages_too(self.sizes, home, documents)
        return self.mode(text, (home.id, *needs), total, also)

    def _after(self, statement: Statement, access: Access, *, ordered: bool) -> Work:
        """Grouping and sorting the rows found."""
        rows = self.sizes.found(access)
        if access.grouping is not None:
            return work.group(rows, rows / 2)
        if ordered or not access.sort:
            return NO_WORK
        return work.top(rows, statement.limit) if statement.limit is not None else work.sort(rows)

    def _match(self, name: str, access: Access, index: Indexed, *, alone: bool) -> tuple[float, bool] | None:
        """The same for every home; found once."""
        key = name, access, alone
        if key not in self._matches:
            self._matches[key] = matched_rows(self.sizes, access, index, alone=alone)
        return self._matches[key]

    def _aggregated_start(self, access: Access) -> Iterator[PricedMode]:
        """The aggregates of one parent's children, from the parent's document."""
        exact = compared_equal(access)
        for link in self.situation.parents[access.entity]:
            needed = self._aggregates(access, link)
            if needed and set(link.child_attributes) == exact == {f.attribute for f in access.filters}:
                for home in self.places.homes[link.parent]:
                    fetched, also = self.documents.reads(home, 1.0)
                    yield self.mode(f"kept in {home.id}", (home.id, *needed), fetched, also)

    def _aggregates(self, access: Access, link: Relationship) -> tuple[str, ...]:
        """The structures that hold all an access asks of the children along a link; none when one is lacking."""
        kept = {(a.function, a.attribute): name for name, a in self.places.aggregates[link.name]}
        wanted = [kept.get(each) for each in access.aggregates]
        return tuple(name for name in wanted if name is not None) if wanted and None not in wanted else ()

    # --- the first few of one parent ---------------------------------------------------------------------------------

    def _first_few(self, statement: Statement, found: tuple[Visit, ...], visit: Visit) -> Iterator[PricedMode]:
        for name in self._tails(statement, found, visit, of=visit):
            link, newest = next(
                (self.situation.model.relationship(n.relationship), n)
                for items in self.places.newest.values()
                for i, n in items
                if i == name
            )
            for home in self.places.homes[link.parent]:
                if home.bucket is None:
                    fetched, also = self.documents.reads(home, 1.0)
                    text = f"{name}, {home.id}"
                    kept = newest.kept(self.sizes.children(link))
                    yield self.mode(text, (name, home.id), fetched + work.unwind(kept), also)

    def _tails(
        self, statement: Statement, found: tuple[Visit, ...], visit: Visit, *, of: Visit | None = None
    ) -> tuple[str, ...]:
        """The subsets that could answer the visit a step comes from (or `of`): then its rows are not at home."""
        origin = of or (found[visit.before] if visit.before is not None else None)
        if origin is None or origin.before is not None or statement.limit is None:
            return ()
        exact, names = compared_equal(origin.access), []
        for link in self.situation.parents[origin.entity]:
            for name, newest in self.places.newest[link.name]:
                if newest.limit is None:
                    continue
                order = tuple((o.attribute, o.descending) for o in newest.order)
                covered = set(origin.access.attributes) <= {*newest.attributes, *link.child_attributes}
                same = order == origin.access.order and newest.limit >= statement.limit
                if same and covered and set(link.child_attributes) == exact:
                    names.append(name)
        return tuple(names)

    # --- how a join goes on ------------------------------------------------------------------------------------------

    def _hop(self, before: Visit, visit: Visit, *, leaf: bool, tails: tuple[str, ...]) -> Iterator[PricedMode]:
        link = visit.link
        assert link is not None
        if visit.down:
            yield from self._downwards(before, visit, link, leaf=leaf, tails=tails)
        else:
            yield from self._upwards(before, visit, link, leaf=leaf, tails=tails)

    def _downwards(
        self, before: Visit, visit: Visit, link: Relationship, *, leaf: bool, tails: tuple[str, ...]
    ) -> Iterator[PricedMode]:
        outer, each = before.rows, self.sizes.children(link)
        for home in self.places.homes[visit.entity]:
            if home.links[:1] == (link,) and home.overflow is None:
                yield self.mode(home.id, (home.id,), work.unwind(visit.reached), without=tails)
            elif home.links == (link,):
                both = work.lookup(outer, 1.0, self.documents.base(home)) + pages_too(self.sizes, home, outer)
                also = self.documents.further(home, Work(read_bytes=outer))
                united = both + work.unwind(visit.reached)
                yield self.mode(f"{home.id}, both places", (home.id,), united, also, without=tails)
            else:
                yield from self._looked_up(home, outer, each, visit, self._index_on(visit.entity, link))
        for name, _ in self.places.mirrors[link.name]:
            needed = set(visit.access.attributes) - self._foreign_keys(visit.entity)
            if not needed:
                yield self.mode(name, (name,), work.unwind(visit.reached), without=tails)
        needed_values = self._aggregates(visit.access, link) if leaf else ()
        if needed_values:
            yield self.mode(
                ", ".join(needed_values), needed_values, work.project(outer, len(needed_values)), without=tails
            )

    def _from_copies_of_all(self, visit: Visit, link: Relationship, tails: tuple[str, ...]) -> Iterator[PricedMode]:
        """The children from copies of all of them in their parent's document."""
        if not visit.down or visit.access.filters or visit.access.aggregates:
            return
        needed = set(visit.access.attributes) - set(link.child_attributes)
        for name, newest in self.places.newest[link.name]:
            if newest.limit is None and needed <= set(newest.attributes):
                yield self.mode(name, (name,), work.unwind(visit.reached), without=tails)

    def _upwards(
        self, before: Visit, visit: Visit, link: Relationship, *, leaf: bool, tails: tuple[str, ...]
    ) -> Iterator[PricedMode]:
        for home in self.places.homes[before.entity]:
            if home.links[:1] == (link,) and home.overflow is None:
                yield self.mode(home.id, (home.id,), work.project(visit.reached, 1), without=tails)
        for name, absorbed in self.places.absorbed[visit.entity]:
            if leaf and absorbed.relationship == link.name and not visit.access.aggregates:
                yield self.mode(name, (name,), work.project(visit.reached, 1), without=tails)
        asked = {*visit.access.attributes, *(f.attribute for f in visit.access.filters)} - set(link.parent_attributes)
        if leaf and not visit.access.aggregates:
            copies = {c.attribute: name for name, c in self.places.copied[before.entity][link.name]}
            if asked <= copies.keys() and (asked or self.situation.model.is_total(link)):
                needs = tuple(copies[name] for name in sorted(asked))
                text = ", ".join(needs) or f"the {link.parent}'s id is at hand"
                yield self.mode(text, needs, work.project(visit.reached, len(needs)), without=tails if needs else ())
        for home in self.places.homes[visit.entity]:
            yield from self._looked_up(home, visit.reached, 1.0, visit, None)

    def _looked_up(
        self, home: Home, outer: float, each: float, visit: Visit, index: str | None
    ) -> Iterator[PricedMode]:
        """A `$lookup` into another collection for each of the outer rows; the work of one is counted once."""
        key = home.id, each, visit.link.name if visit.down and visit.link is not None else "", index
        if key not in self._lookups:
            self._lookups[key] = tuple(self._lookup(home, each, visit, index))
        for one in self._lookups[key]:
            loads = tuple((name, cost * outer) for name, cost in one.loads)
            yield Mode(one.text, one.needs, one.cost * outer, loads=loads)

    def _lookup(self, home: Home, each: float, visit: Visit, index: str | None) -> Iterator[PricedMode]:
        """One `$lookup`: by key (going up), by an index on the foreign key, or by reading it all."""
        spread = min(each, self.documents.count(home)) if home.own or visit.down else 1.0
        size = self.documents.base(home)
        elements = NO_WORK if home.own else work.unwind(spread * self.documents.per_document(home))
        also = self.documents.further(home, Work(read_bytes=spread))
        if not visit.down:
            yield self.mode(f"{home.id}, looked up", (home.id,), work.lookup(1.0, 1.0, size) + elements, also)
            return
        if index is not None:
            yield self.mode(
                f"{home.id}, looked up by {index}",
                (home.id, index),
                work.lookup(1.0, spread, size) + elements,
                also,
            )
        if home.bucket is not None and visit.link is not None and home.bucket.by == visit.link.child_attributes:
            each_bucket = max(each / self.documents.filled(home), 1.0)
            unwound = work.unwind(each)
            text = f"{home.id}, looked up by series"
            yield self.mode(text, (home.id,), work.lookup(1.0, each_bucket, size, stages=1) + unwound)
        total = self.documents.count(home)
        heavier = self.documents.further(home, Work(read_bytes=total))
        yield self.mode(f"{home.id}, searched", (home.id,), work.lookup_by_scan(1.0, total, size), heavier)

    def _index_on(self, entity: str, link: Relationship) -> str | None:
        wanted = set(link.child_attributes)
        for name, index in self.places.indexes[entity]:
            if {key for key, _ in index.keys[: len(wanted)]} == wanted:
                return name
        return None

    def _foreign_keys(self, entity: str) -> set[str]:
        return {name for link in self.situation.parents[entity] for name in link.child_attributes}
