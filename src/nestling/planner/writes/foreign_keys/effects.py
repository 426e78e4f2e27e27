"""What one statement does to the rows of each entity, by itself and by its foreign keys, combined before any step is planned.

A row may be reached in several ways (two foreign keys, a diamond, a tree). All that happens to it is one change: it is deleted,
or gets all its new values at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nestling.ir.model import Relationship
from nestling.ir.paths.write_path import Violation
from nestling.ir.statements.algebra import Scan
from nestling.ir.statements.expression import Case, Expression, Not
from nestling.ir.statements.operands import conjunction
from nestling.planner.writes.draft.fetch import scan_of
from nestling.planner.writes.draft.key_lists import Keys
from nestling.planner.writes.draft.renamed_scans import said_of
from nestling.planner.writes.draft.write_draft import WriteDraft
from nestling.planner.writes.foreign_keys.referring_rows import RowSet, any_of, is_true

Assignments = Mapping[str, Expression]


@dataclass(frozen=True, slots=True)
class RowDelete:
    """Rows that go; `along`: those inside the documents of the relationship's parents go with these."""

    predicate: Expression | None
    along: Relationship | None = None


@dataclass(frozen=True, slots=True)
class RowUpdate:
    """Rows that get values.

    `along`: those inside the documents of the relationship's parents get them with these. `out_of`: rows leave the documents of
    the relationship's parents for another place, though nothing of them changes, as these go or get another key.
    """

    predicate: Expression | None
    values: Assignments
    along: Relationship | None = None
    out_of: Relationship | None = None


@dataclass(frozen=True, slots=True)
class ForbiddenRows:
    """Rows that must not be there."""

    predicate: Expression
    link: Relationship
    violation: Violation


@dataclass
class Effect:
    """All that happens to the rows of one entity, expressed over one scan."""

    scan: Scan
    deletes: list[RowDelete] = field(default_factory=list)
    updates: list[RowUpdate] = field(default_factory=list)
    forbidden: list[ForbiddenRows] = field(default_factory=list)
    keys: Keys | None = None  # of all rows that go, where these were read first

    @property
    def attributes(self) -> frozenset[str]:
        """The attributes that may get another value."""
        return frozenset(name for each in self.updates for name in each.values)

    def deleted_rows(self) -> list[RowSet]:
        """The rows that go."""
        predicates = [each.predicate for each in self.deletes if each.predicate is not None]
        if self.keys is not None:
            return [RowSet(self.scan, any_of(predicates), self.keys)]
        return [RowSet(self.scan, each.predicate) for each in self.deletes]

    def deletes_once_each(self, work: WriteDraft) -> list[RowDelete]:
        """The deletes, so that each row is in one of them."""
        return [
            RowDelete(conjunction(each.predicate, *self._not(work, self.deletes[:number])), each.along)
            for number, each in enumerate(self.deletes)
        ]

    def not_deleted(self, work: WriteDraft, predicate: Expression | None) -> Expression | None:
        """The predicate restricted to rows that are not deleted."""
        return conjunction(predicate, *self._not(work, self.deletes))

    def _not(self, work: WriteDraft, deletes: Sequence[RowDelete]) -> list[Expression]:
        return [Not(is_true(self._again(work, each.predicate))) for each in deletes]

    def _again(self, work: WriteDraft, predicate: Expression | None) -> Expression | None:
        return None if predicate is None else said_of(work, predicate, self.scan, self.scan)

    def as_one_update(self, work: WriteDraft) -> RowUpdate | None:
        """All the changes as one; what is only one stays as it is."""
        if not self.updates:
            return None
        if len(self.updates) == 1:
            (only,) = self.updates
            return RowUpdate(self.not_deleted(work, only.predicate), only.values, only.along, only.out_of)
        columns = {column.name: column for column in self.scan.columns}
        values: dict[str, Expression] = {}
        for each in reversed(self.updates):
            for name, value in each.values.items():
                before = values.get(name, columns[name])
                asked = self._again(work, each.predicate)
                values[name] = value if asked is None else Case(((asked, value),), before, before.type)
        predicates = [each.predicate for each in self.updates if each.predicate is not None]
        whole = any_of(predicates) if len(predicates) == len(self.updates) else None
        out_of = next((each.out_of for each in self.updates if each.out_of is not None), None)
        return RowUpdate(self.not_deleted(work, whole), values, None, out_of)


def effect_on(work: WriteDraft, effects: dict[str, Effect], entity: str) -> Effect:
    """The effect on an entity, a new one if there is none yet."""
    if entity not in effects:
        effects[entity] = Effect(scan_of(work.model.entity(entity), work.name(entity)))
    return effects[entity]
