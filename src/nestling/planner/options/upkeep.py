"""What copies, computed values and ids kept twice cost the writes that must keep them right (B6)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from nestling.ir import accesses as work
from nestling.ir.candidate import Aggregate, CopiedAttribute, Newest
from nestling.ir.freshness import Freshness, Level
from nestling.ir.model import Relationship
from nestling.ir.options import Charge
from nestling.ir.rows import Function
from nestling.ir.situation import Situation
from nestling.ir.types import TypeName
from nestling.ir.work import NO_WORK, Work
from nestling.ir.workload import Access, Statement, StatementKind
from nestling.planner.options.places import Places
from nestling.planner.options.sizes import Sizes
from nestling.planner.options.writes import Writes

_EXACT = (TypeName.INTEGER, TypeName.DECIMAL)


class Upkeep:
    """Charges on writes for derived structures."""

    def __init__(self, situation: Situation, places: Places, sizes: Sizes, writes: Writes) -> None:
        self.situation, self.places, self.sizes, self.writes = situation, places, sizes, writes
        self._copies: dict[str, list[tuple[str, CopiedAttribute]]] = defaultdict(list)  # by source and by holder
        for holder, links in places.copied.items():
            for name, copies in links.items():
                for entity in dict.fromkeys((holder, situation.model.relationship(name).parent)):
                    self._copies[entity] += copies

    def charges(self, statement: Statement) -> Iterator[Charge]:
        """What each derived structure costs the statement when it is chosen."""
        for access in statement.accesses:
            if access.kind.writes:
                rows = self.writes.rows(access)
                for text, name, each in self._triggered(access):
                    yield Charge(statement.name, text, (name,), self.writes.modes.price(each) * rows)

    def _triggered(self, access: Access) -> Iterator[tuple[str, str, Work]]:
        """(what happens, structure, work for each row written)."""
        found: list[tuple[str, Work | None]] = [
            (name, self._copy(access, copy)) for name, copy in self._copies[access.entity]
        ]
        for link in self.situation.parents[access.entity]:
            found += [(name, self._newest(access, link, each)) for name, each in self.places.newest[link.name]]
            found += [(name, self._aggregate(access, link, each)) for name, each in self.places.aggregates[link.name]]
            found += [(name, self._mirror(access, link)) for name, _ in self.places.mirrors[link.name]]
        for name, work_of in found:
            if work_of is not None:
                yield f"keeps {name} right", name, work_of

    def _mirror(self, access: Access, link: Relationship) -> Work | None:
        if access.kind is StatementKind.UPDATE and not set(access.attributes) & set(link.child_attributes):
            return None
        return self._parent(link) + work.transaction()

    def _copy(self, access: Access, copy: CopiedAttribute) -> Work | None:
        link = self.situation.model.relationship(copy.path[0].relationship)
        size = self.sizes.row_bytes(copy.holder)
        source_changes = access.kind is StatementKind.UPDATE and copy.attribute in access.attributes
        if access.entity == link.parent and source_changes and copy.freshness.level is not Level.SNAPSHOT:
            touched = self.sizes.children(link)
            changed = work.fetch_by_index(touched, size) + work.update(touched, size, grows=False)
            return changed + _kept(copy.freshness)
        held = access.entity == copy.holder and (
            access.kind is StatementKind.INSERT or set(access.attributes) & set(link.child_attributes)
        )
        if held and access.kind is not StatementKind.DELETE:
            return work.fetch_by_index(1, self.sizes.row_bytes(link.parent)) + Work(round_trips=1)
        return None

    def _newest(self, access: Access, link: Relationship, newest: Newest) -> Work | None:
        seen = {*newest.attributes, *link.child_attributes, *(o.attribute for o in newest.order)}
        if access.kind is StatementKind.UPDATE and not set(access.attributes) & seen:
            return None
        again = sorting = NO_WORK
        if newest.limit is not None:
            sorting = work.top(newest.limit + 1, newest.limit)
            if access.kind is not StatementKind.INSERT:  # another row may have to come in: read again
                again = work.fetch_by_index(newest.limit, self.sizes.row_bytes(link.child))
        return self._parent(link) + again + sorting + _kept(newest.freshness)

    def _aggregate(self, access: Access, link: Relationship, aggregate: Aggregate) -> Work | None:
        seen = {*link.child_attributes, aggregate.attribute}
        if access.kind is StatementKind.UPDATE and not set(access.attributes) & seen:
            return None
        anew = NO_WORK
        on_time = (
            aggregate.freshness.level is Level.SCHEDULED
        )  # then children are read once a period, not for each write
        if not on_time and not self._is_added_to(access, link, aggregate):  # all children are read again
            children = self.sizes.children(link)
            anew = (
                work.request(2)
                + work.fetch_by_index(children, self.sizes.row_bytes(link.child))
                + work.group(children, 1)
            )
        return self._parent(link) + anew + _kept(aggregate.freshness)

    def _is_added_to(self, access: Access, link: Relationship, aggregate: Aggregate) -> bool:
        """Whether the change is one increment: counts, and sums of exact numbers while no row goes."""
        if aggregate.attribute is None:
            return True
        attribute = self.situation.model.entity(link.child).attribute(aggregate.attribute)
        if attribute.nullable or aggregate.function not in (Function.COUNT, Function.SUM):
            return False
        goes = access.kind is StatementKind.DELETE or bool(set(access.attributes) & set(link.child_attributes))
        stays = access.kind is StatementKind.INSERT or not goes
        return aggregate.function is Function.COUNT or (stays and attribute.type.name in _EXACT)

    def _parent(self, link: Relationship) -> Work:
        """Finding one parent's document by key, and changing it."""
        size = self.sizes.row_bytes(link.parent)
        return work.fetch_by_index(1, size) + work.update(1, size, grows=False) + Work(round_trips=1)


def _kept(freshness: Freshness) -> Work:
    """What keeping a copy at this freshness adds: a transaction, or an event of the background sync."""
    match freshness.level:
        case Level.TRANSACTION:
            return work.transaction()
        case Level.ASYNC | Level.SCHEDULED:
            return Work(events=1)
        case Level.SAME_DOCUMENT | Level.SNAPSHOT:
            return NO_WORK
