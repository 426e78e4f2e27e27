"""Indexes findings advise that begin another one they advise: the longer one is created, and does for both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nestling.doctor.commands import index_keys
from nestling.ir.finding import Finding

_Keys = Sequence[tuple[str, int | str]]


def without_covered(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings in order; those whose index equals or begins another's refer to that one, and create none."""
    creating = [_longest(each, findings) for each in findings]
    served: dict[int, list[Finding]] = {}
    for each, other in zip(findings, creating, strict=True):
        if other is not each:
            served.setdefault(id(other), []).append(each)
    return tuple(
        _with_others(each, served.get(id(each), [])) if other is each else _pointing(each, other)
        for each, other in zip(findings, creating, strict=True)
    )


def is_same(one: _Keys, other: _Keys) -> bool:
    """Whether two indexes find and sort the same: an index is read from both ends."""
    mirrored = [(field, -way if isinstance(way, int) else way) for field, way in other]
    return list(one) in (list(other), mirrored)


def _longest(finding: Finding, findings: Sequence[Finding]) -> Finding:
    """The first finding with the longest index that covers a finding's; the finding itself if there is none."""
    covering = [each for each in findings if _covers(each, finding)]
    return max(covering, key=lambda each: len(each.index)) if covering and finding.index else finding


def _covers(longer: Finding, finding: Finding) -> bool:
    """Whether the index of one begins with that of the other."""
    begun = longer.index[: len(finding.index)]
    return longer.namespace == finding.namespace and is_same(begun, finding.index)


def _pointing(finding: Finding, other: Finding) -> Finding:
    """A finding that leaves its index to another one's."""
    remedy = f"Create the index `{index_keys(other.index)}` that {other.rule} proposes: it serves this as well."
    return replace(finding, remedy=remedy, commands=(), index=())


def _with_others(finding: Finding, others: Sequence[Finding]) -> Finding:
    """A finding that also names the other purposes of its index."""
    if not others:
        return finding
    names = ", ".join(f"{each.rule} at `{each.path}`" for each in others)
    return replace(finding, remedy=f"{finding.remedy} The index serves {names} as well.")
