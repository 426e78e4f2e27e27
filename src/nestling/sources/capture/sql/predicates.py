"""Conditions that are either true or false, and what they become when they are negated.

SQL has three truth values, MongoDB's filters have two: what SQL says of a missing value is neither true nor false, and stays so
under NOT. So a test has two texts, one that is true where it holds and one that is true where it does not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from nestling.sources.capture.sql.field_values import NotExpressible


@dataclass(frozen=True, slots=True)
class CapturedTest:
    """A test: SQL conditions of which one is true where it holds, and others of which one is true where it does not."""

    holds: tuple[str, ...]
    fails: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OneWay:
    """A test that SQL can express, but not its negation; `why`: the reason, for people."""

    holds: str
    why: str


@dataclass(frozen=True, slots=True)
class Every:
    """All of these hold."""

    parts: tuple[CapturedCondition, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """At least one of these holds."""

    parts: tuple[CapturedCondition, ...]


CapturedCondition: TypeAlias = CapturedTest | OneWay | Every | Some
ALWAYS, NEVER = Every(()), Some(())
NEVER_TRUE = "1 = 0"
"""What no row meets."""


def every(parts: Iterable[CapturedCondition]) -> CapturedCondition:
    """All of these hold; in its simplest form."""
    found: list[CapturedCondition] = []
    for part in parts:
        if part == NEVER:
            return NEVER
        found += part.parts if isinstance(part, Every) else (part,)
    return found[0] if len(found) == 1 else Every(tuple(found))


def some(parts: Iterable[CapturedCondition]) -> CapturedCondition:
    """At least one of these holds; in its simplest form."""
    found: list[CapturedCondition] = []
    for part in parts:
        if part == ALWAYS:
            return ALWAYS
        found += part.parts if isinstance(part, Some) else (part,)
    return found[0] if len(found) == 1 else Some(tuple(found))


def negated(predicate: CapturedCondition) -> CapturedCondition:
    """The predicate that holds exactly where this one does not; raises NotExpressible."""
    match predicate:
        case CapturedTest(holds, fails):
            return CapturedTest(fails, holds)
        case OneWay(_, why):
            raise NotExpressible(why)
        case Every(parts):
            return some(map(negated, parts))
        case Some(parts):
            return every(map(negated, parts))


def conjuncts(predicate: CapturedCondition) -> list[str]:
    """The SQL conditions that are all true where a predicate holds."""
    if isinstance(predicate, Every):
        return list(dict.fromkeys(text for part in predicate.parts for text in conjuncts(part)))
    return [text_of(predicate)]


def text_of(predicate: CapturedCondition) -> str:
    """One SQL condition, to stand among others that are joined by AND."""
    if predicate == ALWAYS:
        return "1 = 1"
    if isinstance(predicate, Every):
        return " AND ".join(conjuncts(predicate))
    texts = list(dict.fromkeys(_alternatives(predicate)))
    if not texts:
        return NEVER_TRUE
    return f"({' OR '.join(texts)})" if len(texts) > 1 else texts[0]


def _alternatives(predicate: CapturedCondition) -> list[str]:
    match predicate:
        case CapturedTest(holds, _):
            return list(holds)
        case OneWay(holds, _):
            return [holds]
        case Some(parts):
            return [text for part in parts for text in _alternatives(part)]
        case Every(parts):
            text = text_of(predicate)
            return [f"({text})" if len(parts) > 1 else text]
