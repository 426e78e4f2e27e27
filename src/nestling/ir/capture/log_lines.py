"""Lines of a server's JSON log, counted: those of slow operations, which are all operations with `slowms: 0`.

The other lines show how long the log has watched: a statement that was slow once in a day does not run once a second.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from bson import json_util
from bson.codec_options import DatetimeConversion

from nestling.ir.capture.capture import Capture, CaptureKind
from nestling.ir.capture.entries import counted as counted_entries
from nestling.ir.storage.names import SYSTEM_DATABASES

_MARK = '"Slow query"'
_TIME = re.compile(r'\{"t":\{"\$date":"([^"]+)"')
_READING = json_util.JSONOptions(
    unicode_decode_error_handler="replace", tz_aware=True, datetime_conversion=DatetimeConversion.DATETIME_AUTO
)


def counted(lines: Iterable[str], databases: Collection[str] = ()) -> Capture:
    """The slow operations among the lines as a capture; `databases`: only of these, when any are named."""
    return counted_entries(CaptureKind.LOG, _entries(lines, frozenset(databases)))


def _entries(lines: Iterable[str], databases: frozenset[str]) -> Iterator[tuple[datetime | None, Mapping[str, Any]]]:
    for line in lines:
        if _MARK not in line:
            yield _time(line), {}
            continue
        try:
            found = json_util.loads(line, json_options=_READING)
            entry, time = found["attr"], found.get("t")
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):  # half a line, at a log's end
            continue
        database = str(entry.get("ns", "")).partition(".")[0] if isinstance(entry, Mapping) else ""
        if not database or (databases and database not in databases) or database in SYSTEM_DATABASES:
            continue
        yield time if isinstance(time, datetime) else None, entry


def _time(line: str) -> datetime | None:
    found = _TIME.match(line)
    try:
        time = datetime.fromisoformat(found[1]) if found is not None else None
    except ValueError:
        return None
    return time if time is not None and time.tzinfo is not None else None
