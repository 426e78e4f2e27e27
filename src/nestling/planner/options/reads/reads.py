"""The ways to answer each step of a read: where its rows are found first, and how each join goes on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from nestling.ir.design_problem import Charge, Mode, StatementStep
from nestling.ir.paths import work_of
from nestling.ir.paths.work import NO_WORK, Work
from nestling.ir.workload import Access, Statement
from nestling.planner.options.modes import Modes
from nestling.planner.options.reads.begun_at_children import begun_at_children, child_of, together
from nestling.planner.options.reads.hops import Hops, JoinHop
from nestling.planner.options.reads.index_across_parents import Few, few_by_index
from nestling.planner.options.reads.latest_child import Latest, among_rows, from_copies, latest, window
from nestling.planner.options.reads.lookups_together import HOP, looked_for
from nestling.planner.options.reads.one_read import OneRead
from nestling.planner.options.reads.starts import Starts
from nestling.planner.options.reads.subsets import first_few, tails
from nestling.planner.options.reads.values_first import values_first
from nestling.planner.options.statements.shown_rows import grouping, joined_rows, shown_rows
from nestling.planner.options.statements.statement_facts import GROUPING_STAGES
from nestling.planner.options.statements.visits import Visit, visits
from nestling.planner.options.structures.pairs import taken_out
from nestling.planner.options.structures.splits import read_too


@dataclass(frozen=True, slots=True)
class Reads:
    """Steps of reads over one set of candidates."""

    modes: Modes
    starts: Starts
    hops: Hops

    def steps(self, statement: Statement) -> Iterator[StatementStep | Charge]:
        """A step for each access, and what the statement costs whatever the design."""
        told = latest(statement, self.modes.situation)
        found = visits(statement, self.modes.situation.model, self.modes.sizes, told.one if told is not None else None)
        few = tuple(few_by_index(self.modes, statement, found)) if told is None else ()
        ways = [self._ways(statement, found, position, told, few) for position in range(len(found))]
        one = OneRead.of(self.modes, statement, found)
        if one is not None:
            ways[0] = (*ways[0], *one.start())
        names = [f"{position}: {visit.entity}" for position, visit in enumerate(found)]
        begun = tuple(self._begun_at_children(statement, found)) if told is None and not few else ()
        if begun:
            ways[:2] = [(*together(self.modes, found, *ways[:2]), *begun)]
            names[:2] = [", ".join(names[:2])]
        for name, modes in zip(names, ways, strict=True):
            yield StatementStep(statement.name, name, modes)
        asked, shown = self._asked(statement, found), self._shown(statement, found)
        if one is not None and one.within:
            yield one.request(asked, shown)
        else:
            yield Charge(statement.name, "the request and its result", (), self.modes.price(asked + shown))

    def _ways(
        self, statement: Statement, found: tuple[Visit, ...], position: int, told: Latest | None, few: tuple[Few, ...]
    ) -> tuple[Mode, ...]:
        """All ways to answer a visit, with what is done to all rows after the last."""
        visit = found[position]
        modes = tuple(self._modes(statement, found, position, visit, told))
        sorting = self._sorting(statement, found) if visit is found[-1] else 0.0
        whole = (
            *(replace(each, cost=each.cost + sorting) for each in modes),
            *(mode for each in few for mode in each.modes(position, visit, modes)),
        )
        return tuple(self._with_parts(mode, statement, visit) for mode in whole)

    def _begun_at_children(self, statement: Statement, found: tuple[Visit, ...]) -> Iterator[Mode]:
        """The ways of the first two visits from the rows of the children, with what is done to all rows after the last."""
        last = len(found) == 2
        rest = self._grouping(statement, found) + self._sorting(statement, found) if last else 0.0
        for mode in begun_at_children(self.starts, self.hops, statement, found):
            yield self._with_parts(replace(mode, cost=mode.cost + rest), statement, child_of(found))

    def _modes(
        self, statement: Statement, found: tuple[Visit, ...], position: int, visit: Visit, told: Latest | None
    ) -> Iterator[Mode]:
        if told is not None and visit.down and visit.access is told.all:
            yield from among_rows(self.modes, visit, told)
            return
        if visit.windowed:
            yield self.modes.mode("a window over the same rows", (), window(visit.outer))
            return
        leaf = all(other.before != position for other in found)
        if visit.before is None or visit.link is None:
            starts = tuple(self.starts.starts(statement, visit.access, leaf=leaf))
            starts = tuple(self._for_each(mode, visit.outer) for mode in starts) if visit.outer else starts
            yield from (*starts, *(looked_for(self.modes, found[:position], visit, starts) if position else ()))
            yield from first_few(self.modes, statement, visit)
            return
        flat = self.modes.sizes.is_flat(statement)
        counted = leaf and (len(found) == 2 or not flat)
        before = found[visit.before]
        elsewhere = (*tails(self.modes, statement, found, visit), *self.hops.listing(before))
        hop = JoinHop(before, visit, visit.link, leaf, counted, elsewhere, sum(each.inside for each in found) == 1)
        grouping = self._grouping(statement, found) if visit is found[-1] else 0.0
        rows = (*self.hops.hop(hop), *(self.hops.from_copies_of_all(hop) if leaf and flat else ()))
        yield from (replace(mode, cost=mode.cost + grouping) for mode in rows)
        yield from self.hops.from_aggregates(statement, hop)
        if visit.inside and sum(each.inside and not _is_within(each, found) for each in found) == 1:
            yield from values_first(self.starts, statement, hop)
        if told is not None and visit.down and visit.access is told.one:
            yield from from_copies(self.modes, visit, told)

    def _for_each(self, mode: Mode, outer: float) -> Mode:
        """A start looked up for each row before it."""
        return mode.times(outer, more=self.modes.price(HOP + Work(lookups=outer)))

    def _grouping(self, statement: Statement, found: tuple[Visit, ...]) -> float:
        """Seconds to group the rows the last join yields."""
        grouped = grouping(statement, found, self.modes.sizes)
        return self.modes.price(grouped.work(found[-1].rows, statement.limit)) if grouped is not None else 0.0

    def _with_parts(self, mode: Mode, statement: Statement, visit: Visit) -> Mode:
        """The mode with what it costs more where attributes it reads at home are kept apart, or in a list."""
        places = self.modes.places
        parts, lists, homes = places.cold[visit.entity], places.paired[visit.entity], places.homes[visit.entity]
        if not (parts or lists) or not any(home.own and home.id in mode.needs for home in homes):
            return mode
        rows = min(visit.rows, float(statement.limit)) if statement.limit is not None else visit.rows
        found = [(name, read_too(self.modes.sizes, cold, visit.access, rows)) for name, cold in parts]
        alone = len(statement.accesses) == 1 and not _is_grouped(visit.access)
        for name, paired in lists:
            use = places.pair_use(statement)
            found.append((name, taken_out(self.modes.sizes, paired, visit.access, rows, use, alone=alone)))
        also = tuple((name, self.modes.price_of(more, visit.entity)) for name, more in found if more is not None)
        return replace(mode, also=(*mode.also, *also)) if also else mode

    def _asked(self, statement: Statement, found: tuple[Visit, ...]) -> Work:
        """The request, whatever the design."""
        if not found:
            is_alone = self.modes.situation.reading.workload.command_of(statement) is None
            return work_of.request() if is_alone else NO_WORK
        said = self.modes.sizes.facts_of(statement)
        is_walk = any(visit.access.walk is not None for visit in found)  # whose ways have stages of their own
        is_grouped = said.grouped is None and len(found) == 1 and _is_grouped(found[0].access)
        stages = GROUPING_STAGES if is_grouped and not is_walk else 0.0
        return work_of.request(stages) + work_of.parse(said.nodes)

    def _shown(self, statement: Statement, found: tuple[Visit, ...]) -> Work:
        """What it shows, whatever the design."""
        if not found:
            return NO_WORK
        result, fields = shown_rows(statement, found, self.modes.sizes), sum(len(v.access.attributes) for v in found)
        return work_of.send(result, self._width(found), fields=fields) + work_of.project(result, 4)

    def _sorting(self, statement: Statement, found: tuple[Visit, ...]) -> float:
        """Seconds to sort all rows by what comes only with the joins."""
        if not any(each.access.sort for each in found[1:]) or self.modes.sizes.facts_of(statement).grouped is not None:
            return 0.0
        rows = joined_rows(statement, found, self.modes.sizes)
        return self.modes.price(work_of.sort(rows, self._width(found)) + Work(stages=work_of.light(1)))

    def _width(self, found: tuple[Visit, ...]) -> float:
        """Bytes of one of them."""
        return sum(self.modes.sizes.bytes_of(each.entity, each.access.attributes) for each in found)


def _is_within(visit: Visit, found: tuple[Visit, ...]) -> bool:
    """Whether a visit of a subquery is joined to another one of a subquery."""
    return visit.before is not None and found[visit.before].inside


def _is_grouped(access: Access) -> bool:
    """Whether a pipeline shows groups of the rows, where a `find` shows the rows."""
    return access.grouping is not None or bool(access.aggregates)
