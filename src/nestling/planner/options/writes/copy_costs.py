"""What copies of a parent's attributes cost: a new row reads them, and a change of their source changes every row that has them.

Those of one parent are read and changed together, however many attributes they are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from nestling.ir.candidate import CopiedAttribute
from nestling.ir.design_problem import Mode, StatementStep
from nestling.ir.model import Relationship
from nestling.ir.paths import work_of
from nestling.ir.paths.work import Work
from nestling.ir.workload import Access, Statement, StatementKind
from nestling.planner.options.modes import Modes
from nestling.planner.options.structures.archives import changed_in_both

READ_STAGES = 1 + work_of.light(1)
"""Stages of the pipeline that looks up what a new row copies."""

_Named = tuple[str, CopiedAttribute]
"""A structure and what it copies."""


@dataclass(frozen=True, slots=True)
class Copies:
    """The possible copies of attributes, by holder and by source."""

    modes: Modes

    def at_once(self, access: Access) -> Iterator[str]:
        """The copies that a write reads or changes before it is done."""
        yield from (name for copies in self._read(access).values() for name, _ in copies)
        for copies in self._changed(access).values():
            yield from (name for name, copy in copies if not copy.freshness.is_left)

    def steps(self, statement: Statement, access: Access, rows: float) -> Iterator[StatementStep]:
        """The steps of a write that keep copies."""
        read = self._read(access)
        if read:
            every = [copy for copies in read.values() for copy in copies]
            first = self.modes.mode("read", (), rows * work_of.request(READ_STAGES))
            yield self._step(statement, f"what {access.entity} copies is read", every, [first])
        for link, copies in read.items():
            parent = self.modes.situation.model.relationship(link).parent
            found = self.modes.mode("looked up", (), rows * self._filled(access, link, copies), reads=(parent,))
            yield self._step(statement, f"what {access.entity} copies by {link}", copies, [found])
        for (holder, link), copies in self._changed(access).items():
            ways = list(self._carried(holder, link, copies, rows))
            yield self._step(statement, f"what {holder} has by {link} changes", copies, ways)

    def _step(self, statement: Statement, text: str, copies: Sequence[_Named], ways: Sequence[Mode]) -> StatementStep:
        """A step in one of these ways; without cost if none of the copies exists."""
        none = Mode("nothing is copied", (), 0.0, without=tuple(name for name, _ in copies))
        return StatementStep(statement.name, text, (none, *ways))

    def _read(self, access: Access) -> Mapping[str, list[_Named]]:
        """By relationship, the copies a row has that comes, or whose parent becomes another.

        Those of a parent that a row loses go with its foreign key.
        """
        found: dict[str, list[_Named]] = defaultdict(list)
        for name, copy in self.modes.places.triggered.own(access, CopiedAttribute).items():
            if not access.nulls & set(copy.path[0].near(self.modes.situation.model)):
                found[copy.path[0].relationship].append((name, copy))
        return found

    def _filled(self, access: Access, name: str, copies: Sequence[_Named]) -> Work:
        """One parent looked up for a row: a new one has its copies when it comes, one that moves is changed once more.

        A new row that may lack its parent has them made once more, too, unless the sync does that.
        """
        link = self.modes.situation.model.relationship(name)
        found = work_of.lookup(1, 1, self.modes.sizes.row_bytes(link.parent))
        if all(copy.freshness.is_left for _, copy in copies):
            return found + Work(events=1)
        size = self.modes.sizes.row_bytes(link.child)
        changed = work_of.request() + work_of.fetch_by_index(1, size) + work_of.update(1, size)
        if access.kind is StatementKind.UPDATE:
            return found + changed
        if self.modes.situation.model.is_total(link):
            return found
        return 2 * found + work_of.request(READ_STAGES) + changed

    def _changed(self, access: Access) -> Mapping[tuple[str, str], list[_Named]]:
        """By who has them and the relationship, the copies whose source changes."""
        found: dict[tuple[str, str], list[_Named]] = defaultdict(list)
        for name, copy in self.modes.places.triggered.others(access, CopiedAttribute).items():
            found[copy.holder, copy.path[0].relationship].append((name, copy))
        return found

    def _carried(self, holder: str, name: str, copies: Sequence[_Named], rows: float) -> Iterator[Mode]:
        """Every row that has a copy, found by its foreign key, by an index or by reading all of them."""
        link = self.modes.situation.model.relationship(name)
        if all(copy.freshness.is_left for _, copy in copies):
            work = rows * (self._touched(link) + Work(events=1))
            yield self.modes.mode("left to the sync", (), work, reads=(link.child,))
            return
        for home in self.modes.places.homes[holder]:
            size, count = self.modes.documents.base(home), self.modes.documents.count(home)
            touched = min(self.modes.sizes.children(link), count)
            changed = work_of.request() + work_of.update(touched, size, fields=self.modes.documents.fields(home))
            also = self.modes.documents.further(home, read=rows * touched, rewritten=rows * touched)
            for index in self.modes.places.indexes_on(holder, link):
                found = rows * (changed + work_of.fetch_by_index(touched, size))
                mode = self.modes.mode(f"{home.id}, by {index}", (home.id, index), found, also)
                yield changed_in_both(self.modes, home, mode, rows)
            searched = rows * (changed + work_of.scan(count, size) + work_of.ask(count))
            heavier = self.modes.documents.further(home, read=rows * count, rewritten=rows * touched)
            mode = self.modes.mode(f"{home.id}, searched", (home.id,), searched, heavier)
            yield changed_in_both(self.modes, home, mode, rows)

    def _touched(self, link: Relationship) -> Work:
        size, children = self.modes.sizes.row_bytes(link.child), self.modes.sizes.children(link)
        return work_of.fetch_by_index(children, size) + work_of.update(children, size)
