"""What was not examined, in a few lines: everything left out for the same reason is reported together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from nestling.ir.facts.collection import Skipped

MOST_NAMESPACES_NAMED = 3
"""How many names a line tells of."""
_NAME = re.compile(r"\S+\.\S+")


def together(skipped: Iterable[Skipped]) -> Iterator[Skipped]:
    """One for each reason and kind of question, with the first few of its names and how many more there are."""
    groups: dict[tuple[str, str], list[str]] = {}
    for each in skipped:
        name = _NAME.search(each.what)
        words = each.what if name is None else f"{each.what[: name.start()]}{{}}{each.what[name.end() :]}"
        groups.setdefault((words, each.why), []).append("" if name is None else name[0])
    for (words, why), names in groups.items():
        shown = ", ".join(names[:MOST_NAMESPACES_NAMED]) + (
            f" and {len(names) - MOST_NAMESPACES_NAMED:,} more" if len(names) > MOST_NAMESPACES_NAMED else ""
        )
        yield Skipped(words.replace("{}", shown) if shown else words, why)
