"""Families of names that differ only in a number, and findings that are told once for all names of a family."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from nestling.ir.facts import ANY_KEY, ELEMENT, CollectionFacts, Facts, PathFacts, steps_text
from nestling.ir.finding import Finding
from nestling.ir.quantity_words import count

DYNAMIC = "dynamic-field-names"
"""The rule that tells of a family."""
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class NameFamily:
    """Names in one place, `above` their steps, that are `stem` but for a number."""

    above: tuple[str, ...]
    stem: str
    members: tuple[PathFacts, ...]

    @property
    def text(self) -> str:
        """The place of all of them, for people."""
        return steps_text((*self.above, self.stem))


def families(collection: CollectionFacts) -> Iterator[NameFamily]:
    """Names in one place that are the same but for a number, outermost places first."""
    groups: dict[tuple[tuple[str, ...], str], list[PathFacts]] = defaultdict(list)
    for path in collection.paths:
        name = path.steps[-1]
        if name not in (ELEMENT, ANY_KEY) and _DIGITS.search(name):
            groups[path.steps[:-1], _DIGITS.sub("#", name)].append(path)
    yield from (NameFamily(above, stem, tuple(members)) for (above, stem), members in sorted(groups.items()))


def told_once(findings: Sequence[Finding], facts: Facts, by_field: Collection[str], most: float) -> tuple[Finding, ...]:
    """The findings; what rules that go `by_field` tell of more than `most` names of a family that is told is told with it."""
    left = list(findings)
    for whole in [each for each in findings if each.rule == DYNAMIC]:
        members = _members(facts, whole)
        for rule in sorted(by_field):
            its = [each for each in left if each.rule == rule and each.namespace == whole.namespace]
            about = [each for each in its if _is_within(each.path, members)]
            if members and len(about) > most:
                place = next(place for place, each in enumerate(left) if each.identity == whole.identity)
                left[place] = _with(left[place], rule, about)
                left = [each for each in left if each not in about]
    return tuple(left)


def _members(facts: Facts, whole: Finding) -> frozenset[str]:
    """The paths of a family that is told; none of a map, whose names are one path."""
    collection = facts.collection(*whole.namespace.split(".", 1)) if "." in whole.namespace else None
    found = families(collection) if collection is not None else ()
    return frozenset(path.text for each in found if each.text == whole.path for path in each.members)


def _is_within(text: str, members: Collection[str]) -> bool:
    """Whether a path is one of the members, or lies below one."""
    ends = [place for place, letter in enumerate(text) if letter in ".["]
    return any(text[:end] in members for end in (*ends, len(text)))


def _with(whole: Finding, rule: str, about: Sequence[Finding]) -> Finding:
    """The finding of a family that also says how many findings a rule has of its names."""
    number = len(about)
    told = f"{whole.message}; `{rule}` tells of {count(number)} of them"
    severity = min(whole.severity, *(each.severity for each in about), key=lambda each: each.rank)
    return replace(whole, message=told, severity=severity, evidence=(*whole.evidence, (rule, number)))
