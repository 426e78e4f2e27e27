"""Reassembles large events that arrive in several fragments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Fragments:
    """Collects the fragments of one event; they come one after the other."""

    def __init__(self) -> None:
        self._parts: list[Mapping[str, Any]] = []

    def whole(self, event: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The event, whole; None while fragments are missing. Its resume token is that of the last one."""
        split = event.get("splitEvent")
        if split is None:
            return event
        if split["fragment"] == 1:
            self._parts = []
        self._parts.append(event)
        if split["fragment"] < split["of"]:
            return None
        whole: dict[str, Any] = {}
        for part in self._parts:
            whole |= part
        self._parts = []
        return whole
