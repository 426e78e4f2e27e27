"""A condition as an index sees it: what holds of every document it finds, and the branches of an `$or`, of which one holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

FieldTest = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ConditionParts:
    """The tests every document passes, and the branches of one `$or`, each with tests of its own; empty: no index serves any."""

    common: tuple[FieldTest, ...]
    branches: tuple[tuple[FieldTest, ...], ...] = ()


def parts_of(condition: Mapping[str, Any]) -> ConditionParts:
    """The parts of a condition.

    The server uses indexes for one of several `$or`s: here it is the first of which every branch tests a field.
    """
    common: list[FieldTest] = []
    choices: list[tuple[tuple[FieldTest, ...], ...]] = []
    for name, test in condition.items():
        match name:
            case "$and" | "$or" | "$nor" if not isinstance(test, list):
                pass  # the server has refused it
            case "$and":
                for found in map(parts_of, test):
                    common += found.common
                    choices.append(found.branches)
            case "$or":
                choices.append(_branches(test))
            case "$nor":
                common += _refused(test)
            case _ if not name.startswith("$") and isinstance(test, dict):
                common.append((name, test))
    branches = next(filter(None, choices), ())
    return (
        ConditionParts((*common, *branches[0]), ()) if len(branches) == 1 else ConditionParts(tuple(common), branches)
    )


def _branches(alternatives: Sequence[Mapping[str, Any]]) -> tuple[tuple[FieldTest, ...], ...]:
    """The branches of an `$or`, those of an `$or` within it among them; none where one tests no field."""
    branches: list[tuple[FieldTest, ...]] = []
    for found in map(parts_of, alternatives):
        if not found.common and not found.branches:
            return ()
        branches += [(*found.common, *each) for each in found.branches] or [found.common]
    return tuple(branches)


def _refused(alternatives: Sequence[Mapping[str, Any]]) -> Iterator[FieldTest]:
    """The tests of a `$nor`, each turned round; a branch of several fields refuses none of their values by itself."""
    for found in map(parts_of, alternatives):
        if len(found.common) == 1 and not found.branches:
            ((name, test),) = found.common
            yield name, {"$not": test}
