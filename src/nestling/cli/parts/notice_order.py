"""The order in which gaps and notes are shown: first what answers or rules may be wrong by; those that are alike as one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from nestling.ir.quantity_words import first_of
from nestling.ir.reading import Gap, GapKind
from nestling.ir.statements.unconverted_gaps import in_short, is_unconverted

MOST_PLACES = 3
"""Names shown of a longer list."""
_NAMED = re.compile(r"`[^`]*`")
_CORRECTNESS = (
    "the application has to enforce it",
    "for the application to enforce",
    "only nestling's writes enforce",
    "concurrent reads get the same rows",
    "that are not enforced",
    "go stale without it",
    "that does not exist",
    "is DEFERRABLE",
    "INITIALLY DEFERRED",
    "row-level security",
    "is left to the application",
    "inherits from",
    "let each statement write the time",
    "a limit that is lost",
    "such texts are different values",
    "will not fit",
)
"""What a rule of the source or an answer may be lost by."""
_ASSUMPTIONS = ("is assumed", "are assumed", "growth")
_PLAIN = (
    "is computed by the database",
    "its data is in its tables",
    "--milliseconds",
    "has no primary key",
)
"""What is merely told: nothing has to be done about it."""


def ordered_notes(notes: Iterable[str]) -> list[str]:
    """The notes, those that differ in the first name only as one."""
    alike: dict[str, list[str]] = {}
    for note in notes:
        name = _NAMED.match(note)
        alike.setdefault(note if name is None else note[name.end() :], []).append(note)
    return sorted((_combined(found) for found in alike.values()), key=_rank)


def ordered_gaps(gaps: Iterable[Gap]) -> list[Gap]:
    """The gaps, those with one reason as one: tables and statements that are left out come first, then those not converted."""
    alike: dict[Gap, list[Gap]] = {}
    for gap in gaps:
        alike.setdefault(replace(gap, where=""), []).append(gap)
    return sorted((_combined_gap(found) for found in alike.values()), key=_rank_of_gap)


def _combined(notes: list[str]) -> str:
    first, *others = dict.fromkeys(notes)
    return (
        f"{first}; likewise {first_of([_NAMED.findall(each)[0] for each in others], MOST_PLACES)}" if others else first
    )


def _combined_gap(found: list[Gap]) -> Gap:
    first = in_short(found[0])
    places = list(dict.fromkeys(each.where for each in found))
    if len(places) == 1 or "" in places:
        return first
    return replace(first, where=first_of(places, MOST_PLACES))


def _rank(note: str) -> int:
    for rank, phrases in ((0, _CORRECTNESS), (1, _ASSUMPTIONS), (3, _PLAIN)):
        if any(each in note for each in phrases):
            return rank
    return 2


def _rank_of_gap(gap: Gap) -> int:
    if gap.kind in (GapKind.LOST, GapKind.INPUT) or any(each in gap.what for each in _CORRECTNESS):
        return 0
    return 1 if is_unconverted(gap) else 2
