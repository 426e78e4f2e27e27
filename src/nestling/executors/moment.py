"""The moment, as MongoDB keeps it."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """UTC without its zone, in whole milliseconds."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000, tzinfo=None)
