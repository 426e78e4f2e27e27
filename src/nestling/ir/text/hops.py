"""Paths along relationships as text: names, with `:up` or `:down` where a self-relationship leaves the direction open."""

from __future__ import annotations

from nestling.common.errors import Problem
from nestling.ir.model import Model
from nestling.ir.rows import Hop, RowPath
from nestling.ir.text.form import FormProblems
from nestling.ir.text.yaml_reader import YamlPath

_ENDINGS = {":up": True, ":down": False}


def hops(texts: list[str], at: str, model: Model, path: YamlPath, findings: FormProblems) -> RowPath:
    """The path that `texts` names, starting at the entity `at`; an open direction is noted and taken to be down."""
    way: list[Hop] = []
    for text in texts:
        hop = _hop(text, at, model)
        if hop is None:
            what = f"`{text}` relates `{at}` to itself"
            next_move = f"write `{text}:up` (to the parent) or `{text}:down` (to the children)"
            findings.problems.append(Problem(what=what, path=path, next_move=next_move))
            hop = Hop(text, up=False)
        way.append(hop)
        at = hop.target(model) if model.has_relationship(hop.relationship) else at
    return tuple(way)


def _hop(text: str, at: str, model: Model) -> Hop | None:
    """One hop, None when its direction is open; of an unknown relationship, some hop that the design will refuse."""
    ending = next((one for one in _ENDINGS if text.endswith(one)), None)
    if ending is not None and model.has_relationship(text.removesuffix(ending)):
        return Hop(text.removesuffix(ending), _ENDINGS[ending])
    if not model.has_relationship(text):
        return Hop(text, up=False)
    link = model.relationship(text)
    return None if link.is_self else Hop(text, up=link.child == at)


def hop_texts(way: RowPath, at: str, model: Model) -> tuple[str, ...]:
    """The names along a path that starts at the entity `at`, directions said only where they must be."""
    texts = []
    for hop in way:
        explicit = f"{hop.relationship}:{'up' if hop.up else 'down'}"
        texts.append(hop.relationship if _hop(hop.relationship, at, model) == hop else explicit)
        at = hop.target(model)
    return tuple(texts)
