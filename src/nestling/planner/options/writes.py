"""The ways a write reaches its rows at home, and what it costs there; what follows elsewhere is in `upkeep`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nestling.ir import accesses as work
from nestling.ir.options import Charge, Mode, Step
from nestling.ir.work import NO_WORK, Work
from nestling.ir.workload import Access, Statement, StatementKind
from nestling.planner.options.buckets import pushed, summed
from nestling.planner.options.cold import charged
from nestling.planner.options.modes import Modes
from nestling.planner.options.overflow import paged_again
from nestling.planner.options.places import Home
from nestling.planner.options.starts import Starts


class Writes:
    """Steps of writes over one set of candidates."""

    def __init__(self, modes: Modes, starts: Starts) -> None:
        self.situation, self.places, self.sizes = modes.situation, modes.places, modes.sizes
        self.documents, self.modes, self.starts = modes.documents, modes, starts

    def steps(self, statement: Statement) -> Iterator[Step | Charge]:
        """A step for each entity written, and what its indexes cost."""
        for position, access in enumerate(statement.accesses):
            if not access.kind.writes:
                continue
            modes = [mode for home in self.places.homes[access.entity] for mode in self._modes(statement, access, home)]
            yield Step(statement.name, f"{position}: {access.kind} {access.entity}", tuple(modes))
            rows = self.rows(access)
            for name, more in charged(self.sizes, self.places.cold[access.entity], access, rows):
                yield Charge(statement.name, f"the rest in {name}", (name,), self.modes.price(more))
            for name, index in self.places.indexes[access.entity]:
                changed = access.kind is not StatementKind.UPDATE or set(access.attributes) & {k for k, _ in index.keys}
                if changed:
                    entries = 2.0 if access.kind is StatementKind.UPDATE else 1.0
                    price = self.modes.price(Work(index_writes=entries * rows))
                    yield Charge(statement.name, f"entries of {name}", (name,), price)

    def rows(self, access: Access) -> float:
        """Rows a write changes: one for an insert, else those its conditions find."""
        return 1.0 if access.kind is StatementKind.INSERT else self.sizes.found(access)

    def _modes(self, statement: Statement, access: Access, home: Home) -> Iterator[Mode]:
        apart = work.transaction() if self._must_be_together(access.entity, home) else NO_WORK
        if access.kind is StatementKind.INSERT:
            if home.own:
                inserted = work.insert(1, self.sizes.row_bytes(access.entity), 0)
                yield self.modes.mode(home.id, (home.id,), inserted + apart)
                return
            if home.bucket is not None:
                event = pushed(self.situation, self.sizes, home.bucket)
                yield self.modes.mode(home.id, (home.id,), event + apart)
                return
            if home.overflow is not None:
                again = paged_again(self.situation, self.sizes, home)
                yield self.modes.mode(home.id, (home.id,), again, self.documents.further(home, Work(read_bytes=3.0)))
                return
            fetched, _ = self.documents.reads(home, 1.0)
            size = self.documents.base(home)
            added = work.update(1, size, index_entries_changed=0.5, grows=True)
            extra = self.documents.further(home, Work(read_bytes=1.0) + work.rewrite(1.0))
            yield self.modes.mode(home.id, (home.id,), fetched + added + apart, extra)
            return
        plain = replace(statement, limit=None)
        for found in self.starts.finds(plain, access, home):
            rows = self.rows(access)
            documents = rows if home.own else min(rows, self.documents.count(home))
            size = self.documents.base(home)
            changed = (
                work.delete(rows, 0)
                if access.kind is StatementKind.DELETE and home.own
                else work.update(documents, size, grows=False)
            )
            if home.overflow is not None:
                changed += rows * paged_again(self.situation, self.sizes, home)
            if home.bucket is not None:
                changed += documents * summed(self.sizes, home.bucket, self.documents.filled(home))
            more = self.modes.mode("", (), changed + apart, self.documents.further(home, work.rewrite(documents)))
            yield replace(found, cost=found.cost + more.cost, loads=(*found.loads, *more.loads))

    def _must_be_together(self, entity: str, home: Home) -> bool:
        """Whether the requirements ask for a change at once with an entity that is in another document."""
        inside = {entity, home.root, *(link.parent for link in home.links)}
        return any(entity in group and not set(group) <= inside for group in self.situation.requirements.atomic)
