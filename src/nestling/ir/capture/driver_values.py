"""Values as applications give them to the driver, as the values of BSON that the driver sends for them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bson import Regex
from bson.raw_bson import RawBSONDocument

_DOCUMENTS = "documents"
"""What an insert writes: many documents, of which no value matters."""


def as_sent(command: Mapping[str, Any]) -> Mapping[str, Any]:
    """A command with lists for tuples and BSON's patterns for Python's; what it inserts stays as it is."""
    return {name: each if name == _DOCUMENTS else _sent(each) for name, each in command.items()}


def _sent(value: Any) -> Any:
    if isinstance(value, Mapping):
        return value if isinstance(value, RawBSONDocument) else {name: _sent(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_sent(each) for each in value]
    return Regex.from_native(value) if isinstance(value, re.Pattern) else value
