"""How a compiled statement fails on purpose, and how its message is found in the server's error."""

from __future__ import annotations

import re

BEFORE = "nestling: "
_SAID = re.compile(rf"Failed to parse number '{BEFORE}(.*?)' in \$convert with no onError value", re.DOTALL)


def failure_in(words: str) -> str | None:
    """What the statement says; None where the words are the server's own."""
    found = _SAID.search(words)
    return found[1] if found else None
