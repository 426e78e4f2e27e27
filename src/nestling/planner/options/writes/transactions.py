"""When a write is one command, and when several in a transaction: that costs the same whatever asks for it, and once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from nestling.ir.design_problem import Charge, Mode, StatementStep
from nestling.ir.model import OnDelete
from nestling.ir.paths import work_of
from nestling.ir.paths.work import NO_WORK, Work
from nestling.ir.workload import Access, Statement, StatementKind
from nestling.planner.options.modes import Modes
from nestling.planner.options.statements.held_links import held_links
from nestling.planner.options.structures.places import Home
from nestling.planner.options.writes.changes import READ_STAGES, Changes
from nestling.planner.options.writes.key_checks import open_groups, settles


@dataclass(frozen=True, slots=True)
class Together:
    """The transaction of a statement, where some structure asks for one."""

    modes: Modes
    changes: Changes

    def steps(
        self, statement: Statement, access: Access, position: int, kept: Iterable[str]
    ) -> Iterator[StatementStep | Charge]:
        """`kept`: what is chosen that the statement must keep right at once."""
        homes = self.modes.places.homes[access.entity]
        asking = [home.id for home in homes if self._asks(statement, access, home)]
        inside = [] if access.kind is not StatementKind.DELETE else list(self._children(access))
        cost = self.modes.price_of(work_of.transaction() + self._first_read(statement, access), access.entity)
        if len(asking) == len(homes):
            yield Charge(statement.name, "a transaction", (), self.modes.price(work_of.transaction()))
            return
        without = tuple(dict.fromkeys((*asking, *inside, *kept)))
        if without:
            alone, both = Mode("one command", (), 0.0, without=without), Mode("a transaction", (), cost)
            read = [home.id for home in homes if home.id in asking and self._reads_first(statement, access, home)]
            bare = self.modes.price_of(work_of.transaction(), access.entity)
            known = (Mode(f"a transaction, {name} read before", (name,), bare) for name in read)
            yield StatementStep(statement.name, f"{position}: together", (alone, both, *known))

    def _first_read(self, statement: Statement, access: Access) -> Work:
        """What would be one command has to know the rows when something else follows from them."""
        if access.kind is StatementKind.INSERT:
            return NO_WORK
        rows, size = self.changes.rows(statement, access), self.modes.sizes.row_bytes(access.entity)
        return work_of.request(READ_STAGES) + work_of.fetch_by_index(rows, size) + work_of.send(rows, size)

    def _asks(self, statement: Statement, access: Access, home: Home) -> bool:
        """Whether the statement is more than one command with the rows in that home, whatever else is chosen."""
        if home.bucket is not None and home.bucket.native:
            return False
        if home.overflow is not None:
            return False  # counted with its pages
        if self._must_be_together(access.entity, home):
            return True
        if access.kind is not StatementKind.INSERT:
            return self._reads_first(statement, access, home)
        settled = settles(self.modes.situation, home)
        held = [link for link in held_links(self.modes.situation, access) if link != settled]
        is_plain = self.changes.is_plain(statement, in_array=not home.own)
        return not is_plain or bool(held) or bool(open_groups(self.modes.situation, home)) or home.bucket is not None

    def _reads_first(self, statement: Statement, access: Access, home: Home) -> bool:
        """Whether rows in that home are read before they change whatever follows, which is counted there."""
        if access.kind is StatementKind.INSERT:
            return False
        direct = self.changes.is_direct(statement, access, home)
        return not direct or (bool(home.links) and self.changes.are_siblings(access, home))

    def _children(self, access: Access) -> Iterator[str]:
        """The places of children that do not go along with their parents."""
        for link in self.modes.situation.children[access.entity]:
            for home in self.modes.places.homes[link.child]:
                within = home.links[:1] == (link,)
                goes_along = link.enforced and link.on_delete is OnDelete.CASCADE and within
                if (link.enforced or within) and not goes_along:
                    yield home.id

    def _must_be_together(self, entity: str, home: Home) -> bool:
        """Whether the requirements ask for a change at once with an entity that is in another document."""
        inside = {entity, home.root, *(link.parent for link in home.links)}
        return any(entity in group and not set(group) <= inside for group in self.modes.situation.requirements.atomic)
