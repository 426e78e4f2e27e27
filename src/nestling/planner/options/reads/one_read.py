"""SELECTs that an application sends as one command with another, as was captured: of a document with several arrays.

If its rows are in the document that the other statement reads, they come with it: nothing is searched, and they are only sent.
If they are stored elsewhere, it is a separate request.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nestling.ir.design_problem import Mode, StatementStep
from nestling.ir.model import Relationship
from nestling.ir.paths.work import Work
from nestling.ir.workload import Statement
from nestling.planner.options.modes import Modes
from nestling.planner.options.statements.visits import Visit
from nestling.planner.options.structures.places import Home


@dataclass(frozen=True, slots=True)
class OneRead:
    """What a statement costs as a part of the command of `first`, which reads the documents its rows may stand in."""

    modes: Modes
    statement: Statement
    first: Statement
    within: tuple[Home, ...]

    @classmethod
    def of(cls, modes: Modes, statement: Statement, found: tuple[Visit, ...]) -> OneRead | None:
        """The statement as part of another one's command; None if it is a command of its own."""
        first = modes.situation.reading.workload.command_of(statement)
        if first is None or first.kind.writes or not found or not first.accesses:
            return None
        return cls(modes, statement, first, tuple(_within(modes, first.accesses[0].entity, found)))

    def start(self) -> Iterator[Mode]:
        """Yield a mode at no cost for each home whose documents the command has already read."""
        yield from (Mode(self._said(home), (home.id,), 0.0) for home in self.within)

    def request(self, asked: Work, shown: Work) -> StatementStep:
        """No request of its own where its rows come with the others'."""
        apart = Mode("a request of its own", (), self.modes.price(asked + shown))
        sent = self.modes.price(shown)
        inside = (Mode(self._said(home), (home.id,), sent) for home in self.within)
        return StatementStep(self.statement.name, "its request and its result", (apart, *inside))

    def _said(self, home: Home) -> str:
        return f"with {self.first.name}, in {home.id}"


def _within(modes: Modes, document: str, found: tuple[Visit, ...]) -> Iterator[Home]:
    """The homes of what it follows down in which its rows stand in the documents read, which are of rows of `document`."""
    way = _way_down(found)
    start, last = found[0].entity, way[-1].child if way else found[0].entity
    for home in modes.places.homes[last]:
        above = [link.parent for link in home.links]
        if home.bucket is not None or home.overflow is not None or document not in above:
            continue
        between = home.links[: above.index(document) + 1]
        if between[: len(way)] == way[::-1] and start in (document, *(link.child for link in between)):
            yield home


def _way_down(found: tuple[Visit, ...]) -> tuple[Relationship, ...]:
    """The relationships from the first visit down, one below the other; those of rows beside them are followed by themselves."""
    way: list[Relationship] = []
    at = 0
    for position, visit in enumerate(found):
        if visit.link is not None and visit.down and visit.before == at and not visit.inside:
            way.append(visit.link)
            at = position
    return tuple(way)
