"""Shared index (D1): the keys of one way to find rows stand in front of those of another, so that one index serves both.

What is compared for equality may stand in any order in an index. So where all that one statement seeks by is among the equalities
of another, one index, and one entry for each write, does for two.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import Indexed, IndexKeys, Suggestion
from nestling.ir.situation import Situation
from nestling.ir.workload import Operator
from nestling.patterns.compound_index import wanted_keys


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """One for each two ways that statements find an entity's rows of which one can stand in front of the other."""
    found: dict[tuple[str, IndexKeys], dict[str, None]] = {}
    for entity in situation.model.entities:
        ways = dict(_ways(situation, entity.name))
        for front, (_, first) in ways.items():
            for behind, (equal, second) in ways.items():
                names = {name for name, _ in front}
                if names < equal and behind[: len(front)] != front:
                    keys = (*front, *(key for key in behind if key[0] not in names))
                    found.setdefault((entity.name, keys), {}).update(dict.fromkeys((*first, *second)))
    for (name, keys), statements in found.items():
        text = ", ".join(key if direction > 0 else f"-{key}" for key, direction in keys)
        yield Suggestion(f"index of {name} on {text}", Indexed(name, keys), tuple(statements))


def _ways(situation: Situation, entity: str) -> Iterator[tuple[IndexKeys, tuple[set[str], list[str]]]]:
    """The keys that serve statements, with what of them is compared for equality, and the statements."""
    found: dict[IndexKeys, tuple[set[str], list[str]]] = {}
    for statement in situation.statements_of[entity]:
        for access in statement.accesses:
            equal = access.compared(Operator.EQUALITY)
            for keys in wanted_keys(situation, access) if access.entity == entity else ():
                found.setdefault(keys, (equal, []))[1].append(statement.name)
    yield from found.items()
