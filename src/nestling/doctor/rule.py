"""The parts of a rule: its thresholds, by their origin, and the findings that it derives from facts.

A rule is a module of `nestling.doctor.rules` with `RULE` and `findings(seen)`. Its id is the file's name, its manual page its
docstring.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from nestling.ir.facts import CollectionFacts, Facts
from nestling.ir.finding import Confidence, FieldChange, Finding, Severity
from nestling.ir.paths.work import Work

OFFICES = {
    "atlas": "MongoDB Atlas advisor (2025)",
    "compass": "MongoDB Compass",
    "sources": "published schema design rules",
    "skill": "MongoDB schema design skill",
    "percona": "Percona",
    "azimutt": "Azimutt",
    "indexwright": "indexwright, an index advisor",
    "mongospectre": "mongospectre",
    "nestling": "nestling",
}
"""The possible sources of a threshold, with their names for people."""
AS = ("atlas", "compass", "sources")
"""Origins whose thresholds can be selected as a whole."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A number that findings are compared with. `values`: by origin; the first is the default."""

    name: str
    text: str
    unit: str
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its usual severity, and its thresholds. `last`: it runs after the others, and sees what they propose.

    `by_field`: it reports each field by its values; if names are data, it reports once for all of them.
    """

    title: str
    severity: Severity
    thresholds: tuple[Threshold, ...] = ()
    last: bool = False
    by_field: bool = False


@dataclass(frozen=True, slots=True)
class ThresholdInForce:
    """A threshold's value in force, its unit, and its origin in words."""

    value: float
    unit: str
    source: str


@dataclass(frozen=True, slots=True)
class RuleInput:
    """A rule's input: facts, earlier facts if there are any, and its limits by name.

    `proposed`: the other rules' findings, for a rule that comes `last`.
    """

    rule: str
    severity: Severity
    facts: Facts
    limits: Mapping[str, ThresholdInForce]
    earlier: Facts | None = None
    proposed: tuple[Finding, ...] = ()

    def changes(self, collection: CollectionFacts) -> tuple[FieldChange, ...]:
        """What the other findings' commands do to a collection's fields."""
        return tuple(
            each for found in self.proposed if found.namespace == collection.namespace for each in found.changes
        )

    def finding(
        self,
        where: CollectionFacts | str,
        path: str,
        message: str,
        *,
        number: float,
        limit: str = "",
        unit: str = "",
        cost: str,
        remedy: str,
        commands: tuple[str, ...] = (),
        evidence: Mapping[str, float | str] | None = None,
        severity: Severity | None = None,
        confidence: Confidence = Confidence.CERTAIN,
        work: Work | None = None,
        mean_seconds: float = 0.0,
        index: Sequence[tuple[str, int | str]] = (),
        changes: Sequence[FieldChange] = (),
        drops: Sequence[str] = (),
        covers: Iterable[str] = (),
    ) -> Finding:
        """A finding of this rule; `limit`: the threshold that `number` exceeds, `index`: the keys of an index to create.

        `drops`: the indexes its commands drop, `covers`: the fields whose findings by other rules this one stands for.

        `mean_seconds`: what was measured of one execution (0: nothing was).
        """
        compared = self.limits[limit] if limit else None
        return Finding(
            self.rule,
            severity or self.severity,
            confidence,
            where if isinstance(where, str) else where.namespace,
            path,
            message,
            number,
            unit or (compared.unit if compared else ""),
            compared.value if compared else None,
            compared.source if compared else "",
            cost,
            remedy,
            tuple(commands),
            tuple((evidence or {}).items()),
            work,
            mean_seconds or None,
            measured=mean_seconds > 0,
            index=tuple(index),
            changes=tuple(changes),
            drops=tuple(drops),
            covers=frozenset(covers),
        )
