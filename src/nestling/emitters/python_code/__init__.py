"""Statements as a readable Python module on pymongo alone: a function for each, nothing of nestling."""

from nestling.emitters.python_code.module import Statement, lacking, module

__all__ = ["Statement", "lacking", "module"]
