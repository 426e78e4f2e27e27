"""How callers hear of long work."""

from __future__ import annotations

from collections.abc import Callable

Watch = Callable[[str, int, int | None], None]
"""Hears how far long work is: what is being worked on, rows (or collections) done, how many in all (None: not known)."""
