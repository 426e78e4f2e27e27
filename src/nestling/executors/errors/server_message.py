"""What the server says of a refusal."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from nestling.common.redaction import redact

DIVISION_BY_ZERO = "a number is divided by zero"
_BY_ZERO = re.compile(r"can't \$\w+ by zero")


def divides_by_zero(error: Exception) -> bool:
    """Whether the server could not compute a quotient or a remainder, since the divisor is 0."""
    return _BY_ZERO.search(str(error)) is not None


def server_message(error: Exception | Mapping[str, Any]) -> str:
    """In the server's words, without the reply around them and without passwords; `error`: what the driver raised, or a reply."""
    if isinstance(error, Mapping):
        return redact(str(error.get("errmsg") or "the server refused it"))
    told = (getattr(error, "details", None) or {}).get("errmsg")
    return redact(str(told or str(error).split(", full error:", 1)[0]))
