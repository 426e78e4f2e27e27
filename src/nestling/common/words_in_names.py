"""The words that names of tables, fields and collections are made of."""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")


def words(name: str) -> tuple[str, ...]:
    """The words of a name in lower case: `customerID` and `customer_id` are customer and id."""
    return tuple(word.lower() for word in _WORD.findall(name))
