"""Statements that count in the search for a design although they cannot be converted: the gaps that name them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from nestling.ir.quantity_words import agreeing, first_of
from nestling.ir.reading import Gap, GapKind

MOST_STATEMENTS_NAMED = 3
"""Names shown of a longer list."""
_BEGINNING = "weighed, but not converted: "
_NAME = re.compile(r"`[^`]*`")


def unconverted_gaps(found: Iterable[tuple[str, Gap]]) -> tuple[Gap, ...]:
    """One gap for all statements that lack the same, with all their names."""
    alike: dict[tuple[GapKind, str], list[str]] = {}
    for name, gap in found:
        alike.setdefault((gap.kind, gap.what), []).append(name)
    return tuple(
        Gap(
            kind,
            f"{_BEGINNING}{what}",
            f"{agreeing(len(names), 'statement', 'statements')} {', '.join(f'`{name}`' for name in names)}",
        )
        for (kind, what), names in alike.items()
    )


def is_unconverted(gap: Gap) -> bool:
    """Whether a gap is one of these."""
    return gap.what.startswith(_BEGINNING)


def statements_in(gap: Gap) -> tuple[str, ...]:
    """The statements it names, if it is one of these."""
    return tuple(name.strip("`") for name in _NAME.findall(gap.where)) if is_unconverted(gap) else ()


def is_about(gap: Gap, statement: str) -> bool:
    """Whether it is one of these, and names the statement."""
    return statement in statements_in(gap)


def in_short(gap: Gap) -> Gap:
    """The gap with only the first few of its names where there are many."""
    names = _NAME.findall(gap.where)
    if not is_unconverted(gap) or len(names) <= MOST_STATEMENTS_NAMED:
        return gap
    return Gap(gap.kind, gap.what, f"statements {first_of(names, MOST_STATEMENTS_NAMED)}")
