"""How a compiled statement fails on purpose, and how its message is found in the server's error."""

from __future__ import annotations

import re

ERROR_PREFIX = "nestling: "
_SAID = re.compile(rf"Failed to parse number '{ERROR_PREFIX}(.*?)' in \$convert with no onError value", re.DOTALL)


def failure_in(words: str) -> str | None:
    """The statement's own message in an error; None if the message is the server's."""
    found = _SAID.search(words)
    return found[1] if found else None
