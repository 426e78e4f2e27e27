"""The check: every comparison over the documents in question, and the repair of what differs where that is asked for."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Any, TypeAlias, TypeVar

from bson.max_key import MaxKey
from bson.min_key import MinKey
from pymongo.database import Database

from nestling.common.connection import address, typed_errors
from nestling.common.errors import InputError, Problem, ValueNotComputable
from nestling.executors.check import passes
from nestling.executors.check.checkpoint import CheckCheckpoint, CheckProgress
from nestling.executors.check.differing_rows import (
    FEW_SUSPECTS,
    MOST_SUSPECTS,
    WHY,
    FoundRow,
    NoTimeLeft,
    OutOfTime,
    Reader,
    collections_in,
    drifts,
    would_go,
)
from nestling.executors.check.pace import FIRST_CHUNK, LARGEST_CHUNK, CommandPace
from nestling.executors.check.parallel import together
from nestling.executors.check.refusals import too_slow
from nestling.executors.check.repairing import mend
from nestling.executors.check.report import CheckReport, CheckVerdict, Estimate, estimate
from nestling.executors.check.scope import Range, ScopeStage, by_chance, next_range, with_ids
from nestling.executors.check.sourceless import BRING_BACK, sourceless
from nestling.executors.exact import exact
from nestling.executors.pacing import RestingPace
from nestling.executors.rights import check_privileges
from nestling.ir.digest import digest
from nestling.ir.drift import ID_COLUMN, CompiledCheck, Drift
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.reading import Gap
from nestling.ir.watching import Watch

MOST_SHOWN_DIFFERENCES = 100
"""Differences of one check that are listed at most; all are counted."""
COMMAND_SECONDS = 30.0
"""What the server gives one command (`maxTimeMS`)."""
CHANGED_MEANWHILE = "it changed during the repair, or another document must be repaired first: check again"
SOURCELESS = f"{BRING_BACK} (--repair --remove)"
ORPHAN = (
    "the row this was copied from no longer exists, and no document may lack the copy: the row itself is an orphan. "
    "Restore the row it was copied from, or delete the orphan too"
)
SCREENED_DOCUMENTS = 500_000
"""Documents a screen begins with."""
Answer = TypeVar("Answer")
Ask: TypeAlias = Callable[[CompiledCheck, Sequence[ScopeStage]], Answer]


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """How to check. `sample`: so many documents of each collection by chance, a share of them below 1. `only`: (check's key, ids)
    of the documents to look at, None for all; checks that are not in it are left out. `checkpoint`: where progress is kept.
    `remove`: a repair takes away copies of what is not there, which may be the last there is of it.

    `until` (`time.monotonic`): when to stop; the checks that are not over are then `unfinished`. `pace` rests after each command.
    `few`: only find out whether anything differs, in few of the documents that a screen suspects.
    """

    repair: bool = False
    remove: bool = False
    sample: float | None = None
    only: Mapping[str, tuple[object, ...] | None] | None = None
    checkpoint: Path | None = None
    shown: int = MOST_SHOWN_DIFFERENCES
    seconds: float = COMMAND_SECONDS
    until: float = math.inf
    pace: RestingPace = field(default_factory=RestingPace)
    few: bool = False

    def __post_init__(self) -> None:
        """Raise `InputError` for a sample that is neither so many documents nor a share of them."""
        if self.sample is not None and not (0 < self.sample < 1 or (self.sample > 0 and self.sample % 1 == 0)):
            what = f"`sample`: {self.sample} is neither a number of documents nor a share below 1"
            raise InputError(Problem(what, next_move="write 1000 or 0.01"))


def run_checks(
    compiled: Sequence[CompiledCheck],
    database: Database[Any],
    *,
    gaps: Sequence[Gap] = (),
    way: CheckOptions | None = None,
    report: Watch | None = None,
) -> CheckReport:
    """Compare, and repair where the way says so; writes nothing else.

    Raises `PermissionDenied`, `ReadError` for a comparison of one document that takes too long.
    """
    with typed_errors(address(database)):
        chosen = way or CheckOptions()
        reader = Reader(database, chosen.seconds, chosen.until, chosen.pace)
        return _Run(compiled, database, chosen, report, reader).all(gaps)


@dataclass(slots=True)
class _Run:
    """One check under way."""

    compiled: Sequence[CompiledCheck]
    database: Database[Any]
    way: CheckOptions
    report: Watch | None
    reader: Reader
    progress: CheckProgress = field(default_factory=CheckProgress)
    start: float = field(default_factory=time.monotonic)
    total: int = 0
    passes: int = 1
    well: list[CompiledRead] = field(default_factory=list)
    """Screens that have found nothing: checks that share one are done with at once."""
    stopped: Event = field(default_factory=Event)
    """Set when nobody waits for further results."""

    def all(self, gaps: Sequence[Gap]) -> CheckReport:
        chosen = [c for c in self.compiled if self.way.only is None or c.check.key in self.way.only]
        if self.way.repair:
            check_privileges(self.database, (sorted({c.check.collection for c in chosen}), ("find", "update")))
        checks = tuple(each.check for each in chosen)
        kept = self._checkpoint(checks)
        self.progress = kept.read() if kept is not None else CheckProgress()
        counts = {name: self.database[name].estimated_document_count() for name in {c.collection for c in checks}}
        self.total = sum(counts[each.collection] for each in checks)
        if kept is None and not self.way.repair and not self.way.pace.rest:
            self.progress = together(self._part, chosen, self.report, self.total)
        else:
            self._each_of(chosen, kept)
        if self.way.repair and self.way.sample is None:
            self._repair_on(chosen)
        if kept is not None:
            kept.forget()
        return self._reported(chosen, counts, gaps)

    def _repair_on(self, chosen: Sequence[CompiledCheck]) -> None:
        """Compare and repair again while that may mend what another repair had to come before."""
        latest = self.progress
        while self.passes < passes.MOST_PASSES and passes.is_worthwhile(latest, chosen):
            latest = self._part(chosen, self.report, self.stopped)
            self.progress = passes.together(self.progress, latest, self.way.shown)
            self.passes += 1

    def _part(self, chosen: Sequence[CompiledCheck], report: Watch | None, stopped: Event) -> CheckProgress:
        """Some checks by themselves, beside others."""
        part = replace(self, progress=CheckProgress(), report=report, well=[], stopped=stopped)
        part._each_of(chosen, None)
        return part.progress

    def _each_of(self, chosen: Sequence[CompiledCheck], kept: CheckCheckpoint | None) -> None:
        for each in chosen:
            if each.check.key not in self.progress.done and not self.stopped.is_set():
                self._one(each, kept)

    def _checkpoint(self, checks: Sequence[Any]) -> CheckCheckpoint | None:
        if self.way.checkpoint is None:
            return None
        way = self.way.repair, self.way.remove, self.way.sample, self.way.only
        whose = digest(tuple(checks), address(self.database), *way)
        return CheckCheckpoint(self.way.checkpoint, whose)

    def _reported(self, chosen: Sequence[CompiledCheck], counts: Mapping[str, int], gaps: Sequence[Gap]) -> CheckReport:
        verdicts = self.progress.verdicts
        estimates: dict[str, Estimate] = {}
        if self.way.sample is not None:
            estimates = {
                each.check.key: estimate(verdicts[each.check.key], counts[each.check.collection])
                for each in chosen
                if self.way.only is None or self.way.only[each.check.key] is None
            }
        clean = all(verdict.values == verdict.repaired for verdict in verdicts.values())
        checks, seconds = tuple(each.check for each in chosen), time.monotonic() - self.start
        return CheckReport(
            clean,
            checks,
            verdicts,
            tuple(self.progress.findings),
            tuple(gaps),
            seconds,
            estimates,
            passes=self.passes,
            unfinished=frozenset(self.progress.unfinished),
        )

    def _one(self, compiled: CompiledCheck, kept: CheckCheckpoint | None) -> None:
        """One check over its documents, as far as there is time."""
        try:
            self._whole(compiled, kept)
        except NoTimeLeft:
            self.progress.unfinished.add(compiled.check.key)

    def _whole(self, compiled: CompiledCheck, kept: CheckCheckpoint | None) -> None:
        """One check over its documents, remembering after each range how far it is."""
        key = compiled.check.key
        if self.progress.at != key:
            self.progress.at, self.progress.after = key, MinKey()
        self.progress.verdicts.setdefault(key, CheckVerdict())
        for each, rows in self._ranges(compiled):
            found = self._findings(compiled, rows)
            differing = len({repr(drift.id) for drift in found})
            repaired = sum(drift.repaired for drift in found)
            documents = each.documents if each.documents is not None else self._left(compiled)
            verdict = CheckVerdict(documents, differing, len(found), repaired)
            listed = sum(drift.check == key for drift in self.progress.findings)
            self.progress.findings += found[: max(0, self.way.shown - listed)]
            self.progress.verdicts[key] = self.progress.verdicts[key].plus(verdict)
            self.progress.after = each.upto
            if each.is_last:
                self.progress.done.add(key)
            if kept is not None:
                kept.write(self.progress)
            self._tell(key)
            if self.stopped.is_set():
                return
        self.progress.done.add(key)

    def _left(self, compiled: CompiledCheck) -> int:
        """The documents of a collection's last range, about."""
        there = self.database[compiled.check.collection].estimated_document_count()
        return max(there - self.progress.verdicts[compiled.check.key].documents, 0)

    def _tell(self, key: str) -> None:
        if self.report is not None:
            done = sum(verdict.documents for verdict in self.progress.verdicts.values())
            self.report(f"checking {key}", done, max(self.total, done))

    # --- which documents ---

    def _ranges(self, compiled: CompiledCheck) -> Iterator[tuple[Range, list[FoundRow]]]:
        check, collection = compiled.check, self.database[compiled.check.collection]
        ids = self.way.only[check.key] if self.way.only is not None else None
        if ids is not None:
            for some in with_ids(ids):
                yield some, self._rows(compiled, some)
        elif self.way.sample is not None:
            drawn = by_chance(collection, self.way.sample)
            yield drawn, self._rows(compiled, drawn)
        elif not check.is_walked:
            yield Range(()), self._rows(compiled, Range(()))
        else:
            yield from self._walked(compiled)

    def _walked(self, compiled: CompiledCheck) -> Iterator[tuple[Range, list[FoundRow]]]:
        """All documents in order: what a screen finds well is done with at once, the rest is looked at closely."""
        start, end = self.progress.after, MaxKey()
        if self.database[compiled.check.collection].find_one({}, {"_id": 1}) is None:
            yield Range((), start, end), []
        elif compiled.screen is None:
            yield from self._closely(compiled, Range((), start, end), [])
        elif compiled.screen in self.well:
            yield Range((), start, end), []
        else:
            yield from self._screened(compiled, compiled.screen, start, end)

    def _screened(
        self, compiled: CompiledCheck, screen: CompiledRead, start: object, end: object
    ) -> Iterator[tuple[Range, list[FoundRow]]]:
        sources = [name for name in collections_in(screen.pipeline) if name != compiled.check.collection]
        least = sum(self.database[name].estimated_document_count() for name in sources)
        pace = CommandPace(
            self.way.seconds / 3, max(SCREENED_DOCUMENTS, least), least=max(1, min(least, LARGEST_CHUNK))
        )
        is_well = isinstance(start, MinKey)
        most = FEW_SUSPECTS if self.way.few else MOST_SUSPECTS

        def ask(compiled: CompiledCheck, stages: Sequence[ScopeStage]) -> list[ScopeStage] | None:
            return self.reader.suspects(compiled, stages, most)

        try:
            for some, suspects in self._each(compiled, start, end, pace, ask):
                if suspects is None:
                    yield some, []
                else:
                    is_well = False
                    yield from self._closely(compiled, some, suspects)
                start = some.upto
            if is_well:
                self.well.append(screen)
        except (OutOfTime, ValueNotComputable):  # the screen is no help
            yield from self._closely(compiled, Range((), start, end), [])

    def _closely(
        self, compiled: CompiledCheck, within: Range, suspects: Sequence[ScopeStage]
    ) -> Iterator[tuple[Range, list[FoundRow]]]:
        def rows(compiled: CompiledCheck, stages: Sequence[ScopeStage]) -> list[FoundRow]:
            return self.reader.rows(compiled, [*stages, *suspects])

        pace = CommandPace(self.way.seconds / 10, within.documents or SCREENED_DOCUMENTS if suspects else FIRST_CHUNK)
        try:
            yield from self._each(compiled, within.after, within.upto, pace, rows)
        except OutOfTime:
            raise too_slow(compiled, self.way.seconds) from None

    def _each(
        self, compiled: CompiledCheck, after: object, end: object, pace: CommandPace, ask: Ask[Answer]
    ) -> Iterator[tuple[Range, Answer]]:
        """The ranges between two `_id`s, and what the server answers of each; raises `OutOfTime` where one can be no smaller."""
        collection = exact(self.database)[compiled.check.collection]
        while True:
            some = next_range(collection, after, end, pace, self.reader.seconds())
            began = time.monotonic()
            try:
                answer = ask(compiled, some.stages)
            except OutOfTime:
                if not pace.too_slow():
                    raise
                continue
            pace.took(time.monotonic() - began)
            yield some, answer
            if some.upto == end:
                return
            after = some.upto

    def _rows(self, compiled: CompiledCheck, some: Range) -> list[FoundRow]:
        try:
            return self.reader.rows(compiled, some.stages)
        except OutOfTime:
            raise too_slow(compiled, self.way.seconds) from None

    # --- what differs ---

    def _findings(self, compiled: CompiledCheck, rows: Sequence[FoundRow]) -> list[Drift]:
        check = compiled.check
        found = [list(drifts(check, row)) for row in rows]
        for place, row in enumerate(rows):
            if check.is_needed and would_go(check, row):
                found[place] = [replace(drift, next_move=ORPHAN) for drift in found[place]]
        if self.way.repair and rows and compiled.repair is not None:
            found = self._repaired(compiled, rows, found)
        return [drift for each in found for drift in each]

    def _of_ids(self, compiled: CompiledCheck, ids: Sequence[object]) -> Iterator[FoundRow]:
        return (row for some in with_ids(tuple(ids)) for row in self._rows(compiled, some))

    def _repaired(
        self, compiled: CompiledCheck, rows: Sequence[FoundRow], found: Sequence[list[Drift]]
    ) -> list[list[Drift]]:
        left = set() if self.way.remove else sourceless(compiled, rows, self._of_ids)
        places = [place for place, row in enumerate(rows) if place not in left and WHY not in row]
        why = mend(self.database, compiled, [rows[place] for place in places])
        refused = dict.fromkeys(left, SOURCELESS) | {places[at]: said for at, said in why.items()}
        ids = tuple({repr(row[ID_COLUMN]): row[ID_COLUMN] for row in rows}.values())
        again = self._of_ids(compiled, ids)
        still = {(repr(drift.id), drift.path) for row in again for drift in drifts(compiled.check, row)}
        return [
            [
                replace(drift, next_move=drift.next_move or refused.get(place, CHANGED_MEANWHILE))
                if (repr(drift.id), drift.path) in still
                else replace(drift, repaired=True)
                for drift in each
            ]
            for place, each in enumerate(found)
        ]
