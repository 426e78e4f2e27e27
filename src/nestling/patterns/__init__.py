"""Patterns: each proposes candidates – structures built from the primitives – for a model and its workload.

A pattern is a module with one function, `candidates(situation) -> Iterator[Suggestion]`. Its name is the file's, with hyphens;
to add a pattern, add a file. If several patterns propose the same structure, all of them are named, in the order of the
catalogue. Patterns decide nothing: the costs say whether a candidate is worth its price.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from nestling.common.folders import member, module_names
from nestling.ir.candidate import Candidate, CopiedAttribute, Part, Suggestion, along
from nestling.ir.situation import Situation

__all__ = ["pattern_names", "propose"]

_CODE = re.compile(r"\(([A-Z])(\d+)")
_LAST = "~"
"""Sorts after every letter of a code."""


def propose(situation: Situation) -> tuple[Candidate, ...]:
    """Return everything the patterns propose, each structure once, with all patterns that propose it and all their statements.

    Structures with the same id are the same. Rows are not combined along relationships in which a child may spell its parent's
    key differently, and no rows are copied into documents that may be equal.
    """
    found: dict[str, list[tuple[str, Suggestion]]] = {}
    for name in pattern_names():
        for each in member(__name__, name).candidates(situation):
            known = found.setdefault(each.id, [])
            assert all(other.part == each.part for _, other in known), f"two structures are called `{each.id}`"
            known.append((name, each))
    links = situation.model.relationships
    respelled = {link.name for link in links if situation.may_be_respelled(link)}
    alike = {link.name for link in links if situation.may_be_alike(link.parent)}

    def fits(part: Part) -> bool:
        refused = respelled if isinstance(part, CopiedAttribute) else respelled | alike
        return refused.isdisjoint(along(part, situation.model))

    return tuple(each for each in map(_candidate, found.values()) if fits(each.part))


def _candidate(suggestions: Iterable[tuple[str, Suggestion]]) -> Candidate:
    """Combine all suggestions of one structure; its patterns are in the order of the catalogue, whatever their files' names."""
    ordered = sorted(suggestions, key=lambda named: _place(named[0]))
    patterns = dict.fromkeys(name.replace("_", "-") for name, _ in ordered)
    motives = dict.fromkeys(motive for _, each in ordered for motive in each.motives)
    one = ordered[0][1]
    return Candidate(one.id, tuple(patterns), one.part, tuple(motives))


def _place(name: str) -> tuple[str, int, str]:
    """Return the position of a pattern in the catalogue: its first code (C1 before C8 before D1), then its title.

    Patterns without a code come last.
    """
    title = (member(__name__, name).__doc__ or name).split(":", 1)[0]
    code = _CODE.search(title)
    return (code[1], int(code[2]), title) if code else (_LAST, 0, title)


def pattern_names() -> tuple[str, ...]:
    """Return the names of all patterns: the modules of this folder."""
    return module_names(__path__)
