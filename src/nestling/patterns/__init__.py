"""Patterns: each proposes candidates – structures built from the primitives – for a model and its workload.

A pattern is a module with one function, `candidates(situation) -> Iterator[Suggestion]`. Its name is the file's, with hyphens,
and adding one is adding a file. None decides: whether a candidate is worth its price is for the costs to say.
"""

from __future__ import annotations

from importlib import import_module

from nestling.common.folders import module_names
from nestling.ir.candidate import Candidate, CopiedAttribute, Part, along
from nestling.ir.situation import Situation

__all__ = ["pattern_names", "propose"]


def propose(situation: Situation) -> tuple[Candidate, ...]:
    """Everything the patterns propose, each structure once: the first pattern that names it is its pattern.

    Patterns mean the same by one id. Nothing is put together along relationships whose rows may spell the key otherwise, and
    nothing of other rows into documents that may be equal.
    """
    found: dict[str, Candidate] = {}
    for name in pattern_names():
        for each in import_module(f"{__name__}.{name}").candidates(situation):
            made = Candidate(each.id, name.replace("_", "-"), each.part, each.motives)
            known = found.setdefault(made.id, made)
            assert known.part == made.part, f"two structures are called `{made.id}`"
    links = situation.model.relationships
    respelled = {link.name for link in links if situation.may_be_respelled(link)}
    alike = {link.name for link in links if situation.may_be_alike(link.parent)}

    def fits(part: Part) -> bool:
        refused = respelled if isinstance(part, CopiedAttribute) else respelled | alike
        return refused.isdisjoint(along(part, situation.model))

    return tuple(each for each in found.values() if fits(each.part))


def pattern_names() -> tuple[str, ...]:
    """The patterns there are: the modules of this folder."""
    return module_names(__path__)
