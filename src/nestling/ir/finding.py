"""Findings: what is wrong with a live schema, how this is known, what it costs, and what to do."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from nestling.ir.paths.work import Work
from nestling.ir.quantity_words import counted, first_of


class Severity(StrEnum):
    """How much it matters; the order is from most to least."""

    ERROR = "error"  # wrong results or failing writes, now or soon
    WARNING = "warning"  # it costs, or will
    INFO = "info"  # worth knowing

    @property
    def rank(self) -> int:
        """0 for what matters most."""
        return list(Severity).index(self)


class Confidence(StrEnum):
    """How certain a finding is."""

    CERTAIN = "certain"  # counted, not guessed
    LIKELY = "likely"  # from a sample, or from more than one hint
    POSSIBLE = "possible"  # from a name, or from one hint


@dataclass(frozen=True, slots=True)
class FieldChange:
    """What a finding's commands do to a field: give it another `name` or values of these `types`, or make it optional (`lacks`).

    `types` are all types that a validator should list afterwards.
    """

    steps: tuple[str, ...]
    name: str = ""
    types: tuple[str, ...] = ()
    lacks: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem in one place.

    `number` was found and compared with `threshold`, which is `threshold_source`'s (None and empty where there is none to
    compare with). `cost`: in words, what it costs here. `work`: what each operation does in vain, for whoever has prices.
    `cost_seconds`: what it takes each time: the mean that was `measured`, else that work, priced; None when neither is known.
    `commands`: for the MongoDB shell. `index`: the keys of the plain
    index to create, if that is what to do. `changes`: what the commands do to fields. `drops`: the indexes that they drop.
    `covers`: the paths of fields whose own findings this one stands for, where a rule has more of them than `threshold`.
    """

    rule: str
    severity: Severity
    confidence: Confidence
    namespace: str
    path: str
    message: str
    number: float
    unit: str
    threshold: float | None
    threshold_source: str
    cost: str
    remedy: str
    commands: tuple[str, ...] = ()
    evidence: tuple[tuple[str, float | str], ...] = ()
    work: Work | None = None
    cost_seconds: float | None = None
    measured: bool = False
    index: tuple[tuple[str, int | str], ...] = ()
    changes: tuple[FieldChange, ...] = ()
    drops: tuple[str, ...] = ()
    covers: frozenset[str] = frozenset()

    @property
    def place(self) -> str:
        """The place of the finding, `database.collection: path`."""
        return f"{self.namespace}: {self.path}" if self.path else self.namespace

    @property
    def identity(self) -> tuple[str, str, str]:
        """What identifies the same finding in another report."""
        return self.rule, self.namespace, self.path


MOST_RULES = 6
"""Rules a shell names."""


class Findings(tuple[Finding, ...]):
    """Findings in report order; a notebook shows them as a table."""

    __slots__ = ()

    def __repr__(self) -> str:
        """The text for a shell: the number of findings, and the number for each rule."""
        rules = Counter(each.rule for each in self)
        shown = first_of([f"{rule} {number:,}" for rule, number in rules.most_common()], MOST_RULES)
        return f"<{counted(len(self), 'finding')}{': ' if shown else ''}{shown}>"

    def _repr_html_(self) -> str:
        """The HTML for a notebook."""
        from nestling.ir.words.notebook import findings_html

        return findings_html(self)
