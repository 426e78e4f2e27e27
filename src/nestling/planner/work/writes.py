"""The work of a write plan: what it reads, the commands it sends for each row, what these find and change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import inf, prod
from typing import assert_never

from nestling.ir.bindings import UNKNOWN_LIST
from nestling.ir.design import Design
from nestling.ir.indexes.indexable import is_array
from nestling.ir.paths import work_of
from nestling.ir.paths.row_steps import Layout
from nestling.ir.paths.work import NO_WORK, Work
from nestling.ir.paths.write_path import (
    COUNT,
    Cell,
    ComputeField,
    Constant,
    DeleteDocuments,
    DocumentChange,
    Each,
    Extend,
    Fetch,
    FieldMatch,
    Give,
    GivenValue,
    IfThere,
    InsertOne,
    Items,
    NewNumbers,
    Pull,
    Push,
    Refuse,
    SetElements,
    Test,
    UpdateDocuments,
    WritePlan,
    WriteStep,
    WrittenValue,
)
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.ir.statements.expression import ANY, Column, Compare, Expression, Literal
from nestling.ir.statements.operands import bare
from nestling.ir.statements.operators import Comparison
from nestling.ir.statistics import CLOSED_RANGE, EntityStatistics, Quantity, Statistics
from nestling.ir.storage.kept_numbers import NUMBERS
from nestling.ir.storage.names import NUMBERS_COLLECTION, join, overlap
from nestling.ir.storage.stored_names import stored_names
from nestling.planner.known.bucket_fill import room_in
from nestling.planner.known.tree_walks import LEVELS_NOT_MEASURED, rows_on_the_way
from nestling.planner.work.alike import different
from nestling.planner.work.approximations import share_changed
from nestling.planner.work.average_documents import AverageDocuments
from nestling.planner.work.clauses import share_within
from nestling.planner.work.cold_reads import HELD, ColdShares
from nestling.planner.work.conditions import condition, equal_to, merged
from nestling.planner.work.estimate import estimate
from nestling.planner.work.facts import WorkFacts
from nestling.planner.work.first_access import FirstAccess, access_taken
from nestling.planner.work.stream import Condition, Leading, Use

LAST_LEVEL = 0.5
"""Rows that a level of a tree is expected to have at least for another read to be likely."""
_COMPARISONS = {
    Test.EQUAL: Comparison.EQUAL,
    Test.LESS: Comparison.LESS,
    Test.LESS_OR_EQUAL: Comparison.LESS_OR_EQUAL,
    Test.GREATER: Comparison.GREATER,
    Test.GREATER_OR_EQUAL: Comparison.GREATER_OR_EQUAL,
}
_COMPUTED = ComputeField | SetElements | Push | Pull | Extend
"""Changes for which the server makes fields anew."""
MOST_LISTED = 10_000
"""Values a list is taken to have at most."""
_ONE_NUMBER = Statistics(((NUMBERS_COLLECTION, EntityStatistics(Quantity(1))),))
_NUMBERS = WorkFacts(NUMBERS, _ONE_NUMBER)
"""The highest numbers given: each is one document, found by its `_id`."""
_PLACES = re.compile(r"\.\$\[[^\]]*\]")
"""What stands for elements in the path of a change: `lines.$[e1].price`."""


def estimate_write(
    plan: WritePlan,
    design: Design,
    statistics: Statistics,
    values: Mapping[str, object] | None = None,
    *,
    cold: ColdShares = HELD,
) -> Work:
    """The work of one execution, its transaction included. `values`: sample values of parameters, by name; `cold`: the rows the
    cache does not hold.
    """
    counted = _Counted(WorkFacts(design, statistics, dict(values or {}), cold=cold))
    work = counted.steps(plan.steps, 1.0)
    for numbers in plan.new_numbers:
        work += counted.taken(numbers)
    return work + work_of.transaction() if plan.needs_transaction else work


@dataclass
class _Counted:
    """The mean numbers of rows in the row sets so far, for one run of the steps they are in.

    Also how the rows are obtained, and how many documents are read for them.
    """

    facts: WorkFacts
    rows: dict[str, float] = field(default_factory=dict)
    come_by: dict[str, Fetch | Give] = field(default_factory=dict)
    read: dict[str, float] = field(default_factory=dict)

    def taken(self, numbers: NewNumbers) -> Work:
        """The work of taking numbers: how many, the highest there is, and the counter."""
        count = () if numbers.count is None else (Fetch(f"{COUNT} {numbers.counter}", numbers.count),)
        one = UpdateDocuments(NUMBERS_COLLECTION, (FieldMatch("_id", Constant(numbers.counter)),), (), on_insert=())
        return self.steps((*count, Fetch(numbers.counter, numbers.highest), one), 1.0)

    def steps(self, steps: Iterable[WriteStep], times: float) -> Work:
        work = NO_WORK
        for step in steps:
            work += self.step(step, times)
        return work

    def step(self, step: WriteStep, times: float) -> Work:
        match step:
            case Fetch():
                self.come_by[step.rows] = step
                return times * self._fetched(step)
            case Give(rows, given):
                self.rows[rows], self.come_by[rows] = float(len(given)), step
                return NO_WORK
            case Refuse():
                return NO_WORK
            case Each():
                return self._for_each(step, times)
            case InsertOne() | UpdateDocuments() | DeleteDocuments():
                return times * work_of.request() + self._commands(step, times)
            case _:
                assert_never(step)

    def _for_each(self, step: Each, times: float) -> Work:
        """The steps for each row; commands that are all there is are one request, if there are any."""
        rows = min(self.rows[step.rows], self._different(step))
        if step.at_once is None:
            return self.steps(step.steps, times * rows)
        work = times * min(rows, 1.0) * work_of.request() + self._commands(step.at_once, times * rows)
        if step.gathered and isinstance(step.at_once, UpdateDocuments):
            others = self.rows[step.rows] - rows  # elements beside the one of each command
            work += times * others * Work(index_writes=2 * self._entries_changed(step.at_once))
        return work

    def _different(self, step: Each) -> float:
        """The most rows the steps are done for: of gathered ones one in each document that was read for them."""
        if not step.by:
            return inf
        match step.at_once:
            case UpdateDocuments(collection, where=(FieldMatch("_id", Cell(document)),)) if step.gathered:
                others = [column for column in step.by if column != document]
                are_alike = different(self.come_by[step.rows], others) <= 1
                return min(self.facts.documents(collection).count, self.read[step.rows]) if are_alike else inf
            case _:
                return different(self.come_by[step.rows], step.by)

    def _commands(self, step: InsertOne | UpdateDocuments | DeleteDocuments, times: float) -> Work:
        """The work of so many commands, without the requests in which they are sent."""
        match step:
            case InsertOne(collection, if_there=if_there):
                size = self.facts.documents(collection).bytes
                sought = NO_WORK if if_there is IfThere.REFUSE else work_of.fetch_by_index(1, size)
                return times * (sought + work_of.insert(1, size, self._entries(collection)))
            case UpdateDocuments(collection=collection) if collection == NUMBERS_COLLECTION:
                return times * _Counted(_NUMBERS)._updated(step, 1.0)
            case UpdateDocuments():
                return self._updated(step, times)
            case DeleteDocuments(collection, where, many):
                found_there = self._found(collection, where)
                gone = found_there.rows if many else min(found_there.rows, 1.0)
                return times * (found_there.work + work_of.delete(gone, self._entries(collection)))
            case _:
                assert_never(step)

    def _fetched(self, step: Fetch) -> Work:
        """A read; one that repeats is sent for each level, until less than half a row is left to be found."""
        lists = {each.parameter: sum(self.rows[rows] for rows in each.rows) for each in step.lists}
        found = self._read(step, lists)
        self.rows[step.rows] = found.results
        work = found
        for _ in range(self._levels() if step.repeats else 0):
            if found.results < LAST_LEVEL:
                break
            found = self._read(step, dict.fromkeys(lists, found.results))
            self.rows[step.rows] += found.results
            work += found
        self.read[step.rows] = work.documents + work.scanned
        return work

    def _levels(self) -> int:
        """How far down a tree of the model goes: as many levels as rows stand below one, of the deepest there is."""
        model = self.facts.design.model
        trees = (link.name for link in model.relationships if link.parent == link.child)
        return round(max((rows_on_the_way(name, self.facts.statistics) for name in trees), default=LEVELS_NOT_MEASURED))

    def _read(self, step: Fetch, lists: Mapping[str, float]) -> Work:
        """The read with lists of so many values; a part of a value is that part of a read of one."""
        share = min([1.0, *lists.values()])
        values = {name: [None] * min(max(1, round(length)), MOST_LISTED) for name, length in lists.items()}
        given = {**self.facts.values, **values}
        found = estimate(step.plan, self.facts.design, self.facts.statistics, given, cold=self.facts.cold)
        return found._replace(results=found.results * share)

    def _updated(self, step: UpdateDocuments, times: float) -> Work:
        found = self._found(step.collection, step.where)
        changed = found.rows if step.many else min(found.rows, 1.0)
        made = NO_WORK
        documents = self.facts.documents(step.collection)
        size = documents.bytes
        if step.on_insert is not None:
            made = work_of.insert(1 - min(changed, 1.0), size, self._entries(step.collection))
        entries = self._entries_changed(step)
        grows = any(isinstance(change, Push) for change in step.changes)
        computed = any(isinstance(change, _COMPUTED) for change in step.changes)
        work = found.work + made
        written = changed * share_changed(step, self.facts.design)
        work += work_of.update(
            written, size, index_entries_changed=entries, grows=grows, fields=documents.fields, computed=computed
        )
        if step.back:
            work += work_of.update(changed, size, index_entries_changed=0.0, grows=False)
        missed = times * (1 - min(changed, 1.0))
        return times * work + self.steps(step.otherwise, missed)

    def _entries_changed(self, step: UpdateDocuments) -> float:
        """Index entries of one document, or of one element in it, that the update makes others of."""
        return sum(kept for keys, kept in self._by_elements(step.collection) if _touches(keys, step.changes))

    def _indexes(self, collection: str) -> Iterator[tuple[tuple[str, ...], float]]:
        """The paths of each index, keys first, and the share of documents in it; the server's own on `_id` left out."""
        known = self.facts.documents(collection).known
        for index in self.facts.built(collection):
            paths = (*(path for path, _ in index.keys), *(each.name for each in index.partial))
            yield paths, share_within(index.partial, known)

    def _entries(self, collection: str) -> float:
        """Index entries of one document, that on `_id` left out: one an index, and of a list of pairs one a pair."""
        roots = self.facts.design.store(collection).roots
        pairs = {join(each.field, each.key): each.field for root in roots for each in root.body.pairs}
        arrays = self.facts.documents(collection).arrays
        return sum(kept * arrays.get(pairs.get(keys[0], ""), 1.0) for keys, kept in self._by_elements(collection))

    def _by_elements(self, collection: str) -> Iterator[tuple[tuple[str, ...], float]]:
        """The paths of each index, and its entries for one document: of an array column one an element."""
        design, documents = self.facts.design, self.facts.documents(collection)
        stored = stored_names(design.model, design.store(collection))
        arrays = {path for path, (entity, name) in stored if is_array(design.model.entity(entity), name)}
        for keys, kept in self._indexes(collection):
            yield keys, kept * prod(documents.arrays.get(path, 1.0) for path in arrays & {*keys})

    def _found(self, collection: str, where: Iterable[FieldMatch]) -> FirstAccess:
        documents, asked = self.facts.documents(collection), tuple(where)
        equal = {(each.path, Items((each.value,))) for each in asked if each.test is Test.EQUAL}
        conditions = merged(
            tuple(
                self._condition(collection, each, documents)
                for each in asked
                if (each.path, each.value) not in equal  # that the value is not missing, beside the equality
            )
        )
        paths = frozenset(condition.path for condition in conditions)
        found = access_taken(Leading(collection, documents, conditions, mentioned=paths), self.facts.design)
        events = self._events_where_room_is_asked(collection, asked)
        return found if events is None else replace(found, rows=1 - 1 / max(events, 1.0))

    def _events_where_room_is_asked(self, collection: str, asked: Iterable[FieldMatch]) -> float | None:
        """How many events a bucket has, where one with room is asked for: only the last of a series has, until it is full."""
        for root in self.facts.design.store(collection).roots:
            if root.bucket is not None and any(each == room_in(root.bucket) for each in asked):
                return self.facts.documents(collection).arrays[root.bucket.field]
        return None

    def _condition(self, collection: str, asked: FieldMatch, documents: AverageDocuments) -> Condition:
        unique = self.facts.is_unique(collection, asked.path)
        known = documents.known.get(asked.path)
        stated = self._stated(asked, documents)
        match asked.test:
            case Test.EQUAL:
                equal = equal_to(asked.path, documents, outer_distinct=None, unique=unique)
                if stated is None:
                    return replace(equal, clause=Clause(asked.path, ClauseOperator.PRESENT))
                is_counted = known is not None and known.values is not None and known.each == 1 and not unique
                return stated if is_counted else replace(equal, clause=stated.clause)
            case Test.IN:
                one = equal_to(asked.path, documents, outer_distinct=None, unique=unique)
                times = self._listed(asked.value)
                return Condition(asked.path, Use.EQUAL, min(1.0, one.share * times), times, one.entries * times)
            case Test.LESS | Test.LESS_OR_EQUAL | Test.GREATER | Test.GREATER_OR_EQUAL:
                return stated or Condition(asked.path, Use.RANGE, CLOSED_RANGE, entries=CLOSED_RANGE)
            case Test.NOT_EQUAL | Test.THERE:
                there = 1 - known.missing if known is not None else 1.0
                is_present = asked.value == Constant(None)
                said = Clause(asked.path, ClauseOperator.PRESENT) if is_present else None
                return Condition(asked.path, Use.NONE, there, clause=said)
            case _:
                assert_never(asked.test)

    def _stated(self, asked: FieldMatch, documents: AverageDocuments) -> Condition | None:
        """What reads would ask: a comparison with a constant, or of order with a value of the statement."""
        if asked.test not in _COMPARISONS:
            return None
        match asked.value:
            case Constant(value=None):
                return None
            case Constant(value=value):
                other: Expression = Literal(value, ANY)
            case GivenValue(expression=expression) if asked.test is not Test.EQUAL:
                other = expression
            case _:
                return None
        column = Column("", asked.path, other.type)
        compared = Compare(_COMPARISONS[asked.test], column, other)
        return condition(compared, Layout.of({("", asked.path): asked.path}), documents, self.facts.values)

    def _listed(self, value: WrittenValue) -> float:
        """How many values are in a list."""
        match value:
            case Items(items):
                return float(len(items))
            case GivenValue(expression):
                known = self.facts.values.get(getattr(bare(expression), "name", ""))
                return float(len(known) if isinstance(known, list | tuple) else UNKNOWN_LIST)
            case _:
                return 1.0


def _touches(keys: tuple[str, ...], changes: Iterable[DocumentChange]) -> bool:
    """Whether a change is about what the index holds."""
    paths = [_PLACES.sub("", change.path) for change in changes]
    return any(overlap(key, path) for key in keys for path in paths)
