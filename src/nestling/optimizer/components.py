"""Parts of a problem that share no structure are solved one by one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import chain, islice
from types import MappingProxyType
from typing import TypeVar

from nestling.ir.design_problem import Charge, DesignProblem, Group, Limit, Load, Needs, StatementStep, Structure

Element = Group | Needs | StatementStep | Charge | Limit
Kind = TypeVar("Kind", bound=Element | Load)
Members = Mapping[str, tuple[str, ...]]
"""Structures by load."""
NO_MEMBERS: Members = MappingProxyType({})
NO_LEADER = ""
"""The leader of everything without a structure."""


def components(problem: DesignProblem) -> tuple[DesignProblem, ...]:
    """The connected parts, in the order of their first structure; elements without structures form a part of their own."""
    leader = _leaders(problem)
    structures: dict[str, list[Structure]] = defaultdict(list)
    for structure in problem.structures:
        structures[leader[structure.id]].append(structure)
    first = first_of(problem)
    groups, needs = _by_leader(problem.groups, leader, first), _by_leader(problem.needs, leader, first)
    steps, charges = _by_leader(problem.steps, leader, first), _by_leader(problem.charges, leader, first)
    limits, loads = _by_leader(problem.limits, leader, first), _by_leader(problem.loads, leader, first)
    loose = any(NO_LEADER in found for found in (groups, steps, charges, limits))
    return tuple(
        DesignProblem(
            tuple(structures.get(name, ())),
            tuple(groups.get(name, ())),
            tuple(needs.get(name, ())),
            tuple(steps.get(name, ())),
            tuple(charges.get(name, ())),
            tuple(limits.get(name, ())),
            problem.rates,
            (*loads.get(name, ()), *(() if name == NO_LEADER else loads.get(NO_LEADER, ()))),
            problem.along,
        )
        for name in (*structures, *([NO_LEADER] if loose else []))
    )


def first_of(problem: DesignProblem) -> Members:
    """One structure of each load: enough to find the part of its costs."""
    return {load.name: tuple(islice(structures_touched(load), 1)) for load in problem.loads}


def _by_leader(elements: Iterable[Kind], leader: Mapping[str, str], loads: Members) -> dict[str, list[Kind]]:
    """The elements of one kind, by the part they are in."""
    found: dict[str, list[Kind]] = defaultdict(list)
    for element in elements:
        first = next(iter(structures_touched(element, loads)), None)
        found[leader[first] if first is not None else NO_LEADER].append(element)
    return found


def structures_touched(element: Element | Load, loads: Members = NO_MEMBERS) -> Iterable[str]:
    """The structures that an element mentions; for a step also the members of the loads it pays for, from `loads`."""
    match element:
        case Group():
            return element.among
        case Needs():
            return (element.structure, *element.any_of)
        case StatementStep():
            named = ((*mode.needs, *mode.without, *(name for name, _ in mode.also)) for mode in element.modes)
            paid = dict.fromkeys(name for mode in element.modes for name, _ in mode.loads)
            return chain(chain.from_iterable(named), *(loads.get(name, ()) for name in paid))
        case Charge():
            return element.when
        case Limit():
            return chain.from_iterable(when for when, _ in element.amounts)
        case Load():
            return (name for name, _ in element.amounts)


def _elements(problem: DesignProblem) -> Iterable[Element]:
    return chain(problem.groups, problem.needs, problem.steps, problem.charges, problem.limits)


def _leaders(problem: DesignProblem) -> dict[str, str]:
    """The first structure of the part each structure is in."""
    parent = {structure.id: structure.id for structure in problem.structures}
    first = first_of(problem)
    for element in chain(_elements(problem), problem.loads):
        names = iter(structures_touched(element, first))
        one = next(names, None)
        for name in names:
            parent[_root(parent, name)] = _root(parent, one or name)
    return {name: _root(parent, name) for name in parent}


def _root(parent: dict[str, str], name: str) -> str:
    while parent[name] != name:
        parent[name] = parent[parent[name]]
        name = parent[name]
    return name
