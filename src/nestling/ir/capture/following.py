"""Application joins: a find that asks, by `$in` or by equality, for values the documents of a find just before it held.

With the answers at hand (the recorder) the values themselves are compared; they are looked at and let go. Without (profiler,
log) a find with an `$in` list counts as a join when a read of the same client came right before and returned at least as many
documents.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bson import ObjectId
from bson.dbref import DBRef

from nestling.ir.capture.seen import Follow
from nestling.ir.capture.shape import Operation, Shape

KEPT = 4
"""Answers of one client that are remembered …"""
SECONDS = 2.0
"""… for so long …"""
DOCUMENTS = 200
"""… and so many documents of each."""
CLIENTS = 64
PAIRS = 2_000
TRIED_FULLY, THEN_EVERY = 50, 20
"""How often a statement is looked at: the first times always, then one in so many."""
ENOUGH = 0.8
"""The share of the values asked for that must be in the answer."""
VALUES = 50
"""Values of a list that are compared."""
DEEPEST = 4


@dataclass(slots=True)
class _Answer:
    shape: Shape
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

    _answers: OrderedDict[object, deque[_Answer]] = field(default_factory=OrderedDict)
    _tried: dict[Shape, _Tried] = field(default_factory=dict)
    _found: dict[tuple[Shape, Shape, str, str], int] = field(default_factory=dict)

    def watch(
        self,
        client: object,
        time: float,
        shape: Shape,
        condition: object,
        returned: int,
        documents: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Hear of a read: at `time` (seconds) the client asked this, and got `returned` documents, of which some may be given."""
        before = self._answers.get(client)
        asked = list(_asked(condition)) if before else []
        if before and asked and self._is_due(shape):
            self._compare(before, time, shape, asked)
        if returned and shape.operation in (Operation.FIND, Operation.AGGREGATE):
            self._remember(client, _Answer(shape, time, returned, documents[:DOCUMENTS]))

    def follows(self) -> tuple[Follow, ...]:
        """The joins seen."""
        found = sorted(self._found.items(), key=lambda item: -item[1])
        return tuple(
            Follow(first, second, name, path, times, self._tried[second].tried)
            for (first, second, name, path), times in found
        )

    def _is_due(self, shape: Shape) -> bool:
        count = self._tried.get(shape)
        if count is None:
            if len(self._tried) >= PAIRS:
                return False
            count = self._tried[shape] = _Tried()
        count.seen += 1
        if count.seen > TRIED_FULLY and count.seen % THEN_EVERY:
            return False
        count.tried += 1
        return True

    def _compare(
        self, before: deque[_Answer], time: float, shape: Shape, asked: list[tuple[str, Sequence[Any], bool]]
    ) -> None:
        for answer in reversed(before):
            if time - answer.time > SECONDS:
                return
            for name, values, is_list in asked:
                path = _path_of(values, answer.documents) if answer.documents else ""
                counted = not answer.documents and is_list and 1 < len(values) <= answer.returned
                if path or counted:
                    key = (answer.shape, shape, name, path or "")
                    if key in self._found or len(self._found) < PAIRS:
                        self._found[key] = self._found.get(key, 0) + 1
                    return

    def _remember(self, client: object, answer: _Answer) -> None:
        known = self._answers.get(client)
        if known is None:
            if len(self._answers) >= CLIENTS:
                self._answers.popitem(last=False)
            known = self._answers[client] = deque(maxlen=KEPT)
        while known and answer.time - known[0].time > SECONDS:
            known.popleft()
        known.append(answer)


def _asked(condition: object) -> Iterator[tuple[str, Sequence[Any], bool]]:
    """The fields compared with ids, their values, and whether these are a list."""
    for name, test in condition.items() if isinstance(condition, Mapping) else ():
        if str(name).startswith("$"):
            continue
        if isinstance(test, Mapping):
            if isinstance(found := test.get("$in"), list | tuple) and found:
                yield str(name), found[:VALUES], True
            elif _is_id(found := test.get("$eq")):
                yield str(name), (found,), False
        elif _is_id(test):
            yield str(name), (test,), False


def _is_id(value: object) -> bool:
    """Whether a value says by itself which row is meant: small numbers and short texts are equal by chance."""
    if isinstance(value, int) and not isinstance(value, bool):
        return abs(value) > DOCUMENTS
    return isinstance(value, ObjectId) or (isinstance(value, str) and len(value) >= 8)


def _path_of(values: Sequence[Any], documents: Sequence[Mapping[str, Any]]) -> str:
    """The path under which the documents hold most of these values; empty when none does."""
    try:
        wanted = set(values)
    except TypeError:
        return ""
    found: dict[str, set[Any]] = {}
    for document in documents:
        for path, value in _scalars(document, ""):
            if value in wanted:
                found.setdefault(path, set()).add(value)
    path, met = max(found.items(), key=lambda item: len(item[1]), default=("", set()))
    return path if met and len(met) >= ENOUGH * len(wanted) else ""


def _scalars(value: Any, path: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for name, inner in value.items() if depth < DEEPEST else ():
            yield from _scalars(inner, f"{path}.{name}" if path else str(name), depth + 1)
    elif isinstance(value, list):
        for inner in value[:VALUES] if depth < DEEPEST else ():
            yield from _scalars(inner, path, depth + 1)
    elif isinstance(value, int | str | ObjectId) or (type(value).__hash__ is not None and not isinstance(value, DBRef)):
        yield path, value
