"""Which rows to draw together: of several rows that refer to each other, one is read with the others joined to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from nestling.ir.bindings import Joined
from nestling.ir.rows import Hop, RowPath


@dataclass(frozen=True, slots=True)
class Base:
    """A row to read, and the way from it to each row that is drawn with it."""

    row: str
    paths: tuple[tuple[str, RowPath], ...]


def bases(wanted: Iterable[str], joined: Iterable[Joined]) -> Iterator[Base]:
    """The fewest rows from which all wanted ones are reached along many-to-one relationships."""
    links = tuple(joined)
    left = list(dict.fromkeys(wanted))
    possible = list(dict.fromkeys((*left, *(link.child for link in links))))
    while left:
        reached = {row: _reached(row, links) for row in possible}
        best = max(possible, key=lambda row: (sum(each in reached[row] for each in left), row in left))
        found = tuple((row, reached[best][row]) for row in left if row in reached[best])
        left = [row for row in left if row not in reached[best]]
        yield Base(best, found)


def _reached(start: str, links: tuple[Joined, ...]) -> dict[str, RowPath]:
    """The rows a row refers to, directly or not, by the way there."""
    found: dict[str, RowPath] = {start: ()}
    waiting = [start]
    while waiting:
        row = waiting.pop(0)
        for link in links:
            if link.child == row and link.parent not in found:
                found[link.parent] = (*found[row], Hop(link.relationship, up=True))
                waiting.append(link.parent)
    return found
