"""Codes of the server's errors that more than one executor looks for."""

from __future__ import annotations

DUPLICATE_KEY = 11000
NOT_VALID = 121
"""A validator refuses the document."""
INDEX_CONFLICTS = frozenset((85, 86))
"""The codes for an index whose keys or name another index has."""
