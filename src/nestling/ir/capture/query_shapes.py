"""The server's own query shapes (`$queryStats`), counted. They hold words such as `?number` where values were."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from bson import ObjectId

from nestling.ir.capture.capture import Capture, CaptureKind
from nestling.ir.capture.masks import NULL_SHAPE
from nestling.ir.capture.shape import operation_of, shape
from nestling.ir.capture.tally import Sums, Tally

_ARRAY = re.compile(r"\?array<(.*)>")
_EXAMPLES: dict[str, object] = {
    "?number": 7,
    "?bool": True,
    NULL_SHAPE: None,
    "?date": datetime(2000, 1, 1, tzinfo=UTC),
    "?objectId": ObjectId(b"nestling-id."),
    "?binData": b"",
    "?object": {},
}
_NOT_CLAUSES = {"cmdNs", "command"}
_NUMBERED = ("limit", "skip", "$limit", "$skip")


def counted(statistics: Iterable[Mapping[str, Any]]) -> Capture:
    """The answers of `$queryStats` as a capture, over the time the oldest of them covers."""
    tally = Tally(CaptureKind.QUERY_STATS)
    first: list[datetime] = []
    last: list[datetime] = []
    for each in statistics:
        key, metrics = each.get("key", {}), each.get("metrics", {})
        _count(tally, key.get("queryShape", {}), metrics)
        first += _times(metrics.get("firstSeenTimestamp"))
        last += _times(each.get("asOf", metrics.get("latestSeenTimestamp")))
    return tally.capture((max(last) - min(first)).total_seconds() if first and last else 0.0)


def _count(tally: Tally, found: Mapping[str, Any], metrics: Mapping[str, Any]) -> None:
    space, named = found.get("cmdNs", {}), str(found.get("command", ""))
    operation = operation_of({named: 1})
    if operation is None or not isinstance(space, Mapping):
        return
    clauses = {name: _example(name, each) for name, each in found.items() if name not in _NOT_CLAUSES}
    made = shape(str(space.get("db", "")), str(space.get("coll", "")), operation, clauses)
    sums = Sums(
        seconds=_sum(metrics, "totalExecMicros") / 1e6,
        documents_examined=round(_sum(metrics, "docsExamined")),
        keys_examined=round(_sum(metrics, "keysExamined")),
        returned=round(_sum(metrics, "docsReturned")),
    )
    tally.add(made, sums, float(metrics.get("execCount", 0)))


def _sum(metrics: Mapping[str, Any], name: str) -> float:
    found = metrics.get(name, 0)
    number = found.get("sum", 0) if isinstance(found, Mapping) else found
    return float(number) if isinstance(number, int | float) else 0.0


def _times(found: object) -> list[datetime]:
    if hasattr(found, "as_datetime"):
        found = found.as_datetime()
    if not isinstance(found, datetime):
        return []
    return [found if found.tzinfo else found.replace(tzinfo=UTC)]


def _example(name: str, found: object) -> object:
    """A value the word in a shape may stand for; a limit is not known and becomes none."""
    if isinstance(found, Mapping):
        return {str(key): _example(str(key), each) for key, each in found.items()}
    if isinstance(found, list):
        return [_example("", each) for each in found]
    if not isinstance(found, str) or not found.startswith("?"):
        return found
    if name in _NUMBERED:
        return 0
    array = _ARRAY.fullmatch(found)
    return [_example("", array[1])] if array else _EXAMPLES.get(found, "text")
