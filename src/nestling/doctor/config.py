"""The doctor's config file: thresholds, whose the others are, accepted findings, and what fails a run.

::

    as: atlas
    fail_on: error
    thresholds:
      unbounded-array: {elements: 500}
    ignore:
      - {rule: deep-nesting, where: "shop.orders: *", reason: "a document of a partner's"}
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isnan

from nestling.common.errors import InputError, Problem, unknown
from nestling.doctor import AS, rule, rule_names
from nestling.doctor.report import Accepted, accepted_entries
from nestling.ir.finding import Severity
from nestling.ir.text.yaml_reader import read_yaml

KEYS = ("as", "fail_on", "thresholds", "ignore")
NEVER = "never"


@dataclass(frozen=True, slots=True)
class Config:
    """A team's settings: `thresholds` by `rule.name`; empty texts mean not set."""

    thresholds: dict[str, float] = field(default_factory=dict)
    office: str = ""
    fail_on: str = ""
    accepted: tuple[Accepted, ...] = ()


def read_config(text: str, file: str) -> Config:
    """The config file; raises `InputError` with every mistake in it."""
    document, problems = read_yaml(text, file)
    found = document.value
    if not isinstance(found, dict):
        raise InputError(
            *map(document.placed, problems or [Problem(f"must be a map with keys from {', '.join(KEYS)}", path=())])
        )
    problems += [unknown("key", str(key), KEYS, path=(str(key),)) for key in found if key not in KEYS]
    problems += _choice(found, "as", AS)
    problems += _choice(found, "fail_on", (*map(str, Severity), NEVER))
    thresholds: dict[str, float] = {}
    problems += _thresholds(found.get("thresholds", {}), thresholds)
    accepted, mistakes = accepted_entries(found.get("ignore", []), ("ignore",), rule_names())
    problems += mistakes
    if problems:
        raise InputError(*map(document.placed, problems))
    return Config(thresholds, str(found.get("as", "")), str(found.get("fail_on", "")), accepted)


def _choice(found: dict[str, object], key: str, known: tuple[str, ...]) -> Iterator[Problem]:
    if key in found and found[key] not in known:
        yield unknown("choice", str(found[key]), known, path=(key,))


def _thresholds(found: object, made: dict[str, float]) -> Iterator[Problem]:
    if not isinstance(found, dict):
        yield Problem("must map rules to thresholds", path=("thresholds",))
        return
    for name, values in found.items():
        path = ("thresholds", str(name))
        if name not in rule_names():
            yield unknown("rule", str(name), rule_names(), path=path)
            continue
        known = [each.name for each in rule(name).thresholds]
        if not isinstance(values, dict):
            yield Problem("must map thresholds to numbers", path=path)
            continue
        for each, number in values.items():
            if each not in known:
                yield unknown("threshold", str(each), known, of=str(name), path=(*path, str(each)))
            elif isinstance(number, bool) or not isinstance(number, int | float) or isnan(number):
                yield Problem("must be a number", path=(*path, str(each)))
            else:
                made[f"{name}.{each}"] = float(number)
