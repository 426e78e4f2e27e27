"""Indexes findings advise that begin another one they advise: the longer one is created, and does for both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nestling.doctor.words import index_keys
from nestling.ir.finding import Finding


def without_covered(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings in their order; those whose index begins another point to that one, and create none."""
    return tuple(_pointing(each, _longest(each, findings)) for each in findings)


def _longest(finding: Finding, findings: Sequence[Finding]) -> Finding:
    """The finding with the longest index that does what a finding's does; the finding itself where there is none."""
    covering = [each for each in findings if _covers(each, finding)]
    return max(covering, key=lambda each: len(each.index)) if covering and finding.index else finding


def _covers(longer: Finding, finding: Finding) -> bool:
    """Whether the index of one begins with that of the other: an index is read from both ends."""
    begun = longer.index[: len(finding.index)]
    mirrored = tuple((field, -way if isinstance(way, int) else way) for field, way in finding.index)
    return longer.namespace == finding.namespace and begun in (finding.index, mirrored)


def _pointing(finding: Finding, other: Finding) -> Finding:
    """A finding that leaves its index to another one's, unless they create the same."""
    if other.index == finding.index:
        return finding
    remedy = f"Create the index `{index_keys(other.index)}` that {other.rule} asks for: it does for this as well."
    return replace(finding, remedy=remedy, commands=(), index=())
