"""Comparing what a database keeps with what its source implies, and repairing it where that is asked for."""

from nestling.executors.check.changed_since import changed_since, checks_touched
from nestling.executors.check.checking import CheckOptions, run_checks
from nestling.executors.check.fields import differing_fields
from nestling.executors.check.report import CheckReport

__all__ = [
    "CheckOptions",
    "CheckReport",
    "changed_since",
    "checks_touched",
    "differing_fields",
    "run_checks",
]
