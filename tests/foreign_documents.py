"""Documents of a design as other applications leave them: with fields that it does not know, without arrays that are empty."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any

from nestling.emitters.content import Array, Content, Either, Object, lenient
from nestling.ir.found_field import FieldSteps

NAMES = ("note", "größer", "$z", "a.c", "9", "", "[]")
VALUES: tuple[object, ...] = (1, None, {"deep": {"er": 1}}, [{"in": 2}], [])


def strewn(
    document: dict[str, Any], kinds: Iterable[Object], chance: random.Random, *, everywhere: bool
) -> set[FieldSteps]:
    """Put fields into a document, which has one of these forms; returns their paths. `everywhere`: also where validators mind."""
    put = set[FieldSteps]()
    for inside, path in [each for kind in kinds for each in _objects(document, kind, (), everywhere=everywhere)]:
        name = chance.choice(NAMES)
        if chance.random() < 0.5 and path[:1] != ("_id",):
            inside[name] = chance.choice(VALUES)
            put.add((*path, name))
    return put


def without_empty(document: dict[str, Any], kind: Object, chance: random.Random) -> int:
    """Take out some of the arrays that are empty and may be missing; returns how many went."""
    gone = 0
    for inside, content in [*_contents(document, kind)]:
        for field in lenient(content).fields:
            if not field.required and inside.get(field.name, None) == [] and chance.random() < 0.5:
                del inside[field.name]
                gone += 1
    return gone


def _contents(value: object, content: Content) -> Iterator[tuple[dict[str, Any], Object]]:
    """Every document inside a value that is of the design, with what the design says of it."""
    if isinstance(content, Array) and isinstance(value, list):
        for each in value:
            yield from _contents(each, content.items)
    elif isinstance(content, Object) and isinstance(value, dict):
        yield value, content
        for field in content.fields:
            yield from _contents(value.get(field.name), field.content)


def _objects(
    value: object, content: Content, path: FieldSteps, *, everywhere: bool
) -> Iterator[tuple[dict[str, Any], FieldSteps]]:
    """Every document inside a value that is of the design, with its path."""
    if isinstance(content, Either):
        for each in content.alternatives:
            yield from _objects(value, each, path, everywhere=everywhere)
    elif isinstance(content, Array) and isinstance(value, list):
        for each in value:
            yield from _objects(each, content.items, (*path, None), everywhere=everywhere)
    elif isinstance(content, Object) and isinstance(value, dict) and (everywhere or not content.exact):
        yield value, path
        for field in content.fields:
            yield from _objects(value.get(field.name), field.content, (*path, field.name), everywhere=everywhere)
