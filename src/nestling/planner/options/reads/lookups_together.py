"""Lookups that the server makes in its faster engine, for many rows that a statement begins with: their prices in the search.

The structure by which these rows are documents of their own is needed too: rows taken out of arrays begin no such lookups.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from nestling.ir.design_problem import Mode
from nestling.ir.paths import work_of
from nestling.ir.paths.work import Work
from nestling.planner.known.faster_lookups import LEAST_FASTER_ROWS, FoundRows
from nestling.planner.options.modes import Modes
from nestling.planner.options.reads.element_conditions import work_of_tests
from nestling.planner.options.statements.visits import Visit
from nestling.planner.options.structures.places import Home
from nestling.planner.work.stream import Condition

HOP = Work(stages=1 + work_of.light(1))
"""A stage that looks up, and one that asks or shows what came of it."""
_SAVED = Work(lookups=1, lookups_beside=-1)


def structures_of_visited_rows(modes: Modes, before: Visit) -> tuple[str, ...] | None:
    """The structures that make documents of their own of the rows of a visit; None if there are none."""
    homes = modes.places.homes[before.entity]
    own = tuple(each.id for each in homes if each.own)
    return None if not own else own[:1] if len(homes) > 1 else ()


@dataclass(frozen=True, slots=True)
class LookupsTogether:
    """The lookups of a visit's rows in one home, for each of `outer` rows; `needs`: what makes documents of these."""

    modes: Modes
    home: Home
    outer: float
    needs: tuple[str, ...]

    def faster(self, mode: Mode, conditions: Sequence[Condition] = ()) -> Mode:
        """The lookups that a mode makes by an index, in the faster engine; what else is asked needs no pipeline of its own."""
        saved = self.modes.price(_SAVED + Work(lookup_stages=bool(conditions))) * self.outer
        return replace(mode, needs=tuple(dict.fromkeys((*mode.needs, *self.needs))), cost=mode.cost - saved)

    def read_once(
        self, found: FoundRows, conditions: tuple[Condition, ...], ahead: float, indexes: Iterable[str], tests: int
    ) -> Iterator[Mode]:
        """Lookups without an index in a small collection, which is read once; the server prefers one of `indexes`.

        `tests`: what is asked or taken of each row found besides.
        """
        found, documents = replace(found, by_index=False), self.modes.documents
        if not found.pays:
            return
        reached = self.outer * found.mean
        done = HOP + work_of.lookup_by_hash(self.outer, found.documents, found.document_bytes) + work_of.unwind(reached)
        done += work_of.pass_on(self.outer + ahead + reached) + work_of_tests(
            self.modes, conditions, self.home, reached
        )
        done += work_of.ask(reached, tests)
        needs, extra = (self.home.id, *self.needs), documents.further(self.home, read=found.documents)
        yield self.modes.mode(
            f"{self.home.id}, read once", tuple(dict.fromkeys(needs)), done, extra, without=tuple(indexes)
        )


def looked_for(modes: Modes, before: Sequence[Visit], visit: Visit, starts: Sequence[Mode]) -> Iterator[Mode]:
    """Further ways to look a visit's rows up by what equals something of the rows that a statement begins with.

    `starts`: by which each is found for all of them.
    """
    needs = structures_of_visited_rows(modes, before[0])
    if len(before) != 1 or needs is None or before[0].outer or visit.outer < LEAST_FASTER_ROWS:
        return
    if len(visit.access.joined) != 1 or visit.access.ranged:
        return
    (attribute,) = visit.access.joined
    for home in modes.places.homes[visit.entity]:
        if home.own:
            rows = modes.documents.count(home)
            mean = rows / modes.sizes.distinct(visit.entity, attribute)
            found = FoundRows(mean, rows, modes.documents.base(home), rows, by_index=True)
            lookups = LookupsTogether(modes, home, visit.outer, needs)
            if found.pays:
                yield from (lookups.faster(each) for each in starts if home.id in each.needs)
            leading = (name for name, each in modes.places.indexes[home.entity] if each.keys[0][0] == attribute)
            tests = len(visit.access.filters)  # without the equality, and with the value that is taken
            yield from lookups.read_once(found, visit.conditions, visit.ahead, leading, tests)
