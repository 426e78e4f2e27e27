"""The result of examining a database: facts, findings, and the findings set aside with their reasons."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from nestling.common.errors import InputError, Problem, unknown
from nestling.ir.facts import OUT_OF_TIME, Facts, NamespaceKind, Skipped
from nestling.ir.finding import Finding, Severity
from nestling.ir.text.yaml_reader import read_yaml

KEYS = ("rule", "where", "reason")


@dataclass(frozen=True, slots=True)
class Ignored:
    """A finding somebody has accepted, and why."""

    finding: Finding
    reason: str


@dataclass(frozen=True, slots=True)
class Report:
    """The remaining findings, those set aside, and the facts they are based on."""

    facts: Facts
    findings: tuple[Finding, ...]
    ignored: tuple[Ignored, ...] = ()

    def counts(self) -> dict[Severity, int]:
        """The remaining findings by severity."""
        return {severity: sum(each.severity is severity for each in self.findings) for severity in Severity}

    @property
    def cut_short(self) -> int:
        """The number of queries that were not sent, or not finished, for lack of time."""
        return sum(OUT_OF_TIME in each.why for each in self.facts.skipped)

    def fails_on(self, least: Severity | None) -> bool:
        """Whether a finding is at least this severe; None: never."""
        return least is not None and any(each.severity.rank <= least.rank for each in self.findings)


@dataclass(frozen=True, slots=True)
class Accepted:
    """Findings to set aside: of a rule (`*`: any), at places that match a pattern such as `shop.orders: lines*`."""

    rule: str
    where: str
    reason: str

    def fits(self, finding: Finding) -> bool:
        """Whether the finding is meant."""
        return self.is_of(finding.rule) and fnmatchcase(finding.place, self.where)

    def is_of(self, rule: str) -> bool:
        """Whether findings of a rule may be meant."""
        return fnmatchcase(rule, self.rule)


def read_accepted(text: str, file: str, rules: Sequence[str]) -> tuple[Accepted, ...]:
    """Read the ignore file: a YAML list of `{rule, where, reason}` for existing `rules`.

    Raises `InputError` with every mistake in it.
    """
    document, problems = read_yaml(text, file)
    found, mistakes = accepted_entries(document.value, (), rules)
    if problems or mistakes:
        raise InputError(*map(document.placed, problems or mistakes))
    return found


def accepted_entries(
    value: object, path: tuple[str | int, ...], rules: Sequence[str]
) -> tuple[tuple[Accepted, ...], list[Problem]]:
    """Accepted findings as plain data at `path` of a file, and the mistakes in them."""
    if not isinstance(value, list):
        return (), [Problem("must be a list of {rule, where, reason}", path=path)]
    found, problems = [], []
    for place, entry in enumerate(value):
        lacking = [key for key in KEYS if not isinstance(entry, dict) or not isinstance(entry.get(key), str)]
        if lacking:
            problems.append(
                Problem(f"needs a text for {', '.join(f'`{key}`' for key in lacking)}", path=(*path, place))
            )
        else:
            found.append(Accepted(entry["rule"], entry["where"], entry["reason"]))
            if not any(found[-1].is_of(name) for name in rules):
                problems.append(unknown("rule", entry["rule"], rules, path=(*path, place, "rule")))
    return tuple(found), problems


def read_baseline(text: str, file: str) -> tuple[Accepted, ...]:
    """The findings of an earlier JSON report, as accepted ones; raises `InputError`."""
    try:
        found = [(each["rule"], each["namespace"], each["path"]) for each in json.loads(text)["findings"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(
            Problem(
                "is not a JSON report of nestling doctor",
                where=file,
                next_move="write one: nestling doctor URI --json > FILE",
            )
        ) from None
    return tuple(
        _exactly(str(rule), f"{namespace}: {path}" if path else str(namespace)) for rule, namespace, path in found
    )


def _exactly(rule: str, place: str) -> Accepted:
    """The finding at one place, whose characters mean themselves."""
    literal = "".join(f"[{character}]" if character in "*?[" else character for character in place)
    return Accepted(rule, literal, "in the baseline")


def without_finding(accepted: Iterable[Accepted], made: Report) -> Iterator[str]:
    """Notes on accepted findings that match none: they are fixed, or the pattern is wrong."""
    found = (*made.findings, *(each.finding for each in made.ignored))
    for each in accepted:
        if not any(each.fits(finding) for finding in found):
            yield f"no finding matches the accepted {each.rule} at `{each.where}`: fix the pattern or remove the entry"


def _unread(facts: Facts) -> Iterator[Skipped]:
    """Collections that are named and not read."""
    for each in facts.collections:
        if each.kind is NamespaceKind.TIME_SERIES:
            yield Skipped(f"the measurements of {each.namespace}", "time series collections are not read yet")


def report(facts: Facts, findings: Sequence[Finding], accepted: Iterable[Accepted] = ()) -> Report:
    """The report, with accepted findings set aside."""
    known = tuple(accepted)
    facts = replace(facts, skipped=(*facts.skipped, *(each for each in _unread(facts) if each not in facts.skipped)))
    reasons = {finding: next((each.reason for each in known if each.fits(finding)), None) for finding in findings}
    standing = tuple(finding for finding in findings if reasons[finding] is None)
    ignored = tuple(Ignored(finding, reason) for finding, reason in reasons.items() if reason is not None)
    return Report(facts, standing, ignored)
