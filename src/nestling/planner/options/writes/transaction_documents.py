"""How many documents one transaction changes at most, with a copy or computed value that a write must keep right.

Counted from the largest fan-out known: the rows a statement writes, and for each of them the documents that hold what follows
from it. Rows that go along by foreign keys count with what follows from them; where these rows lie is not known yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from nestling.ir.candidate import Candidate, Refused
from nestling.ir.model import Relationship
from nestling.ir.rows import RowPath
from nestling.ir.situation import Situation
from nestling.ir.situation.changed import going_along
from nestling.ir.upkeep import Derived, Trigger
from nestling.ir.workload import Access, Statement, StatementKind
from nestling.planner.options.sizes.matching import compared_equal
from nestling.planner.options.sizes.sizes import Sizes
from nestling.planner.options.structures.triggered import change_by, derived
from nestling.planner.upkeep import ChangeKind, RowChange, fired_triggers, triggers_of


def within_transactions(
    situation: Situation, candidates: Iterable[Candidate]
) -> tuple[tuple[Candidate, ...], tuple[Refused, ...]]:
    """The candidates a transaction can keep right, and those that would make one of the workload's too large."""
    counting, kept, refused = _Counting(situation, Sizes(situation)), list[Candidate](), list[Refused]()
    asked = situation.requirements.transaction_bound
    bound = asked if asked is not None else situation.thresholds.transaction_documents
    for each in candidates:
        largest = counting.largest(each)
        if largest is None or largest[0] <= bound:
            kept.append(each)
            continue
        documents, name = largest
        why = (
            f"`{name}` would change up to {documents:,.0f} documents in one transaction; the bound is {bound:,}. Allow"
            " `async` for it, or change fewer rows at once"
        )
        refused.append(Refused(each, why))
    return tuple(kept), tuple(refused)


@dataclass(frozen=True, slots=True)
class _Counting:
    """Counts of documents, from what is known of a situation."""

    situation: Situation
    sizes: Sizes
    _known: dict[Access, tuple[tuple[RowChange, float], ...]] = field(default_factory=dict, repr=False, compare=False)

    def largest(self, candidate: Candidate) -> tuple[float, str] | None:
        """The most documents of a transaction that keeps it right, and the statement; None where no transaction does."""
        what = derived(self.situation.model, candidate.part)
        if what is None or what.freshness.is_left:
            return None
        triggers = triggers_of(self.situation.model, what)
        statements = self.situation.reading.workload.statements
        found = ((self._documents(each, what, triggers), each.name) for each in statements if each.kind.writes)
        return max(found, default=None, key=lambda each: each[0])

    def _documents(self, statement: Statement, what: Derived, triggers: tuple[Trigger, ...]) -> float:
        found = 0.0
        for access in statement.accesses:
            if access.kind.writes:
                changes = self._changes(access)
                held = sum(
                    self._holders(trigger, rows)
                    for change, rows in changes
                    for trigger in fired_triggers(self.situation.model, what.freshness, triggers, change)
                )
                found += changes[0][1] + held if held else 0.0
        return found

    def _changes(self, access: Access) -> tuple[tuple[RowChange, float], ...]:
        """The change of the rows a write is about, and those of the rows that go along, each with how many they are."""
        if access not in self._known:
            self._known[access] = tuple(self._found(change_by(access), self._rows(access)))
        return self._known[access]

    def _found(self, change: RowChange, rows: float) -> Iterator[tuple[RowChange, float]]:
        found, waiting = {change}, [(change, rows)]
        while waiting:
            change, rows = waiting.pop()
            yield change, rows
            is_gone = change.kind is ChangeKind.DELETE
            changed = change.attributes if change.kind is ChangeKind.UPDATE else frozenset()
            for link, removes in going_along(self.situation.model, change.entity, is_gone, changed):
                kind = ChangeKind.DELETE if removes else ChangeKind.UPDATE
                attributes = frozenset[str]() if removes else frozenset(link.child_attributes)
                child = RowChange(link.child, kind, "", attributes)
                if child not in found:
                    found.add(child)
                    waiting.append((child, min(rows * self._children(link), self.sizes.rows(link.child))))

    def _rows(self, access: Access) -> float:
        """The most rows a write changes: one for an insert; of one parent's children as many as the largest has."""
        if access.kind is StatementKind.INSERT:
            return 1.0
        rows, exact = self.sizes.found(access), compared_equal(access)
        for link in self.situation.parents[access.entity]:
            if set(link.child_attributes) <= exact and rows > 1:
                rows *= max(1.0, self._children(link) / max(self.sizes.children_asked(link), 1.0))
        return min(rows, self.sizes.rows(access.entity))

    def _holders(self, trigger: Trigger, rows: float) -> float:
        """The documents that hold what follows from so many changed rows; those of the rows themselves are counted."""
        if not trigger.back:
            return 0.0
        holder = trigger.back[-1].target(self.situation.model)
        return min(rows * self._reached(trigger.back), self.sizes.rows(holder))

    def _reached(self, back: RowPath) -> float:
        """The rows at the end of the way back from one row."""
        model, found = self.situation.model, 1.0
        for hop in back:
            link = model.relationship(hop.relationship)
            if link.is_self:
                found *= max(self.sizes.on_the_way(link), 1.0)
            elif not hop.up:
                found *= self._children(link)
        return found

    def _children(self, link: Relationship) -> float:
        """Children of one parent: the most that are known, else the average."""
        largest = self.situation.fan_outs[link.name].largest
        return largest if largest is not None else self.sizes.children(link)
