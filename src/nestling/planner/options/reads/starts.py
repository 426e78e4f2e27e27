"""Where a read starts, or a write finds its rows: by key, by an index, from what a parent keeps, or by reading everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from typing import TypeVar

from nestling.ir.candidate import Indexed, kept_aggregates
from nestling.ir.design_problem import Mode
from nestling.ir.model import Relationship
from nestling.ir.paths import work_of
from nestling.ir.paths.work import NO_WORK, Work
from nestling.ir.rows import AggregateKind
from nestling.ir.types import TypeName
from nestling.ir.workload import Access, AttributeFilter, Operator, Statement, StatementKind
from nestling.planner.options.modes import Modes
from nestling.planner.options.reads.element_conditions import holding, unwinding, work_of_tests
from nestling.planner.options.reads.first_buckets import first_in_order
from nestling.planner.options.reads.reach import is_at_hand
from nestling.planner.options.reads.starts_in_any_case import (
    apart,
    but_for_texts,
    chosen_for_case,
    is_found_by_unique,
    told_apart,
)
from nestling.planner.options.sizes.matching import (
    compared_equal,
    covers,
    has_plain_order,
    is_superseded,
    key_order,
    matched_rows,
    serves,
    unique_indexes,
)
from nestling.planner.options.sizes.sizes import CONDITION_WEIGHT
from nestling.planner.options.statements.any_case_use import AnyCaseUse
from nestling.planner.options.statements.readable import Readable
from nestling.planner.options.structures.archives import looked_for_in_both, recent
from nestling.planner.options.structures.buckets import (
    WINDOW_STAGES,
    found_buckets,
    grouped_work,
    in_windows,
    windows_met,
)
from nestling.planner.options.structures.overflow import pages_too
from nestling.planner.options.structures.pairs import found_by_pairs
from nestling.planner.options.structures.places import Home

Matched = tuple[float, bool]
"""Rows an index walks over, and whether they come in the order asked."""

KEPT_STAGES = 1 + work_of.light(3)
"""Stages that show what one document keeps of its children, and a row for none where that document is not there."""


_Way = TypeVar("_Way")

FEW_WAYS = 4
"""Indexes tried for one side of an OR, beside each of those of the others."""
MOST_WAYS = 64
"""Ways tried for all sides of an OR together, each with an index for every side: with many different sides, fewer of each."""


@dataclass(frozen=True, slots=True)
class Starts:
    """The ways to the rows of an access that nothing before it leads to."""

    modes: Modes
    readable: Readable
    any_case_use: AnyCaseUse
    _matches: dict[tuple[str, Access, bool], Matched | None] = field(default_factory=dict, repr=False, compare=False)

    def starts(self, statement: Statement, access: Access, *, leaf: bool) -> Iterator[Mode]:
        """Finding the rows of the first access, wherever they live."""
        for home in self.modes.places.homes[access.entity]:
            yield from self.finds(statement, access, home)
        if leaf:
            yield from self._aggregated_start(statement, access)

    def finds(self, statement: Statement, access: Access, home: Home) -> Iterator[Mode]:
        """Finding them in one home: by key, by the key of the document they are in, by an index, or by reading everything."""
        rows = self.modes.sizes.found(access)
        for mode in (*self._finds(statement, access, home), *self._later(statement, access, home)):
            yield looked_for_in_both(self.modes, statement, home, rows, mode)

    def _later(self, statement: Statement, access: Access, home: Home) -> Iterator[Mode]:
        """Reading through the rows that are not old alone, all of them or what an index leads to."""
        for name, archived in self.modes.places.archives[access.entity] if home.own else ():
            if name in self.modes.places.later(statement):
                share = recent(self.modes.sizes, archived)
                yield self._all(statement, access, home, share=share, needs=(name,))
                entity = self.modes.situation.model.entity(access.entity)
                for index_name, index in self.modes.places.indexes[access.entity]:
                    if is_superseded(index, entity):
                        continue
                    matched = self._match(index_name, access, index, alone=False)
                    if matched is not None and archived.rows.attribute not in [key for key, _ in index.keys]:
                        text, needs = f"{home.id}, by {index_name}, later rows", (index_name, name)
                        documents = matched[0] * share
                        yield self._fetched(text, home, documents, statement, access, ordered=False, needs=needs)

    def _finds(self, statement: Statement, access: Access, home: Home) -> Iterator[Mode]:
        if is_at_hand(self.modes.places, home, compared_equal(access)):
            served = compared_equal(access)
            yield self._fetched(f"{home.id}, by key", home, 1.0, statement, access, ordered=False, served=served)
            return
        if is_found_by_unique(self.modes, self.any_case_use, statement, access, home):
            yield self._fetched(f"{home.id}, ignoring case", home, 1.0, statement, access, ordered=False)
        chosen = tuple(chosen_for_case(self.modes, self.any_case_use, statement, access, home))
        for name, index, rows in chosen:
            found = self._fetched(f"{home.id}, by {name}", home, rows, statement, access, ordered=False, needs=(name,))
            cost = found.cost + self.modes.price(told_apart(self.modes, index))
            yield replace(found, cost=cost, without=(*found.without, *apart(self.modes, home.entity)))
        if home.bucket is not None:
            yield from self._in_buckets(statement, access, home)
        else:
            names = tuple(name for name, _, _ in chosen)
            for found in self._by_indexes(statement, access, home):
                yield but_for_texts(self.modes, found, home.entity, names)
        yield self._all(statement, access, home)

    def _in_buckets(self, statement: Statement, access: Access, home: Home) -> Iterator[Mode]:
        situation, sizes, bucket = self.modes.situation, self.modes.sizes, home.bucket
        assert bucket is not None
        size, each = self.modes.documents.base(home), self.modes.documents.filled(home)
        for found in found_buckets(situation, sizes, bucket, access):
            total = work_of.fetch_by_index(found.documents, size, keys=found.keys)
            first = first_in_order(self.modes, statement, access, bucket)
            if first is not None and first.rows < found.documents:  # no event is taken out of the others
                if first.by_index:
                    total = work_of.fetch_by_index(first.rows, size, keys=(first.rows - 1) * each + 1)
                else:
                    total += work_of.top(found.documents, first.rows)
                total += work_of.top(first.rows * each, first.rows) + Work(stages=work_of.light(2))
                total += self._asked(statement, access, home, first.rows, found.served)
                yield self.modes.mode(f"{home.id}, {found.text}, the first in order", (home.id,), total)
                continue
            total += self._after(statement, access, ordered=False)
            if bucket.native:  # a `find` shows the events, which the server takes out of its buckets
                total += work_of.unwind(found.documents * each)
            else:
                total += self._asked(statement, access, home, found.documents, found.served)
            yield self.modes.mode(f"{home.id}, {found.text}", (home.id,), total)
        if bucket.answers(access):
            summed = grouped_work(situation, sizes, bucket, access)
            yield self.modes.mode(f"{home.id}, summed up", (home.id,), summed)

    def _by_indexes(self, statement: Statement, access: Access, home: Home) -> Iterator[Mode]:
        said, limit = self.modes.sizes.facts_of(statement), self.modes.sizes.limited(statement, access)
        others = self._others(statement, access)
        aggregates = access.aggregates or (not said.beside and any(each.aggregates for each in others))
        kept = said.as_found or limit is not None or (said.firsts is not None and said.firsts.in_order)
        alone = kept and not aggregates and not any(each.sort for each in others)
        there = (each for each in self.modes.places.partial[access.entity] if home.own or each[1].works_inside)
        partial = [each for each in there if serves(access, each[1])]
        entity = self.modes.situation.model.entity(access.entity)
        asked = self._asked_of_elements(access) if self.modes.documents.levels(home) else access
        for name, index in (*self.modes.places.indexes[access.entity], *partial):
            if home.own and is_superseded(index, entity):
                continue
            if (matched := self._match(name, asked, index, alone=alone)) is not None:
                covering = home.own and said.firsts is None and covers(statement, access, index, entity)
                yield self._by_index(statement, access, home, matched, (name, index), access, covering=covering)
        for above in self._asked_above(access, home):
            for name, index in self.modes.places.indexes[above.entity]:
                if (matched := matched_rows(self.modes.sizes, above, index, alone=False)) is not None:
                    yield self._by_index(statement, access, home, matched, (name, index), above, covering=False)
            if above.entity == home.root:
                yield from self._by_identity(statement, access, home, above, alone=False)
        if home.own:
            yield from self._by_identity(statement, access, home, _without_joined(access), alone=alone)
            yield from self._by_unique_groups(statement, access, home, alone=alone)
            yield from self._by_one_for_each_side(statement, access, home, alone=alone)
            yield from self._by_pairs(statement, access, home)

    def _asked_of_elements(self, access: Access) -> Access:
        """The access without conditions on elements that only an expression can test.

        These are ranges of values of several types, and ranges compared with another column.
        """
        model = self.modes.situation.model
        entity = model.entity(access.entity)
        ranges = [each for each in access.filters if each.operator is Operator.RANGE]
        several = (
            {each.name for each in entity.attributes if each.is_of_several_types} if not model.strict_types else set()
        )
        apart = [each for each in ranges if each.attribute in several or each.attribute in access.ranged]
        return replace(access, filters=tuple(each for each in access.filters if each not in apart)) if apart else access

    def _by_pairs(self, statement: Statement, access: Access, home: Home) -> Iterator[Mode]:
        """By the index over a list of names and values."""
        for name, paired in self.modes.places.paired[access.entity]:
            rows = found_by_pairs(self.modes.sizes, paired, access, self.modes.places.pair_use(statement))
            if rows is not None:
                text = f"{home.id}, by {name}"
                yield self._fetched(text, home, rows, statement, access, ordered=False, needs=(name,))

    def _asked_above(self, access: Access, home: Home) -> Iterator[Access]:
        """What an access's conditions on foreign keys say of the rows its own lie in, the nearest first."""
        filters = access.filters
        for link in home.links:
            theirs = dict(zip(link.child_attributes, link.parent_attributes, strict=True))
            filters = tuple(AttributeFilter(theirs[f.attribute], f.operator) for f in filters if f.attribute in theirs)
            if filters:
                yield Access(link.parent, StatementKind.SELECT, (), filters)

    def _by_identity(
        self, statement: Statement, access: Access, home: Home, found: Access, *, alone: bool
    ) -> Iterator[Mode]:
        """By `_id`, or by the first parts of one that is compound; its documents come in its own order."""
        own = key_order(self.modes.sizes, found)
        if own is not None:
            alone = alone and has_plain_order(self.modes.situation.model.entity(found.entity), own)
            if (matched := matched_rows(self.modes.sizes, found, own, alone=alone)) is not None:
                yield self._by_index(statement, access, home, matched, own, found, covering=False)

    def _by_one_for_each_side(self, statement: Statement, access: Access, home: Home, *, alone: bool) -> Iterator[Mode]:
        """By an index for each side of an OR; in its order where all of them give it, as the server merges what they find."""
        alike = Counter(
            access.sides if self._are_compared_alike(access) else ()
        )  # sides that compare the same share an index
        limit = self._limit(statement, access)
        for found in chosen_together([self.few_ways(side, alone=alone) for side in alike]):
            names = tuple(dict.fromkeys(name for name, _ in found if name))
            rows = [matched[0] for (_, matched), times in zip(found, alike.values(), strict=True) for _ in range(times)]
            ordered = all(matched[1] for _, matched in found)
            if ordered and limit is not None:
                rows = [min(each, limit) for each in rows]
            documents = min(sum(rows), self.modes.documents.count(home))
            text = f"{home.id}, by {' and '.join(names) or 'keys'} for each side"
            yield self._fetched(text, home, documents, statement, access, ordered=ordered, needs=names)

    def _are_compared_alike(self, access: Access) -> bool:
        """Whether the texts that an OR's sides compare are all to the letter or all by the collation of the read: beside such
        a one what is to the letter becomes an expression, and no index finds that side.
        """
        entity = self.modes.situation.model.entity(access.entity)
        asked = map(entity.attribute, access.either)
        return len({each.collation for each in asked if each.type.name is TypeName.TEXT}) < 2

    def few_ways(self, side: Access, *, alone: bool) -> list[tuple[str, Matched]]:
        """The indexes that find the rows of one side of an OR best, by their names; "" for one that is there anyway."""
        entity = self.modes.situation.model.entity(side.entity)
        there = [index for index in (key_order(self.modes.sizes, side), *unique_indexes(entity)) if index is not None]
        named = [each for each in self.modes.places.indexes[side.entity] if not is_superseded(each[1], entity)]
        named += [each for each in self.modes.places.partial[side.entity] if serves(side, each[1])]
        every = [*(("", index) for index in there if serves(side, index)), *named]
        matches = ((name, matched_rows(self.modes.sizes, side, index, alone=alone)) for name, index in every)
        found = [(name, matched) for name, matched in matches if matched is not None]
        return sorted(found, key=lambda each: (not each[1][1], each[1][0], bool(each[0])))[:FEW_WAYS]

    def _by_unique_groups(self, statement: Statement, access: Access, home: Home, *, alone: bool) -> Iterator[Mode]:
        """By the indexes that keep groups of attributes unique, which are there anyway."""
        for index in unique_indexes(self.modes.situation.model.entity(access.entity)):
            if serves(access, index):
                matched = matched_rows(self.modes.sizes, access, index, alone=alone)
                if matched is not None:
                    yield self._by_index(statement, access, home, matched, index, access, covering=False)

    def _by_index(
        self,
        statement: Statement,
        access: Access,
        home: Home,
        matched: Matched,
        index: tuple[str, Indexed] | Indexed,
        found: Access,
        *,
        covering: bool,
    ) -> Mode:
        """By an index that is chosen, named then, or by one that is there anyway; `found`: whose index it is."""
        rows, ordered = matched
        name, keys = index if isinstance(index, tuple) else ("what is unique of it", index)
        needs = (name,) if isinstance(index, tuple) else ()
        held = [*(key for key, _ in keys.keys), *(each.name for each in keys.rows)]
        firsts = self.modes.sizes.facts_of(statement).firsts
        if firsts is not None and ordered and home.own and not access.filters and keys.keys[0][0] == firsts.sought:
            return self._first_of_each(home, firsts.count(rows), name, needs)
        stops = (ordered and home.own and firsts is None) or (
            found is access and self._takes_any(statement, access, held)
        )
        reached, limit = rows, self._limit(statement, access)
        if stops and limit is not None:
            wanted = min(self.modes.sizes.found(access) / rows, 1.0)  # the others are read on the way to these
            reached = min(rows, limit / wanted)
        if covering:
            entry = self.modes.sizes.bytes_of(access.entity, held)
            alone = work_of.work_of_entries(reached) + Work(read_bytes=reached * entry)
            alone += self._after(statement, access, ordered=ordered)
            return self.modes.mode(f"{home.id}, by {name} alone", (home.id, name), alone)
        text, above = f"{home.id}, by {name}", found is not access
        documents = min(reached, self.modes.documents.count(home)) if above else holding(self.modes, home, reached)
        served = {each.attribute for each in access.filters if above or each.attribute in held}
        fetched = self._fetched(text, home, documents, statement, access, ordered=ordered, needs=needs, served=served)
        return replace(fetched, cost=fetched.cost + self.modes.price(Work(keys=reached - documents)))

    def _first_of_each(self, home: Home, groups: float, name: str, needs: tuple[str, ...]) -> Mode:
        """The first row of each group, which an index that has their key and then their order is sought for."""
        fetched, also = self.modes.documents.reads(home, groups)
        total = fetched + Work(index_seeks=groups) + work_of.pass_on(2 * groups) + work_of.sort(groups)
        return self.modes.mode(f"{home.id}, the first of each by {name}", (home.id, *needs), total, also)

    def _limit(self, statement: Statement, access: Access) -> float | None:
        """How many of the rows are asked for at most, joined or not."""
        return self.modes.sizes.limited_together(statement, access)[0]

    def _others(self, statement: Statement, access: Access) -> list[Access]:
        """The other accesses whose rows are limited together with those of this one."""
        return [each for each in self.modes.sizes.limited_together(statement, access)[1] if each is not access]

    def _takes_any(self, statement: Statement, access: Access, held: Collection[str]) -> bool:
        """Whether the first rows an index leads to are as good as any, and the index tells all that is asked of them."""
        return self._takes_first(statement, access) and {each.attribute for each in access.filters} <= set(held)

    def _takes_first(self, statement: Statement, access: Access) -> bool:
        """Whether the first rows found are as good as any: nothing sorts them, and nothing is asked of what is joined to them."""
        sizes, others = self.modes.sizes, self._others(statement, access)
        shown = not access.sort and access.grouping is None and not access.aggregates
        alone = not any(each.sort or each.filters or each.aggregates for each in others)
        limited = sizes.facts_of(statement).as_found or sizes.limited(statement, access) is not None
        return shown and alone and limited and not sizes.table(statement, access).inside

    def _fetched(
        self,
        text: str,
        home: Home,
        documents: float,
        statement: Statement,
        access: Access,
        *,
        ordered: bool,
        needs: tuple[str, ...] = (),
        served: Collection[str] = (),
    ) -> Mode:
        fetched, also = self.modes.documents.reads(home, documents)
        total = (
            fetched
            + self._asked(statement, access, home, documents, served)
            + self._after(statement, access, ordered=ordered and home.own)
        )
        if home.overflow is not None:
            total += pages_too(self.modes.sizes, home, documents)
        return self.modes.mode(text, (home.id, *needs), total, also)

    def _all(
        self, statement: Statement, access: Access, home: Home, *, share: float = 1.0, needs: tuple[str, ...] = ()
    ) -> Mode:
        """By reading all documents, or the share of them that an archive leaves, or those that hold the rows asked for."""
        count, limit = self.modes.documents.count(home) * share, self._limit(statement, access)
        if limit is not None and self._takes_first(statement, access):
            count *= min(limit / self.modes.sizes.found(access), 1.0)
        scanned, also = self.modes.documents.scans(home, count)
        met = self._met(home, access)
        total = scanned + self._asked(statement, access, home, count * met)
        total += work_of.ask(count * CONDITION_WEIGHT) if met < 1 else NO_WORK
        total += self._after(statement, access, ordered=False)
        if home.overflow is not None:
            total += pages_too(self.modes.sizes, home, 1)
        return self.modes.mode(f"{home.id}, all of it", (home.id, *needs), total, also)

    def _asked(
        self, statement: Statement, access: Access, home: Home, documents: float, served: Collection[str] = ()
    ) -> Work:
        conditions = self.modes.sizes.table(statement, access).conditions
        stages, met = unwinding(self.modes, home), self._met(home, access)
        if home.bucket is not None and met < 1:
            conditions, stages = in_windows(conditions, home.bucket, met), stages + WINDOW_STAGES
        return work_of_tests(self.modes, conditions, home, documents, served) + Work(stages=work_of.light(stages))

    def _met(self, home: Home, access: Access) -> float:
        """The share of the home's documents that what an access asks of the beginnings of buckets leaves."""
        if home.bucket is None:
            return 1.0
        return windows_met(self.modes.situation, self.modes.sizes, home.bucket, access)

    def _after(self, statement: Statement, access: Access, *, ordered: bool) -> Work:
        """Grouping and sorting the rows found."""
        rows, limit = self.modes.sizes.found(access), self._limit(statement, access)
        grouped, limited = self.modes.sizes.facts_of(statement).grouped, self.modes.sizes.limited(statement, access)
        taken, found = limited.left(rows) if limited is not None else rows, NO_WORK
        if grouped is not None and len(statement.accesses) == 1:
            reached = {self.modes.sizes.table(statement, access).alias: rows / self.modes.sizes.rows(access.entity)}
            found = replace(grouped, shares=reached).work(taken, statement.limit)
        if grouped is not None and limited is None and not statement.kind.writes:
            return found
        if access.grouping is not None:
            return work_of.group(rows, rows / 2)
        firsts = self.modes.sizes.facts_of(statement).firsts
        if firsts is not None:
            groups = firsts.count(rows)
            first = work_of.group(rows, groups) + work_of.sort(groups)
            return first if ordered else first + work_of.sort(rows)
        if ordered or not access.sort:
            return found
        return found + (work_of.top(rows, limit) if limit is not None else work_of.sort(rows))

    def _match(self, name: str, access: Access, index: Indexed, *, alone: bool) -> Matched | None:
        """The rows that the index finds for the access, cached, because they are equal for every home."""
        key = name, access, alone
        if key not in self._matches:
            self._matches[key] = matched_rows(self.modes.sizes, access, index, alone=alone)
        return self._matches[key]

    def _aggregated_start(self, statement: Statement, access: Access) -> Iterator[Mode]:
        """The aggregates of one parent's children, from the parent's document."""
        exact = compared_equal(access)
        for link in self.modes.situation.parents[access.entity]:
            if set(link.child_attributes) != exact or exact != {f.attribute for f in access.filters}:
                continue
            for needed in self.aggregates(statement, access, link):
                for home in self.modes.places.homes[link.parent]:
                    fetched, also = self.modes.documents.reads(home, 1.0)
                    shown = fetched + Work(stages=KEPT_STAGES)
                    mode = self.modes.mode(f"kept in {home.id}", (home.id, *needed), shown, also)
                    yield looked_for_in_both(self.modes, statement, home, 1.0, mode)

    def aggregates(self, statement: Statement, access: Access, link: Relationship) -> Iterator[tuple[str, ...]]:
        """The structures that together hold all an access asks of the children along a link, in every way there is.

        None where the statement's query would not read them.
        """
        kept: dict[tuple[AggregateKind, str | None], list[str]] = {}
        for name, each in self.modes.places.aggregates[link.name]:
            kept.setdefault((each.function, each.attribute), []).append(name)
        situation = self.modes.situation
        asked = kept_aggregates(access, situation.model, situation.reading.dialect_of(statement))
        needed = [kept.get(each, []) for each in asked]
        if needed and all(needed) and self.readable.is_read(statement, link, asked):
            yield from product(*needed)


def chosen_together(ways: list[list[_Way]]) -> Iterator[tuple[_Way, ...]]:
    """One way for each side of an OR, the best of each side alone where they are many; nothing without sides."""
    while prod(map(len, ways)) > MOST_WAYS:
        most = max(map(len, ways))
        ways = [found[: most - 1] if len(found) == most else found for found in ways]
    yield from product(*ways) if ways else ()


def _without_joined(access: Access) -> Access:
    """The access without comparisons with earlier rows, since no lookup uses them for a range of compound `_id`s."""
    joined = {*access.joined} - {each.attribute for each in access.joins}
    beside = {*joined, *access.ranged} if joined else joined
    filters = tuple(each for each in access.filters if each.attribute not in beside)
    return replace(access, filters=filters) if len(filters) < len(access.filters) else access
