"""The doctor: facts about live databases in, findings out. Pure: it has never heard of a driver.

A rule is a module of `nestling.doctor.rules`; adding one is adding a file.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType

from nestling.common.errors import InputError, Problem, unknown
from nestling.common.folders import member, module_names
from nestling.doctor import rules
from nestling.doctor.covering_findings import told_once
from nestling.doctor.covering_indexes import without_covered
from nestling.doctor.rule import AS, OFFICES, Rule, RuleInput, Threshold, ThresholdInForce
from nestling.ir.facts import Facts
from nestling.ir.finding import Finding

__all__ = ["AS", "OFFICES", "diagnose", "explanation", "limits", "rule", "rule_names"]


def rule_names() -> tuple[str, ...]:
    """The ids of all rules: the modules of the folder, with dashes."""
    return tuple(sorted(name.replace("_", "-") for name in module_names(rules.__path__)))


def rule(name: str) -> Rule:
    """The rule of that id; raises `InputError`."""
    found = _module(name).RULE
    assert isinstance(found, Rule)
    return found


def explanation(name: str) -> str:
    """The manual page of a rule: what it finds, why, an example, the remedy and when to ignore it."""
    return inspect.cleandoc(_module(name).__doc__ or "")


def limits(thresholds: Mapping[str, float] | None = None, office: str = "") -> dict[str, dict[str, ThresholdInForce]]:
    """The limits in force, by rule and threshold: the given ones (`rule.threshold`), else the office's, else each rule's first.

    Raises `InputError` for unknown thresholds.
    """
    given = dict(thresholds or {})
    known = {f"{name}.{each.name}" for name in rule_names() for each in rule(name).thresholds}
    problems = [unknown("threshold", name, known) for name in given if name not in known]
    if problems:
        raise InputError(*problems)
    return {
        name: {each.name: _limit(each, given.get(f"{name}.{each.name}"), office) for each in rule(name).thresholds}
        for name in rule_names()
    }


def _limit(threshold: Threshold, given: float | None, office: str) -> ThresholdInForce:
    if given is not None:
        return ThresholdInForce(given, threshold.unit, "yours")
    chosen = office if office in threshold.values else next(iter(threshold.values))
    return ThresholdInForce(threshold.values[chosen], threshold.unit, OFFICES[chosen])


def diagnose(
    facts: Facts,
    *,
    earlier: Facts | None = None,
    chosen: Sequence[str] = (),
    in_force: Mapping[str, Mapping[str, ThresholdInForce]] | None = None,
) -> tuple[Finding, ...]:
    """The findings of the chosen rules (empty: all), most important first. Raises `InputError` for unknown rules.

    No proposed index is the beginning of another proposed one.
    """
    limit = in_force if in_force is not None else limits()

    def of_rules(names: Sequence[str], proposed: tuple[Finding, ...]) -> Iterator[Finding]:
        for name in names:
            seen = RuleInput(name, rule(name).severity, facts, limit[name], earlier, proposed)
            yield from _module(name).findings(seen)

    names = chosen or rule_names()
    by_field = [name for name in names if rule(name).by_field]
    first = [*of_rules([name for name in names if not rule(name).last], ())]
    first = [*told_once(first, by_field)]
    last = of_rules([name for name in names if rule(name).last], tuple(first))
    return without_covered(sorted([*first, *last], key=_order))


def _order(finding: Finding) -> tuple[int, str, str, float, str]:
    return finding.severity.rank, finding.rule, finding.namespace, -finding.number, finding.path


def _module(name: str) -> ModuleType:
    if name not in rule_names():
        raise InputError(
            Problem(
                f"no rule `{name}`", known=unknown("rule", name, rule_names()).known, next_move="choose one of them"
            )
        )
    return member(rules.__name__, name.replace("-", "_"))
