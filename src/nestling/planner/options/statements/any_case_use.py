"""Whether an index that finds a text whatever its case is what a statement is read by: as its read is made where there is one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from nestling.ir.indexes.case_lookups import CaseLookup
from nestling.ir.situation import Situation
from nestling.ir.workload import Statement
from nestling.planner.options.statements.relations import rows_asked
from nestling.planner.options.statements.translated import translated
from nestling.planner.reads.any_case import by_lookups
from nestling.planner.reads.rewrites.case_as_pattern import with_cases_as_patterns


@dataclass
class AnyCaseUse:
    """What the statements of a workload are read by, each asked once."""

    situation: Situation
    _read: dict[tuple[str, CaseLookup], bool | None] = field(default_factory=dict, repr=False)

    def is_read_by(self, statement: Statement, lookups: Iterable[CaseLookup]) -> bool | None:
        """Whether an index for one of these finds its rows; None where nobody can tell."""
        found = [self._is_read_by(statement, each) for each in lookups]
        return None if None in found else True in found

    def _is_read_by(self, statement: Statement, lookup: CaseLookup) -> bool | None:
        key = statement.name, lookup
        if key not in self._read:
            self._read[key] = self._asked(statement, lookup)
        return self._read[key]

    def _asked(self, statement: Statement, lookup: CaseLookup) -> bool | None:
        query = translated(statement, self.situation.reading)
        if query is None:
            return None
        entity = self.situation.model.entity(statement.accesses[0].entity)
        return by_lookups(with_cases_as_patterns(rows_asked(query)), entity, (lookup,)) is not None
