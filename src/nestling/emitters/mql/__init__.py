"""Access paths as MongoDB's query language: plain data, no driver in sight."""

from nestling.emitters.mql.pipeline import aggregation

__all__ = ["aggregation"]
