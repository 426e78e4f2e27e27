"""Proving a design: its rivals loaded into databases of our own, the workload run on all of them, and what was measured.

::

    load every rival ──► beside_source: every read on all rivals and on the SQL source (answers compared)
                          └──► check: every statement on all rivals side by side ──► rounds in random order, and an A/A twin
                               (answers compared, work counted by the profiler)      │
                                                          homes compared ◄───────────┘
                                                                └──► open loop at the stated rates ──► Proof

Each rival is sent the same executions in the same order. So their rows are the same before and after every block, whatever the
statements write, and every answer can be compared.
"""

from nestling.pipeline.proving.effort import FULL, QUICK, Effort
from nestling.pipeline.proving.prove import measured_server, prove
from nestling.pipeline.proving.source import prove_source

__all__ = ["FULL", "QUICK", "Effort", "measured_server", "prove", "prove_source"]
