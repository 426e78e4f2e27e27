"""What a check found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from nestling.ir.drift import Check, Drift
from nestling.ir.found_field import FoundField
from nestling.ir.interval import interval
from nestling.ir.reading import Gap


class CheckVerdict(NamedTuple):
    """The result of one check: documents looked at, documents in which something differs, values that differ, values repaired."""

    documents: int = 0
    differing: int = 0
    values: int = 0
    repaired: int = 0

    def plus(self, other: CheckVerdict) -> CheckVerdict:
        """The sum of two verdicts."""
        return CheckVerdict(*map(sum, zip(self, other, strict=True)))


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a sample says of the whole: differing documents, with the bounds of a 95 % confidence interval."""

    documents: int
    differing: float
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class CheckReport:
    """`clean`: everything compared is as its source implies, or was made so. `verdicts` are by the check's key, `findings` the
    first differences of each (a verdict counts them all), `gaps` what could not be compared, `estimates` those of a sample.
    `unknown` fields, which the design says nothing of, make nothing unclean; nor do `strays`, collections of the design before a
    cutover that were written after it, with the number of their documents. `unset_commands` take unknown fields out, by the
    shell. `passes`: how often a repair went over all of it. `unfinished`: the keys of the checks that had too little time.
    """

    clean: bool
    checks: tuple[Check, ...]
    verdicts: Mapping[str, CheckVerdict]
    findings: tuple[Drift, ...]
    gaps: tuple[Gap, ...]
    seconds: float
    estimates: Mapping[str, Estimate]
    unknown: tuple[FoundField, ...] = ()
    unset_commands: tuple[str, ...] = ()
    passes: int = 1
    strays: Mapping[str, int] = field(default_factory=dict)
    unfinished: frozenset[str] = frozenset()

    @property
    def checked(self) -> int:
        """The number of documents compared, each counted once for each check of it."""
        return sum(verdict.documents for verdict in self.verdicts.values())

    @property
    def sampled_of(self) -> int:
        """The documents a sample was drawn from, counted like `checked`; 0 where no sample was all that was looked at."""
        whole = sum(each.documents for each in self.estimates.values())
        looked = sum(self.verdicts[key].documents for key in self.estimates)
        return self.checked + whole - looked if looked < whole else 0

    @property
    def repaired(self) -> int:
        """The number of values repaired."""
        return sum(verdict.repaired for verdict in self.verdicts.values())

    def _repr_html_(self) -> str:
        from nestling.ir.quantity_words import counted
        from nestling.ir.words.drift_rows import DRIFT_COLUMNS, drift_row
        from nestling.ir.words.notebook import block, list_of, paragraph, table

        checks = (
            (each.id, *(f"{number:,}" for number in self.verdicts[each.key]))
            for each in self.checks
            if each.key in self.verdicts
        )
        looked = f"a sample of {self.checked:,}" if self.sampled_of else f"{self.checked:,}"
        columns = ("check", "documents", "differing", "values", "repaired")
        return block(
            table("Clean" if self.clean else "NOT clean", columns, checks),
            table("First differences", DRIFT_COLUMNS, map(drift_row, self.findings)),
            list_of("Not compared", map(str, self.gaps)),
            list_of("Fields that are not in the design", (f"{each.collection}: {each.path}" for each in self.unknown)),
            paragraph(f"{looked} documents checked in {counted(len(self.verdicts), 'check')}, {self.seconds:.1f} s."),
        )


def estimate(verdict: CheckVerdict, documents: int) -> Estimate:
    """Wilson's interval for the share of differing documents, times all documents."""
    share = verdict.differing / verdict.documents if verdict.documents else 0.0
    if verdict.documents == 0 or verdict.documents >= documents:
        return Estimate(documents, *[share * documents] * 3)
    low, high = interval(verdict.differing, verdict.documents)
    return Estimate(documents, share * documents, low * documents if verdict.differing else 0.0, high * documents)
