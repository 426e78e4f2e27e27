"""The ways to answer each step of a read: where its rows are found first, and how each join goes on."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir import accesses as work
from nestling.ir.candidate import Indexed
from nestling.ir.model import Relationship
from nestling.ir.options import Charge, Mode, Step
from nestling.ir.situation import Situation
from nestling.ir.work import NO_WORK, Work
from nestling.ir.workload import Access, Operator, Statement
from nestling.planner.options.buckets import found_buckets, grouped_work
from nestling.planner.options.documents import Documents, Extra
from nestling.planner.options.places import Home, Places
from nestling.planner.options.prices import Price
from nestling.planner.options.sizes import Sizes
from nestling.planner.options.visits import Visit, visits

PricedMode = Mode[float]
NOTHING = Extra()


class Reads:
    """Steps of reads over one set of candidates."""

    def __init__(self, situation: Situation, places: Places, sizes: Sizes, documents: Documents, price: Price) -> None:
        self.situation, self.places, self.sizes, self.documents = situation, places, sizes, documents
        self.price = price

    def mode(
        self, text: str, needs: tuple[str, ...], cost: Work, extra: Extra = NOTHING, without: tuple[str, ...] = ()
    ) -> PricedMode:
        """A mode with its prices."""
        loads = ((extra.load, self.price(extra.per_byte)),) if extra.load else ()
        return Mode(text, needs, self.price(cost), without=without, loads=loads)

    def steps(self, statement: Statement) -> Iterator[Step[float] | Charge[float]]:
        """A step for each access, and what the statement costs whatever the design."""
        found = visits(statement, self.situation.model, self.sizes)
        for position, visit in enumerate(found):
            leaf = all(other.before != position for other in found)
            tails = self._tails(statement, found, visit)
            if visit.before is None or visit.link is None:
                modes = [*self.starts(statement, visit.access, leaf=leaf), *self._first_few(statement, found, visit)]
            else:
                modes = list(self._hop(found[visit.before], visit, leaf=leaf, tails=tails))
            yield Step(statement.name, f"{position}: {visit.entity}", tuple(modes))
        yield Charge(statement.name, "the request and its result", (), self.price(self._always(statement, found)))

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
        exact = _exact(access)
        entity = self.situation.model.entity(access.entity)
        owner = next((link for link in home.links[:1] if set(link.child_attributes) <= exact), None)
        is_one = any(group and set(group) <= exact for group in (entity.key, *entity.uniques))
        if home.bucket is None and (is_one or owner is not None):
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
            matched = self._matched(access, index, alone=alone)
            if matched is not None:
                rows, ordered = matched
                few = statement.limit if ordered and statement.limit is not None else None
                reached = min(rows, float(few)) if few is not None else rows
                documents = min(reached, self.documents.count(home))
                yield self._mode(
                    f"{home.id}, by {name}", home, documents, statement, access, ordered=ordered, needs=(name,)
                )
        scanned, also = self.documents.scans(home)
        elements = self.documents.count(home) * self.documents.per_document(home)
        unwound = work.unwind(elements) if not home.own else NO_WORK
        total = scanned + work.ask(elements) + unwound + self._after(statement, access, ordered=False)
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
        return self.mode(text, (home.id, *needs), total, also)

    def _after(self, statement: Statement, access: Access, *, ordered: bool) -> Work:
        """Grouping and sorting the rows found."""
        rows = self.sizes.found(access)
        if access.grouping is not None:
            return work.group(rows, rows / 2)
        if ordered or not access.sort:
            return NO_WORK
        return work.top(rows, statement.limit) if statement.limit is not None else work.sort(rows)

    def _matched(self, access: Access, index: Indexed, *, alone: bool) -> tuple[float, bool] | None:
        """Rows the index walks over for an access, and whether they come in its order; None when it does not help.

        `alone`: the access's order is the statement's.
        """
        rows, position = self.sizes.rows(access.entity), 0
        conditions = {f.attribute: f for f in access.filters}
        for name, _ in index.keys:
            condition = conditions.get(name)
            if condition is None or condition.operator not in (Operator.EQUALITY, Operator.IN):
                break
            rows, position = rows * self.sizes.share(access.entity, condition), position + 1
        rest = index.keys[position:]
        order = [(name, -1 if down else 1) for name, down in access.order if name not in dict(index.keys[:position])]
        if not alone:
            order = []
        same = order == list(rest[: len(order)]) or order == [(name, -way) for name, way in rest[: len(order)]]
        ordered = bool(order) and len(rest) >= len(order) and same
        if rest and not ordered:
            condition = conditions.get(rest[0][0])
            if condition is not None and condition.operator is Operator.RANGE:
                return max(rows * self.sizes.share(access.entity, condition), 1.0), False
        if position == 0 and not ordered:
            return None
        return max(rows, 1.0), ordered

    def _aggregated_start(self, access: Access) -> Iterator[PricedMode]:
        """The aggregates of one parent's children, from the parent's document."""
        exact = _exact(access)
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
                    yield self.mode(text, (name, home.id), fetched + work.unwind(newest.limit), also)

    def _tails(
        self, statement: Statement, found: tuple[Visit, ...], visit: Visit, *, of: Visit | None = None
    ) -> tuple[str, ...]:
        """The subsets that could answer the visit a step comes from (or `of`): then its rows are not at home."""
        origin = of or (found[visit.before] if visit.before is not None else None)
        if origin is None or origin.before is not None or statement.limit is None:
            return ()
        exact, names = _exact(origin.access), []
        for link in self.situation.parents[origin.entity]:
            for name, newest in self.places.newest[link.name]:
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
        outer, each = before.rows, visit.reached / max(before.rows, 1e-9)
        for home in self.places.homes[visit.entity]:
            if home.links[:1] == (link,):
                yield self.mode(home.id, (home.id,), work.unwind(visit.reached), without=tails)
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

    def _upwards(
        self, before: Visit, visit: Visit, link: Relationship, *, leaf: bool, tails: tuple[str, ...]
    ) -> Iterator[PricedMode]:
        for home in self.places.homes[before.entity]:
            if home.links[:1] == (link,):
                yield self.mode(home.id, (home.id,), work.project(before.rows, 1), without=tails)
        asked = {*visit.access.attributes, *(f.attribute for f in visit.access.filters)} - set(link.parent_attributes)
        if leaf and not visit.access.aggregates:
            copies = {c.attribute: name for name, c in self.places.copied[before.entity][link.name]}
            if asked <= copies.keys() and (asked or self.situation.model.is_total(link)):
                needs = tuple(copies[name] for name in sorted(asked))
                text = ", ".join(needs) or f"the {link.parent}'s id is at hand"
                yield self.mode(text, needs, work.project(before.rows, len(needs)), without=tails if needs else ())
        for home in self.places.homes[visit.entity]:
            yield from self._looked_up(home, before.rows, 1.0, visit, None)

    def _looked_up(
        self, home: Home, outer: float, each: float, visit: Visit, index: str | None
    ) -> Iterator[PricedMode]:
        """A `$lookup` into another collection: by key (going up), by an index on the foreign key, or by reading it all."""
        spread = min(each, self.documents.count(home)) if home.own or visit.down else 1.0
        size = self.documents.base(home)
        elements = NO_WORK if home.own else work.unwind(outer * spread * self.documents.per_document(home))
        also = self.documents.further(home, Work(read_bytes=outer * spread))
        if not visit.down:
            yield self.mode(f"{home.id}, looked up", (home.id,), work.lookup(outer, 1.0, size) + elements, also)
            return
        if index is not None:
            yield self.mode(
                f"{home.id}, looked up by {index}",
                (home.id, index),
                work.lookup(outer, spread, size) + elements,
                also,
            )
        if home.bucket is not None and visit.link is not None and home.bucket.by == visit.link.child_attributes:
            each_bucket = max(each / self.documents.filled(home), 1.0)
            unwound = work.unwind(outer * each)
            text = f"{home.id}, looked up by series"
            yield self.mode(text, (home.id,), work.lookup(outer, each_bucket, size, stages=1) + unwound)
        total = self.documents.count(home)
        heavier = self.documents.further(home, Work(read_bytes=outer * total))
        yield self.mode(f"{home.id}, searched", (home.id,), work.lookup_by_scan(outer, total, size), heavier)

    def _index_on(self, entity: str, link: Relationship) -> str | None:
        wanted = set(link.child_attributes)
        for name, index in self.places.indexes[entity]:
            if {key for key, _ in index.keys[: len(wanted)]} == wanted:
                return name
        return None

    def _foreign_keys(self, entity: str) -> set[str]:
        return {name for link in self.situation.parents[entity] for name in link.child_attributes}


def _exact(access: Access) -> set[str]:
    """Attributes compared for equality."""
    return {each.attribute for each in access.filters if each.operator is Operator.EQUALITY}
