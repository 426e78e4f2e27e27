"""Captured statements: what applications were seen to ask of a MongoDB, as shapes without values, and how often.

A command becomes a `CommandShape` (`shape`), a `Tally` counts shapes as they come, a `Capture` is what came of it. The profiler,
the server's log, `$queryStats` and the recorder differ only in where commands come from.
"""

from nestling.ir.capture.capture import Capture, CaptureKind, Follow, ShapeTotals, capture_text, merged, read_capture
from nestling.ir.capture.shape import CommandOperation, CommandShape, operation_of, parts, shape
from nestling.ir.capture.tally import Sums, Tally, list_values

__all__ = [
    "Capture",
    "CaptureKind",
    "CommandOperation",
    "CommandShape",
    "Follow",
    "ShapeTotals",
    "Sums",
    "Tally",
    "capture_text",
    "list_values",
    "merged",
    "operation_of",
    "parts",
    "read_capture",
    "shape",
]
