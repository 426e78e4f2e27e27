"""Reading facts so that only fields that are equal in all documents are copies: the others are data of their own."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nestling.ir.watching import Watch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pymongo.database import Database

    from nestling.executors.check import CheckReport
    from nestling.executors.pacing import RestingPace
    from nestling.ir.drift import Check, CompiledCheck
    from nestling.ir.facts import Facts
    from nestling.ir.facts.structure import FieldPlace
    from nestling.ir.reading import Gap
    from nestling.sources.mongo import DerivedField, FieldComparison, LiveDatabase

COMPARING_SHARE = 0.2
"""The share of the time that is kept for comparing; what the other looks leave is for it, too."""
COUNTING_SHARE = 2 / 3
"""The share of a field's time in which all its documents are compared; in the rest, a few tell whether any differs."""


def read_equal_copies(
    uri: str, facts: Facts, name: str, *, until: float, rest: float, watch: Watch | None
) -> LiveDatabase:
    """Interpret facts, and compare what was taken for copies and counts until that time (`time.monotonic`)."""
    from nestling.common.redaction import redact
    from nestling.executors.facts import resting_pace
    from nestling.pipeline.read_only import looked_at
    from nestling.sources.mongo import DerivedField, FieldComparison, live_database

    origin = redact(uri)
    found, known = live_database(facts, name=name, origin=origin), dict[DerivedField, FieldComparison]()
    if not found.taken:
        return found
    with looked_at(uri) as (client, _):
        pace = resting_pace(client, rest, max(until - time.monotonic(), 0.0))
        way = _Comparing(client[name], until, pace, watch)
        while new := dict(way.verdicts(found, frozenset(each.place for each in known))):
            known |= new
            found = live_database(facts, name=name, origin=origin, compared=known)
    return found


@dataclass(frozen=True, slots=True)
class _Comparing:
    """Comparing the fields of a database, until a time and at a pace."""

    database: Database[Any]
    until: float
    pace: RestingPace
    watch: Watch | None

    def verdicts(
        self, found: LiveDatabase, known: frozenset[FieldPlace]
    ) -> Iterator[tuple[DerivedField, FieldComparison]]:
        """Yield each field that was taken to follow from others and not yet compared, with the server's verdict."""
        from nestling.planner.checks import field_checks

        checks: dict[DerivedField, list[Check | Gap]] = {}
        for each in field_checks(found.in_place.design):
            taken = found.taken.get((each.holder, each.field))
            if taken is not None and taken.place not in known:
                checks.setdefault(taken, []).append(each.check)
        for done, (taken, several) in enumerate(checks.items()):
            if self.watch is not None:
                self.watch(f"comparing {taken.name}", done, len(checks))
            yield taken, self._verdict(several, (self.until - time.monotonic()) / (len(checks) - done))

    def _verdict(self, checks: Sequence[Check | Gap], seconds: float) -> FieldComparison:
        """Return what all documents say of a field, which may be in several collections."""
        from nestling.common.errors import PermissionDenied, ReadError
        from nestling.ir.reading import Gap
        from nestling.pipeline.checking import compiled_check
        from nestling.sources.mongo import FieldComparison

        compiled = []
        for each in checks:
            if isinstance(each, Gap):
                return FieldComparison(0, why=each.what)
            compiled.append(compiled_check(each))
        try:
            return self._compared(compiled, time.monotonic(), seconds)
        except (ReadError, PermissionDenied) as error:
            return FieldComparison(0, why=error.problems[0].what)

    def _compared(self, compiled: Sequence[CompiledCheck], start: float, seconds: float) -> FieldComparison:
        """Compare all documents or, where there is too little time, find out whether any differs."""
        from nestling.ir.facts import OUT_OF_TIME
        from nestling.sources.mongo import FieldComparison

        report = self._run(compiled, start + COUNTING_SHARE * seconds)
        is_whole = not report.unfinished
        if not is_whole and not report.findings:
            report = self._run(compiled, start + seconds, few=True)
        example = report.findings[0].id if report.findings else None
        differing = sum(each.differing for each in report.verdicts.values())
        why = "" if is_whole or differing else OUT_OF_TIME
        return FieldComparison(report.checked, differing, example, why, is_whole=is_whole)

    def _run(self, compiled: Sequence[CompiledCheck], until: float, *, few: bool = False) -> CheckReport:
        from nestling.executors.check import CheckOptions, run_checks

        return run_checks(compiled, self.database, way=CheckOptions(shown=1, until=until, pace=self.pace, few=few))
