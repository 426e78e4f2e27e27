"""Structures considered other than the homes in decisions – copies, computed values, indexes, time series – and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import assert_never

from nestling.ir.candidate import (
    HOMES,
    Absorbed,
    Aggregate,
    Archived,
    Bucketed,
    Candidate,
    Cold,
    CopiedAttribute,
    FirstChildren,
    Indexed,
    IndexedAcross,
    IndexedAnyCase,
    Lineage,
    Mirror,
    Nested,
    Own,
    Paired,
    Refused,
)
from nestling.ir.design_problem import CHANGE, Solution, Weighing
from nestling.ir.proposal import WITHOUT_IT, Weighed
from nestling.ir.situation.situation import Situation
from nestling.strategies.placement.decided_relationships import subject_of
from nestling.strategies.placement.prices import price
from nestling.strategies.placement.wording import causes, causing, flips, is_rounding


def considered(
    situation: Situation, candidates: Iterable[Candidate], solution: Solution, weighings: Iterable[Weighing]
) -> tuple[Weighed, ...]:
    """Chosen ones first, by saving; then the others, closest to being chosen first, and last those not compared."""
    candidates, weighings = tuple(candidates), tuple(weighings)
    by_group = {each.group: each for each in weighings}
    by_name = {each.id: each for each in candidates}
    of_homes = _weighings_of_homes(candidates, weighings)
    found = [
        _weighed(
            situation,
            candidate,
            solution,
            _of_one(of_homes.get(candidate.part.entity), candidate.id)
            if isinstance(candidate.part, Absorbed | Bucketed)
            else _of_one(by_group.get(candidate.part.decision), candidate.id)
            if isinstance(candidate.part, Archived)
            else by_group.get(candidate.id),
            by_name,
        )
        for candidate in candidates
        if not isinstance(candidate.part, HOMES) or _is_told_nowhere_else(situation, candidate)
    ]
    return tuple(sorted(found, key=_order))


def _is_told_nowhere_else(situation: Situation, home: Candidate) -> bool:
    """Whether no decision on a relationship mentions a home, as for a time series."""
    if isinstance(home.part, Bucketed):
        return not situation.parents[home.part.entity]
    return isinstance(home.part, Absorbed)


def passing_bounds(situation: Situation, refused: Iterable[Refused]) -> Iterator[Weighed]:
    """Structures that could not be considered, with the bound that they break."""
    for each in refused:
        candidate = each.candidate
        yield Weighed(
            structure=candidate.id,
            pattern=candidate.pattern,
            chosen=False,
            gain=None,
            price=price(situation, candidate),
            motives=candidate.motives,
            because=each.why,
            about=_about(situation, candidate),
            statements=candidate.motives,
        )


def _order(each: Weighed) -> tuple[bool, bool, float, str]:
    return not each.chosen, each.gain is None, -(each.gain or 0.0), each.structure


def _weighings_of_homes(candidates: Iterable[Candidate], weighings: Iterable[Weighing]) -> Mapping[str, Weighing]:
    """By entity, the weighing that has its homes."""
    homes = {each.id: each.part.entity for each in candidates if isinstance(each.part, HOMES)}
    return {homes[name]: each for each in weighings for name, _ in each.alternatives if name in homes}


def _of_one(weighing: Weighing | None, structure: str) -> Weighing | None:
    """A structure's part in a weighing: everything if it is chosen, or else just its cost as an alternative."""
    places = [name for name, _ in weighing.alternatives] if weighing is not None else []
    if weighing is None or structure not in places:
        return weighing
    place = places.index(structure)
    return Weighing(
        weighing.group,
        weighing.alternatives[place : place + 1],
        tuple(turn for turn in weighing.turns if turn.to == structure),
        weighing.causes[place : place + 1],
        weighing.come[place : place + 1],
        unchecked=weighing.unchecked,
    )


def _weighed(
    situation: Situation,
    candidate: Candidate,
    solution: Solution,
    one: Weighing | None,
    by_name: Mapping[str, Candidate],
) -> Weighed:
    chosen = candidate.id in solution.chosen
    other = next((cost for _, cost in one.alternatives), None) if one is not None else None
    rates = {statement.name: statement.rate_per_second for statement in situation.reading.workload.statements}
    differences = dict(next(iter(one.causes), ())) if one is not None else {}
    told = differences.pop(CHANGE, 0.0)
    threshold = 0.0 if is_rounding(told, solution) else told
    gain = None if other is None else _gain(other - threshold, solution, chosen=chosen)
    return Weighed(
        structure=candidate.id,
        pattern=candidate.pattern,
        chosen=chosen,
        gain=gain,
        price=price(situation, candidate),
        motives=candidate.motives,
        flips=flips(one, rates, {}, candidate.id if chosen else WITHOUT_IT) if one is not None else (),
        because=causes(differences.items(), rates),
        about=_about(situation, candidate),
        instead=tuple(_instead(situation, candidate, one, by_name)) if one is not None and chosen else (),
        dropped=_dropped(one, gain, solution) if one is not None and chosen else None,
        statements=causing(differences.items(), rates),
        checked=one is None or not {name for name, _ in one.alternatives[:1]} & set(one.unchecked),
        threshold=threshold,
    )


def _instead(
    situation: Situation, candidate: Candidate, one: Weighing, by_name: Mapping[str, Candidate]
) -> Iterator[str]:
    """The structures of the best design without the candidate that concern the same relationship or statement."""
    differences = next(iter(one.causes), ())
    statements = {*candidate.motives, *(name for name, seconds in differences if seconds > 0)}
    subject = _about(situation, candidate)
    for name in next(iter(one.come), ()):
        other = by_name.get(name)
        if other is not None and (
            statements & set(other.motives) or (subject and subject == _subject(situation, other))
        ):
            yield name


def _subject(situation: Situation, candidate: Candidate) -> str:
    """The relationship a structure follows, a home too."""
    match candidate.part:
        case Nested(links=(first, *_)):
            return subject_of(situation, situation.model.relationship(first))
        case Bucketed(entity, by):
            link = next((each for each in situation.parents[entity] if each.child_attributes == by), None)
            return subject_of(situation, link) if link is not None else ""
        case _:
            return _about(situation, candidate)


def _gain(other: float, solution: Solution, *, chosen: bool) -> float:
    """What the structure saves; 0 for rounding errors."""
    difference = other - solution.cost if chosen else solution.cost - other
    return 0.0 if is_rounding(difference, solution) else difference


def _dropped(one: Weighing, gain: float | None, solution: Solution) -> float | None:
    """The extra cost without any replacement, if that exceeds the structure's saving."""
    if one.dropped is None or gain is None or is_rounding(one.dropped - solution.cost - gain, solution):
        return None
    return one.dropped - solution.cost


def _about(situation: Situation, candidate: Candidate) -> str:
    """The relationship that a structure follows, by the name of its decision; "" for none."""
    match candidate.part:
        case CopiedAttribute(path=path):
            link = path[0].relationship
        case Absorbed(_, link) | FirstChildren(link) | Lineage(link) | Aggregate(link):
            pass
        case IndexedAcross() as across:
            link = across.links[0]
        case Mirror(both):
            return both
        case Indexed(entity, keys):
            names = [name for name, _ in keys]
            parents = situation.parents[entity]
            link = next(
                (p.name for p in parents if set(p.child_attributes) == set(names[: len(p.child_attributes)])), ""
            )
        case Cold() | Archived() | Paired() | Own() | Nested() | Bucketed() | IndexedAnyCase():
            return ""
        case other:
            assert_never(other)
    return subject_of(situation, situation.model.relationship(link)) if link else ""
