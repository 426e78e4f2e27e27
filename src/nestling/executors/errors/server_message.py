"""What the server says of a refusal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nestling.common.redaction import redact


def server_message(error: Exception | Mapping[str, Any]) -> str:
    """In the server's words, without the reply around them and without passwords; `error`: what the driver raised, or a reply."""
    if isinstance(error, Mapping):
        return redact(str(error.get("errmsg") or "the server refused it"))
    told = (getattr(error, "details", None) or {}).get("errmsg")
    return redact(str(told or str(error).split(", full error:", 1)[0]))
