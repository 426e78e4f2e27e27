"""A server's JSON log as a capture: how long it watched, and how often a statement was slow meanwhile."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from nestling.ir.capture.log_lines import counted
from nestling.ir.storage.names import LOOK, MIGRATE

BEYOND = '{"t":{"$date":1e308},"msg":"Slow query","attr":{"ns":"shop.orders"}}'
START = datetime(2026, 4, 11, 8, tzinfo=UTC)


def line(second: float, message: str, **attributes: Any) -> str:
    """A line as mongod writes it."""
    time = (START + timedelta(seconds=second)).isoformat(timespec="milliseconds")
    return json.dumps({"t": {"$date": time}, "s": "I", "msg": message, "attr": attributes}, separators=(",", ":"))


def slow(second: float) -> str:
    """A slow find."""
    command = {"find": "orders", "filter": {"customer_id": 7}}
    return line(second, "Slow query", type="command", ns="shop.orders", command=command, durationMillis=120)


def own(second: float, comment: str, *, cut: bool = False) -> str:
    """A command that nestling sent by the application's client, and the next batch of its answer."""
    command = {"$truncated": "{ aggregate: …"} if cut else {"aggregate": "orders", "pipeline": [{"$limit": 20}]}
    told = {**command, "comment": comment}
    batch = {"command": {"getMore": 7, "collection": "orders"}, "originatingCommand": told}
    entries = ({"command": told}, *(() if cut else (batch,)))
    return "\n".join(
        line(second, "Slow query", type="command", ns="shop.orders", appName="app", **each) for each in entries
    )


@pytest.mark.parametrize(
    ("lines", "rate"),
    [
        ([slow(0), *(slow(second) for second in range(1, 3601))], 3601 / 3600),
        ([line(0, "Waiting for connections"), slow(1800), line(3600, "Connection ended")], 1 / 3600),
        ([slow(0), "half a li", line(100, "Connection ended"), '{"t":{"$date":"never"}', BEYOND], 1 / 100),
        ([slow(0)], 1.0),
    ],
    ids=["slow ones alone", "one among others", "odd lines", "a single line"],
)
def test_a_rate_is_over_the_time_the_log_covers(lines: list[str], rate: float) -> None:
    """From its first line to its last, whatever they are about; at least a second."""
    found = counted(lines, ["shop"])
    (seen,) = found.seen
    assert found.rate(seen) == pytest.approx(rate)


@pytest.mark.parametrize("comment", [LOOK, f"{MIGRATE} 0123abcd"])
def test_commands_of_nestlings_own_are_nobodys_statements(comment: str) -> None:
    """Their comment says so, whichever client sent them, and however long they are; other comments say nothing."""
    lines = [slow(0), *own(1, comment).splitlines(), own(2, comment, cut=True), own(3, "nightly").splitlines()[0]]
    found = counted(lines, ["shop"])
    assert [(str(each.shape.operation), each.count) for each in found.seen] == [("find", 1), ("aggregate", 1)]
    assert not found.skipped
