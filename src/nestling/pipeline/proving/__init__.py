"""Proves a design: loads its rivals into databases of our own, runs the workload on all of them, and measures.

::

    load every rival ──► beside_source: every read on all rivals and on the SQL source (answers compared)
                          └──► check: every statement on all rivals side by side ──► rounds in random order, and an A/A twin
                               (answers compared, work counted by the profiler)      │
                                                          homes compared ◄───────────┘
                                                                └──► open loop at the stated rates ──► Proof

All rivals execute the same statements in the same order. So they hold the same rows before and after every block, whatever the
statements write, and every answer can be compared.
"""

from nestling.pipeline.proving.effort import FULL, QUICK, Effort
from nestling.pipeline.proving.prove import measured_server, prove
from nestling.pipeline.proving.source import prove_source

__all__ = ["FULL", "QUICK", "Effort", "measured_server", "prove", "prove_source"]
