"""The environment's variable that names a server."""

from __future__ import annotations

VARIABLE = "NESTLING_MONGODB_URI"
