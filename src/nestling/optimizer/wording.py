"""Requirements in words, for people who have to loosen one."""

from __future__ import annotations

from nestling.ir.design_problem import Group, Limit, Needs
from nestling.ir.quantity_words import first_of, size
from nestling.optimizer.evaluate import Requirement

MOST_STRUCTURES_NAMED = 4
"""Most structures listed in a sentence."""


def in_words(requirement: Requirement) -> str:
    """A requirement as a clause of a sentence."""
    match requirement:
        case Group(name=name, among=among, optional=optional):
            return f"{name}: {'at most' if optional else 'exactly'} one of {_listed(among)}"
        case Needs(structure=structure, any_of=any_of):
            return f"`{structure}` needs {'one of ' if len(any_of) > 1 else ''}{_listed(any_of)}"
        case Limit(name=name, at_most=at_most, requirement=requirement_text, in_bytes=in_bytes):
            return f"{requirement_text or name} (at most {size(at_most) if in_bytes else f'{at_most:g}'})"
        case _:
            return f"statement `{requirement.statement}` has to be answered at `{requirement.name}`"


def _listed(structures: tuple[str, ...]) -> str:
    return first_of([f"`{structure}`" for structure in structures], MOST_STRUCTURES_NAMED) or "nothing"
