"""Field names in captured commands: those that are data (ids, dates, addresses as keys) are folded into `{*}`."""

from __future__ import annotations

import re

from nestling.ir.facts.steps import ANY_KEY

_DATA = re.compile(
    r"\d{4}-?\d{2}(-?\d{2}.*)?"  # dates
    r"|[+-]?\d+"  # numbers, and places in arrays
    r"|[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}"  # UUIDs
    r"|(?=.*\d)[0-9a-fA-F]{8,}"
    r"|.*[@\s/\\:].*"  # addresses, sentences, URLs
    r"|.{61,}",
    re.DOTALL,
)
MANY_NAMES = 200
"""Names in one document that make all of them data."""


def folded(path: str) -> str:
    """A dotted path with the names that are data folded."""
    if path.isidentifier() and not _DATA.fullmatch(path):
        return path
    prefix = path[: len(path) - len(path.lstrip("$"))]
    return prefix + ".".join(ANY_KEY if _is_data(step) else step for step in path.lstrip("$").split("."))


def _is_data(step: str) -> bool:
    return _DATA.fullmatch(step) is not None and not step.startswith("$")
