"""Captured statements from files, and what they mean over a model: shapes in, SQL statements out."""

from nestling.sources.capture.files import read_capture_file

__all__ = ["read_capture_file"]
