"""Shared index (D1): the keys for one way to find rows are the beginning of those for another, so that one index serves both.

Fields compared for equality may be in any order in an index. So if all fields by which one statement searches are among the
equality fields of another, one index serves both, with one entry for each write.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import Indexed, IndexKeys, Suggestion
from nestling.ir.situation import Situation
from nestling.ir.workload import Operator
from nestling.patterns.compound_index import wanted_keys


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """One for each two ways of finding an entity's rows, if the keys of one can be the beginning of the other's."""
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
    """Yield the keys that serve statements, with those compared for equality, and the statements."""
    found: dict[IndexKeys, tuple[set[str], list[str]]] = {}
    for statement in situation.statements_of[entity]:
        for access in statement.accesses:
            equal = access.compared(Operator.EQUALITY)
            for keys in wanted_keys(situation, access) if access.entity == entity else ():
                found.setdefault(keys, (equal, []))[1].append(statement.name)
    yield from found.items()
