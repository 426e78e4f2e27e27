"""Statements as a readable Python module on pymongo alone: a function for each, nothing of nestling."""

from nestling.emitters.python_code.module import Compiled, Statement, lacking, module

__all__ = ["Compiled", "Statement", "lacking", "module"]
