"""INSERTs that an application sends in one command with that of their parent, as was captured.

If the rows are in the parent's document, they come with it: nothing is searched, and only their bytes are written. If they are
stored elsewhere, one request inserts all rows of a parent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nestling.ir.design_problem import Mode, StatementStep
from nestling.ir.paths import work_of
from nestling.ir.paths.work import Work
from nestling.ir.workload import Access, Statement
from nestling.planner.options.modes import Modes
from nestling.planner.options.structures.places import Home


@dataclass(frozen=True, slots=True)
class OneCommand:
    """What a statement costs as a part of the command of `first`, whose rows are the parents of its own."""

    modes: Modes
    statement: Statement
    first: Statement

    @classmethod
    def of(cls, modes: Modes, statement: Statement) -> OneCommand | None:
        """The statement as part of another one's command; None if it is a command of its own, or reads (`OneRead`)."""
        first = modes.situation.reading.workload.command_of(statement)
        return cls(modes, statement, first) if first is not None and statement.kind.writes else None

    def within(self) -> Iterator[Home]:
        """The homes in which its rows stand in what `first` inserts."""
        own, parent = self.statement.accesses[0], self.first.accesses[0].entity
        for home in self.modes.places.homes[own.entity]:
            if home.bucket is None and home.overflow is None and parent in [link.parent for link in home.links]:
                yield home

    def request(self) -> StatementStep:
        """No request of its own where its rows come with their parent, else one for all of a parent."""
        share = min(self.first.rate_per_second / self.statement.rate_per_second, 1.0)
        apart = Mode("a request for all of a parent", (), self.modes.price(work_of.request()) * share)
        inside = (Mode(f"with {self.first.name}, in {home.id}", (home.id,), 0.0) for home in self.within())
        return StatementStep(self.statement.name, "its request", (apart, *inside))

    def inserted(self, access: Access, home: Home) -> Mode:
        """One row, in what `first` inserts."""
        written = Work(written_bytes=self.modes.sizes.row_bytes(access.entity))
        return self.modes.mode(f"{home.id}, with {self.first.name}", (home.id,), written)
