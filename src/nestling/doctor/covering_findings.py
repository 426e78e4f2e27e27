"""Findings that stand for many others: the fields they cover are reported once, not one by one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from nestling.ir.finding import Finding
from nestling.ir.quantity_words import count


def told_once(findings: Sequence[Finding], by_field: Collection[str]) -> tuple[Finding, ...]:
    """Fold findings of the rules `by_field` into one that covers their fields, where there are more than its threshold."""
    left = list(findings)
    for whole in [each for each in findings if each.covers]:
        for rule in sorted(by_field):
            its = [each for each in left if each.rule == rule and each.namespace == whole.namespace]
            about = [each for each in its if _is_within(each.path, whole.covers)]
            if len(about) > (whole.threshold or 0):
                place = next(place for place, each in enumerate(left) if each.identity == whole.identity)
                left[place] = _with(left[place], rule, about)
                left = [each for each in left if each not in about]
    return tuple(left)


def _is_within(text: str, members: Collection[str]) -> bool:
    """Whether a path is one of the members, or lies below one."""
    ends = [place for place, letter in enumerate(text) if letter in ".["]
    return any(text[:end] in members for end in (*ends, len(text)))


def _with(whole: Finding, rule: str, about: Sequence[Finding]) -> Finding:
    """Add to a finding how many findings a rule has for the fields that it covers."""
    number = len(about)
    message = f"{whole.message}; `{rule}` reports {count(number)} of them"
    severity = min(whole.severity, *(each.severity for each in about), key=lambda each: each.rank)
    return replace(whole, message=message, severity=severity, evidence=(*whole.evidence, (rule, number)))
