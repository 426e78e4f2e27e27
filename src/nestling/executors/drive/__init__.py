"""Runs a workload on a loaded design: times executions, compares answers, counts what the server did.

`execution` runs one statement; `loops` runs a block with several clients, closed or open; `answers` compares two answers;
`ages` determines how old a copy was; `examined` reads the server's profiler, `counters` and `space` its counters; `figures`
computes quantiles and intervals.
"""

from nestling.executors.drive.ages import CopyRead, ages
from nestling.executors.drive.answers import (
    AnswerShape,
    Likeness,
    StatementAnswer,
    both_right,
    digest,
    likeness,
    row_text,
)
from nestling.executors.drive.counters import Counters, counters
from nestling.executors.drive.disk_wait import disk_wait
from nestling.executors.drive.examined import profiled_operations
from nestling.executors.drive.execution import LoadedDesign, driven, execute
from nestling.executors.drive.figures import MixSeconds, latency, seconds_of_mix
from nestling.executors.drive.homes import homes, unlike
from nestling.executors.drive.loops import TimedExecution, run_at_moments, run_in_order
from nestling.executors.drive.space import bound_cache, cached_bytes, check_room, stored_space

__all__ = [
    "AnswerShape",
    "CopyRead",
    "Counters",
    "Likeness",
    "LoadedDesign",
    "MixSeconds",
    "StatementAnswer",
    "TimedExecution",
    "ages",
    "both_right",
    "bound_cache",
    "cached_bytes",
    "check_room",
    "counters",
    "digest",
    "disk_wait",
    "driven",
    "execute",
    "homes",
    "latency",
    "likeness",
    "profiled_operations",
    "row_text",
    "run_at_moments",
    "run_in_order",
    "seconds_of_mix",
    "stored_space",
    "unlike",
]
