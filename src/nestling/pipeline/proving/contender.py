"""A rival while it is being measured: what it is, and what has been found so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nestling.executors.drive import Counters, LoadedDesign
from nestling.ir.proof import CopyAges, Examined, OpenLoop, Space
from nestling.ir.proposal import Proposal

if TYPE_CHECKING:
    from pymongo.database import Database

TWIN = "chosen, again"
"""The recommended design loaded a second time: any difference from itself is noise."""


@dataclass
class Contender:
    """Filled step by step. `rounds`: the seconds of each statement's executions, round by round.

    `choices`: how often each statement was answered differently from another design where SQL leaves a choice. `refused`: how
    often, of the times it was `asked` side by side, a statement broke a constraint of the source, which depends on the values
    drawn for it. `left_out`: why it is not measured; this says nothing against its answers.
    """

    name: str
    proposal: Proposal
    database: Database[Any]
    disqualified: str = ""
    left_out: str = ""
    driven: LoadedDesign | None = None
    predicted: Mapping[str, float | None] = field(default_factory=dict)
    space: Space | None = None
    cached_bytes: int = 0
    load_seconds: float | None = None
    rounds: list[dict[str, list[float]]] = field(default_factory=list)
    examined: dict[str, list[Examined]] = field(default_factory=dict)
    compared: Counter[str] = field(default_factory=Counter)
    stale: Counter[str] = field(default_factory=Counter)
    choices: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    writes: int = 0
    counted: Counters = field(default_factory=Counters)
    opened: OpenLoop | None = None
    copies: tuple[CopyAges, ...] = ()
    unsynced: str = ""
    opened_seconds: dict[str, list[float]] = field(default_factory=dict)

    @property
    def running(self) -> LoadedDesign:
        """What runs its statements; only for a loaded design."""
        assert self.driven is not None, self.name
        return self.driven

    def seconds(self, statement: str) -> list[float]:
        """All its measured executions."""
        return [seconds for one in self.rounds for seconds in one.get(statement, ())]

    def out(self, why: str) -> None:
        """Disqualify the contender; the first reason stays."""
        self.disqualified = self.disqualified or why


def in_race(contenders: list[Contender]) -> list[Contender]:
    """Return the rivals that are loaded, have made no mistake and are not left out."""
    return [each for each in contenders if not each.disqualified and not each.left_out and each.driven is not None]
