"""Writes that an application sends in one command with another, as was captured.

If the rows are in the document that the other statement writes, they come with it: nothing is searched, asked or sent for them,
and only their bytes are written. If they are stored elsewhere, it is a command of its own; one INSERT adds all rows of a parent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from nestling.ir.design_problem import Charge, Mode, StatementStep
from nestling.ir.paths import work_of
from nestling.ir.paths.work import NO_WORK, Work
from nestling.ir.workload import Access, Statement, StatementKind
from nestling.planner.options.modes import Modes
from nestling.planner.options.structures.places import Home


@dataclass(frozen=True, slots=True)
class OneCommand:
    """What a statement costs as a part of the command of `first`, which writes the document its rows may stand in.

    `within`: for each such place of its rows, what has to be chosen, and the name of that way.
    """

    modes: Modes
    statement: Statement
    first: Statement
    within: tuple[tuple[str, tuple[str, ...]], ...]

    @classmethod
    def of(cls, modes: Modes, statement: Statement) -> OneCommand | None:
        """The statement as part of another one's command; None if it is a command of its own, or reads (`OneRead`)."""
        first = modes.situation.reading.workload.command_of(statement)
        if first is None or not statement.kind.writes:
            return None
        homes = modes.places.homes
        own, its = (homes[written.entity] for written in (_written(statement), _written(first)))
        pairs = ((home, other) for home in own for other in its if _are_one_document(home, other))
        needs = dict.fromkeys(tuple(dict.fromkeys((home.id, other.id))) for home, other in pairs)
        return cls(modes, statement, first, tuple((f"with {first.name}, {each[0]}", each) for each in needs))

    def request(self) -> Iterator[StatementStep]:
        """No request of its own where its rows are in the other's document, else one for all of a parent.

        That of a statement which also reads is counted with what it reads.
        """
        if not all(access.kind.writes for access in self.statement.accesses):
            return
        share = min(self.first.rate_per_second / self.statement.rate_per_second, 1.0)
        apart = Mode("a request for all of a parent", (), self.modes.price(work_of.request()) * share)
        inside = (Mode(name, needs, 0.0) for name, needs in self.within)
        yield StatementStep(self.statement.name, "its request", (apart, *inside))

    def written(self, access: Access, rows: float) -> Iterator[Mode]:
        """Yield the ways to write so many rows in the document that `first` writes."""
        work = Work(written_bytes=rows * self._bytes(access))
        yield from (self.modes.mode(name, needs, work) for name, needs in self.within)

    def _bytes(self, access: Access) -> float:
        """What is written of each row."""
        match access.kind:
            case StatementKind.INSERT:
                return self.modes.sizes.row_bytes(access.entity)
            case StatementKind.UPDATE:
                return self.modes.sizes.bytes_of(access.entity, access.attributes)
            case _:
                return 0.0

    def besides(
        self, costs: Iterable[StatementStep | Charge], without: Iterable[str] = ()
    ) -> Iterator[StatementStep | Charge]:
        """Yield what a command of its own costs, which is nothing within the other's, unless one of `without` is chosen."""
        yield from map(partial(self._beside, without=tuple(dict.fromkeys(without))), costs)

    def _beside(self, cost: StatementStep | Charge, without: tuple[str, ...]) -> StatementStep | Charge:
        if isinstance(cost, Charge) and cost.when:
            return cost
        inside = tuple(self.modes.mode(name, needs, NO_WORK, without=without) for name, needs in self.within)
        match cost:
            case StatementStep():
                return replace(cost, modes=(*cost.modes, *inside))
            case Charge(statement, text):
                return StatementStep(statement, text, (Mode(text, (), cost.cost), *inside))


def _written(statement: Statement) -> Access:
    """What a write changes first."""
    return next(access for access in statement.accesses if access.kind.writes)


def _are_one_document(home: Home, other: Home) -> bool:
    """Whether rows of two homes that one command writes are in one document."""
    plain = all(each.bucket is None and each.overflow is None for each in (home, other))
    return plain and home.root == other.root and not (home.own and other.own)
