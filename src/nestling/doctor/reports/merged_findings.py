"""Findings that say the same of several collections, shown once on the screen; the files keep each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from nestling.doctor.reports.wording import amount, measure, threshold
from nestling.ir.finding import Finding
from nestling.ir.quantity_words import counted

LEAST_OF_A_FAMILY = 3
"""The number of collections from which on those whose names differ only in numbers are shown as one."""
_NUMBER = re.compile(r"\d[\d.,]*(?: [kMGT]?i?B\b)?(?: (\w+?)s?\b)?")
_DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class Alike:
    """One or more findings of a rule whose texts differ in numbers alone, the largest number first."""

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The finding that is shown in full."""
        return self.findings[0]

    @property
    def place(self) -> str:
        """The collections, those of a family as one: `shop.a, shop.logs_# (12 collections): level`."""
        path = f": {self.first.path}" if self.first.path else ""
        return f"{', '.join(_names([each.namespace for each in self.findings]))}{path}"

    @property
    def measured(self) -> str:
        """The numbers from the least to the largest, and the threshold."""
        numbers = [each.number for each in self.findings]
        if min(numbers) == max(numbers):
            return measure(self.first)
        least, largest = min(numbers), amount(max(numbers), self.first.unit)
        unit = self.first.unit
        return f"{amount(least, unit) if unit == 'bytes' else amount(least, '')} to {largest}{threshold(self.first)}"


def alike(findings: Iterable[Finding]) -> list[Alike]:
    """The findings in their order, those alike together where the first of them is."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for each in findings:
        database = each.namespace.partition(".")[0]
        texts = (_NUMBER.sub(r"# \1", text) for text in (each.message, each.cost, each.remedy))
        groups.setdefault((each.rule, each.severity, each.confidence, database, each.path, *texts), []).append(each)
    return [Alike(tuple(sorted(group, key=lambda each: -each.number))) for group in groups.values()]


def _names(namespaces: Sequence[str]) -> Iterator[str]:
    """Names in order, with one for those of a family."""
    families: dict[str, list[str]] = {}
    for name in sorted(namespaces):
        families.setdefault(_DIGITS.sub("#", name), []).append(name)
    for names in families.values():
        if len(names) < LEAST_OF_A_FAMILY:
            yield from names
            continue
        parts = zip(*(_DIGITS.split(name) for name in names), strict=True)
        shared = "".join(here[0] if len(set(here)) == 1 else "#" for here in parts)
        yield f"{shared} ({counted(len(names), 'collection')})"
