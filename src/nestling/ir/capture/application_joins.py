"""Application joins: a find that asks, by `$in` or by equality, for values of the documents of a find just before it.

If the answers are available (the recorder), the values themselves are compared and then discarded. Otherwise (profiler, log) a
find with an `$in` list counts as a join if a read of the same client came right before and returned at least as many documents.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bson import ObjectId
from bson.dbref import DBRef

from nestling.ir.capture.capture import Follow
from nestling.ir.capture.shape import CommandOperation, CommandShape

REMEMBERED_SHAPES = 4
"""Shapes of one client whose latest answers are remembered …"""
REMEMBERED_SECONDS = 2.0
"""… for so long …"""
REMEMBERED_DOCUMENTS = 200
"""… and so many documents of each."""
CLIENTS = 64
COUNTED_PAIRS = 2_000
TRIED_FULLY, THEN_EVERY = 50, 20
"""How often a statement is looked at: the first times always, then one in so many."""
ENOUGH = 0.8
"""The share of the values asked for that must be in the answer."""
COMPARED_VALUES = 50
"""Values of a list that are compared."""
DEEPEST = 4
SAYING = 8
"""Characters that make a text too long to be equal by chance."""


@dataclass(slots=True)
class _Answer:
    shape: CommandShape
    time: float
    returned: int
    documents: Sequence[Mapping[str, Any]]


@dataclass(slots=True)
class _Tried:
    seen: int = 0
    tried: int = 0


@dataclass(slots=True)
class Follower:
    """Watches the reads of each client in order."""

    _answers: OrderedDict[object, OrderedDict[CommandShape, _Answer]] = field(default_factory=OrderedDict)
    _tried: dict[CommandShape, _Tried] = field(default_factory=dict)
    _found: dict[tuple[CommandShape, CommandShape, str, str], int] = field(default_factory=dict)

    def watch(
        self,
        client: object,
        time: float,
        shape: CommandShape,
        condition: object,
        returned: int,
        documents: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Hear of a read: at `time` (seconds) the client asked this, and got `returned` documents, of which some may be given."""
        before = self._answers.get(client)
        asked = list(_asked(condition)) if before else []
        if before and asked and self._is_due(shape):
            self._compare(before, time, shape, asked)
        if returned and shape.operation in (CommandOperation.FIND, CommandOperation.AGGREGATE):
            self._remember(client, _Answer(shape, time, returned, documents[:REMEMBERED_DOCUMENTS]))

    def follows(self) -> tuple[Follow, ...]:
        """The joins seen so far."""
        found = sorted(self._found.items(), key=lambda item: -item[1])
        return tuple(
            Follow(first, second, name, path, times, self._tried[second].tried)
            for (first, second, name, path), times in found
        )

    def _is_due(self, shape: CommandShape) -> bool:
        count = self._tried.get(shape)
        if count is None:
            if len(self._tried) >= COUNTED_PAIRS:
                return False
            count = self._tried[shape] = _Tried()
        count.seen += 1
        if count.seen > TRIED_FULLY and count.seen % THEN_EVERY:
            return False
        count.tried += 1
        return True

    def _compare(
        self,
        before: OrderedDict[CommandShape, _Answer],
        time: float,
        shape: CommandShape,
        asked: list[tuple[str, Sequence[Any], bool]],
    ) -> None:
        seen: set[tuple[CommandShape, CommandShape, str, str]] = set()
        for answer in reversed(before.values()):
            if time - answer.time > REMEMBERED_SECONDS:
                break
            for name, values, is_list in asked:
                paths = _paths_of(name, values, answer.documents)
                if not paths and not answer.documents and is_list and 1 < len(values) <= answer.returned:
                    paths = [""]
                seen.update((answer.shape, shape, name, path) for path in paths)
        for key in seen:
            if key in self._found or len(self._found) < COUNTED_PAIRS:
                self._found[key] = self._found.get(key, 0) + 1

    def _remember(self, client: object, answer: _Answer) -> None:
        """Keep the latest answer of each of the latest shapes."""
        known = self._answers.get(client)
        if known is None:
            if len(self._answers) >= CLIENTS:
                self._answers.popitem(last=False)
            known = self._answers[client] = OrderedDict()
        known[answer.shape] = answer
        known.move_to_end(answer.shape)
        while len(known) > REMEMBERED_SHAPES or answer.time - next(iter(known.values())).time > REMEMBERED_SECONDS:
            known.popitem(last=False)


def _asked(condition: object) -> Iterator[tuple[str, Sequence[Any], bool]]:
    """The fields compared with values that may be ids, these values, and whether they are a list."""
    for name, test in condition.items() if isinstance(condition, Mapping) else ():
        if str(name).startswith("$"):
            continue
        if isinstance(test, Mapping):
            if isinstance(found := test.get("$in"), list | tuple) and found:
                yield str(name), found[:COMPARED_VALUES], True
            elif isinstance(found := test.get("$eq"), int | str | ObjectId):
                yield str(name), (found,), False
        elif isinstance(test, int | str | ObjectId):
            yield str(name), (test,), False


def _paths_of(name: str, values: Sequence[Any], documents: Sequence[Mapping[str, Any]]) -> list[str]:
    """The paths under which the documents hold most of these values."""
    try:
        wanted = set(values)
    except TypeError:
        return []
    found: dict[str, set[Any]] = {}
    for document in documents:
        for path, value in _scalars(document, ""):
            if value in wanted and (_tells(value) or (_is_id(name) and _is_id(path))):
                found.setdefault(path, set()).add(value)
    return [path for path, met in found.items() if len(met) >= ENOUGH * len(wanted)]


def _tells(value: object) -> bool:
    """Whether a value says by itself which row is meant: small numbers and short texts are equal by chance."""
    return isinstance(value, ObjectId) or (isinstance(value, str) and len(value) >= SAYING)


def _is_id(path: str) -> bool:
    return path.lower().endswith("id")


def _scalars(value: Any, path: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for name, inner in value.items() if depth < DEEPEST else ():
            yield from _scalars(inner, f"{path}.{name}" if path else str(name), depth + 1)
    elif isinstance(value, list):
        for inner in value[:COMPARED_VALUES] if depth < DEEPEST else ():
            yield from _scalars(inner, path, depth + 1)
    elif isinstance(value, int | str | ObjectId) or (type(value).__hash__ is not None and not isinstance(value, DBRef)):
        yield path, value
