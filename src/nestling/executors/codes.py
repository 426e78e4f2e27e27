"""Codes of the server's errors that more than one executor looks for."""

from __future__ import annotations

DUPLICATE_KEY = 11000
INDEX_OPTIONS_CONFLICT = 85
