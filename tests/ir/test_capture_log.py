"""A server's JSON log as a capture: how long it watched, and how often a statement was slow meanwhile."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from nestling.ir.capture.log_lines import counted

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
