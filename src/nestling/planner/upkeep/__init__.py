"""Upkeep: what a design keeps that follows from homes, what it must be, and the steps that keep it so."""

from nestling.planner.upkeep.all_upkeeps import upkeeps_of
from nestling.planner.upkeep.background import left_to_sync
from nestling.planner.upkeep.change import ChangeKind, RowChange
from nestling.planner.upkeep.emptied import EmptiedCopy, emptied
from nestling.planner.upkeep.implied import ExpectedRead, implied_read
from nestling.planner.upkeep.refresh import stored
from nestling.planner.upkeep.steps import upkeep_steps
from nestling.planner.upkeep.triggers import fired_triggers, triggers_of

__all__ = [
    "ChangeKind",
    "EmptiedCopy",
    "ExpectedRead",
    "RowChange",
    "emptied",
    "fired_triggers",
    "implied_read",
    "left_to_sync",
    "stored",
    "triggers_of",
    "upkeep_steps",
    "upkeeps_of",
]
